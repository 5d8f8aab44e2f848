package curate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// TrainFile is a training file to be curated, with the items with which it must not share rows.
type TrainFile struct {
	Items   []rollout.Item // its rows in order, each with its line number
	Repeats []RepeatedRow  // rows that repeat an earlier one including its id, and so are not items of their own
	Others  []rollout.Item // the items of eval and production
	// it may not be the file that was sampled: a row counts as sampled only if it is the same
	Edited bool
}

// RepeatedRow is a row that repeats the one in line First, including its id.
type RepeatedRow struct{ Line, First int }

// Options set what is dropped where either choice is sensible. The zero value of a field
// stands for its default.
type Options struct {
	// posterior probability from which an item counts as dead, saturated, flat or broken; default 0.9
	Sure     float64
	Keep     []Reason // reasons for which no row is dropped
	Near     bool     // near and swapped copies are dropped, too
	Measured bool     // rows that were not measured are dropped, too
	Weights  bool     // every row gets a Difficulty
	// below 1 the share of the summed variance of rewards that the kept rows hold, else the number of measured
	// items to keep; those with the highest variance; 0 keeps all
	Variance   float64
	Suspicious bool // suspicious rows are dropped, too; most of them are hard but correct, and worth a look
}

const sureDefault = 0.9

// Choose selects the rows of a training file that are worth training on, by the rollouts and
// the audit of a run, and by the rows themselves. For every row that it drops it names all
// reasons. It reads the run as Analyze does. A run without a measured item of train is an
// error, because there is nothing to choose by.
func Choose(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, file TrainFile, s analysis.Settings,
	opt Options,
) (*Curation, error) {
	if err := gate.All().Validate(s); err != nil {
		return nil, err
	}
	if opt.Sure == 0 {
		opt.Sure = sureDefault
	}
	if !(opt.Sure > 0 && opt.Sure < 1) {
		return nil, fmt.Errorf("the probability from which an item is dropped is %g: it must be between 0 and 1",
			opt.Sure)
	}
	if v := opt.Variance; !(v >= 0 && (v < 1 || v == math.Trunc(v)) && v <= math.MaxInt32) {
		return nil, fmt.Errorf("the variance to keep is %g: it must be a share below 1 or a whole number of items", v)
	}
	c := collect.New(s.RewardRange)
	if err := c.ReadAudit(ctx, run); err != nil {
		return nil, err
	}
	read.Lean = true
	if _, err := run.Records(ctx, read, c.Add); err != nil {
		return nil, err
	}
	cu := &curator{s: s, opt: opt, c: c, file: file, itemOf: make(map[string]*collect.Item), notes: []message.Text{}}
	if err := cu.measure(run); err != nil {
		return nil, err
	}
	return cu.curate(), nil
}

// curator decides on the rows of one file.
type curator struct {
	s      analysis.Settings
	opt    Options
	c      *collect.Collector
	file   TrainFile
	m      *measure.Split
	all    []*collect.Item          // the items of every split
	itemOf map[string]*collect.Item // train items by id, if their rows in the file are those sampled
	class  map[string]analysis.ItemResult
	priors map[string]measure.Beta
	fails  measure.Beta // prior of the probability that a rollout of an item fails
	edited int          // number of rows that differ from those sampled under their ids

	rows     []Row
	variance *Variance
	rowOf    map[string]int // index in rows by id
	notes    []message.Text
}

// measure collects what the run shows about the items of train.
func (cu *curator) measure(run *rollout.Run) error {
	known, sampled := make(map[string]collect.Labels), make(map[string]*rollout.Item)
	for i := range run.Items {
		if it := &run.Items[i]; it.Split == rollout.Train {
			known[it.ID], sampled[it.ID] = collect.Labels{Category: it.Category, Family: it.Family}, it
		}
	}
	items := cu.c.Items(rollout.Train, known)
	if len(items) == 0 {
		return errors.New("the run has no rollout of train: curate chooses rows by their own rollouts (gonogo " +
			"sample, with data.train)")
	}
	if err := oneStep(items); err != nil {
		return err
	}
	for _, split := range rollout.Splits() {
		cu.all = append(cu.all, cu.c.Items(split, nil)...)
	}
	byID := make(map[string]*rollout.Item, len(cu.file.Items))
	for i := range cu.file.Items {
		byID[cu.file.Items[i].ID] = &cu.file.Items[i]
	}
	var ofFile []*collect.Item
	for _, it := range items {
		row := byID[it.ID]
		if row == nil {
			continue
		}
		if _, same := collect.SameItem(row, sampled[it.ID]); cu.file.Edited && !same {
			cu.edited++
			continue
		}
		cu.itemOf[it.ID] = it
		ofFile = append(ofFile, it)
	}
	cu.m = measure.NewSplit(cu.s, cu.c, ofFile)
	switch {
	case len(cu.m.Items) == 0 && cu.edited > 0:
		return fmt.Errorf("the rows of the training file differ from the %s that the run sampled under the same "+
			"ids, such as %q: is it the file that was sampled?", count(len(items), "item"),
			items[0].ID)
	case len(cu.m.Items) == 0:
		return fmt.Errorf("no row of the training file has the id of any of the %s that the run sampled, such as "+
			"%q: is it the file that was sampled?", count(len(items), "item"), items[0].ID)
	case len(cu.m.Measured) == 0:
		return fmt.Errorf("none of the %s of train has a reward: there is nothing to choose by; fix what made the "+
			"rollouts fail, and sample again", count(len(cu.m.Items), "item"))
	}
	cu.classify()
	return nil
}

// oneStep returns an error if an item has rollouts of several policies: a row would be chosen
// for one policy by the rollouts of another.
func oneStep(items []*collect.Item) error {
	steps := make(map[collect.ItemKey]int)
	for _, it := range items {
		was, known := steps[it.Key().WithoutStep()]
		if known && was != it.Key().Step {
			low, high := min(was, it.Key().Step), max(was, it.Key().Step)
			return fmt.Errorf("item %q has rollouts of several training steps, such as %d and %d, and rows are "+
				"chosen by those of one policy: take the lines of one step from %s (jq -c 'select(.step == %d)'), "+
				"import them, and curate that run",
				it.Key().ID, low, high, rollout.RolloutsFile, high)
		}
		steps[it.Key().WithoutStep()] = it.Key().Step
	}
	return nil
}

// classify gets the classes of the items and the priors from the analysis.
func (cu *curator) classify() {
	cu.class = make(map[string]analysis.ItemResult, len(cu.m.Measured))
	for _, row := range cu.m.Classes().Items {
		cu.class[row.Item] = row
	}
	cu.priors = cu.m.Priors()
	failed, tried := make([]int, len(cu.m.Items)), make([]int, len(cu.m.Items))
	for i, it := range cu.m.Items {
		failed[i], tried[i] = len(it.Rows)+it.Extra-len(it.Seen), len(it.Rows)+it.Extra
	}
	cu.fails = fitted(failed, tried)
}

// curate decides on every row.
func (cu *curator) curate() *Curation {
	cu.rowOf = make(map[string]int, len(cu.file.Items))
	for i := range cu.file.Items {
		it := &cu.file.Items[i]
		cu.rowOf[it.ID] = len(cu.rows)
		cu.rows = append(cu.rows, cu.row(it))
	}
	cu.judgeGrader()
	cu.judgeRows()
	cu.repeats()
	for i := range cu.rows {
		cu.decide(&cu.rows[i])
	}
	if cu.opt.Variance > 0 {
		if cu.variance = cu.leastVaried(); cu.variance == nil {
			cu.notes = append(cu.notes, noVariance.Text())
		}
	}
	if cu.opt.Weights {
		cu.weigh()
	}
	slices.SortStableFunc(cu.rows, func(a, b Row) int { return cmp.Compare(a.Line, b.Line) })
	return cu.result()
}

// repeats adds the rows that repeat an earlier one. What holds for that one also holds for
// them.
func (cu *curator) repeats() {
	byLine := make(map[int]int, len(cu.rows))
	for i := range cu.rows {
		byLine[cu.rows[i].Line] = i
	}
	for _, repeat := range cu.file.Repeats {
		row := Row{Line: repeat.Line}
		if i, ok := byLine[repeat.First]; ok {
			row = cu.rows[i]
			row.Line, row.Grounds = repeat.Line, slices.Clone(row.Grounds)
		}
		row.Repeats = true
		row.ground(Duplicate, nil, sameRow.With(message.Args{"line": message.Int(repeat.First)}))
		cu.rows = append(cu.rows, row)
	}
}

// row returns a row with what the run's rollouts show about it.
func (cu *curator) row(it *rollout.Item) Row {
	row := Row{
		Line: it.Line, Item: it.ID, Category: it.Category, Family: it.Family, Grounds: []Evidence{},
		Look: []message.Text{},
	}
	measured := cu.itemOf[it.ID]
	if measured == nil {
		return row
	}
	row.Sampled = len(measured.Rows) + measured.Extra
	row.N = len(measured.Seen)
	switch {
	case row.N == 0:
		cu.lost(&row, measured)
		return row
	case len(measured.Rewards) == 0: // only targeted samples have rewards
		row.Open = true
		row.look(someFailed.With(failed(measured, row.Sampled-row.N, row.Sampled)))
		return row
	}
	known := cu.class[it.ID]
	row.Class, row.Mean, row.Stays = known.Class, known.Mean, known.Stays
	if n := len(measured.Seen); n > 1 {
		v := 0.0 // of equal rewards, whose mean is rounded
		if measured.Seen[0] != measured.Seen[n-1] {
			_, v = stat.MeanVariance(measured.Seen)
		}
		row.Variance = stat.FiniteOrNil(v)
	}
	row.Informative = stat.FiniteOrNil(cu.m.StaysMixed(measured.Seen, cu.priors))
	cu.settle(&row, measured)
	if missing := row.Sampled - row.N; 2*missing > row.Sampled {
		row.look(someFailed.With(failed(measured, missing, row.Sampled)))
	}
	return row
}

// settle drops an item from which nothing can be learned if it has enough samples to tell.
// Otherwise it marks the item as open and sets how many more samples it needs.
func (cu *curator) settle(row *Row, it *collect.Item) {
	class := row.Class
	if class == analysis.Unclassed {
		switch y := it.Seen[0]; {
		case cu.c.AtBottom(y):
			class = analysis.Dead
		case cu.c.AtTop(y):
			class = analysis.Saturated
		default:
			class = analysis.Flat
		}
	}
	if class == analysis.Mixed {
		return
	}
	p := cu.priors[class]
	if row.Stays == nil {
		row.Stays = stat.FiniteOrNil(stat.StaysProb(row.N, row.N, cu.s.GroupSize, p.A, p.B))
	}
	if row.N > 1 && *row.Stays >= cu.opt.Sure {
		why := map[string]message.Def{
			analysis.Dead: allBottom, analysis.Saturated: allTop,
			analysis.Flat: allSame,
		}[class]
		row.ground(Reason(class), row.Stays, why.With(message.Args{
			"rollouts": message.Count(row.N, "rollout"), "group": message.Int(cu.s.GroupSize),
			"probability": message.Number(*row.Stays),
		}))
		return
	}
	row.Open = true
	row.more(cu, row.N, p)
}

// lost drops an item of which no rollout could be graded, if chance does not explain that.
func (cu *curator) lost(row *Row, it *collect.Item) {
	stays := stat.StaysProb(row.Sampled, row.Sampled, cu.s.GroupSize, cu.fails.A, cu.fails.B)
	row.Fails = stat.FiniteOrNil(stays)
	if stays >= cu.opt.Sure {
		args := failed(it, row.Sampled, row.Sampled)
		args["group"], args["probability"] = message.Int(cu.s.GroupSize), message.Number(stays)
		row.ground(Broken, row.Fails, noGradeAgain.With(args))
		return
	}
	row.Open = true
	row.look(noGrade.With(failed(it, row.Sampled, row.Sampled)))
	row.more(cu, row.Sampled, cu.fails)
}

// failed returns the arguments of a message that n of the sampled rollouts of an item failed:
// both numbers, and the most frequent cause.
func failed(it *collect.Item, n, sampled int) message.Args {
	counts := make(map[string]int)
	for _, r := range it.Rows {
		if !r.Valid {
			counts[string(r.Outcome())+": "+r.Rare().Cause]++
		}
	}
	outcome, why, _ := strings.Cut(analysis.MostFrequent(counts), ": ")
	because := message.Of(message.Foreign(why))
	if why == "" {
		because = noCause.Text()
	}
	if outcome != "" {
		because = cause.With(message.Args{"outcome": message.Name(outcome), "cause": message.Nested(because)})
	}
	return message.Args{
		"failed": message.Int(n), "rollouts": message.Count(sampled, "rollout"),
		"cause": message.Nested(because),
	}
}

var (
	sameRow      = message.New("curate.same_row", "the same row as line {line}, including the id")
	someFailed   = message.New("curate.some_failed", "{failed} of {rollouts} failed: {cause}")
	noGrade      = message.New("curate.no_grade", "none of {rollouts} has a grade: {cause}")
	noGradeAgain = message.New("curate.no_grade_again", "none of {rollouts} has a grade, and a group of {group} "+
		"would have none with probability {probability}: {cause}")
	cause     = message.New("curate.cause", "{outcome}: {cause}")
	noCause   = message.New("curate.no_cause", "no cause is recorded")
	allBottom = message.New("curate.all_bottom",
		"all {rollouts} earned the bottom of the range; a group of {group} would do so again with probability "+
			"{probability}")
	allTop = message.New("curate.all_top",
		"all {rollouts} earned the top of the range; a group of {group} would do so again with probability "+
			"{probability}")
	allSame = message.New("curate.all_same",
		"all {rollouts} earned the same; a group of {group} would do so again with probability {probability}")
)
