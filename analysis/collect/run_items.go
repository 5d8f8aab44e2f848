package collect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// RunItems is a run, item by item, reduced to what comparisons of two runs need. It holds no
// transcripts: memory grows with items x samples.
type RunItems struct {
	Run       *rollout.Run
	Input     rollout.Input
	Zeroed    int             // rollouts that a detector lowered to the bottom
	Detectors []DetectorMarks // by name

	Items map[rollout.Split][]*RunItem // in natural order of their ids: q2 before q10
}

// RunItem is one item of one run.
type RunItem struct {
	ID, Category, Family string

	Row     *rollout.Item // the item's row in the run; nil if it does not hold it
	Rewards []float64     // valid rewards, ascending
	Tries   []Try         // in order of sample

	// These are over valid rollouts that record them: the sums of each quantity; calls by tool and
	// by pair of consecutive tools (over the rollouts of ToolCalls); scores by part of the reward;
	// and marks by detector, 0 or 1.
	Of    [quantities]Tally
	Tools map[string]float64
	Pairs map[string]float64
	Parts map[string]Tally
	Marks map[string]Tally

	// What the grader and people say about its rollouts, and about the labelled texts that the audit had
	// graded; see Collector.Verdicts.
	Verdicts, Texts stat.Verdicts
}

// Quantity is something counted in every rollout.
type Quantity int

// The quantities of a rollout. Shares are 0 or 1 for one rollout, except that of parallel turns.
const (
	ToolCalls       Quantity = iota
	MalformedCalls           // calls
	RepeatedCalls            // calls that equal an earlier one of the rollout
	ParallelTurns            // of the turns with calls, the share with more than one
	AtCallLimit              // reached the limit of calls
	Turns                    // replies of the model
	InputTokens              // tokens
	OutputTokens             // tokens, including reasoning
	ReasoningTokens          // tokens
	Seconds                  // from the first request to the answer
	OverTimeLimit            // exceeded the time limit
	CutOff                   // ended by the token limit
	Refused                  // by the model, or filtered
	quantities
)

// Try is one rollout of a RunItem.
type Try struct {
	Sample, Attempt, Line int
	Outcome               rollout.Outcome
	Valid                 bool    // Reward counts
	Reward                float64 // the bottom of the range if the model gave no answer
	Calls, Turns          int     // -1: unknown
	Elapsed               float64 // seconds; 0: unknown
	Output                uint64  // hash of what the model said and called; 0: unknown
	Trace, Cause, Kind    string  // id of the trace; the error and the kind of a grader's failure
}

// Tally sums a number over the rollouts that report it.
type Tally struct {
	Sum float64
	N   int
}

func (t *Tally) add(x float64) { t.Sum, t.N = t.Sum+x, t.N+1 }

// Mean returns the mean over the rollouts that report the number; 0 if none does.
func (t Tally) Mean() float64 { return t.Sum / float64(max(1, t.N)) }

// DetectorMarks counts the marks of one detector among all rollouts of a run.
type DetectorMarks struct {
	Detector string  `json:"detector"`
	Rollouts int     `json:"rollouts"` // that the detector read
	Marked   int     `json:"marked"`
	Share    float64 `json:"share"`
}

// ReadItems reads one run. A run without rollouts has no items. hash must be the same for two runs
// whose outputs are compared.
func ReadItems(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	hash maphash.Seed,
) (*RunItems, error) {
	c := New(s.RewardRange)
	c.hash = hash
	if err := c.ReadAudit(ctx, run); err != nil {
		return nil, err
	}
	sources := make(map[*Row]source)
	read.Lean = true
	input, err := run.Records(ctx, read, func(rec *rollout.Record) error {
		delete(sources, c.Row(rec.Key())) // an earlier record of the same rollout
		if err := c.Add(rec); err != nil {
			return err
		}
		r := c.Row(rec.Key())
		if r == nil {
			return nil // a targeted sample, which no mean includes
		}
		sources[r] = c.sourceOf(r, rec)
		r.Calls = nil
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	if input.Bad == nil {
		input.Bad = []rollout.BadLine{}
	}
	items, err := run.ReadItems()
	if err != nil {
		return nil, err
	}
	out := &RunItems{
		Run: run, Input: input, Zeroed: len(c.Zeroed), Detectors: c.marks(),
		Items: make(map[rollout.Split][]*RunItem),
	}
	held := make(map[ItemKey]*rollout.Item)
	for i := range items {
		held[ItemKey{Split: items[i].Split, ID: items[i].ID}] = &items[i]
	}
	marked := c.marked()
	about := known{seconds: s.Thresholds.At(analysis.TimeLimit)}
	for r := range c.Rows() {
		about.finish = about.finish || r.Finish() == rollout.FinishStop
	}
	if m := run.Manifest; m != nil && m.Planned != nil {
		about.calls = m.Planned.MaxCalls
	}
	of, all := make(map[rollout.Split][]*Item), []*Item(nil)
	for _, split := range rollout.Splits() {
		of[split] = c.Items(split, nil)
		all = append(all, of[split]...)
	}
	labelled, _ := c.LabelledOutputs(all)
	verdicts, texts := c.Verdicts(all, labelled, s)
	for _, split := range rollout.Splits() {
		for _, it := range of[split] {
			si := &RunItem{
				ID: it.ID, Category: it.Labels.Category, Family: it.Labels.Family,
				Row: held[it.Key().WithoutStep()], Rewards: it.Rewards, Marks: marked[it.Key()],
				Verdicts: verdicts[it.Key()], Texts: texts[it.Key()],
			}
			if si.Row != nil {
				si.Category, si.Family = cmp.Or(si.Row.Category, si.Category), cmp.Or(si.Row.Family, si.Family)
			}
			for _, r := range it.Rows {
				si.add(r, sources[r], c.Parts, about)
			}
			out.Items[split] = append(out.Items[split], si)
		}
	}
	return out, nil
}

// known holds what is known about a run: its limits, 0 if it has none, and whether it records how
// replies ended. A run that records no ordinary end does not: its replies without text may have
// been cut off.
type known struct {
	calls   int
	seconds float64
	finish  bool
}

// source holds what a row does not keep of its record: its line, and statistics of its calls.
type source struct {
	line, calls, malformed, repeated int
	counted                          bool  // only the number of its calls is known
	parallel                         Tally // turns with calls: 1 if several
	tools                            map[string]float64
	pairs                            map[string]float64
	trace                            string
}

func (c *Collector) sourceOf(r *Row, rec *rollout.Record) source {
	s := source{line: rec.Line, calls: len(r.Calls), counted: r.OnlyCounted(), trace: rec.TraceID}
	for _, k := range r.Calls {
		s.malformed += one(k.Status() == rollout.CallMalformed)
	}
	if s.calls == 0 || s.counted {
		return s
	}
	s.tools, s.pairs = make(map[string]float64), make(map[string]float64)
	seen, perTurn, last := make(map[uint64]bool), make(map[int32]int), ""
	for i, k := range r.Calls {
		s.repeated += one(seen[k.Args])
		seen[k.Args] = true
		perTurn[k.Turn]++
		name := c.Tools[k.Tool]
		s.tools[name]++
		if i > 0 {
			s.pairs[last+">"+name]++
		}
		last = name
	}
	for _, n := range perTurn {
		s.parallel.add(float64(one(n > 1)))
	}
	return s
}

func (it *RunItem) add(r *Row, origin source, parts []string, run known) {
	rare := r.Rare()
	try := Try{
		Sample: r.Sample, Attempt: r.Attempt(), Line: origin.line, Trace: origin.trace, Calls: -1, Turns: -1,
		Outcome: r.Outcome(), Valid: r.Valid, Reward: r.Reward, Elapsed: r.Elapsed, Output: r.OutputHash,
		Cause: rare.Cause, Kind: rare.Kind,
	}
	if r.Observed {
		try.Calls = origin.calls
	}
	if r.Turns > 0 {
		try.Turns = int(r.Turns)
	}
	it.Tries = append(it.Tries, try)
	if !r.Valid {
		return
	}
	if r.Observed {
		it.Of[ToolCalls].add(float64(origin.calls))
		it.Of[MalformedCalls].add(float64(origin.malformed))
		if !origin.counted {
			it.Of[RepeatedCalls].add(float64(origin.repeated))
		}
		if run.calls > 0 {
			it.Of[AtCallLimit].add(float64(one(origin.calls >= run.calls)))
		}
		if origin.parallel.N > 0 {
			it.Of[ParallelTurns].add(origin.parallel.Mean())
		}
		it.Tools, it.Pairs = plus(it.Tools, origin.tools), plus(it.Pairs, origin.pairs)
	}
	if r.Turns > 0 {
		it.Of[Turns].add(float64(r.Turns))
	}
	for _, of := range []Quantity{InputTokens, OutputTokens, ReasoningTokens} {
		if n, known := r.Tokens(of); known {
			it.Of[of].add(n)
		}
	}
	if r.Elapsed > 0 {
		it.Of[Seconds].add(r.Elapsed)
		if run.seconds > 0 {
			it.Of[OverTimeLimit].add(float64(one(r.Elapsed > run.seconds)))
		}
	}
	if run.finish {
		it.Of[CutOff].add(float64(one(r.Finish() == rollout.FinishLength)))
		it.Of[Refused].add(float64(one(r.Finish() == rollout.FinishRefusal || r.Finish() == rollout.FinishFilter)))
	}
	for i, score := range r.Parts() {
		if !math.IsNaN(score) {
			if it.Parts == nil {
				it.Parts = make(map[string]Tally)
			}
			t := it.Parts[parts[i]]
			t.add(score)
			it.Parts[parts[i]] = t
		}
	}
}

// plus adds the counts of one rollout.
func plus(sums, more map[string]float64) map[string]float64 {
	if sums == nil && len(more) > 0 {
		sums = make(map[string]float64, len(more))
	}
	for name, n := range more {
		sums[name] += n
	}
	return sums
}

// marks counts what the detectors marked, by name.
func (c *Collector) marks() []DetectorMarks {
	var out []DetectorMarks
	for _, name := range slices.Sorted(maps.Keys(c.Audit.Marks)) {
		d := DetectorMarks{Detector: name}
		for _, m := range c.Audit.Marks[name] {
			d.Rollouts += one(!m.Failed)
			d.Marked += one(m.Marked)
		}
		if d.Rollouts > 0 {
			d.Share = float64(d.Marked) / float64(d.Rollouts)
			out = append(out, d)
		}
	}
	return out
}

// marked counts each detector's marks among the valid rollouts of an item.
func (c *Collector) marked() map[ItemKey]map[string]Tally {
	out := make(map[ItemKey]map[string]Tally)
	for name, marks := range c.Audit.Marks {
		for _, m := range marks {
			if m.Failed {
				continue
			}
			item := ItemOf(m.Key)
			if out[item] == nil {
				out[item] = make(map[string]Tally)
			}
			t := out[item][name]
			t.add(float64(one(m.Marked)))
			out[item][name] = t
		}
	}
	return out
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// SameItem reports whether two rows with the same id hold the same conversation, and whether they
// are entirely equal. If a run does not hold its items, both are assumed.
func SameItem(a, b *rollout.Item) (talk, row bool) {
	if a == nil || b == nil || len(a.Row) == 0 || len(b.Row) == 0 {
		return true, true
	}
	if bytes.Equal(a.Row, b.Row) {
		return true, true
	}
	if x, y := compact(a.Row), compact(b.Row); x != nil && bytes.Equal(x, y) {
		return true, true
	}
	messagesA, errA := json.Marshal(a.Messages)
	messagesB, errB := json.Marshal(b.Messages)
	return errA == nil && errB == nil && bytes.Equal(messagesA, messagesB), false
}

// compact returns JSON without white space and with <, > and & escaped, as a run keeps its rows; nil
// if it is broken.
func compact(row []byte) []byte {
	var plain, escaped bytes.Buffer
	if json.Compact(&plain, row) != nil {
		return nil
	}
	json.HTMLEscape(&escaped, plain.Bytes())
	return escaped.Bytes()
}
