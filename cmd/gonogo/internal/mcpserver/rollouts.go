package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// rolloutsInput selects items and rollouts.
type rolloutsInput struct {
	Run      string `json:"run" jsonschema:"the run directory, or a .jsonl file of rollouts"`
	Split    string `json:"split,omitempty" jsonschema:"train, eval or production; by default all"`
	Item     string `json:"item,omitempty" jsonschema:"only the item with this id"`
	Items    int    `json:"items,omitempty" jsonschema:"how many items, by default 3, at most 20"`
	Rollouts int    `json:"rollouts,omitempty" jsonschema:"how many of each, by default 2, at most 8"`
}

// itemList is what get_rollouts returns.
type itemList struct {
	Run   string `json:"run"`
	Items []item `json:"items"`
}

// item is an item with some of its rollouts.
type item struct {
	Split     string        `json:"split"`
	Item      string        `json:"item"`
	Class     string        `json:"class"`
	N         int           `json:"n" jsonschema:"rollouts with a valid reward"`
	Mean      *float64      `json:"mean"`
	Best      *float64      `json:"best"`
	Worst     *float64      `json:"worst"`
	Gap       float64       `json:"gap" jsonschema:"best minus mean reward"`
	Rollouts  []rolloutText `json:"rollouts" jsonschema:"the best first, then the worst"`
	Untrusted string        `json:"untrusted_text,omitempty" jsonschema:"the prompt, and the reference if there is one"`
}

// rolloutText is a rollout with its texts.
type rolloutText struct {
	Sample    int      `json:"sample"`
	Line      int      `json:"line" jsonschema:"of rollouts.jsonl"`
	Outcome   string   `json:"outcome"`
	Reward    *float64 `json:"reward"`
	Turns     int      `json:"turns"`
	ToolCalls int      `json:"tool_calls"`
	Untrusted string   `json:"untrusted_text"`
}

func (s *server) rollouts(ctx context.Context, c *call, in rolloutsInput) (*itemList, error) {
	wanted, each := cmp.Or(in.Items, 3), cmp.Or(in.Rollouts, 2)
	switch {
	case wanted < 1 || wanted > 20 || each < 1 || each > 8:
		return nil, refuse("items is %d and rollouts %d: from 1 to 20 items and from 1 to 8 rollouts of each", wanted, each)
	case in.Split != "" && !slices.Contains(rollout.Splits(), rollout.Split(in.Split)):
		return nil, refuse("%q is no split: train, eval or production", name(in.Split))
	}
	run, _, err := s.readRun(c, in.Run)
	if err != nil {
		return nil, err
	}
	j, err := s.judge(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	chosen := byGap(j.result, in, wanted)
	if in.Item != "" && len(chosen) == 0 {
		return nil, refuse("no item of the run has the id %q", name(in.Item))
	}
	kept, err := recordsOf(ctx, run, chosen)
	if err != nil {
		return nil, err
	}
	out := &itemList{Run: name(j.dir), Items: []item{}}
	most := min(mostRollout, mostAnswer/(len(chosen)*(each+1)+1))
	for i, x := range chosen {
		one := item{
			Split: string(x.split), Item: name(x.Item), Class: x.Class, N: x.N, Mean: x.Mean, Best: x.Best, Worst: x.Worst,
			Gap: x.gap(), Rollouts: []rolloutText{}, Untrusted: c.untrusted(most, asked(run, x)),
		}
		for _, rec := range bestAndWorst(kept[i], j.result.RewardRange[0], each) {
			one.Rollouts = append(one.Rollouts, rolloutText{
				Sample: rec.Sample, Line: rec.Line, Outcome: string(rec.Outcome), Reward: rec.Reward, Turns: rec.Turns,
				ToolCalls: len(rec.Calls), Untrusted: c.untrusted(most, transcript(rec)),
			})
		}
		out.Items = append(out.Items, one)
	}
	return out, nil
}

// measured is an item with its split.
type measured struct {
	analysis.ItemResult
	split rollout.Split
}

func (m measured) gap() float64 {
	if m.Best == nil || m.Mean == nil {
		return 0
	}
	return *m.Best - *m.Mean
}

// has reports whether a rollout is one of the item, which is named with its step if a run has
// rollouts of several policies.
func (m measured) has(rec *rollout.Record) bool {
	return m.split == rec.Split && (m.Item == rec.Item || m.Item == rec.Key().ItemAtStep())
}

// byGap returns the items with the largest gaps.
func byGap(r *analysis.Result, in rolloutsInput, most int) (list []measured) {
	for _, split := range rollout.Splits() {
		if sr := r.Splits[split]; sr != nil && (in.Split == "" || in.Split == string(split)) {
			for _, x := range sr.Classes.Items {
				if in.Item == "" || in.Item == x.Item {
					list = append(list, measured{x, split})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b measured) int { return cmp.Compare(b.gap(), a.gap()) })
	return list[:min(most, len(list))]
}

// recordsOf reads the rollouts of each chosen item; the last attempt of each counts.
func recordsOf(ctx context.Context, run *rollout.Run, chosen []measured) ([][]*rollout.Record, error) {
	latest := make(map[rollout.Key]*rollout.Record)
	_, err := run.Records(ctx, rollout.ReadOptions{}, func(rec *rollout.Record) error {
		was, wanted := latest[rec.Key()], slices.ContainsFunc(chosen, func(x measured) bool { return x.has(rec) })
		if wanted && (was == nil || was.Attempt <= rec.Attempt) {
			latest[rec.Key()] = rec
		}
		return nil
	})
	kept := make([][]*rollout.Record, len(chosen))
	for i, x := range chosen {
		for _, rec := range latest {
			if x.has(rec) {
				kept[i] = append(kept[i], rec)
			}
		}
	}
	return kept, err
}

// bestAndWorst returns n rollouts: the best, the worst, then the others from the best on. Those
// without a reward come last.
func bestAndWorst(list []*rollout.Record, floor float64, n int) []*rollout.Record {
	slices.SortFunc(list, func(a, b *rollout.Record) int {
		x, known := a.Score(floor)
		y, too := b.Score(floor)
		if known != too {
			if known {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Sample, b.Sample))
	})
	valid := 0
	for _, rec := range list {
		if _, ok := rec.Score(floor); ok {
			valid++
		}
	}
	if valid > 2 {
		list = slices.Insert(slices.Delete(slices.Clone(list), valid-1, valid), 1, list[valid-1])
	}
	return list[:min(n, len(list))]
}

// asked returns the prompt and the reference of an item, if the run has its rows.
func asked(run *rollout.Run, x measured) string {
	id, _, _ := rollout.CutStep(x.Item)
	i := slices.IndexFunc(run.Items, func(it rollout.Item) bool {
		return it.Split == x.split && (it.ID == x.Item || it.ID == id)
	})
	if i < 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "id: %s\n", x.Item)
	for _, m := range run.Items[i].Messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	if text, _, ok := run.Items[i].Reference(); ok {
		fmt.Fprintf(&b, "reference: %s\n", text)
	}
	return b.String()
}

// transcript writes what was said in a rollout: the graded answer and the error first, since the
// end may be cut.
func transcript(rec *rollout.Record) string {
	var b strings.Builder
	for _, part := range []struct{ name, text string }{{"answer", rec.Answer}, {"error", rec.Error}} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", part.name, part.text)
		}
	}
	for _, m := range rec.Messages {
		if m.Content != rec.Answer && m.Content != "" {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
		}
		for _, call := range m.ToolCalls {
			fmt.Fprintf(&b, "calls %s %s\n", call.Name, call.Arguments)
		}
	}
	return b.String()
}
