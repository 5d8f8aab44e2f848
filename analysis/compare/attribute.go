package compare

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The possible causes of a change, in the order in which they are named.
const (
	CauseData     = "data"     // rows have the same conversation but other fields
	CauseGrader   = "grader"   // it grades the same output differently
	CauseTool     = "tool"     // it answers the same call differently
	CauseSetting  = "setting"  // the runs were made with other settings
	CauseModel    = "model"    // another model replied behind the same name
	CauseFailures = "failures" // more rollouts failed
	CauseLatency  = "latency"  // more rollouts exceeded the time limit
	CausePolicy   = "policy"   // none of these: the model's own behaviour
)

// Cause is something that has changed between two runs according to the records.
type Cause struct {
	Kind string `json:"kind"`
	Of   string `json:"of,omitempty"` // the tool or the key of a setting
	// share of equal calls that the other run answered differently, averaged over items
	Share *stat.Estimate `json:"share,omitempty"`
	// share of equal calls that were answered differently within a run
	Within   *float64        `json:"within,omitempty"`
	Shift    *stat.Estimate  `json:"shift,omitempty"`    // change of the grade of equal outputs, new - base
	Text     message.Text    `json:"text"`               // a description, as a clause
	Examples []ChangedAnswer `json:"examples,omitempty"` // equal calls with both answers

	strength float64 // among causes of one kind, the strongest is named first
}

// ChangedAnswer is a call that both runs made, with the answer in each.
type ChangedAnswer struct {
	Item      string `json:"item"`
	Arguments string `json:"arguments"`
	Base      string `json:"base"` // the beginning of the most frequent answer
	New       string `json:"new"`
}

// Regraded is an output of the base run with its old grade and the one that the new run's grader
// gives it.
type Regraded struct {
	Item          string
	Before, After float64
}

// mostGradedAgain is the maximum number of outputs to grade again, one per item.
const mostGradedAgain = 60

// SampleOutputs returns outputs to grade again, which shows whether the grader has changed: the first
// graded output of each item of a split, for at most 60 items.
func SampleOutputs(ctx context.Context, run *rollout.Run, split rollout.Split) ([]*rollout.Record, error) {
	indices := make(map[string]int) // index in sample, by item
	var sample []*rollout.Record
	_, err := run.Records(ctx, rollout.ReadOptions{}, func(r *rollout.Record) error {
		if r.Split != split || r.Outcome != rollout.Graded || r.Reward == nil || r.Answer == "" {
			return nil
		}
		i, known := indices[r.Item]
		switch {
		case !known && len(sample) < mostGradedAgain:
			indices[r.Item], sample = len(sample), append(sample, r)
		case known && (r.Sample < sample[i].Sample || r.Sample == sample[i].Sample && r.Attempt >= sample[i].Attempt):
			sample[i] = r
		}
		return nil
	})
	return sample, err
}

// Ungraded yields the outputs of a sample without their grades.
func Ungraded(sample []*rollout.Record) iter.Seq2[*rollout.Record, error] {
	return func(yield func(*rollout.Record, error) bool) {
		for _, r := range sample {
			rec := *r
			rec.Grades = nil
			if !yield(&rec, nil) {
				return
			}
		}
	}
}

// Regradings pairs the rewards of a sample with again, the new rewards by item.
func Regradings(sample []*rollout.Record, again map[string]float64) (list []Regraded) {
	for _, was := range sample {
		if now, ok := again[was.Item]; ok {
			list = append(list, Regraded{Item: was.Item, Before: *was.Reward, After: now})
		}
	}
	return list
}

// What counts as a cause, and how much of the runs is read to find it.
const (
	sureOfCause     = 0.99 // confidence of the interval that must exclude 0, corrected for the number of tools
	leastServed     = 0.2  // minimum share of rollouts answered by a model that the base run did not see
	attributedItems = 1000 // maximum number of items whose calls and outputs are compared
	fewestEqual     = 5    // minimum number of items with equal calls or outputs
	causesNamed     = 2    // number of causes named in the sentence
	answersShown    = 3
)

// Attribute finds the causes of the change on the answering split, as far as the records show them,
// puts them into c.LikelyCauses, the likeliest first, and adds them to the sentence. Causes that
// cannot explain a change in that direction come last. If the run changed and no cause is found, the
// cause is the model's own behaviour, unless the runs record nothing that could have shown another.
// regraded holds outputs of the base run that the grader of the new run graded again; without them
// the grades of equal outputs are compared.
//
// A tool, or the grader, counts as changed if equal calls (item, name, arguments, calls before), or
// equal outputs of an item, are answered differently more often between the runs than within a run:
// the mean over items of the probability that two answers differ, across minus within (the energy
// distance of Székely & Rizzo 2013, doi:10.1016/j.jspi.2013.03.018, with the distance 0 or 1). So
// a tool whose answers are random or depend on the time of day is not mistaken for a changed one.
// Both runs are read once more, with the outputs of calls; memory grows with the calls of at most
// 1,000 items.
func (c *Comparison) Attribute(ctx context.Context, base, new *rollout.Run, read rollout.ReadOptions,
	regraded []Regraded,
) error {
	if c.Split == nil || c.Unfair() {
		return nil
	}
	sc := c.Splits[*c.Split]
	items := make(map[string]bool)
	for i := range sc.Changes {
		if index := i * attributedItems / len(sc.Changes); i == 0 || index != (i-1)*attributedItems/len(sc.Changes) {
			items[sc.Changes[i].Item] = true
		}
	}
	b, err := readReplies(ctx, base, read, *c.Split, items)
	if err != nil {
		return err
	}
	n, err := readReplies(ctx, new, read, *c.Split, items)
	if err != nil {
		return err
	}
	c.LikelyCauses = slices.Concat(c.changedData(), c.changedGrader(b, n, regraded), changedTools(b, n),
		c.changedSettings(), c.changedModel(b, n), sc.changedFailures())
	moved := c.Answer == Regressed || c.Answer == Improved || c.Answer == NotBetter &&
		len(sc.moreHacks())+len(sc.rises()) > 0
	if len(c.LikelyCauses) == 0 && moved {
		unknown, blind := c.unrecorded(b, n, regraded)
		if blind && !hasSettings(base) && !hasSettings(new) {
			c.Sentence = message.Join(c.Sentence,
				cannotTellCause.With(message.Args{"unknown": message.Nested(message.Clauses(unknown...))}))
			return nil
		}
		text := message.Clauses(append([]message.Text{ownDoing.Text()}, unknown...)...)
		c.LikelyCauses = []Cause{{Kind: CausePolicy, Text: text}}
	}
	slices.SortStableFunc(c.LikelyCauses,
		func(x, y Cause) int { return one(!x.explains(c.Answer)) - one(!y.explains(c.Answer)) })
	form := besides
	if moved && c.LikelyCauses[0].explains(c.Answer) {
		form = behind
	}
	if len(c.LikelyCauses) > 0 {
		var texts []message.Text
		for _, cause := range c.LikelyCauses[:min(len(c.LikelyCauses), causesNamed)] {
			texts = append(texts, cause.Text)
		}
		c.Sentence = message.Join(c.Sentence,
			form.With(message.Args{"causes": message.Nested(message.Clauses(texts...))}))
	}
	return nil
}

// explains reports whether the cause can explain an answer: higher grades of equal outputs do not
// explain a fall, and failures and timeouts do not explain a rise.
func (x *Cause) explains(a Answer) bool {
	switch {
	case x.Shift != nil && a == Regressed:
		return *x.Shift.Value < 0
	case x.Shift != nil && a == Improved:
		return *x.Shift.Value > 0
	case x.Kind == CauseFailures || x.Kind == CauseLatency:
		return a != Improved
	}
	return true
}

// changedData reports items whose rows differ only in fields other than the conversation.
func (c *Comparison) changedData() []Cause {
	for _, d := range c.Differs {
		if d.What == "items" && d.Key == "fields."+string(*c.Split) {
			return []Cause{{Kind: CauseData, Text: otherRows.With(message.Args{"items": message.Nested(d.Base)})}}
		}
	}
	return nil
}

// changedGrader compares grades of equal outputs: of regraded outputs, else of outputs that both runs
// hold. If there are too few, the grader's settings decide.
func (c *Comparison) changedGrader(base, new *replies, regraded []Regraded) []Cause {
	shift, text := regradedShift(regraded, c.RewardRange), gradedAgain
	if shift == nil {
		shift, text = equalOutputs(base, new, c.RewardRange), gradedOtherwise
	}
	if shift != nil {
		if *shift.Low <= 0 && *shift.High >= 0 {
			return nil
		}
		return []Cause{{Kind: CauseGrader, Shift: shift, Text: text.With(message.Args{
			"change": message.Nested(changeOf(*shift)), "outputs": message.Count(shift.N, "output"),
		})}}
	}
	if slices.ContainsFunc(c.Differs, func(d RunDifference) bool { return d.What == "grader" }) {
		return []Cause{{Kind: CauseGrader, Text: otherGrader.Text()}}
	}
	return nil
}

// changedSettings lists the settings in which the runs differ.
func (c *Comparison) changedSettings() []Cause {
	var out []Cause
	for _, d := range c.Differs {
		if slices.Contains([]string{"job", "model", "setting"}, d.What) {
			out = append(out,
				Cause{Kind: CauseSetting, Of: d.Key, Text: otherSetting.With(message.Args{"key": message.Name(d.Key)})})
		}
	}
	return out
}

// changedModel compares the models that the endpoint names in its replies. It does nothing if the
// runs were made with different models, which is already a changed setting.
func (c *Comparison) changedModel(base, new *replies) []Cause {
	if slices.ContainsFunc(c.Differs, func(d RunDifference) bool { return d.Key == "model.name" }) {
		return nil
	}
	const none = ""
	known, unseen := 0, 0
	for name, n := range new.served {
		if name != none {
			known += n
			unseen += n * one(base.served[name] == 0)
		}
	}
	was := mostServed(base.served, nil)
	if was == none || known == 0 || float64(unseen) < leastServed*float64(known) {
		return nil
	}
	return []Cause{{Kind: CauseModel, Text: otherModel.With(message.Args{
		"base": message.Name(was), "new": message.Name(mostServed(new.served, base.served)),
		"share": message.Share(float64(unseen) / float64(known)),
	})}}
}

// mostServed returns the most frequent name that is not among others; "" if there is none.
func mostServed(served, others map[string]int) string {
	most := ""
	for name, n := range served {
		if name != "" && others[name] == 0 && (n > served[most] || most == "" || n == served[most] && name < most) {
			most = name
		}
	}
	return most
}

// changedFailures reports an increased share of failed rollouts, and of rollouts over the time limit.
func (sc *Split) changedFailures() []Cause {
	var out []Cause
	for _, d := range sc.Others {
		args := message.Args{"base": message.KnownShare(d.Base), "new": message.KnownShare(d.New)}
		switch {
		case d.Change != "worse" || *d.Value <= MostRise:
		case d.Name == failures:
			out = append(out, Cause{Kind: CauseFailures, Text: sc.moreFailed().With(args)})
		case d.Name == overTime:
			out = append(out, Cause{Kind: CauseLatency, Text: moreTooSlow.With(args)})
		}
	}
	failed := slices.ContainsFunc(out, func(x Cause) bool { return x.Kind == CauseFailures })
	rise := stat.ValueOr(sc.Missing.New.Share, 0) - stat.ValueOr(sc.Missing.Base.Share, 0)
	if !failed && rise > MostRise {
		out = append(out, Cause{Kind: CauseFailures, Text: moreLost.With(message.Args{
			"base": message.KnownShare(sc.Missing.Base.Share), "new": message.KnownShare(sc.Missing.New.Share),
			"causes": message.Nested(sc.Missing.New.LostTo()),
		})})
	}
	return out
}

// hasSettings reports whether a run records what it was made with: data, model and grader. A log of
// another tool may not.
func hasSettings(run *rollout.Run) bool { return run.Manifest != nil && len(run.Manifest.Binding) > 0 }

// unrecorded returns what the records cannot show of the causes of a change. blind means that they
// show neither models nor equal calls or outputs.
func (c *Comparison) unrecorded(base, new *replies, regraded []Regraded) (unknown []message.Text, blind bool) {
	b, n := mostServed(base.served, nil), mostServed(new.served, nil)
	if b == "" || n == "" {
		unknown = append(unknown, servedUnknown.Text())
	}
	called := base.calls() && new.calls()
	if called && len(equalCalls(base, new)) == 0 {
		unknown, called = append(unknown, callsUnknown.Text()), false
	}
	if regradedShift(regraded, c.RewardRange) == nil && equalOutputs(base, new, c.RewardRange) == nil {
		unknown = append(unknown, gradesUnknown.Text())
		blind = b+n == "" && !called
	}
	return unknown, blind
}

// changedTools lists the tools that answer equal calls differently, the most changed one first.
func changedTools(base, new *replies) []Cause {
	tools := equalCalls(base, new)
	var out []Cause
	for _, t := range tools {
		excess := stat.PairedMean(t.excess, nil, t.n, &stat.Range{Lo: -1, Hi: 1}, 1-(1-sureOfCause)/float64(len(tools)))
		if excess.Low == nil || *excess.Low <= 0 {
			continue
		}
		share := stat.PairedMean(t.across, nil, t.n, &stat.Range{Lo: 0, Hi: 1}, sureOfCause)
		within := min(1, t.within)
		out = append(out, Cause{
			Kind: CauseTool, Of: t.name, Share: &share, Within: &within, strength: *excess.Value,
			Examples: t.examples(base, new),
			Text: toolChanged.With(message.Args{
				"tool": message.Name(t.name), "share": message.KnownShare(share.Value),
				"low": message.KnownShare(share.Low), "high": message.KnownShare(share.High),
				"calls": message.Count(t.n, "call"), "within": message.Share(within),
			}),
		})
	}
	slices.SortStableFunc(out,
		func(a, b Cause) int { return cmp.Or(cmp.Compare(b.strength, a.strength), strings.Compare(a.Of, b.Of)) })
	return out
}

// regradedShift returns the mean change of the grades of regraded outputs, over items; nil if there
// are too few.
func regradedShift(list []Regraded, bounds [2]float64) *stat.Estimate {
	sums := make(map[string][2]float64)
	for _, r := range list {
		s := sums[r.Item]
		sums[r.Item] = [2]float64{s[0] + r.After - r.Before, s[1] + 1}
	}
	return shiftOf(sums, len(list), bounds)
}

// shiftOf returns the mean over items of each item's mean change; sums holds, by item, the sum and
// the number of its changes, n is their total number.
func shiftOf(sums map[string][2]float64, n int, bounds [2]float64) *stat.Estimate {
	if len(sums) < fewestEqual {
		return nil
	}
	var deltas []float64
	for _, item := range sortedKeys(sums) {
		deltas = append(deltas, sums[item][0]/sums[item][1])
	}
	width := bounds[1] - bounds[0]
	e := stat.PairedMean(deltas, nil, n, &stat.Range{Lo: -width, Hi: width}, sureOfCause)
	if e.Low == nil || e.High == nil {
		return nil
	}
	return &e
}

var (
	cannotTellCause = message.New("behind.cannot_tell", "These logs do not show what is behind it: {unknown}.")
	behind          = message.New("behind.sentence", "Likely cause: {causes}.")
	besides         = message.New("behind.besides", "Also changed: {causes}.")

	otherRows = message.New("behind.rows",
		"the rows of {items} have the same conversation but differ in other fields, such as the reference")
	gradedAgain = message.New("behind.graded_again",
		"regrading {outputs} of the base run changes their mean grade by {change}")
	gradedOtherwise = message.New("behind.graded_otherwise",
		"the same outputs get different grades: {change} on average over {outputs} found in both runs")
	otherGrader = message.New("behind.other_grader",
		"the runs have different graders, and too few equal outputs to show what that changes")
	toolChanged = message.New("behind.tool", "of {calls} that both runs made, the tool {tool} answered {share} "+
		"[{low}, {high}] differently; within a run, {within}")
	otherSetting = message.New("behind.setting", "the runs were made with a different {key}")
	otherModel   = message.New("behind.model", "a different model replied: in {share} of the rollouts the "+
		"endpoint names {new}, in the base run it names {base}")
	moreTooSlow = message.New("behind.too_slow", "{new} of the rollouts exceeded the time limit, up from {base}")
	moreLost    = message.New("behind.lost", "{new} of the rollouts were lost to {causes}, up from {base}")
	ownDoing    = message.New("behind.policy",
		"the model's own behaviour: no change of data, grader, tools, settings or endpoints is recorded")
	servedUnknown = message.New("behind.served_unknown", "the model that replied is not recorded")
	callsUnknown  = message.New("behind.calls_unknown",
		"the runs have too few equal calls to compare the tools' answers")
	gradesUnknown = message.New("behind.grades_unknown",
		"the runs have too few equal outputs to compare their grades")
)
