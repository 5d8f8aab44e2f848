package tryout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// by is a grader that knows whether the answer is right, and how many calls are before it.
type by func(right bool, calls int) (float64, error)

func (g by) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	reward, err := g(out.Text == "right "+out.Item.ID, len(out.Calls))
	return sampler.Grade{Reward: reward}, err
}

// answers are the reference, an empty answer and a wrong one of two items with a tool.
func answers(t *testing.T) []sampler.Task {
	t.Helper()
	var items []rollout.Item
	for _, id := range []string{"a", "b"} {
		row := `{"id":"` + id + `","reference_answer":"right ` + id + `"}`
		items = append(items, rollout.Item{ID: id, Split: rollout.Train, Row: []byte(row), Tools: []byte(`[{"function":{"name":"search"}}]`)})
	}
	out, n, err := audit.TrialAnswers(t.Context(), audit.Input{Seed: 1, Items: items, Range: [2]float64{0, 1}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if n != 2 || len(out) != 6 || !isReference(out[0].Record) || !isReference(out[1].Record) || isReference(out[2].Record) {
		t.Fatalf("%d answers of %d items, or the references do not come first", len(out), n)
	}
	return out
}

// References that all earn the same may earn all that the grader gives.
func TestTheTopMayBeLower(t *testing.T) {
	for name, c := range map[string]struct {
		grade by
		says  bool
	}{
		"0.8 for each": {func(bool, int) (float64, error) { return 0.8, nil }, true},
		"nothing":      {func(bool, int) (float64, error) { return 0, nil }, false},
	} {
		trial := Trial{
			Grader: c.grade, Range: [2]float64{0, 1}, Sampling: sampler.Config{Concurrency: 1, RewardRange: &[2]float64{0, 1}},
			Mask:  func(s string) string { return s },
			Place: func(r *rollout.Record) string { return r.Item },
		}
		_, findings, err := trial.Try(t.Context(), answers(t))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(findings, func(f Finding) bool { return strings.Contains(f.Title, "references earn less") })
		if i < 0 || strings.Contains(findings[i].Remedy, "All earn 0.8: if the grader never gives more, set reward_range to [0, 0.8].") != c.says {
			t.Errorf("%s: %+v", name, findings)
		}
	}
}

func TestWhatATrialFinds(t *testing.T) {
	broken := errors.New("planted-secret: no such field")
	for name, c := range map[string]struct {
		grade by
		want  []string // the titles, of those that block with !
	}{
		"nothing of a sound grader": {func(right bool, _ int) (float64, error) {
			if right {
				return 1, nil
			}
			return 0, nil
		}, nil},
		"one that pays for anything": {func(bool, int) (float64, error) { return 1, nil }, []string{
			"2 of 2 empty answers earn the top of reward_range, 1", "2 of 2 wrong answers earn the top of reward_range, 1",
		}},
		"one that pays for nothing": {func(bool, int) (float64, error) { return 0, nil }, []string{"2 of 2 references earn less than the top of reward_range, 1"}},
		"one that fails on all":     {func(bool, int) (float64, error) { return 0, broken }, []string{"!it fails on 2 of 2 references and 6 of 6 answers in all"}},
		"one out of its range":      {func(bool, int) (float64, error) { return 7, nil }, []string{"!its reward is outside reward_range [0, 1] for 2 of 2 references and 6 of 6 answers in all"}},
		"one that needs tool calls": {func(_ bool, calls int) (float64, error) {
			if calls == 0 {
				return 0, broken
			}
			return 0, nil
		}, []string{"it fails on 2 of 2 references and 6 of 6 answers in all, because these answers come without tool calls"}},
	} {
		t.Run(name, func(t *testing.T) {
			trial := Trial{
				Grader: c.grade, Range: [2]float64{0, 1}, Sampling: sampler.Config{Concurrency: 1, RewardRange: &[2]float64{0, 1}},
				Mask:  func(s string) string { return strings.ReplaceAll(s, "planted-secret", "***") },
				Place: func(r *rollout.Record) string { return r.Item },
			}
			graded, findings, err := trial.Try(t.Context(), answers(t))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				title := f.Title
				if f.Blocking {
					title = "!" + title
				}
				got = append(got, title)
				if text := strings.Join(f.Rows, " "); len(f.Rows) == 0 || len(f.Rows) > mostRows || strings.Contains(text, "planted") {
					t.Errorf("rows of %q: %q", f.Title, f.Rows)
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") || graded == 0 {
				t.Errorf("%d graded, found %q, want %q", graded, got, c.want)
			}
		})
	}
}

// No trial asks more than it announces, not where each answer is looked into.
func TestATrialAsksAtMostWhatItSays(t *testing.T) {
	for name, trial := range map[string]Trial{
		"a check": {}, "a check by a model": {Judges: 1}, "a check in sessions": {Session: true},
		"a run": {Running: true}, "a run by a model": {Judges: 1, Running: true}, "a run by an endpoint": {Remote: true, Running: true},
	} {
		tasks := answers(t)[:2]
		asked := 0
		trial.Grader = by(func(_ bool, calls int) (float64, error) {
			asked++
			return 0, &endpoint.Failure{Status: 503, Err: fmt.Errorf("after %d calls", calls)}
		})
		trial.Range, trial.Mask, trial.Place = [2]float64{0, 1}, strings.TrimSpace, func(r *rollout.Record) string { return r.Item }
		trial.Sampling = sampler.Config{Concurrency: 1, RewardRange: &trial.Range}
		if _, _, err := trial.Try(t.Context(), tasks); err != nil {
			t.Fatal(err)
		}
		if most := trial.Most(len(tasks)); asked > most || asked <= len(tasks) {
			t.Errorf("%s: %d gradings of %d answers, at most %d were announced", name, asked, len(tasks), most)
		}
	}
}

// A trial that is broken off is an error, not a finding.
func TestATrialEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tasks := answers(t)
	cancel()
	never := by(func(bool, int) (float64, error) { return 0, nil })
	_, _, err := Trial{Grader: never, Range: [2]float64{0, 1}, Sampling: sampler.Config{Concurrency: 1}, Mask: strings.TrimSpace}.Try(ctx, tasks)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// GSM8K's references are worked solutions, tried as a whole and as the number alone. A grader that pays for
// one of the two was said to reject half of the references.
func TestAWorkedSolutionCountsOnce(t *testing.T) {
	item := rollout.Item{ID: "q", Split: rollout.Train, Row: []byte(`{"messages":[{"role":"user","content":"?"}],"reference_answer":"2+2=4\n#### 4"}`)}
	answers, _, err := audit.TrialAnswers(t.Context(), audit.Input{Seed: 1, Items: []rollout.Item{item}, Range: [2]float64{0, 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	references := 0
	pays := func(answer string) func(*rollout.Record) float64 {
		return func(r *rollout.Record) float64 {
			if strings.HasSuffix(r.Answer, answer) {
				return 1
			}
			return 0
		}
	}
	for answer, want := range map[string]string{"#### 4": "", "five": "1 of 1 references earn less than the top of reward_range, 1"} {
		var recs []*rollout.Record
		references = 0
		for _, a := range answers {
			rec := *a.Record
			reward := pays(answer)(&rec)
			rec.Reward = &reward
			recs = append(recs, &rec)
			if isReference(&rec) {
				references++
			}
		}
		var got []string
		for _, f := range (Trial{Range: [2]float64{0, 1}, Mask: strings.Clone, Place: func(r *rollout.Record) string { return r.Item }}).findings(recs, false, false) {
			got = append(got, f.Title)
		}
		if strings.Join(got, "; ") != want || references != 2 {
			t.Errorf("a grader that pays for %q: %q of %d references, want %q", answer, got, references, want)
		}
	}
}
