package analysis

import (
	"maps"
	"math"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Gate is one check with its thresholds and its words: all there is of it. Check
// reads a measured Result and answers with one finding for each severity and split
// that it judges. A gate of Parts asks each of them, and answers with one finding for
// each severity and split: that of the worst part, with the others' facts.
type Gate struct {
	Name       string // lower case, dotted: its findings, thresholds and messages begin with it
	Topic      string // what it belongs to, such as grader; the beginning of the name where it is empty
	Doc        string
	Thresholds []Threshold
	Charts     []string // the pictures that show what it judges, by name
	Words      Words
	Check      func(r *Result, t Thresholds) []Finding
	Parts      []Gate // of these Name, Doc, Words and Check count; Words.Pass of the whole is said where all pass

	passed message.Def // of a gate of parts
}

// Threshold is one number that a gate compares with.
type Threshold struct {
	Name    string // the gate's, or begins with it and a dot
	Unit    string // share, items, tokens, times, seconds, correlation, AUC, p
	Doc     string
	Default float64
}

// What gates have made known: the messages of every fact by its id, and the default of
// every threshold.
var (
	words    = map[string]said{}
	defaults = map[string]float64{}
)

// NewGate makes a gate's messages and thresholds known. It belongs into a package
// variable. It panics on a name that another gate has, and on a threshold whose name
// does not begin with the gate's.
func NewGate(g Gate) Gate {
	if len(g.Parts) == 0 {
		newPart(g)
	} else {
		g.passed = message.New(g.Name+".parts", g.Words.Pass)
	}
	for _, t := range known(g.Thresholds...) {
		if t.Name != g.Name && !strings.HasPrefix(t.Name, g.Name+".") {
			panic("analysis: the gate " + g.Name + " cannot have a threshold called " + t.Name)
		}
	}
	return g
}

// known makes the defaults of thresholds known.
func known(list ...Threshold) []Threshold {
	for _, t := range list {
		if _, taken := defaults[t.Name]; taken {
			panic("analysis: two thresholds are called " + t.Name)
		}
		defaults[t.Name] = t.Default
	}
	return list
}

// newPart makes the messages of a part known. Its name is the id of its fact.
func newPart(g Gate) Gate {
	if _, taken := words[g.Name]; taken {
		panic("analysis: two gates are called " + g.Name)
	}
	words[g.Name] = g.Words.known(g.Name)
	return g
}

// Gates lists the gates in the order in which they are shown and in which the
// first failing one is the verdict's reason: whether the run can be trusted,
// then whether its rewards can, then whether the task lies within reach, then
// whether it teaches.
func Gates() []Gate {
	return []Gate{
		dataValid, dataConflicts, dataEnough, dataQuality,
		infraFailures, rolloutsSound, rolloutsIndependent, endpointBurst,
		graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy,
		baselineReachable, baselineHeadroom, signalInformative, explorationLift,
		leakage, shiftGates, evalPower, variantsGain,
		toolsHealth, toolsLatency,
	}
}

// bound is what a threshold is compared with: a value and its interval.
type bound struct {
	value, low, high *float64
}

func boundOf(e stat.Estimate) bound { return bound{e.Value, e.Low, e.High} }

// observed is a share of what happened, without an interval.
func observed(x float64) bound { return bound{value: &x, low: &x, high: &x} }

// atLeast passes when the whole interval is at or above want, fails when all
// of it is below, and is unknown otherwise.
func (b bound) atLeast(want float64) Status {
	switch {
	case b.low != nil && *b.low >= want:
		return Pass
	case b.high != nil && *b.high < want:
		return Fail
	}
	return Unknown
}

// atMost passes when the whole interval is at or below want, fails when all of
// it is above, and is unknown otherwise.
func (b bound) atMost(want float64) Status {
	switch {
	case b.high != nil && *b.high <= want:
		return Pass
	case b.low != nil && *b.low > want:
		return Fail
	}
	return Unknown
}

// minus returns the bound of x - b.
func minus(b bound, x float64) bound {
	from := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return stat.Some(x - *p)
	}
	return bound{value: from(b.value), low: from(b.high), high: from(b.low)}
}

// judgement is one finding in the making.
type judgement struct {
	gate     string
	split    rollout.Split
	severity Severity
	unit     string
	want     message.Text
	vars     message.Args // further arguments of the messages
	items    []string
	rows     []message.Text // what is listed instead of the items
	needs    *Needs
	settles  bool
	said     *wording // instead of the fact's own title and remedy
}

// finding fills the texts with the numbers.
func (j judgement) finding(status Status, b bound) Finding {
	f := Finding{Gate: j.gate, Split: j.split, Severity: j.severity, Fact: Fact{
		ID: j.gate, Status: status, Value: b.value, Low: b.low, High: b.high, Want: j.want, Threshold: j.want.Args["limit"].Number, Unit: j.unit, Items: j.items, Rows: j.rows,
	}}
	if f.Items == nil {
		f.Items = []string{}
	}
	if status == Unknown {
		f.Needs, f.Settleable = j.needs, j.settles
	}
	f.say(words[j.gate], j.said, j.vars)
	return f
}

// skipped says that a gate had nothing to judge, and why.
func skipped(gate string, split rollout.Split, severity Severity, why message.Text) Finding {
	f := Finding{Gate: gate, Split: split, Severity: severity, Fact: Fact{ID: gate, Status: Skipped, Items: []string{}}, lacks: lacking(why)}
	f.say(words[gate], nil, message.Args{"reason": message.Said(why)})
	return f
}

// The reasons for which gates are skipped.
var (
	noTraining = message.New("skip.no_training", "there is no train split: an evaluation set by itself says nothing about training")
	noTools    = message.New("skip.no_tools", "the rollouts hold no tool calls")
)

// itemsListed bounds the items that a finding points at.
const itemsListed = 20

// estimated judges an estimate about items of a split against a threshold, in
// both severities.
type estimated struct {
	gate     string
	unit     string
	width    float64 // of the reward range when the thresholds are shares of it; else 1
	span     float64 // what the blocking threshold is a share of instead, where it is less than the caution asks for; 0: width
	estimate stat.Estimate
	bound    bound
	bottom   float64 // of what the estimate can be
	offset   float64 // what the estimate's own threshold lies above the compared one
	samples  int     // per item, behind the estimate
	inFile   *int    // M, where the estimate speaks of the file alone
	vars     message.Args
	items    []string // shown unless the gate passes

	// scaleless says that a trainer which divides by a group's standard deviation
	// learns all the same where rewards differ, however little.
	scaleless bool
}

// findings judges against the blocking threshold and the caution of the
// gate's name.
func (e estimated) findings(r *Result, t Thresholds, split rollout.Split) []Finding {
	var out []Finding
	for _, level := range []struct {
		severity Severity
		name     string
	}{{Blocking, e.gate}, {Advisory, e.gate + ".caution"}} {
		want := t.At(level.name) * e.width
		if level.severity == Blocking && e.span > 0 && e.span < t.At(e.gate+".caution")*e.width {
			want = t.At(level.name) * e.span
		}
		status := e.bound.atLeast(want)
		j := judgement{gate: e.gate, split: split, severity: level.severity, unit: e.unit, want: atLeast(want), vars: e.vars}
		if level.severity == Blocking && status != Pass && e.scaleless {
			if differ, ok := differEnough(r, t, split); ok {
				status, j.said = Pass, &anyDifference
				j.vars = maps.Clone(e.vars)
				j.vars["differ"] = differ
			}
		}
		if status != Pass {
			j.items = e.items
		}
		if status == Unknown {
			j.needs, j.settles = e.needed(r, t, want)
		}
		out = append(out, j.finding(status, e.bound))
	}
	return out
}

// differEnough reports, with the share in words, whether the trainer normalises by
// a group's standard deviation and the rewards of enough groups differ for that
// alone to teach it.
func differEnough(r *Result, t Thresholds, split rollout.Split) (message.Arg, bool) {
	if r.Normalize != NormalizeStd {
		return message.Arg{}, false
	}
	e, b := signalAt(r.Splits[split], r)
	return message.KnownShare(e.Value), b.atLeast(t.At("signal.informative")) == Pass
}

// needed says how many items would settle an unknown answer. Where groups are
// larger than the samples at hand, more samples come first, of no fewer items
// than the present interval or any verdict asks for.
func (e estimated) needed(r *Result, t Thresholds, want float64) (*Needs, bool) {
	if e.estimate.Items == 0 { // of nothing measured the least that any verdict takes
		return &Needs{Items: int(t.At("data.enough.items")), Samples: max(r.GroupSize, e.samples)}, true
	}
	scale := stat.Range{Lo: e.bottom, Hi: e.bottom + e.width}
	items, ok := stat.Needed(e.estimate, want+e.offset, e.estimate.Items, &scale, r.Confidence)
	if e.samples < r.GroupSize {
		items = max(items, e.estimate.Items, int(t.At("data.enough.items")))
		if e.inFile != nil {
			items = min(items, max(e.estimate.Items, *e.inFile))
		}
		return &Needs{Items: items, Samples: r.GroupSize}, true
	}
	if !ok {
		return nil, false
	}
	if e.inFile != nil && items > *e.inFile {
		// The file holds no more items; more samples of all of them tell as much.
		samples := math.Ceil(float64(e.samples) * float64(items) / float64(*e.inFile))
		return &Needs{Items: *e.inFile, Samples: int(samples)}, true
	}
	return &Needs{Items: items, Samples: e.samples}, true
}

// groupSamples is the samples per item behind what is judged at the group size:
// the items' own, or, where fewer than that are common to them, what a bracket
// rests on.
func groupSamples(sr *SplitResult, r *Result) int {
	if best, _ := sr.BestAt(r.GroupSize); best.K < r.GroupSize {
		return best.K
	}
	return max(r.GroupSize, int(sr.Samples.Median))
}

// unitRange is the range of shares.
var unitRange = stat.Range{Lo: 0, Hi: 1}

// settle says how many items of the same samples would settle an estimate
// against a threshold.
func settle(e stat.Estimate, want float64, rng stat.Range, conf float64, sr *SplitResult) (*Needs, bool) {
	return settleBy(e, want, rng, conf, int(sr.Samples.Median))
}

// settleBy is settle for so many samples of an item.
func settleBy(e stat.Estimate, want float64, rng stat.Range, conf float64, samples int) (*Needs, bool) {
	if e.Items == 0 {
		return nil, false
	}
	items, ok := stat.Needed(e, want, e.Items, &rng, conf)
	if !ok {
		return nil, false
	}
	return &Needs{Items: items, Samples: max(1, samples)}, true
}

// onFile narrows an estimate on train to the file at hand: the gates on train
// speak of these items, so that sampling them all leaves no doubt about which.
func onFile(e stat.Estimate, sr *SplitResult, r *Result, rng stat.Range) stat.Estimate {
	if sr.Items.InFile == nil || e.Items < 2 || !e.Known() {
		return e
	}
	return stat.Finite(e, e.Items, *sr.Items.InFile, &rng, r.Confidence)
}

func (r *Result) rng() stat.Range {
	return stat.Range{Lo: r.RewardRange[0], Hi: r.RewardRange[1]}
}

// itemsOfClass lists the first items of a class.
func itemsOfClass(sr *SplitResult, class string) []string {
	ids := []string{}
	for _, it := range sr.Classes.Items {
		if it.Class == class && len(ids) < itemsListed {
			ids = append(ids, it.Item)
		}
	}
	return ids
}

// judge asks the gate, or its parts.
func (g Gate) judge(r *Result, t Thresholds) []Finding {
	topic := g.Topic
	if topic == "" {
		topic, _, _ = strings.Cut(g.Name, ".")
	}
	var out []Finding
	if len(g.Parts) == 0 {
		out = g.Check(r, t)
	} else {
		for _, part := range g.Parts {
			of := part.Check(r, t)
			for i := range of {
				of[i].Charts = part.Charts
			}
			out = append(out, of...)
		}
		out = g.folded(out)
	}
	for i := range out {
		out[i].Gate, out[i].Topic = g.Name, topic
		if len(g.Charts) > 0 {
			out[i].Charts = g.Charts
		}
	}
	return out
}
