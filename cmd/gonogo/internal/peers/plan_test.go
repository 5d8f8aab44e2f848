package peers

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// planned runs a template and writes a trainer's configuration from it.
func (p peer) planned(trainer string) string {
	p.Helper()
	dir := p.TempDir()
	config, run, out := filepath.Join(dir, "t", "gonogo.yaml"), filepath.Join(dir, "run"), filepath.Join(dir, trainer+".yaml")
	p.gonogo(0, "init", "--template", "finance-qa", "-o", config)
	p.gonogo(anyVerdict, "run", "-c", config, "-o", run, "--items", "24", "--samples", "8", "--no-audit")
	p.gonogo(0, "plan", run, "--for", trainer, "-o", out, "--set", "model.temperature=1")
	return out
}

// The parser and GRPOConfig of TRL read what gonogo plan writes, and take every value.
func TestTRLReadsThePlan(t *testing.T) {
	p := meet(t, "trl")
	got := decode[struct {
		Asked, Got map[string]any
		Fields     []string
		Generation float64 `json:"generation_batch_size"`
	}](p, p.python("config.py", p.planned("trl")))
	for _, key := range []string{"num_generations", "max_steps", "max_completion_length", "max_tool_calling_iterations", "eval_steps", "num_generations_eval"} {
		if got.Asked[key] == nil {
			t.Errorf("the plan has no %s", key)
		}
	}
	for key, want := range got.Asked {
		if !slices.Contains(got.Fields, key) {
			t.Errorf("GRPOConfig has no %s", key)
		}
		if have := got.Got[key]; !reflect.DeepEqual(have, want) && key != "eval_strategy" { // an enumeration
			t.Errorf("%s is %v to GRPOConfig, and %v was written", key, have, want)
		}
	}
	if want := got.Asked["gradient_accumulation_steps"].(float64) * got.Asked["num_generations"].(float64); got.Generation != want {
		t.Errorf("a step has %g completions, want %g: batch times group", got.Generation, want)
	}
}

// Every key of the plan is one of the configuration that verl ships, with a value of
// its kind.
func TestVerlKnowsTheKeysOfThePlan(t *testing.T) {
	p := meet(t, "verl")
	got := decode[struct{ Shipped, Ours map[string]any }](p, p.python("config.py", p.planned("verl")))
	delete(got.Ours, "hydra")
	delete(got.Ours, "defaults")
	keys := 0
	var compare func(path string, ours, shipped any)
	compare = func(path string, ours, shipped any) {
		if m, ok := ours.(map[string]any); ok {
			theirs, ok := shipped.(map[string]any)
			for k, v := range m {
				if _, there := theirs[k]; !ok || !there {
					t.Errorf("verl has no %s.%s", path, k)
					continue
				}
				compare(path+"."+k, v, theirs[k])
			}
			return
		}
		keys++
		_, template := shipped.(string) // an interpolation of OmegaConf, or a text
		if shipped != nil && !template && reflect.TypeOf(ours) != reflect.TypeOf(shipped) {
			t.Errorf("%s is %v, and verl has %v", path, ours, shipped)
		}
	}
	compare("", got.Ours, got.Shipped)
	if keys < 15 {
		t.Errorf("the plan has %d keys", keys)
	}
}
