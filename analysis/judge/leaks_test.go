package judge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// planted are lines of a run of so many items, eight samples each, of which leaks
// says what each met; nil is not a canary anywhere.
func planted(t *testing.T, items int, leaks func(i, j int) []rollout.Leak) []string {
	t.Helper()
	var out []string
	for i := range items {
		for j := range 8 {
			reward := float64((i + j) % 2)
			rec := rollout.Record{
				Item: fmt.Sprintf("q%d", i), Split: rollout.Train, Sample: j, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward,
				TraceID: fmt.Sprintf("trace_%d_%d", i, j), Planted: leaks != nil,
			}
			if leaks != nil {
				rec.Leaks = leaks(i, j)
			}
			line, err := json.Marshal(rec)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(line))
		}
	}
	return out
}

func TestLeaksAreJudged(t *testing.T) {
	of := func(i, j int, at string) rollout.Leak {
		return rollout.Leak{Canary: rollout.Canary(fmt.Sprintf("trace_%d_%d", i, j)), At: at}
	}
	for _, c := range []struct {
		what     string
		items    int
		leaks    func(i, j int) []rollout.Leak
		blocking analysis.Status
		advisory analysis.Status
		says     string
	}{
		{"nothing was planted", 100, nil, analysis.Skipped, analysis.Unknown, "none of them had a canary"},
		{"nobody met anybody", 100, func(int, int) []rollout.Leak { return nil }, analysis.Pass, analysis.Pass, "0 of 800 rollouts found"},
		{"one did, whose comes first in the file", 100, func(i, j int) []rollout.Leak {
			if i == 40 && j == 3 {
				return []rollout.Leak{of(7, 1, "tool search")}
			}
			return nil
		}, analysis.Pass, analysis.Fail, "train q40/3 found data left by train q7/1 (tool search)"},
		{"one did, whose comes later", 100, func(i, j int) []rollout.Leak {
			if i == 2 && j == 0 {
				return []rollout.Leak{of(99, 7, "session"), of(3, 1, "agent")}
			}
			return nil
		}, analysis.Pass, analysis.Fail, "train q2/0 found data left by train q99/7 (session)"},
		{"one met another run's", 100, func(i, j int) []rollout.Leak {
			if i == 2 && j == 0 {
				return []rollout.Leak{{Canary: rollout.Canary("trace_of_last_week"), At: "model"}}
			}
			return nil
		}, analysis.Pass, analysis.Fail, "found data left by a rollout of another run, or by one without a record (model)"},
		{"every third did", 100, func(i, j int) []rollout.Leak {
			if (i+j)%3 == 0 {
				return []rollout.Leak{of(i, (j+1)%8, "session")}
			}
			return nil
		}, analysis.Fail, analysis.Fail, "they are not isolated"},
		{"a few of a few did", 10, func(i, j int) []rollout.Leak {
			if i < 2 && j == 0 {
				return []rollout.Leak{of(i, 1, "session")}
			}
			return nil
		}, analysis.Unknown, analysis.Fail, "too few to fail the run"},
	} {
		r := analyze(t, analysis.DefaultSettings(), planted(t, c.items, c.leaks))
		got := map[analysis.Severity]analysis.Status{}
		var text []string
		for _, f := range analysis.ByFact(r.Findings) {
			if f.Gate == "rollouts.leaks" {
				got[f.Severity] = f.Status
				text = append(text, f.Title.String(), f.Remedy.String())
			}
		}
		if got[analysis.Blocking] != c.blocking || got[analysis.Advisory] != c.advisory || !strings.Contains(strings.Join(text, "\n"), c.says) {
			t.Errorf("%s: %v, want %s and %s and %q in:\n%s", c.what, got, c.blocking, c.advisory, c.says, strings.Join(text, "\n"))
		}
		if (r.Leaks == nil) != (c.leaks == nil) {
			t.Errorf("%s: leaks %+v", c.what, r.Leaks)
		}
	}
}

// The order of the lines does not matter, nor how often a place was shared.
func TestLeaksInAnyOrder(t *testing.T) {
	lines := planted(t, 40, func(i, j int) []rollout.Leak {
		if j < 4 {
			return nil
		}
		return []rollout.Leak{{Canary: rollout.Canary(fmt.Sprintf("trace_%d_%d", 39-i, j)), At: "session"}}
	})
	want := analyze(t, analysis.DefaultSettings(), lines).Leaks
	slices.Reverse(lines)
	if diff := cmp.Diff(want, analyze(t, analysis.DefaultSettings(), lines).Leaks); diff != "" {
		t.Errorf("backwards (-forwards +backwards):\n%s", diff)
	}
	if want.Leaking != 160 || want.Rollouts != 320 || len(want.Examples) != 10 || want.Examples[0].Of == nil {
		t.Errorf("%+v", want)
	}
}

// A rollout that was made again may meet what its own first attempt left: attempts
// have canaries of their own, and the one that was replaced is known, too.
func TestALeakFromAnEarlierAttempt(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), []string{
		`{"item":"q1","sample":0,"outcome":"tool","trace_id":"trace_first","canary_planted":true}`,
		`{"item":"q1","sample":0,"attempt":1,"reward":1,"trace_id":"trace_second","canary_planted":true,"leaks":[{"canary":"` + rollout.Canary("trace_first") + `","at":"session"}]}`,
		`{"item":"q1","sample":1,"reward":0,"trace_id":"trace_other","canary_planted":true}`,
	})
	facts := analysis.ByFact(r.Findings)
	i := slices.IndexFunc(facts, func(f analysis.Finding) bool {
		return f.Gate == "rollouts.leaks" && f.Severity == analysis.Advisory
	})
	if i < 0 || !strings.Contains(facts[i].Remedy.String(), "train q1/0 found data left by an earlier attempt of its own (session)") || r.Leaks.Rollouts != 2 {
		t.Errorf("%+v", r.Leaks)
	}
}
