package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// Options selects what to write.
type Options struct {
	Split      rollout.Split    // "" = the only split of the run
	OnConflict rollout.Conflict // what to do with differing lines for one rollout; "" is an error
	Floor      float64          // bottom of the reward range, the score of the model's own failures
}

// ErrSplits means that a run has several splits but a log holds one: choose it in Options.
var ErrSplits = errors.New("the run has rollouts of several splits, but a log holds one data set")

// Run is one split of a run, scanned before the first line is written. Memory grows with the number
// of its rollouts, not with the length of their text.
type Run struct {
	run      *rollout.Run
	read     rollout.ReadOptions
	split    rollout.Split
	floor    float64
	manifest rollout.Manifest

	line    map[rollout.Key]int // the line that counts for each rollout
	items   map[string]*rollout.Item
	number  map[string]int // index of each item, from 0
	ids     []string       // ids of items, by number
	samples int            // highest sample + 1
	parts   []string       // names of sub-scores

	rollouts, superseded, unscored, failed       int
	timed, badArguments, regraded, judged, extra int
	pictured                                     int

	rewards byItem
	tally   map[string]*byItem // sub-scores by name
	tokens  rollout.Usage      // the sum over the rollouts whose input and output are known
}

// byItem holds the scores of one grader: their mean over the rollouts of each item.
type byItem struct {
	ids   []string // items with a score, in the order in which they appear
	means map[string]mean
}

func (b *byItem) add(item string, score float64) {
	if b.means == nil {
		b.means = make(map[string]mean)
	}
	m, seen := b.means[item]
	if !seen {
		b.ids = append(b.ids, item)
	}
	b.means[item] = mean{m.sum + score, m.n + 1}
}

// over returns the mean over items and its standard error, the sample standard deviation by the root
// of the number of items; the error is 0 for fewer than two items.
func (b *byItem) over() (value, stderr float64) {
	if len(b.ids) == 0 {
		return 0, 0
	}
	n := float64(len(b.ids))
	for _, id := range b.ids {
		value += b.means[id].value()
	}
	value /= n
	if n < 2 {
		return value, 0
	}
	squares := 0.0
	for _, id := range b.ids {
		squares += (b.means[id].value() - value) * (b.means[id].value() - value)
	}
	return value, math.Sqrt(squares / (n - 1) / n)
}

// mean is a sum with its count.
type mean struct {
	sum float64
	n   int
}

func (m mean) value() float64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / float64(m.n)
}

// Open scans a run.
func Open(ctx context.Context, run *rollout.Run, opt Options) (*Run, error) {
	r := &Run{
		run: run, read: rollout.ReadOptions{OnConflict: opt.OnConflict}, split: opt.Split, floor: opt.Floor,
		line: make(map[rollout.Key]int), items: make(map[string]*rollout.Item), number: make(map[string]int),
		tally: make(map[string]*byItem),
	}
	if run.Manifest != nil {
		r.manifest = *run.Manifest
	}
	if err := r.choose(ctx); err != nil {
		return nil, err
	}
	for i := range run.Items {
		if it := &run.Items[i]; it.Split == r.split {
			r.items[it.ID] = it
			r.addItem(it.ID)
		}
	}
	return r, r.survey(ctx)
}

// choose finds the lines that count, and chooses the split.
func (r *Run) choose(ctx context.Context) error {
	splits, steps := make(map[rollout.Split]bool), make(map[rollout.Split]map[int]bool)
	lean := r.read
	lean.Lean = true
	in, err := r.run.Records(ctx, lean, func(rec *rollout.Record) error {
		if splits[rec.Split] = true; steps[rec.Split] == nil {
			steps[rec.Split] = make(map[int]bool)
		}
		steps[rec.Split][rec.Step] = true
		r.line[rec.Key()] = rec.Line
		return nil
	})
	if err != nil {
		return err
	}
	r.superseded = in.Superseded
	found := slices.Sorted(maps.Keys(splits))
	switch {
	case r.split == "" && len(found) > 1:
		names := make([]string, len(found))
		for i, split := range found {
			names[i] = string(split)
		}
		return fmt.Errorf("%w: name %s", ErrSplits, strings.Join(names, " or "))
	case r.split == "":
		r.split = found[0]
	case !splits[r.split]:
		return fmt.Errorf("the run has no rollouts of split %s, only of %v", r.split, found)
	}
	return OneStep(steps[r.split])
}

// OneStep returns an error if the rollouts are from several steps of a training: no format holds
// the step, so a reader of the export would pool two policies.
func OneStep(steps map[int]bool) error {
	if len(steps) < 2 {
		return nil
	}
	ordered := slices.Sorted(maps.Keys(steps))
	return fmt.Errorf("the run has rollouts of %d steps (%d to %d), and an export holds no step: take the lines of "+
		"one step from %s (jq -c 'select(.step == %d)'), import them, and export that run",
		len(ordered), ordered[0], ordered[len(ordered)-1], rollout.RolloutsFile, ordered[len(ordered)-1])
}

// File returns the path of the file that holds the rollouts.
func (r *Run) File() string { return r.run.File() }

// Rollouts returns how many rollouts are written.
func (r *Run) Rollouts() int { return r.rollouts }

// name returns the name of the run.
func (r *Run) name() string { return cmp.Or(r.manifest.Name, "gonogo") }

// model returns the model's name.
func (r *Run) model() string { return cmp.Or(r.manifest.Model, "unknown") }

// started returns when the run began. A run without a manifest began at the Unix epoch, so that an
// export does not depend on the clock.
func (r *Run) started() time.Time {
	if r.manifest.Started.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return r.manifest.Started.UTC()
}

func (r *Run) addItem(id string) {
	if _, ok := r.number[id]; ok {
		return
	}
	r.number[id] = len(r.ids)
	r.ids = append(r.ids, id)
}

// survey counts rollouts, to report losses and for the figures in the header of a log.
func (r *Run) survey(ctx context.Context) error {
	parts := make(map[string]bool)
	lean := r.read
	lean.Lean = true
	err := r.counted(ctx, lean, func(rec *rollout.Record) error {
		r.addItem(rec.Item)
		r.rollouts++
		r.samples = max(r.samples, rec.Sample+1)
		score, scored := rec.Score(r.floor)
		switch {
		case !scored:
			r.failed++
		case rec.Reward == nil:
			r.unscored++
		}
		if scored {
			r.rewards.add(rec.Item, score)
			for name, x := range rec.Parts {
				if r.tally[name] == nil {
					r.tally[name] = new(byItem)
				}
				r.tally[name].add(rec.Item, x)
			}
		}
		for name := range rec.Parts {
			parts[name] = true
		}
		r.spend(rec.Usage)
		r.count(rec)
		return nil
	})
	r.parts = slices.Sorted(maps.Keys(parts))
	return err
}

// spend adds the tokens of a rollout if a log can hold them: if its input and its output are known.
// Cached and reasoning tokens count as 0 where they are unknown, as in Inspect's own sum.
func (r *Run) spend(u rollout.Usage) {
	if u.Input == nil || u.Output == nil {
		return
	}
	sum := func(to **int64, more *int64) {
		if more == nil {
			return
		}
		n := *more
		if *to != nil {
			n += **to
		}
		*to = &n
	}
	sum(&r.tokens.Input, u.Input)
	sum(&r.tokens.Output, u.Output)
	sum(&r.tokens.Cached, u.Cached)
	sum(&r.tokens.Reasoning, u.Reasoning)
}

func (r *Run) count(rec *rollout.Record) {
	add := func(n *int, holds bool) {
		if holds {
			*n++
		}
	}
	add(&r.timed, slices.ContainsFunc(rec.Calls, func(c rollout.Call) bool { return c.Elapsed > 0 }))
	add(&r.badArguments, slices.ContainsFunc(rec.Calls, func(c rollout.Call) bool { return !isObject(c.Arguments) }))
	add(&r.regraded, len(rec.Grades) > 1 || len(rec.Earlier) > 0)
	add(&r.judged, rec.JudgeCalls > 0 || rec.Judge != rollout.Usage{})
	add(&r.extra, len(rec.Extra) > 0)
	add(&r.pictured, slices.ContainsFunc(r.prompt(rec), notText))
}

// notText reports whether a message has parts that are not text, such as pictures.
func notText(m rollout.Message) bool {
	var parts []struct {
		Type string `json:"type"`
	}
	if len(m.Parts) == 0 || jsontext.Unmarshal(m.Parts, &parts) != nil {
		return len(m.Parts) > 0
	}
	for _, p := range parts {
		if p.Type != "text" {
			return true
		}
	}
	return false
}

// each yields the rollouts that count, in the order of the file.
func (r *Run) each(ctx context.Context, yield func(*rollout.Record) error) error {
	n := 0
	err := r.counted(ctx, r.read, func(rec *rollout.Record) error {
		n++
		return yield(rec)
	})
	if err == nil && n != r.rollouts {
		return errChanged
	}
	return err
}

func (r *Run) counted(ctx context.Context, opt rollout.ReadOptions, yield func(*rollout.Record) error) error {
	_, err := r.run.Records(ctx, opt, func(rec *rollout.Record) error {
		if rec.Split != r.split || r.line[rec.Key()] != rec.Line {
			return nil
		}
		return yield(rec)
	})
	return err
}

// lost returns the losses that affect this run, in words.
func (r *Run) lost(list ...loss) []string {
	var notes []string
	if r.superseded > 0 {
		notes = append(notes, fmt.Sprintf("%d %s", r.superseded, wording.Plural(r.superseded,
			"earlier attempt[|s] of repeated rollouts [is|are] left out")))
	}
	for _, l := range list {
		if l.n > 0 {
			notes = append(notes, l.String())
		}
	}
	return notes
}

// loss is a number of rollouts with something that a format does not hold. In the text, [a|b] is
// the singular and the plural.
type loss struct {
	n    int
	text string
}

// String returns the loss in words.
func (l loss) String() string {
	return fmt.Sprintf("%d %s", l.n, wording.Plural(l.n, l.text))
}
