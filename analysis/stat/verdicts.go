package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Verdicts is what a yes-or-no grader and people say about the outputs of one item. Accepted of
// Outputs outputs are right by the grader. OfAccepted and OfRejected count the outputs that people
// labelled, by the grader's verdict; Hits are right by the people.
type Verdicts struct {
	Accepted, Outputs      float64
	OfAccepted, OfRejected Counts
}

// Label counts n labelled outputs that the grader accepts or rejects and people call right or wrong.
func (v *Verdicts) Label(accepted, right bool, n int) {
	c := &v.OfRejected
	if accepted {
		c = &v.OfAccepted
	}
	c.N += float64(n)
	if right {
		c.Hits += float64(n)
	}
}

// weigh divides counts by the item's outputs, so that items weigh the same.
func (v Verdicts) weigh(c Counts) Counts {
	if v.Outputs == 0 {
		return Counts{}
	}
	return Counts{c.Hits / v.Outputs, c.N / v.Outputs}
}

// VerdictErrors is how often a yes-or-no grader errs, by people's labels of some of its outputs.
type VerdictErrors struct {
	Accepted      Estimate `json:"accepted"`       // share of all outputs that the grader accepts
	WrongAccepted Estimate `json:"wrong_accepted"` // share of the accepted outputs that are wrong
	RightRejected Estimate `json:"right_rejected"` // share of the rejected outputs that are right
	FalseAccept   Estimate `json:"false_accept"`   // share of the wrong outputs that are accepted: 1 - specificity
	FalseReject   Estimate `json:"false_reject"`   // share of the right outputs that are rejected: 1 - sensitivity
	Right         Estimate `json:"right"`          // share of all outputs that are right
}

// ErrorsOf estimates a grader's errors from labels of a sample of its outputs. Items have the same
// weight. Labelled outputs must be a random sample of the accepted ones, and of the rejected ones;
// the two may be sampled at different rates, such as when mostly rewarded outputs were labelled.
// So a = P(right | accepted) and b = P(right | rejected) are estimated, each by RatioOfSums, and
// weighted by q, the share of all outputs that is accepted:
//
//	right        = q·a + (1-q)·b
//	false accept = q·(1-a) / (1 - right)
//	false reject = (1-q)·b / right
//
// This is the estimator of Rogan & Gladen (1978, Am. J. Epidemiol. 107:71), (q + sp - 1)/(se + sp -
// 1), with se and sp of the same run, which cancel to the mixture: it needs no division by se + sp -
// 1 and stays within [0, 1]. se and sp counted in the labelled outputs would be biased if the two
// rates differ (Begg & Greenes 1983, Biometrics 39:207).
//
// Intervals combine those of q, a and b by the square-and-add rule (Zou & Donner 2008, Stat. Med.
// 27:1693), each moved by itself, with their correlations over items. These are noise where items are
// few, so an interval reaches half as far as the widest part at least.
func ErrorsOf(items []Verdicts, conf float64) VerdictErrors {
	checkConf(conf)
	p := partsOf(items, conf)
	e := VerdictErrors{
		Accepted: p.of[0], WrongAccepted: complement(p.of[1]), RightRejected: p.of[2],
		FalseAccept: p.combine(falseAccept, "share of the wrong outputs that are accepted"),
		FalseReject: p.combine(falseReject, "share of the right outputs that are rejected"),
		Right:       p.combine(rightShare, "share of right outputs, labels weighted by the grader's verdict"),
	}
	// Without outputs of one verdict, the labels of the other say all.
	switch q := p.of[0]; {
	case q.Known() && *q.Value == 1:
		e.Right = p.of[1]
	case q.Known() && *q.Value == 0:
		e.Right = p.of[2]
	}
	return e
}

// leastYouden is the least 1 - false accepts - false rejects, by the low end of its interval, by
// which RoganGladen divides.
const leastYouden = 0.1

// RoganGladen estimates a grader's errors from labels of texts that are not outputs of the run, such
// as answers that people wrote, and the share of right outputs in the run from them: right = (q - fa)
// / (1 - fa - fr), with the share q of the run's outputs that is accepted and the shares fa and fr of
// wrong texts accepted and of right ones rejected (Rogan & Gladen 1978), within [0, 1]. It assumes
// that the grader errs on the run's outputs as often as on the texts. run[i] and texts[i] belong to
// the same item; in texts every output is labelled, and items have the same weight. Intervals as in
// ErrorsOf. Right is unknown if the interval of 1 - fa - fr reaches below 0.1. It panics if the slices
// differ in length.
func RoganGladen(run, texts []Verdicts, conf float64) VerdictErrors {
	checkConf(conf)
	if len(run) != len(texts) {
		panic("stat: as many items of the run as of texts are needed")
	}
	accepts, rejects := make([]Counts, len(texts)), make([]Counts, len(texts))
	wrong, right := 0, 0
	for i, v := range texts {
		a, r := v.OfAccepted, v.OfRejected
		ofWrong := Counts{a.N - a.Hits, a.N - a.Hits + r.N - r.Hits}
		ofRight := Counts{r.Hits, a.Hits + r.Hits}
		wrong, right = wrong+int(ofWrong.N), right+int(ofRight.N)
		accepts[i], rejects[i] = v.weigh(ofWrong), v.weigh(ofRight)
	}
	var p verdictParts
	p.take(0, ofRun(run), outputsOf(run), conf)
	p.take(1, accepts, wrong, conf)
	p.take(2, rejects, right, conf)
	_, _, j := Youden(accepts, rejects, conf)
	const chosen = "share by the labels of texts that the run did not sample"
	e := VerdictErrors{
		Accepted: p.of[0], FalseAccept: p.of[1], FalseReject: p.of[2],
		WrongAccepted: unknown(0, 0, chosen, notSampled.Text()),
		RightRejected: unknown(0, 0, chosen, notSampled.Text()),
		Right: p.combine(func(q, accept, reject float64) float64 {
			return min(1, max(0, (q-accept)/(1-accept-reject)))
		}, "share of right outputs (Rogan & Gladen 1978)"),
	}
	switch {
	case !j.Known():
		e.Right.Warnings = j.Warnings
	case e.Right.Known() && *j.Low < leastYouden:
		e.Right = unknown(e.Right.Items, e.Right.N, e.Right.Method, tooLittleBetter.Text())
	}
	return e
}

// ErrorChange estimates how much the false accepts and the false rejects differ between two sets of
// outputs, new - base, where base[i] and new[i] belong to the same item; an item without outputs on
// one side has zero Verdicts there. The intervals combine those of ErrorsOf by square-and-add
// (Newcombe 1998, Stat. Med. 17:873; Zou & Donner 2008), with the correlation over items if it is
// positive. It panics if the slices differ in length.
func ErrorChange(base, new []Verdicts, conf float64) (accept, reject Estimate) {
	checkConf(conf)
	if len(base) != len(new) {
		panic("stat: as many items of the base as new ones are needed")
	}
	b, n := partsOf(base, conf), partsOf(new, conf)
	return b.change(n, falseAccept, "false accepts"), b.change(n, falseReject, "false rejects")
}

// verdictRate is a number that q, a and b determine.
type verdictRate func(q, a, b float64) float64

func rightShare(q, a, b float64) float64  { return q*a + (1-q)*b }
func falseAccept(q, a, b float64) float64 { return q * (1 - a) / (1 - rightShare(q, a, b)) }
func falseReject(q, a, b float64) float64 { return (1 - q) * b / rightShare(q, a, b) }

// verdictParts are the estimates of q, a and b, with what each item adds to each: the linearised
// deviations, which add up to 0.
type verdictParts struct {
	of    [3]Estimate
	items [3][]float64
}

func partsOf(items []Verdicts, conf float64) verdictParts {
	accepted, rejected := make([]Counts, len(items)), make([]Counts, len(items))
	ofAccepted, ofRejected := 0, 0
	for i, v := range items {
		ofAccepted, ofRejected = ofAccepted+int(v.OfAccepted.N), ofRejected+int(v.OfRejected.N)
		accepted[i], rejected[i] = v.weigh(v.OfAccepted), v.weigh(v.OfRejected)
	}
	var p verdictParts
	p.take(0, ofRun(items), outputsOf(items), conf)
	p.take(1, accepted, ofAccepted, conf)
	p.take(2, rejected, ofRejected, conf)
	return p
}

// ofRun returns the share of each item's outputs that is accepted.
func ofRun(items []Verdicts) []Counts {
	out := make([]Counts, len(items))
	for i, v := range items {
		out[i] = v.weigh(Counts{v.Accepted, v.Outputs})
	}
	return out
}

func outputsOf(items []Verdicts) (n int) {
	for _, v := range items {
		n += int(v.Outputs)
	}
	return n
}

// take estimates part i from what each item adds to it, of n outputs.
func (p *verdictParts) take(i int, counts []Counts, n int, conf float64) {
	hits, ns := make([]float64, len(counts)), make([]float64, len(counts))
	for j, c := range counts {
		hits[j], ns[j] = c.Hits, c.N
	}
	p.of[i] = RatioOfSums(hits, ns, n, conf)
	p.items[i] = make([]float64, len(counts))
	if !p.of[i].Known() {
		return
	}
	total := sum(ns)
	for j := range counts {
		p.items[i][j] = (hits[j] - *p.of[i].Value*ns[j]) / total
	}
}

// values returns q, a and b.
func (p verdictParts) values() [3]float64 {
	return [3]float64{*p.of[0].Value, *p.of[1].Value, *p.of[2].Value}
}

func (p verdictParts) known() bool { return p.of[0].Known() && p.of[1].Known() && p.of[2].Known() }

// combine estimates a rate from all three parts.
func (p verdictParts) combine(rate verdictRate, method string) Estimate {
	method += "; square-and-add interval (Zou & Donner 2008), clustered by item"
	n, rows := p.of[1].N+p.of[2].N, max(p.of[1].Items, p.of[2].Items)
	if !p.known() {
		return unknown(rows, n, method, needsBothVerdicts.Text())
	}
	x := p.values()
	value := rate(x[0], x[1], x[2])
	if math.IsNaN(value) {
		return unknown(rows, n, method, needsWrongAndRight.Text())
	}
	e := Estimate{Value: &value, N: n, Items: rows, Method: method, Warnings: []message.Text{}}
	e.Low, e.High = FiniteOrNil(max(0, value-p.reach(rate, -1))), FiniteOrNil(min(1, value+p.reach(rate, 1)))
	return e
}

// reach returns how far the interval of a rate extends to one side, sign -1 or 1.
func (p verdictParts) reach(rate verdictRate, sign float64) float64 {
	x := p.values()
	value := rate(x[0], x[1], x[2])
	var far, towards [3]float64
	for i, part := range p.of {
		for _, end := range []struct{ at, direction float64 }{{*part.Low, -1}, {*part.High, 1}} {
			y := x
			y[i] = end.at
			if d := sign * (rate(y[0], y[1], y[2]) - value); d > far[i] {
				far[i], towards[i] = d, end.direction
			}
		}
	}
	squares, widest := 0.0, 0.0
	for i := range far {
		widest = max(widest, far[i])
		squares += far[i] * far[i]
		for j := range i {
			squares += 2 * far[i] * far[j] * towards[i] * towards[j] * cosine(p.items[i], p.items[j])
		}
	}
	return math.Sqrt(max(squares, widest*widest/4))
}

// change estimates the difference of a rate of two sets of outputs, new - p.
func (p verdictParts) change(new verdictParts, rate verdictRate, what string) Estimate {
	method := "change of the " + what + "; square-and-add interval (Newcombe 1998), clustered by item"
	b, n := p.combine(rate, what), new.combine(rate, what)
	if !b.Known() || !n.Known() {
		return unknown(max(b.Items, n.Items), b.N+n.N, method, needsBothVerdicts.Text())
	}
	rho := max(0, cosine(p.linearised(rate), new.linearised(rate)))
	add := func(x, y float64) float64 { return math.Sqrt(max(0, x*x+y*y-2*rho*x*y)) }
	d := *n.Value - *b.Value
	return Estimate{
		Value: &d, N: b.N + n.N, Items: max(b.Items, n.Items), Method: method, Warnings: []message.Text{},
		Low:  FiniteOrNil(max(-1, d-add(*n.Value-*n.Low, *b.High-*b.Value))),
		High: FiniteOrNil(min(1, d+add(*n.High-*n.Value, *b.Value-*b.Low))),
	}
}

// linearised returns what each item adds to a rate, to first order.
func (p verdictParts) linearised(rate verdictRate) []float64 {
	const h = 1e-6
	x := p.values()
	out := make([]float64, len(p.items[0]))
	for i := range x {
		low, high := x, x
		low[i], high[i] = max(0, x[i]-h), min(1, x[i]+h)
		slope := (rate(high[0], high[1], high[2]) - rate(low[0], low[1], low[2])) / (high[i] - low[i])
		for j, u := range p.items[i] {
			out[j] += slope * u
		}
	}
	return out
}

// cosine returns the correlation of two lists of deviations; 0 if one of them has none.
func cosine(x, y []float64) float64 {
	xx, xy, yy := dot(x, x), dot(x, y), dot(y, y)
	if !(xx > 0 && yy > 0) {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// complement returns the estimate of 1 - a share.
func complement(e Estimate) Estimate {
	return e.mapped(func(x float64) float64 { return 1 - x }, e.Method)
}
