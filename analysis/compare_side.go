package analysis

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"slices"

	"gonogo/sampler/rollout"
)

// side is one run of a comparison, reduced to what is compared. The rollouts
// themselves are let go before the other run is read.
type side struct {
	run    *rollout.Run
	input  rollout.Input
	items  map[rollout.Split]map[string]*sideItem
	rows   map[itemKey]*rollout.Item // what items.jsonl holds
	zeroed int                       // rollouts that a detector took to the bottom
	marked []ComparedDetector
}

// sideItem is one item of one run.
type sideItem struct {
	id      string
	labels  labels
	rewards []float64 // valid ones, ascending
	tries   []try     // in order of sample
	calls   told      // per valid rollout, like those below
	broken  told      // malformed calls
	turns   told
	input   told // tokens
	output  told
	seconds told
	hacks   map[string]told // marks, by detector
}

// try is one rollout.
type try struct {
	sample, attempt, line int32
	outcome               rollout.Outcome
	valid                 bool
	reward                float64
	elapsed               float64
	output                uint64 // hash of what the model said and called
	trace, cause, kind    string
}

// told sums one number over rollouts that tell it.
type told struct {
	sum float64
	n   int
}

func (t *told) add(x float64) { t.sum, t.n = t.sum+x, t.n+1 }

func (t told) mean() (float64, bool) { return t.sum / float64(max(1, t.n)), t.n > 0 }

// readSide reads one run. A run without rollouts is an empty side. hash makes
// outputs of two sides comparable.
func readSide(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s Settings, hash maphash.Seed) (*side, error) {
	c := newCollector(s.RewardRange)
	c.hash = hash
	if err := c.beside(ctx, run); err != nil {
		return nil, err
	}
	sources := make(map[*row]source)
	read.Lean = true
	input, err := run.Records(ctx, read, func(rec *rollout.Record) error {
		delete(sources, c.rows[rec.Key()]) // an earlier record of the same rollout
		if err := c.add(rec); err != nil {
			return err
		}
		r := c.rows[rec.Key()]
		if r == nil {
			return nil // a targeted sample, which no mean counts
		}
		sources[r] = sourceOf(r, rec)
		r.calls = nil
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	if input.Bad == nil {
		input.Bad = []rollout.BadLine{}
	}
	out := &side{
		run: run, input: input, zeroed: len(c.zeroed), marked: c.marks(),
		items: make(map[rollout.Split]map[string]*sideItem), rows: make(map[itemKey]*rollout.Item),
	}
	hacks := c.marked()
	known := make(map[rollout.Split]map[string]labels)
	for i := range run.Items {
		it := &run.Items[i]
		out.rows[itemKey{it.Split, it.ID}] = it
		if known[it.Split] == nil {
			known[it.Split] = make(map[string]labels)
		}
		known[it.Split][it.ID] = labels{it.Category, it.Family}
	}
	for _, split := range rollout.Splits() {
		of := make(map[string]*sideItem)
		for _, it := range c.items(split, known[split]) {
			si := &sideItem{id: it.id, labels: it.labels, rewards: it.rewards, hacks: hacks[itemKey{split, it.id}]}
			for _, r := range it.rows {
				si.add(r, sources[r])
			}
			of[it.id] = si
		}
		if len(of) > 0 {
			out.items[split] = of
		}
	}
	return out, nil
}

// source is what a row does not keep of its record: where it stands, and what
// is counted of its calls.
type source struct {
	line, calls, malformed int32
	trace                  string
}

func sourceOf(r *row, rec *rollout.Record) source {
	s := source{line: int32(min(rec.Line, math.MaxInt32)), calls: int32(len(r.calls)), trace: rec.TraceID}
	for _, c := range r.calls {
		if c.status == rollout.CallMalformed {
			s.malformed++
		}
	}
	return s
}

func (it *sideItem) add(r *row, at source) {
	it.tries = append(it.tries, try{
		sample: int32(r.key.Sample), attempt: int32(r.attempt), line: at.line, trace: at.trace,
		outcome: r.outcome, valid: r.valid, reward: r.reward, elapsed: r.elapsed, output: r.outputHash, cause: r.cause, kind: r.kind,
	})
	if !r.valid {
		return
	}
	if r.observed {
		it.calls.add(float64(at.calls))
		it.broken.add(float64(at.malformed))
	}
	if r.turns > 0 {
		it.turns.add(float64(r.turns))
	}
	if r.usage.Input != nil {
		it.input.add(float64(*r.usage.Input))
	}
	if r.usage.Output != nil {
		it.output.add(float64(*r.usage.Output))
	}
	if r.elapsed > 0 {
		it.seconds.add(r.elapsed)
	}
}

// mean is the item's mean reward and the sampling variance of that mean; known
// is false for a single sample, whose variance nobody knows.
func (it *sideItem) mean() (mean, variance float64, known bool) {
	mean, v := meanAndVariance(it.rewards)
	n := len(it.rewards)
	return mean, v / float64(n), n > 1
}

// share is the share of all recorded rollouts that f holds for.
func (it *sideItem) share(f func(*try) bool) float64 {
	n := 0
	for i := range it.tries {
		if f(&it.tries[i]) {
			n++
		}
	}
	return float64(n) / float64(len(it.tries))
}

// pair is one item of both runs.
type pair struct{ base, new *sideItem }

// pairing sorts the items of a split of two runs.
type pairing struct {
	pairs       []pair // both have a valid reward, in natural order of ids
	base, new   []*sideItem
	common      CommonItems
	otherFields int // pairs of one conversation whose rows differ in other fields
}

// pairUp finds the items that both runs measured. An item is the same when id
// and, where both runs hold their items, the conversation is: line numbers of
// two files are ids too.
func pairUp(base, new *side, split rollout.Split) pairing {
	p := pairing{common: CommonItems{OnlyBase: []string{}, OnlyNew: []string{}, Lost: []string{}, Changed: []string{}}}
	p.base, p.new = base.sorted(split), new.sorted(split)
	for _, b := range p.base {
		n := new.items[split][b.id]
		if n == nil {
			p.common.OnlyBase = append(p.common.OnlyBase, b.id)
			continue
		}
		talk, row := sameItem(base.rows[itemKey{split, b.id}], new.rows[itemKey{split, b.id}])
		switch {
		case !talk:
			p.common.Changed = append(p.common.Changed, b.id)
		case len(b.rewards) == 0 || len(n.rewards) == 0:
			p.common.Lost = append(p.common.Lost, b.id)
		default:
			p.pairs = append(p.pairs, pair{b, n})
			if !row {
				p.otherFields++
			}
		}
	}
	for _, n := range p.new {
		if base.items[split][n.id] == nil {
			p.common.OnlyNew = append(p.common.OnlyNew, n.id)
		}
	}
	p.common.Common = len(p.pairs)
	return p
}

// sorted are the side's items of a split by natural order of their ids.
func (s *side) sorted(split rollout.Split) []*sideItem {
	var out []*sideItem
	for _, it := range s.items[split] {
		out = append(out, it)
	}
	slices.SortFunc(out, func(a, b *sideItem) int { return naturalCompare(a.id, b.id) })
	return out
}
