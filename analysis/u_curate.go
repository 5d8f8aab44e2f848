package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// TrainFile is a training file as it is to be curated, beside what it must not
// share rows with.
type TrainFile struct {
	Items   []rollout.Item // its rows, in order, each with its line
	Repeats []RepeatedRow  // rows that repeat an earlier one together with its id, and are no item of their own
	Others  []rollout.Item // of eval and production
	Edited  bool           // it is not known to be the file that was sampled: rows are taken for those sampled only where they are the same
}

// RepeatedRow is a row that repeats the one in line First, id and all.
type RepeatedRow struct{ Line, First int }

// CurateOptions say what is dropped where two answers are sensible. The zero
// value of a field stands for its default.
type CurateOptions struct {
	Sure       float64  // posterior probability from which an item counts as dead, saturated, flat or broken; default 1 - the threshold signal.informative
	Keep       []Reason // reasons that drop nothing
	Near       bool     // near and swapped copies are dropped like exact ones
	Measured   bool     // rows that were not measured are dropped too
	Suspicious bool     // suspicious rows are dropped too: most are hard and right, and worth a look
}

// Curate tells which rows of a training file are worth training on, by the
// rollouts and the audit of a run, and by the rows themselves. Every row is
// kept or dropped, and every ground is named. It reads the run as Analyze does.
// A run without a measured item of train is an error: there is nothing to
// choose by.
func Curate(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, file TrainFile, s Settings, opt CurateOptions) (*Curation, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if opt.Sure == 0 {
		opt.Sure = 1 - s.Thresholds.Of(InformativeShare)
	}
	if !(opt.Sure > 0 && opt.Sure < 1) {
		return nil, fmt.Errorf("the probability from which an item is dropped is %g: it lies between 0 and 1", opt.Sure)
	}
	c := newCollector(s.RewardRange)
	if err := c.beside(ctx, run); err != nil {
		return nil, err
	}
	read.Lean = true
	if _, err := run.Records(ctx, read, c.add); err != nil {
		return nil, err
	}
	cu := &curator{s: s, opt: opt, c: c, file: file, of: make(map[string]*item), notes: []message.Text{}}
	if err := cu.measure(run); err != nil {
		return nil, err
	}
	return cu.curate(), nil
}

// curator sorts the rows of one file.
type curator struct {
	s      Settings
	opt    CurateOptions
	c      *collector
	file   TrainFile
	m      *measure
	all    []*item          // of every split
	of     map[string]*item // train items by id, as far as they are those of the file
	class  map[string]ItemResult
	priors map[string]beta
	fails  beta // of a rollout of an item to fail
	edited int  // rows that are not those that were sampled under their ids

	rows  []CuratedRow
	at    map[string]int // row by id
	notes []message.Text
}

// measure gathers what is known of the items of train.
func (cu *curator) measure(run *rollout.Run) error {
	known, sampled := make(map[string]labels), make(map[string]*rollout.Item)
	for i := range run.Items {
		if it := &run.Items[i]; it.Split == rollout.Train {
			known[it.ID], sampled[it.ID] = labels{it.Category, it.Family}, it
		}
	}
	items := cu.c.items(rollout.Train, known)
	if len(items) == 0 {
		return errors.New("the run holds no rollout of train: a training file is chosen by rollouts of its own rows (gonogo sample, with data.train)")
	}
	for _, split := range rollout.Splits() {
		cu.all = append(cu.all, cu.c.items(split, nil)...)
	}
	byID := make(map[string]*rollout.Item, len(cu.file.Items))
	for i := range cu.file.Items {
		byID[cu.file.Items[i].ID] = &cu.file.Items[i]
	}
	var ofFile []*item
	for _, it := range items {
		row := byID[it.id]
		if row == nil {
			continue
		}
		if _, same := SameItem(row, sampled[it.id]); cu.file.Edited && !same {
			cu.edited++
			continue
		}
		cu.of[it.id] = it
		ofFile = append(ofFile, it)
	}
	cu.m = newSplit(cu.s, cu.c, ofFile)
	switch {
	case len(cu.m.items) == 0 && cu.edited > 0:
		return fmt.Errorf("the rows of the training file with the ids of the %s that the run sampled, such as %q, are others than those: is it the file that was sampled?", (message.Language{}).Count(len(items), "item"), items[0].id)
	case len(cu.m.items) == 0:
		return fmt.Errorf("no row of the training file has the id of one of the %s that the run sampled, such as %q: is it the file that was sampled?", (message.Language{}).Count(len(items), "item"), items[0].id)
	case len(cu.m.measured) == 0:
		return fmt.Errorf("none of the %s of train has a reward: there is nothing to choose by; mend what made the rollouts fail, and sample again", (message.Language{}).Count(len(cu.m.items), "item"))
	}
	cu.classify()
	return nil
}

// classify takes classes and their posteriors from the analysis.
func (cu *curator) classify() {
	cu.class = make(map[string]ItemResult, len(cu.m.measured))
	for _, row := range cu.m.classes().Items {
		cu.class[row.Item] = row
	}
	cu.priors = cu.m.priors()
	failed, tried := make([]int, len(cu.m.items)), make([]int, len(cu.m.items))
	for i, it := range cu.m.items {
		failed[i], tried[i] = len(it.rows)+it.extra-len(it.seen), len(it.rows)+it.extra
	}
	cu.fails = jeffreys
	if a, b, _ := stat.BetaBinomialFit(failed, tried); a > 0 && b > 0 {
		cu.fails = beta{a, b}
	}
}

// curate goes through the rows.
func (cu *curator) curate() *Curation {
	cu.at = make(map[string]int, len(cu.file.Items))
	for i := range cu.file.Items {
		it := &cu.file.Items[i]
		cu.at[it.ID] = len(cu.rows)
		cu.rows = append(cu.rows, cu.row(it))
	}
	cu.judgeGrader()
	cu.judgeRows()
	cu.repeats()
	for i := range cu.rows {
		cu.decide(&cu.rows[i])
	}
	slices.SortStableFunc(cu.rows, func(a, b CuratedRow) int { return cmp.Compare(a.Line, b.Line) })
	return cu.result()
}

// repeats adds the rows that repeat an earlier one: what is said of that one
// holds of them as well.
func (cu *curator) repeats() {
	byLine := make(map[int]int, len(cu.rows))
	for i := range cu.rows {
		byLine[cu.rows[i].Line] = i
	}
	for _, repeat := range cu.file.Repeats {
		row := CuratedRow{Line: repeat.Line}
		if i, ok := byLine[repeat.First]; ok {
			row = cu.rows[i]
			row.Line, row.Grounds = repeat.Line, slices.Clone(row.Grounds)
		}
		row.Repeats = true
		row.ground(Duplicate, nil, sameRow.With(message.Args{"line": message.Int(repeat.First)}))
		cu.rows = append(cu.rows, row)
	}
}

// row tells what the run's rollouts say of one row.
func (cu *curator) row(it *rollout.Item) CuratedRow {
	row := CuratedRow{Line: it.Line, Item: it.ID, Category: it.Category, Family: it.Family, Grounds: []Ground{}, Look: []message.Text{}}
	measured := cu.of[it.ID]
	if measured == nil {
		return row
	}
	row.Sampled = len(measured.rows) + measured.extra
	row.N = len(measured.seen)
	switch {
	case row.N == 0:
		cu.lost(&row, measured)
		return row
	case len(measured.rewards) == 0: // targeted samples alone came through
		row.Open = true
		row.look(someFailed.With(failed(measured, row.Sampled-row.N, row.Sampled)))
		return row
	}
	known := cu.class[it.ID]
	row.Class, row.Mean, row.Stays = known.Class, known.Mean, known.Stays
	row.Informative = stat.Some(cu.m.staysMixed(measured.seen, cu.priors))
	if row.N > 1 && row.Class == Mixed && measured.seen[row.N-1]-measured.seen[0] <= cu.tolerance() {
		// Differences that no trainer should follow are none.
		row.Class, row.Stays = Flat, stat.Some(stat.StaysProb(row.N, row.N, cu.s.GroupSize, jeffreys.a, jeffreys.b))
		row.Informative = stat.Some(1 - *row.Stays)
	}
	cu.settle(&row, measured)
	if missing := row.Sampled - row.N; 2*missing > row.Sampled {
		row.look(someFailed.With(failed(measured, missing, row.Sampled)))
	}
	return row
}

// tolerance is the span up to which rewards of one item count as equal.
func (cu *curator) tolerance() float64 {
	_, judged := cu.m.tolerances()
	return judged * (1 + 1e-9)
}

// settle drops an item that has nothing to teach, where the samples are enough
// to tell, and says how many more would be where they are not.
func (cu *curator) settle(row *CuratedRow, it *item) {
	class := row.Class
	if class == Unclassed {
		switch y := it.seen[0]; {
		case cu.c.atBottom(y):
			class = Dead
		case cu.c.atTop(y):
			class = Saturated
		default:
			class = Flat
		}
	}
	if class == Mixed {
		return
	}
	p := cu.priors[class]
	if row.Stays == nil {
		row.Stays = stat.Some(stat.StaysProb(row.N, row.N, cu.s.GroupSize, p.a, p.b))
	}
	if row.N > 1 && *row.Stays >= cu.opt.Sure {
		why := map[string]message.Def{Dead: allBottom, Saturated: allTop, Flat: allSame}[class]
		row.ground(Reason(class), row.Stays, why.With(message.Args{
			"rollouts": message.Count(row.N, "rollout"), "group": message.Int(cu.s.GroupSize), "probability": message.Number(*row.Stays),
		}))
		return
	}
	row.Open = true
	row.more(cu, row.N, p)
}

// lost drops an item none of whose rollouts could be graded, where that is more
// than chance.
func (cu *curator) lost(row *CuratedRow, it *item) {
	stays := stat.StaysProb(row.Sampled, row.Sampled, cu.s.GroupSize, cu.fails.a, cu.fails.b)
	row.Fails = stat.Some(stays)
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

// failed are the arguments of a message about n rollouts of an item that failed, of
// those sampled: how many, and why most did.
func failed(it *item, n, sampled int) message.Args {
	counts := make(map[string]int)
	for _, r := range it.rows {
		if !r.valid {
			counts[string(r.outcome)+": "+r.cause]++
		}
	}
	outcome, why, _ := strings.Cut(mostFrequent(counts), ": ")
	because := message.Of(message.Foreign(why))
	if why == "" {
		because = noCause.Text()
	}
	if outcome != "" {
		because = cause.With(message.Args{"outcome": message.Name(outcome), "cause": message.Said(because)})
	}
	return message.Args{"failed": message.Int(n), "rollouts": message.Count(sampled, "rollout"), "cause": message.Said(because)}
}

var (
	sameRow      = message.New("curate.same_row", "the same row as line {line}, id and all")
	someFailed   = message.New("curate.some_failed", "{failed} of {rollouts} failed: {cause}")
	noGrade      = message.New("curate.no_grade", "none of {rollouts} has a grade: {cause}")
	noGradeAgain = message.New("curate.no_grade_again", "none of {rollouts} has a grade, and a group of {group} would have none with probability {probability}: {cause}")
	cause        = message.New("curate.cause", "{outcome}: {cause}")
	noCause      = message.New("curate.no_cause", "no cause is recorded")
	allBottom    = message.New("curate.all_bottom", "all {rollouts} earned the bottom of the range; a group of {group} would again with probability {probability}")
	allTop       = message.New("curate.all_top", "all {rollouts} earned the top of the range; a group of {group} would again with probability {probability}")
	allSame      = message.New("curate.all_same", "all {rollouts} earned the same; a group of {group} would again with probability {probability}")
)
