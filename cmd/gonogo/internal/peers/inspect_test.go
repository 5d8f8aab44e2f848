package peers

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// inspected is what Inspect AI reads in a log: .ci/peers/inspect/read.py.
type inspected struct {
	Status  string
	Means   map[string]float64
	Samples []inspectedSample
}

type inspectedSample struct {
	ID           string
	Epoch        int
	Scores       map[string]*float64
	Error, Limit *string
	Retries      int
	Tools        []string
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	Answer       string
	Stop         *string
}

func (p peer) inspected(logs ...string) map[string]inspected {
	p.Helper()
	return decode[map[string]inspected](p, p.python("read.py", logs...))
}

// What Inspect AI writes is imported with the scores, means, errors, limits, tool
// calls and tokens that it reads there itself.
func TestInspectLogsAreRead(t *testing.T) {
	p := meet(t, "inspect")
	logs := t.TempDir()
	p.python("make.py", logs)
	read := p.inspected(p.glob(filepath.Join(logs, "*"))...)
	for name, tt := range map[string]struct {
		score string
		args  []string
		fails map[string]rollout.Outcome
	}{
		"everything": {score: "right", fails: map[string]rollout.Outcome{"model-down": rollout.ModelAPI, "plum": rollout.ToolFailed, "scorer-down": rollout.GraderFailed}},
		"as-json":    {score: "right", fails: map[string]rollout.Outcome{"model-down": rollout.ModelAPI, "plum": rollout.ToolFailed, "scorer-down": rollout.GraderFailed, "flaky": rollout.ModelAPI}},
		"letters":    {score: "letter"},
		"kinds":      {score: "right", fails: map[string]rollout.Outcome{"plum": rollout.ToolFailed, "scorer-down": rollout.GraderFailed}},
		"values":     {score: "style.digits", args: []string{"--score", "style.digits"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.T = t
			file := p.glob(filepath.Join(logs, "*_"+name+"_*"))[0]
			theirs := read[file]
			ours, said := p.imported(append([]string{file}, tt.args...)...)
			if len(ours) != len(theirs.Samples) || len(ours) < 8 && name != "values" {
				t.Fatalf("%d rollouts are imported, Inspect reads %d samples", len(ours), len(theirs.Samples))
			}
			if !strings.Contains(said, "reward = score "+tt.score) {
				t.Errorf("the import takes another score than %s:\n%s", tt.score, said)
			}
			for _, s := range theirs.Samples {
				s.compare(t, ours[rollout.Key{Split: rollout.Train, Item: s.ID, Sample: s.Epoch - 1}], tt.score, tt.fails[s.ID])
			}
			_, short, _ := strings.Cut(tt.score, ".")
			want := theirs.Means[cmp.Or(short, tt.score)]
			if mean := meanOfItems(ours); !near(mean, want) {
				t.Errorf("the mean is %v, by Inspect %v", mean, want)
			}
		})
	}
}

// meanOfItems is the mean over items of the means of their scores, as Inspect
// reduces epochs.
func meanOfItems(records map[rollout.Key]*rollout.Record) float64 {
	by := make(map[string][]float64)
	for _, r := range records {
		if r.Reward != nil {
			by[r.Item] = append(by[r.Item], *r.Reward)
		}
	}
	sum := 0.0
	for _, item := range slices.Sorted(maps.Keys(by)) {
		sum += mean(by[item])
	}
	return sum / float64(len(by))
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// compare holds what was made of a sample to what Inspect reads in it.
func (s inspectedSample) compare(t *testing.T, r *rollout.Record, score string, fails rollout.Outcome) {
	t.Helper()
	if r == nil {
		t.Errorf("%s, epoch %d is not imported", s.ID, s.Epoch)
		return
	}
	want := rollout.Graded
	switch {
	case s.Error != nil:
		if want = fails; r.Error != *s.Error {
			t.Errorf("%s: the error is %q, by Inspect %q", s.ID, r.Error, *s.Error)
		}
	case s.Limit != nil:
		want = rollout.StepLimit
	case s.Scores[score] == nil:
		want = rollout.GraderFailed
	}
	if r.Outcome != want || r.Attempt != s.Retries {
		t.Errorf("%s: outcome %q of attempt %d, want %q of %d (%s)", s.ID, r.Outcome, r.Attempt, want, s.Retries, r.Error)
	}
	if theirs := s.Scores[score]; (theirs == nil) != (r.Reward == nil) || theirs != nil && *theirs != *r.Reward {
		t.Errorf("%s: reward %v, by Inspect %v", s.ID, r.Reward, theirs)
	}
	for name, part := range s.Scores {
		if ours, ok := r.Parts[name]; name != score && part != nil && r.Reward != nil && (!ok || ours != *part) {
			t.Errorf("%s: score %s is %v, by Inspect %v", s.ID, name, ours, *part)
		}
	}
	tools := make([]string, 0, len(r.Calls))
	for _, c := range r.Calls {
		tools = append(tools, c.Name)
	}
	if !slices.Equal(tools, s.Tools) {
		t.Errorf("%s: tool calls %v, by Inspect %v", s.ID, tools, s.Tools)
	}
	if in, out := r.Usage.Input, r.Usage.Output; s.InputTokens > 0 && (in == nil || out == nil || *in != s.InputTokens || *out != s.OutputTokens) {
		t.Errorf("%s: tokens %v and %v, by Inspect %d and %d", s.ID, in, out, s.InputTokens, s.OutputTokens)
	}
	if s.Stop != nil && *s.Stop == "max_tokens" && r.Finish != rollout.FinishLength {
		t.Errorf("%s: it was cut off, and finish is %q", s.ID, r.Finish)
	}
}

// What gonogo exports is opened by Inspect AI, with the same scores, errors and tool
// calls.
func TestInspectReadsOurExport(t *testing.T) {
	p := meet(t, "inspect")
	dir := t.TempDir()
	run, log := filepath.Join(dir, "run"), filepath.Join(dir, "train.eval")
	p.gonogo(3, "demo", "--world", "broken", "-o", run, "--seed", "7")
	p.gonogo(0, "export", run, "--format", "inspect", "--split", "train", "-o", log)
	theirs := p.inspected(log)[log]
	ours := p.records(run)
	n := 0
	for _, r := range ours {
		if r.Split == rollout.Train {
			n++
		}
	}
	if len(theirs.Samples) != n || n == 0 {
		t.Fatalf("Inspect reads %d samples of %d rollouts", len(theirs.Samples), n)
	}
	failed, calls := 0, 0
	for _, s := range theirs.Samples {
		r := ours[rollout.Key{Split: rollout.Train, Item: s.ID, Sample: s.Epoch - 1}]
		if r == nil {
			t.Fatalf("there is no rollout %s, epoch %d", s.ID, s.Epoch)
		}
		if (s.Error != nil) != r.Outcome.Missing() {
			t.Errorf("%s: the error is %v of outcome %s", s.ID, s.Error, r.Outcome)
		}
		if s.Error != nil {
			failed++
		}
		calls += len(s.Tools)
		asked := 0 // one more than were made where a step limit ended the rollout
		for _, m := range r.Messages {
			asked += len(m.ToolCalls)
		}
		if len(s.Tools) != asked || s.Answer != r.Answer {
			t.Errorf("%s: %d tool calls and answer %q, want %d and %q", s.ID, len(s.Tools), s.Answer, asked, r.Answer)
		}
		if r.Reward != nil {
			if theirs := s.Scores["reward"]; theirs == nil || *theirs != *r.Reward {
				t.Errorf("%s: its scores are %v, want a reward of %v", s.ID, s.Scores, *r.Reward)
			}
		}
	}
	if failed == 0 || calls == 0 {
		t.Errorf("%d failures and %d tool calls: the test shows nothing of them", failed, calls)
	}
}
