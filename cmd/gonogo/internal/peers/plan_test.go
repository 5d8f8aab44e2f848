package peers

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// planned runs a template and writes a trainer's configuration from it, of the whole training and of
// its first steps.
func (p peer) planned(trainer string) (whole, first string) {
	p.Helper()
	dir := p.TempDir()
	config, run := filepath.Join(dir, "t", "gonogo.yaml"), filepath.Join(dir, "run")
	whole, first = filepath.Join(dir, trainer+".yaml"), filepath.Join(dir, trainer+"-first.yaml")
	p.gonogo(0, "init", "--template", "finance-qa", "-o", config)
	p.gonogo(anyVerdict, "run", "-c", config, "-o", run, "--items", "24", "--samples", "8", "--no-audit")
	p.gonogo(0, "plan", run, "--for", trainer, "-o", whole, "--set", "model.temperature=1")
	p.gonogo(0, "plan", run, "--for", trainer, "--pilot", "-o", first, "--train", filepath.Join(dir, "t", "train.jsonl"),
		"--set", "model.temperature=1", "--set", "training.batch_size=8", "--set", "training.epochs=5")
	return whole, first
}

// The parser and GRPOConfig of TRL read what gonogo plan writes, and take every value.
func TestTRLReadsThePlan(t *testing.T) {
	p := meet(t, "trl")
	whole, first := p.planned("trl")
	p.readByTRL(whole, "num_generations", "max_steps", "max_completion_length", "max_tool_calling_iterations", "eval_steps", "num_generations_eval")
	p.readByTRL(first, "max_steps", "lr_scheduler_kwargs", "shuffle_dataset", "log_completions", "logging_steps", "save_steps", "output_dir")
}

// readByTRL has TRL load a configuration that has these keys, among others.
func (p peer) readByTRL(file string, keys ...string) {
	p.Helper()
	got := decode[struct {
		Asked, Got map[string]any
		Fields     []string
		Generation float64 `json:"generation_batch_size"`
	}](p, p.python("config.py", file))
	for _, key := range keys {
		if got.Asked[key] == nil {
			p.Errorf("%s has no %s", file, key)
		}
	}
	for key, want := range got.Asked {
		if !slices.Contains(got.Fields, key) {
			p.Errorf("GRPOConfig has no %s", key)
		}
		if have := got.Got[key]; !reflect.DeepEqual(have, want) && key != "eval_strategy" { // an enumeration
			p.Errorf("%s is %v to GRPOConfig, and %v was written", key, have, want)
		}
	}
	if want := got.Asked["gradient_accumulation_steps"].(float64) * got.Asked["num_generations"].(float64); got.Generation != want {
		p.Errorf("a step has %g completions, want %g: batch times group", got.Generation, want)
	}
}

// Every key of the plan is one of the configuration that verl ships, with a value of
// its kind.
func TestVerlKnowsTheKeysOfThePlan(t *testing.T) {
	p := meet(t, "verl")
	whole, first := p.planned("verl")
	p.knownToVerl(whole, 15)
	p.knownToVerl(first, 24)
}

// knownToVerl compares the keys of a configuration, at least that number of them, with those that
// verl ships.
func (p peer) knownToVerl(file string, least int) {
	p.Helper()
	got := decode[struct{ Shipped, Ours map[string]any }](p, p.python("config.py", file))
	delete(got.Ours, "hydra")
	delete(got.Ours, "defaults")
	keys := 0
	var compare func(path string, ours, shipped any)
	compare = func(path string, ours, shipped any) {
		if m, ok := ours.(map[string]any); ok {
			theirs, ok := shipped.(map[string]any)
			for k, v := range m {
				if _, there := theirs[k]; !ok || !there {
					p.Errorf("verl has no %s.%s", path, k)
					continue
				}
				compare(path+"."+k, v, theirs[k])
			}
			return
		}
		keys++
		_, template := shipped.(string) // an interpolation of OmegaConf, or a text
		if shipped != nil && !template && reflect.TypeOf(ours) != reflect.TypeOf(shipped) {
			p.Errorf("%s is %v, and verl has %v", path, ours, shipped)
		}
	}
	compare("", got.Ours, got.Shipped)
	if keys < least {
		p.Errorf("the plan has %d keys", keys)
	}
}

// TRL's GRPOTrainer takes three of the first steps with a tiny model: each step logs its completions,
// of the run's items in the order of the file, under the learning rate of the whole plan.
func TestTRLTakesTheFirstSteps(t *testing.T) {
	p := meet(t, "trl")
	dir := t.TempDir()
	var rows, rollouts strings.Builder
	words := strings.Fields("one two three four five")
	for i := range 20 { // the run sampled the last ten
		id := fmt.Sprint("q", i)
		fmt.Fprintf(&rows, `{"id":%q,"messages":[{"role":"user","content":"what is %s plus %s"}]}`+"\n", id, words[i/5], words[i%5])
		for n := range 8 * (i / 10) {
			fmt.Fprintf(&rollouts, `{"item":%q,"sample":%d,"reward":%d,"prompt":[{"role":"user","content":"what is %s plus %s"}],"completion":"x"}`+"\n",
				id, n, n%2, words[i/5], words[i%5])
		}
	}
	write(t, dir, "rows.jsonl", rows.String())
	write(t, dir, "rollouts.jsonl", rollouts.String())
	run, config := filepath.Join(dir, "run"), filepath.Join(dir, "grpo.yaml")
	p.gonogo(0, "import", filepath.Join(dir, "rollouts.jsonl"), "-o", run)
	// 10 items are 5 steps of 2, 16 times: 80 steps of 8 rollouts, and the first look after 640
	p.gonogo(0, "plan", run, "--for", "trl", "--pilot", "-o", config, "--train", filepath.Join(dir, "rows.jsonl"), "--group-size", "4",
		"--set", "training.batch_size=2", "--set", "training.epochs=16", "--set", "model.temperature=1")
	t.Setenv("GONOGO_BINARY", program)
	p.python("pilot.py", config, filepath.Join(dir, "grpo.pilot-train.jsonl"), "3", run, filepath.Join(p.scripts, "..", "..", "wheel"))
	steps := decode[struct {
		Rates   []float64
		Shown   [][]string
		Answers []struct {
			Verdict struct{ Answer string }
			Looks   []int `json:"look_steps"`
			Steps   []struct{ Step int }
		}
	}](p, read(t, config+".json"))
	// Of 8 rollouts a step, the looks after 2 and 3 steps come after 16 and 24, which the first answer says.
	if a := steps.Answers; len(a) != 1 || a[0].Verdict.Answer != "UNDECIDED" || !slices.Equal(a[0].Looks, []int{16, 24}) || len(a[0].Steps) != 2 {
		t.Errorf("the callback's answers are %+v", a)
	}
	if len(steps.Rates) != 3 || len(steps.Shown) != 3 {
		t.Fatalf("%d learning rates and %d batches, want 3", len(steps.Rates), len(steps.Shown))
	}
	var prompts []string
	for line := range strings.Lines(string(read(t, filepath.Join(dir, "grpo.pilot-train.jsonl")))) {
		prompts = append(prompts, decode[struct{ Messages []rollout.Message }](p, []byte(line)).Messages[0].Content)
	}
	for i, rate := range steps.Rates { // TRL's rate is 1e-6, and linear to 0 over 80 steps
		if want := 1e-6 * (1 - float64(i)/80); !near(rate, want) {
			t.Errorf("the learning rate of step %d is %v, want %v", i+1, rate, want)
		}
		if want := slices.Concat(slices.Repeat(prompts[2*i:2*i+1], 4), slices.Repeat(prompts[2*i+1:2*i+2], 4)); !slices.Equal(steps.Shown[i], want) {
			t.Errorf("step %d shows %q, want groups of four of the file's rows, %q", i+1, steps.Shown[i], want)
		}
	}
	groups := make(map[int]map[string]int)
	records, _ := p.imported(filepath.Join(dir, "grpo.out", "completions"))
	for k, r := range records {
		if groups[k.Step] == nil {
			groups[k.Step] = make(map[string]int)
		}
		if groups[k.Step][k.Item]++; r.Reward == nil {
			t.Errorf("%v has no reward", k)
		}
	}
	for step := 1; step <= 3; step++ {
		if got := slices.Collect(maps.Values(groups[step])); !slices.Equal(got, []int{4, 4}) {
			t.Errorf("step %d has groups of %v, want two of four", step, got)
		}
	}
}

// The keys that CI compares the plans with are those of the packages.
func TestSkyRLHasTheRecordedKeys(t *testing.T)  { meet(t, "skyrl").hasKeys("skyrl") }
func TestTinkerHasTheRecordedKeys(t *testing.T) { meet(t, "tinker").hasKeys("tinker") }
func TestOpenRLHFHasTheRecordedKeys(t *testing.T) {
	meet(t, "openrlhf").hasKeys("openrlhf")
}

func TestEvalProtocolHasTheRecordedKeys(t *testing.T) {
	meet(t, "eval-protocol").hasKeys("fireworks")
}

// hasKeys compares the keys that a package prints with the recorded ones of report/recipe.
func (p peer) hasKeys(trainer string) {
	p.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "report", "recipe", "testdata", trainer+".keys"))
	if err != nil {
		p.Fatal(err)
	}
	_, keys, _ := strings.Cut(string(read(p.T, file)), "\n")
	if printed := string(p.python("keys.py")); strings.TrimSpace(printed) != strings.TrimSpace(keys) {
		p.Errorf("%s prints\n%s", trainer, printed)
	}
}
