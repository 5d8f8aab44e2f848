package grader_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

func TestMultiTellsOfItsParts(t *testing.T) {
	_, env := serve(t)
	neq := strings.Replace(exact, `"eq"`, `"neq"`, 1)
	raw := `{"type":"multi","name":"m","invalid_grade":0.0,"graders":{"tone":` + judged + `,"exact":` + exact + `,"named":` + named + `,"differs":` + neq + `},"calculate_output":"min(exact, tone) * named"}`
	g := open(t, raw, env)
	info := grader.Info(json.RawMessage(raw), g)
	if len(info.Hash) != 64 {
		t.Errorf("hash %q", info.Hash)
	}
	info.Hash = ""
	want := rollout.GraderInfo{
		Kind: "multi", Name: "m", Formula: "min(exact, tone) * named", Parts: []string{"exact", "tone", "named", "differs"},
		Gates: []string{"exact", "tone", "named"}, // tone is in 0 to 10, so min cannot fall below exact at 0
	}
	if d := cmp.Diff(want, info); d != "" {
		t.Errorf("info (-want +got):\n%s", d)
	}
	if refs := grader.References(g); len(refs) != 1 {
		t.Errorf("%d references, want the one that two parts share", len(refs))
	} else if text, _, err := refs[0].Render(json.RawMessage(row), nil); text != "Paris" || err != nil {
		t.Errorf("the reference is %q, error %v", text, err)
	}
	if got := g.(grader.Reader).Reads(); !cmp.Equal(got, []string{"output_text"}) {
		t.Errorf("Reads() = %v", got)
	}
	warn := strings.Join(grader.Warnings(g), "\n")
	for _, says := range []string{"the formula does not read differs", `part differs: string_check: the operation "neq"`} {
		if !strings.Contains(warn, says) {
			t.Errorf("warnings %q do not say %q", warn, says)
		}
	}
	choices := grader.Choices(g)
	for _, question := range []string{"multi formula", "multi part", "multi invalid_grade", "score_model result", "string_check missing"} {
		if choices[question] == "" {
			t.Errorf("no choice %q among %v", question, choices)
		}
	}
	if err := g.(grader.Checker).CheckItem(&rollout.Item{Row: json.RawMessage(`{"anwser":"x"}`)}); err == nil || !strings.Contains(err.Error(), "part differs: ") || !strings.Contains(err.Error(), "did you mean anwser?") {
		t.Errorf("a row without the field: %v", err)
	}
}

// TestGatesDependOnWhatIsKnownOfTheParts: a minimum is nothing without one of
// its parts when the others cannot be negative.
func TestGatesDependOnWhatIsKnownOfTheParts(t *testing.T) {
	b, env := serve(t)
	signed := strings.Replace(judged, "[0,10]", "[-1,1]", 1)
	for _, c := range []struct {
		why, raw string
		want     []string
	}{
		{"a check and a judge from 0", multiOf("min(a, b)", "a", exact, "b", judged), []string{"a", "b"}},
		{"a judge from -1", multiOf("min(a, b)", "a", exact, "b", signed), []string{"b"}},
		{"an endpoint, of which nothing is known", multiOf("min(a, b)", "a", exact, "b", b.endpoint("/x")), []string{"b"}},
		{"a product, whatever is known", multiOf("a * b", "a", b.endpoint("/x"), "b", signed), []string{"a", "b"}},
		{"a sum", multiOf("a + b", "a", exact, "b", judged), nil},
	} {
		if d := cmp.Diff(c.want, grader.Info(json.RawMessage(c.raw), open(t, c.raw, env)).Gates); d != "" {
			t.Errorf("%s: gates (-want +got):\n%s", c.why, d)
		}
	}
}

// TestMultiHandsOn: what a grader may do in addition to grading reaches the parts.
func TestMultiHandsOn(t *testing.T) {
	var did []string
	kinds := append(grader.Kinds(), grader.Kind{Name: "other", New: func(raw json.RawMessage, _ grader.Env) (sampler.Grader, error) {
		return nil, errors.New("broken")
	}}, grader.Kind{Name: "process", New: func(json.RawMessage, grader.Env) (sampler.Grader, error) {
		return &process{did: &did}, nil
	}})
	g, err := grader.New(kinds, json.RawMessage(multiOf("a+b", "a", `{"type":"process"}`, "b", exact)), grader.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if err := grader.Start(t.Context(), g); err == nil || err.Error() != "part a: no interpreter" {
		t.Errorf("Start: %v", err)
	}
	if err := g.(io.Closer).Close(); err == nil || err.Error() != "part a: it hangs" {
		t.Errorf("Close: %v", err)
	}
	if _, err := grader.New(kinds, json.RawMessage(multiOf("a+b", "a", `{"type":"process"}`, "b", `{"type":"other"}`)), grader.Env{}); err == nil {
		t.Error("a broken part is accepted")
	}
	if d := cmp.Diff([]string{"start", "close", "close"}, did); d != "" {
		t.Errorf("what reached the part; a part made before a broken one is closed (-want +got):\n%s", d)
	}
	if grade, err := g.Grade(t.Context(), output("Paris")); err != nil || grade.Reward != 2 {
		t.Errorf("grade %+v, error %v", grade, err)
	}
	if err := grader.Start(t.Context(), open(t, exact, grader.Env{})); err != nil {
		t.Errorf("a grader that needs nothing: %v", err)
	}
}

// process is a grader that holds something.
type process struct{ did *[]string }

func (p *process) Grade(context.Context, sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{Reward: 1}, nil
}

func (p *process) Start(ctx context.Context) error {
	*p.did = append(*p.did, "start")
	return errors.New("no interpreter")
}

func (p *process) Close() error {
	*p.did = append(*p.did, "close")
	return errors.New("it hangs")
}
