package mcpserver

import (
	"context"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/sampler/rollout"
)

// compareInput names two runs.
type compareInput struct {
	Base string `json:"base" jsonschema:"the run directory, or .jsonl file of rollouts, to compare with"`
	New  string `json:"new" jsonschema:"the run directory, or .jsonl file of rollouts, that is compared"`
}

// comparison is what compare_runs returns.
type comparison struct {
	Answer    string       `json:"answer" jsonschema:"regressed, improved, equivalent, not_better or cannot_tell"`
	ExitCode  int          `json:"exit_code"`
	Split     string       `json:"split" jsonschema:"the split that gives the answer"`
	Sentence  string       `json:"sentence"`
	Splits    []difference `json:"splits"`
	Causes    []string     `json:"likely_causes"`
	Notes     []string     `json:"notes"`
	Untrusted string       `json:"untrusted_text,omitempty"`
}

// difference is the change of the mean reward of a split, new minus base.
type difference struct {
	Split  string   `json:"split"`
	Answer string   `json:"answer"`
	Why    string   `json:"why"`
	Items  int      `json:"items" jsonschema:"in both runs"`
	Base   *float64 `json:"base"`
	New    *float64 `json:"new"`
	Change *float64 `json:"change"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
}

func (s *server) compare(ctx context.Context, c *call, in compareInput) (*comparison, error) {
	base, _, err := s.readRun(c, in.Base)
	if err != nil {
		return nil, err
	}
	next, _, err := s.readRun(c, in.New)
	if err != nil {
		return nil, err
	}
	found, err := output.Compare(ctx, c.invocation(), base, next)
	if err != nil {
		return nil, err
	}
	full, err := told(found, false)
	if err != nil {
		return nil, err
	}
	out, err := told(found, true)
	if err != nil {
		return nil, err
	}
	out.Untrusted = c.untrusted(mostText, differing(full.texts(), out.texts()), c.notes.String())
	return out, nil
}

// told says what a comparison found; without the words of others if it is tamed.
func told(found *compare.Comparison, tamed bool) (*comparison, error) {
	var failed error
	say := func(t message.Text) string {
		if tamed && !t.IsEmpty() {
			var err error
			if t, err = tame(t); err != nil {
				failed = err
			}
		}
		return t.String()
	}
	out := &comparison{
		Answer: string(found.Answer), ExitCode: found.ExitCode, Sentence: say(found.Sentence), Splits: []difference{},
		Causes: []string{}, Notes: []string{},
	}
	if found.Split != nil {
		out.Split = string(*found.Split)
	}
	for _, split := range rollout.Splits() {
		if x := found.Splits[split]; x != nil {
			out.Splits = append(out.Splits, difference{
				string(split), string(x.Answer), say(x.Why), x.Items.Common, x.Reward.Base, x.Reward.New, x.Reward.Value,
				x.Reward.Low, x.Reward.High,
			})
		}
	}
	for _, cause := range found.LikelyCauses {
		out.Causes = append(out.Causes, say(cause.Text))
	}
	for _, note := range found.Notes {
		out.Notes = append(out.Notes, say(note))
	}
	return out, failed
}

// texts lists the sentences of a comparison.
func (c *comparison) texts() []string {
	list := append([]string{c.Sentence}, append(c.Causes, c.Notes...)...)
	for _, x := range c.Splits {
		list = append(list, x.Why)
	}
	return list
}
