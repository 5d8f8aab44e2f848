package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// noBurst is why gates about endpoints are skipped.
const noBurst = "no training step was rehearsed: gonogo burst does"

// ofBurst asks f where there was a burst.
func ofBurst(gate string, severity Severity, f func(b *Burst, r *Result, t Thresholds) []Finding) func(*Result, Thresholds) []Finding {
	return func(r *Result, t Thresholds) []Finding {
		if r.Burst == nil {
			return []Finding{skipped(r.Lang, gate, "", severity, noBurst)}
		}
		return f(r.Burst, r, t)
	}
}

var endpointLost = Gate{
	Name: "endpoint.lost",
	Doc: "Blocking, where a training step was rehearsed (gonogo burst): under the load of all its rollouts at once a trainer that repeats a failed request three times " +
		"would discard at most 5 % of them. Advisory: at most 1 %.",
	Check: ofBurst("endpoint.lost", Blocking, func(b *Burst, r *Result, t Thresholds) []Finding {
		want, caution := t.At("endpoint.lost"), t.At("endpoint.lost.caution")
		j := judgement{
			gate: "endpoint.lost", severity: Blocking, unit: "share", want: "<= " + message.Plain(want),
			vars: map[string]string{
				"size": message.Whole(b.Rollouts), "rollouts": r.Lang.Count(b.Lost.N, "rollout"),
				"by": b.lostWords(r.Lang), "first": b.firstWords(r.Lang), "causes": b.causes(r.Lang),
			},
		}
		if n, ok := stat.Needed(b.Lost, want, b.Lost.Items, &unitRange, r.Confidence); ok && b.Lost.N > 0 {
			j.needs, j.settles = &Needs{Items: (n + b.GroupSize - 1) / max(1, b.GroupSize), Samples: b.GroupSize}, true
			j.vars["least"] = message.Whole(n)
		} else {
			j.vars["least"] = r.Lang.Text("many more")
		}
		blocking := j.finding(r.Lang, boundOf(b.Lost).atMost(want), boundOf(b.Lost))
		j.severity, j.want, j.needs, j.settles = Advisory, "<= "+message.Plain(caution), nil, false
		seen := observed(stat.Or(b.Lost.Value, 0))
		return []Finding{blocking, j.finding(r.Lang, seen.atMost(caution), seen)}
	}),
}

var endpointLatency = Gate{
	Name: "endpoint.latency",
	Doc: "Advisory, where a training step was rehearsed: the 95th percentile of every endpoint's latency under all rollouts at once is at most twice that under one; " +
		"endpoints below 100 ms are not judged.",
	Check: ofBurst("endpoint.latency", Advisory, func(b *Burst, r *Result, t Thresholds) []Finding {
		var worst *BurstEndpoint
		for i := range b.Endpoints {
			e := &b.Endpoints[i]
			if e.Doubles.Times != nil && stat.Or(e.P95.Value, 0) >= quickCall && (worst == nil || *e.Doubles.Times > *worst.Doubles.Times) {
				worst = e
			}
		}
		if worst == nil {
			return []Finding{skipped(r.Lang, "endpoint.latency", "", Advisory, "the endpoints answer within 100 ms, or there is nothing to compare the burst with")}
		}
		want := t.At("endpoint.latency")
		j := judgement{
			gate: "endpoint.latency", severity: Advisory, unit: "times", want: "<= " + message.Plain(want),
			vars: map[string]string{
				"worst": worst.Name, "p95": valueOf(r.Lang, worst.P95.Value), "base": valueOf(r.Lang, worst.Doubles.Base), "size": message.Whole(b.Rollouts), "doubles": worst.Doubles.words(r.Lang),
			},
		}
		seen := observed(*worst.Doubles.Times)
		return []Finding{j.finding(r.Lang, seen.atMost(want), seen)}
	}),
}

var endpointCrosstalk = Gate{
	Name: "endpoint.crosstalk",
	Doc:  "Advisory, where a training step was rehearsed: no answer holds the trace id or a call id of another rollout.",
	Check: ofBurst("endpoint.crosstalk", Advisory, func(b *Burst, r *Result, t Thresholds) []Finding {
		if b.Crosstalk.Answers == 0 {
			return []Finding{skipped(r.Lang, "endpoint.crosstalk", "", Advisory, "no answer came in the wire format of the job")}
		}
		want := t.At("endpoint.crosstalk")
		j := judgement{gate: "endpoint.crosstalk", severity: Advisory, unit: "calls", want: "<= " + message.Plain(want), vars: map[string]string{"answers": message.Whole(b.Crosstalk.Answers), "examples": b.leakWords(r.Lang)}}
		seen := observed(float64(b.Crosstalk.Leaks))
		return []Finding{j.finding(r.Lang, seen.atMost(want), seen)}
	}),
}

var endpointWire = Gate{
	Name: "endpoint.wire",
	Doc:  "Advisory, where a training step was rehearsed: every answer and every request keeps the wire contract: an output that is a string, the call's own id, a score, at most 1 MB.",
	Check: ofBurst("endpoint.wire", Advisory, func(b *Burst, r *Result, t Thresholds) []Finding {
		if b.Wire.Answers == 0 {
			return []Finding{skipped(r.Lang, "endpoint.wire", "", Advisory, "no answer came in the wire format of the job")}
		}
		want := t.At("endpoint.wire")
		j := judgement{gate: "endpoint.wire", severity: Advisory, unit: "share", want: "<= " + message.Plain(want), vars: map[string]string{"answers": message.Whole(b.Wire.Answers), "what": b.departureWords(r.Lang)}}
		seen := observed(share(b.Wire.Departing, b.Wire.Answers))
		return []Finding{j.finding(r.Lang, seen.atMost(want), seen)}
	}),
}

var endpointRepeat = Gate{
	Name: "endpoint.repeat",
	Doc:  "Advisory, where a training step was rehearsed: at most 5 % of requests are answered otherwise when they are made twice.",
	Check: ofBurst("endpoint.repeat", Advisory, func(b *Burst, r *Result, t Thresholds) []Finding {
		if b.Repeats.N == 0 {
			return []Finding{skipped(r.Lang, "endpoint.repeat", "", Advisory, "no request was answered twice")}
		}
		want := t.At("endpoint.repeat")
		j := judgement{
			gate: "endpoint.repeat", severity: Advisory, unit: "share", want: "<= " + message.Plain(want),
			vars: map[string]string{"requests": r.Lang.Count(b.Repeats.N, "different request"), "where": b.repeatWords(r.Lang), "least": r.Lang.Text("many more")},
		}
		if n, ok := stat.Needed(b.Repeats, want, b.Repeats.Items, &unitRange, r.Confidence); ok {
			j.needs, j.settles, j.vars["least"] = &Needs{Items: n, Samples: 1}, true, message.Whole(n)
		}
		return []Finding{j.finding(r.Lang, boundOf(b.Repeats).atMost(want), boundOf(b.Repeats))}
	}),
}

// lostWords tells which endpoints failed the discarded rollouts.
func (b *Burst) lostWords(l message.Language) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(b.LostBy)) {
		parts = append(parts, fmt.Sprintf("%s %s", name, message.Whole(b.LostBy[name])))
	}
	if len(parts) == 0 {
		return l.Text("none")
	}
	return strings.Join(parts, l.Text(", "))
}

func (b *Burst) firstWords(l message.Language) string {
	if b.FirstFailure == nil {
		return l.Text("No request failed.")
	}
	return l.Say("The first request failed after %s s (%s, %s).", message.Digits(b.FirstFailure.After), b.FirstFailure.Endpoint, b.FirstFailure.Kind)
}

// causes tells the most frequent failure of each endpoint.
func (b *Burst) causes(l message.Language) string {
	var parts []string
	for _, e := range b.Endpoints {
		for _, err := range e.Errors {
			if !strings.HasPrefix(err.Kind, "refused") {
				parts = append(parts, l.Say("%s: %s (%s of %s requests)", e.Name, err.Kind, message.Whole(err.Count), message.Whole(e.Requests)))
				break
			}
		}
	}
	if len(parts) == 0 {
		return l.Text("none")
	}
	return strings.Join(parts, l.Text("; "))
}

// words tells where the latency doubles, as a clause.
func (d Doubling) words(l message.Language) string {
	switch {
	case d.At == nil:
		return l.Text("does not double")
	case d.Low != nil && d.High != nil:
		return l.Say("doubles at about %s rollouts at once (between %s and %s)", message.Digits(*d.At), message.Whole(*d.Low), message.Whole(*d.High))
	}
	return l.Say("doubles at about %s rollouts at once", message.Digits(*d.At))
}

func (b *Burst) leakWords(l message.Language) string {
	var parts []string
	for _, x := range b.Crosstalk.Examples[:min(3, len(b.Crosstalk.Examples))] {
		parts = append(parts, l.Say("%s answered %s with %s", x.Endpoint, x.TraceID, x.Holds))
	}
	return strings.Join(parts, l.Text("; "))
}

// departureNames word what departs from the wire contract.
var departureNames = map[string]string{
	rollout.NoOutput: "a success without an output", rollout.OutputNoString: "an output that is no string", rollout.ReplyTooLarge: "an answer above 1 MB, in whose place the model is shown an error",
	rollout.RequestTooLarge: "a request above 1 MB", rollout.NoCallID: "an answer without its call_id", rollout.WrongCallID: "the call_id of another call", rollout.NoScore: "a grader's success without a score",
}

func (b *Burst) departureWords(l message.Language) string {
	var parts []string
	for _, e := range b.Endpoints {
		for _, what := range slices.Sorted(maps.Keys(e.Departures)) {
			parts = append(parts, l.Say("%s: %s, %s", e.Name, l.Text(departureNames[what]), l.Count(e.Departures[what], "time")))
		}
	}
	return strings.Join(parts, l.Text("; "))
}

func (b *Burst) repeatWords(l message.Language) string {
	var parts []string
	for _, e := range b.Endpoints {
		if e.Repeats.Known() && *e.Repeats.Value > 0 {
			parts = append(parts, l.Say("%s %s of %s", e.Name, message.Percent(*e.Repeats.Value), message.Whole(e.Repeats.N)))
		}
	}
	return strings.Join(parts, l.Text(", "))
}
