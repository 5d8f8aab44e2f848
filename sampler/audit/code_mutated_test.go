package audit

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"gonogo/sampler/rollout"
)

// mutating changes + to - in the first program that has one.
func mutating(_ context.Context, _ json.RawMessage, programs []string, _ uint64) (string, int, error) {
	i := slices.IndexFunc(programs, func(code string) bool { return strings.Contains(code, "+") })
	if i < 0 {
		return "", 0, nil
	}
	return strings.Replace(programs[i], "+", "-", 1), i, nil
}

func TestCodeMutatedStatesWrongCodeInTheAnswersForm(t *testing.T) {
	tests := map[string]any{"test_list": []string{"assert add(1, 2) == 3"}, "code": "def add(a, b):\n    return a + b"}
	top := graded("q", 0, "I add them.\n\n```python\ndef add(x, y):\n    return x + y\n```\nDone.", 1)
	called := *top
	called.Calls = []rollout.Call{{Name: "run", Arguments: "{}", Status: rollout.CallOK}}
	for name, c := range map[string]struct {
		row      map[string]any
		rollouts []*rollout.Record
		want     []string
	}{
		"the best answer, with only its code changed": {
			tests, []*rollout.Record{top}, []string{"I add them.\n\n```python\ndef add(x, y):\n    return x - y\n```\nDone."},
		},
		"without such an answer the row's code, fenced and bare": {
			tests, nil, []string{"```python\ndef add(a, b):\n    return a - b\n```", "def add(a, b):\n    return a - b"},
		},
		"an answer with calls may have done its work with them": {
			tests, []*rollout.Record{&called}, []string{"```python\ndef add(a, b):\n    return a - b\n```", "def add(a, b):\n    return a - b"},
		},
		"a list of solutions": {
			map[string]any{"input_output": `{"inputs": ["1 2"], "outputs": ["3"]}`, "solutions": `["print(1 + 2)"]`},
			nil,
			[]string{"```python\nprint(1 - 2)\n```", "print(1 - 2)"},
		},
		"no tests of a known layout": {map[string]any{"tests": [][]int{{1, 2}}, "code": "def add(a, b):\n    return a + b"}, nil, nil},
		"no tests":                   {map[string]any{"code": "def add(a, b):\n    return a + b"}, []*rollout.Record{top}, nil},
		"no right code":              {map[string]any{"test_list": []string{"assert add(1, 2) == 3"}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, Config{}, Input{
				Items: []rollout.Item{newItem(t, "q", "Add.", c.row)}, Records: reading(c.rollouts), Mutant: mutating,
			})
			var got []string
			for _, r := range recordsOf(t, p) {
				if r.Probe.Name == codeMutated.Name {
					got = append(got, r.Answer)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("the payloads are %q, want %q", got, c.want)
			}
			if idle := slices.Contains(p.Idle, codeMutated.Name); idle != strings.HasPrefix(name, "no tests") {
				t.Errorf("idle is %v", idle)
			}
			note := "code_mutated: no wrong code was proven for 1 item whose rows have tests"
			if noted := slices.Contains(p.Notes, note); noted != (name == "no right code") {
				t.Errorf("the notes are %q", p.Notes)
			}
		})
	}
}

func TestTestsOfRowsAreRunOnlyForTheProbe(t *testing.T) {
	item := newItem(t, "q", "Add.", map[string]any{"tests": []string{"assert add(1, 2) == 3"}, "code": "def add(a, b):\n    return a + b"})
	for name, c := range map[string]struct {
		cfg   Config
		items int
		calls int64
	}{
		"skipped":        {Config{Skip: []string{codeMutated.Name}}, 1, 0},
		"at most 40":     {Config{}, mostMutated + 9, mostMutated},
		"one of several": {Config{Items: 1}, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var items []rollout.Item
			for i := range c.items {
				it := item
				it.ID = string(rune('A' + i))
				items = append(items, it)
			}
			var calls atomic.Int64
			planOf(t, c.cfg, Input{Items: items, Mutant: func(context.Context, json.RawMessage, []string, uint64) (string, int, error) {
				calls.Add(1)
				return "", 0, nil
			}})
			if calls.Load() != c.calls {
				t.Errorf("the tests of %d items are run, want %d", calls.Load(), c.calls)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := func(ctx context.Context, _ json.RawMessage, _ []string, _ uint64) (string, int, error) {
		cancel()
		return "", 0, ctx.Err()
	}
	in := Input{Items: []rollout.Item{item}, Range: [2]float64{0, 1}, Probes: Probes(), Mutant: cancelled}
	if _, err := NewPlan(ctx, Config{}, in); !errors.Is(err, context.Canceled) {
		t.Errorf("a plan that is interrupted ends with %v", err)
	}
}

func TestMutantsOfAnEarlierAuditAreKeptWhereTestsWereNotRun(t *testing.T) {
	in := Input{Grader: "g", Mutant: mutating, Items: []rollout.Item{
		newItem(t, "q", "Add.", map[string]any{"tests": []string{"assert add(1, 2) == 3"}, "code": "def add(a, b):\n    return a + b"}),
	}}
	recorded := recordsOf(t, planOf(t, Config{}, in))["code_mutated/train/q/0"]
	recorded.Reward, recorded.Outcome = new(float64), rollout.Graded
	for name, c := range map[string]struct {
		mutant func(context.Context) (string, int, error)
		grader string
		note   string
		keep   bool
	}{
		"no sandbox": {
			func(context.Context) (string, int, error) { return "", 0, errors.New("no sandbox") },
			"g", "code_mutated: the tests of item q were not run: no sandbox", true,
		},
		"another grader": {
			func(context.Context) (string, int, error) { return "", 0, errors.New("no sandbox") },
			"h", "code_mutated: the tests of item q were not run: no sandbox", false,
		},
		"no time": {
			func(ctx context.Context) (string, int, error) { <-ctx.Done(); return "", 0, ctx.Err() },
			"g", "code_mutated: the tests of 1 item were left out after 30s", true,
		},
		"no proof": {
			func(context.Context) (string, int, error) { return "", 0, nil },
			"g", "code_mutated: no wrong code was proven for 1 item whose rows have tests", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in.Grader = c.grader
				in.Mutant = func(ctx context.Context, _ json.RawMessage, _ []string, _ uint64) (string, int, error) {
					return c.mutant(ctx)
				}
				p := planOf(t, Config{}, in)
				if keep := p.Keep(recorded); keep != c.keep || !slices.Contains(p.Notes, c.note) {
					t.Errorf("kept is %v, and the notes are %q", keep, p.Notes)
				}
			})
		})
	}
}
