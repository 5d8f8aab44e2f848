package gate

import (
	"maps"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

const (
	discardedCaution = 0.01 // share of rollouts discarded, above which it is a caution
	repeatedMost     = 0.05 // share of requests answered differently when sent twice
)

// ofBurst runs f if the run has a burst, and skips otherwise.
func ofBurst(severity analysis.Severity,
	f func(b *analysis.Burst, r *analysis.Result, t analysis.Thresholds) []analysis.Finding,
) check {
	return func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Burst == nil {
			if r.Run.Source == string(rollout.Import) {
				return analysis.Skip("", severity, noBurstImport.Text())
			}
			return analysis.Skip("", severity, noBurst.With(analysis.Commands))
		}
		return f(r.Burst, r, t)
	}
}

var endpointLost = &analysis.Gate{
	Name: "endpoint.lost",
	Doc: "Blocking, if a training step was rehearsed (gonogo burst): under the load of all its rollouts at once a " +
		"trainer that retries a failed request three times " +
		"would discard at most 5 % of them. Advisory: at most 1 %.",
	Words: analysis.Words{
		Why: "A training step starts all its rollouts at once. A rollout whose tool or grader fails for " +
			"good is discarded, but you still pay for it; scored as zero, it would teach the wrong thing.",
		Pass: "{percent} of {rollouts} would be discarded with {size} at once",
		Fail: "{percent} of {rollouts} would be discarded with {size} at once",
		FailRemedy: "Give the endpoint more capacity, then rehearse again. If that is not possible, let it make " +
			"callers wait instead of failing them, or use a smaller batch. Discarded by: {by}. {first} Most " +
			"frequent: {causes}.",
		Unknown: "{lowpercent} to {highpercent} of rollouts would be discarded with {size} at once: too few " +
			"to tell ({rollouts})",
		UnknownRemedy: "Rehearse more rollouts (key burst.least): {least} would tell. Discarded by: {by}. " +
			"{first} Most frequent: {causes}.",
		Caution:       "{percent} of {rollouts} would be discarded with {size} at once",
		CautionRemedy: "Discarded by: {by}. {first} Most frequent: {causes}.",
		Unmeasured:    "not known: no rollout of a burst finished",
		UnmeasuredR:   "Rehearse again.",
	},
	Check: ofBurst(analysis.Blocking,
		func(b *analysis.Burst, r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
			want, caution := t.At(burstLost), discardedCaution
			j := analysis.Judgement{
				Severity: analysis.Blocking, Unit: "share", Want: analysis.WantAtMost(want),
				Args: message.Args{
					"size": message.Int(b.Rollouts), "rollouts": message.Count(b.Lost.N, "rollout"),
					"by": message.Nested(lostWordsOf(b)), "first": message.Nested(firstWords(b)),
					"causes": message.Nested(causesOf(b)),
				},
			}
			if n, ok := stat.Needed(b.Lost, want, b.Lost.Items, &unitRange, r.Confidence); ok && b.Lost.N > 0 {
				j.Needs, j.Settles = &analysis.Needs{
					Items:   (n + b.GroupSize - 1) / max(1, b.GroupSize),
					Samples: b.GroupSize,
				}, true
				j.Args["least"] = message.Int(n)
			} else {
				j.Args["least"] = message.Nested(manyMore.Text())
			}
			blocking := j.Finding(analysis.BoundOf(b.Lost).AtMost(want), analysis.BoundOf(b.Lost))
			j.Severity, j.Want, j.Needs, j.Settles = analysis.Advisory, analysis.WantAtMost(caution), nil, false
			seen := analysis.Observed(stat.ValueOr(b.Lost.Value, 0))
			return []analysis.Finding{blocking, j.Finding(seen.AtMost(caution), seen)}
		}),
}

var endpointLatency = &analysis.Gate{
	Name: "endpoint.latency",
	Doc: "Advisory, if a training step was rehearsed: the 95th percentile of every endpoint's latency under all " +
		"rollouts at once is at most twice that under one; " +
		"endpoints below 100 ms are not judged.",
	Words: analysis.Words{
		Why: "A training step waits for its slowest rollout, and you pay while it waits.",
		Pass: "no endpoint slows down much under a step's load: the worst, {worst}, to {value|time} its " +
			"latency with one rollout (95th percentile)",
		Caution: "{worst} slows down to {value|time} its unloaded latency: the 95th percentile is {p95} s with " +
			"{size|rollout} at once, {base} s with one",
		CautionRemedy: "Its 95th percentile {doubles}: give it more capacity, or use a smaller batch.",
	},
	Check: ofBurst(analysis.Advisory,
		func(b *analysis.Burst, r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
			var worst *analysis.BurstEndpoint
			for i := range b.Endpoints {
				e := &b.Endpoints[i]
				if e.Doubles.Times != nil && stat.ValueOr(e.P95.Value, 0) >= quickCall &&
					(worst == nil || *e.Doubles.Times > *worst.Doubles.Times) {
					worst = e
				}
			}
			if worst == nil {
				return analysis.Skip("", analysis.Advisory, tooQuick.Text())
			}
			j := analysis.Judgement{
				Severity: analysis.Advisory, Unit: "times",
				Args: message.Args{
					"worst": message.Name(worst.Name), "p95": message.Known(worst.P95.Value),
					"base": message.Known(worst.Doubles.Base), "size": message.Int(b.Rollouts),
					"doubles": message.Nested(doublingWords(worst.Doubles)),
				},
			}
			return []analysis.Finding{j.AtMost(t.At(burstLatency), analysis.Observed(*worst.Doubles.Times))}
		}),
}

var endpointCrosstalk = &analysis.Gate{
	Name: "endpoint.crosstalk",
	Doc:  "Advisory, if a training step was rehearsed: no answer contains the trace id or a call id of another rollout.",
	Words: analysis.Words{
		Why: "An answer with another rollout's id comes from state that rollouts share: one then sees, or " +
			"changes, what another did, and rewards become meaningless.",
		Pass:          "none of {answers|answer} contains another rollout's id",
		Caution:       "another rollout's id is in {value} of {answers|answer}",
		CautionRemedy: "Keep state per rollout, by its trace_id. Examples: {examples}.",
	},
	Check: ofBurst(analysis.Advisory,
		func(b *analysis.Burst, r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
			if b.Crosstalk.Answers == 0 {
				return analysis.Skip("", analysis.Advisory, noWire.Text())
			}
			j := analysis.Judgement{
				Severity: analysis.Advisory, Unit: "calls", Want: analysis.WantNone.Text(),
				Args: message.Args{
					"answers":  message.Int(b.Crosstalk.Answers),
					"examples": message.Nested(leakWords(b)),
				},
			}
			seen := analysis.Observed(float64(b.Crosstalk.Leaks))
			return []analysis.Finding{j.Finding(seen.AtMost(0), seen)}
		}),
}

var endpointWire = &analysis.Gate{
	Name: "endpoint.wire",
	Doc: "Advisory, if a training step was rehearsed: every answer and every request keeps the wire contract: an " +
		"output that is a string, the call's own id, a score, at most 1 MB.",
	Words: analysis.Words{
		Why: "No trainer documents what it does with an answer that breaks the wire contract: it may " +
			"discard the rollout, or show the model something you did not mean.",
		Pass:          "all of {answers|answer} keep the wire contract",
		Caution:       "{percent} of {answers|answer} break the wire contract",
		CautionRemedy: "Correct: {what}.",
	},
	Check: ofBurst(analysis.Advisory,
		func(b *analysis.Burst, r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
			if b.Wire.Answers == 0 {
				return analysis.Skip("", analysis.Advisory, noWire.Text())
			}
			j := analysis.Judgement{
				Severity: analysis.Advisory, Unit: "share", Want: analysis.WantNone.Text(),
				Args: message.Args{"answers": message.Int(b.Wire.Answers), "what": message.Nested(departureWords(b))},
			}
			seen := analysis.Observed(stat.Fraction(b.Wire.Departing, b.Wire.Answers))
			return []analysis.Finding{j.Finding(seen.AtMost(0), seen)}
		}),
}

var endpointRepeat = &analysis.Gate{
	Name: "endpoint.repeat",
	Doc: "Advisory, if a training step was rehearsed: at most 5 % of requests get a different answer when they are " +
		"sent twice.",
	Words: analysis.Words{
		Why: "A trainer repeats requests that failed, perhaps after the server had acted on them. An " +
			"endpoint that answers the same request differently makes rollouts of one item differ by chance, too.",
		Pass:    "{percent} of {requests} got a different answer when sent twice",
		Caution: "{percent} of {requests} got a different answer when sent twice: {where}",
		CautionRemedy: "Check whether repeating a call changes anything, and let the server recognize a repeated " +
			"call_id; a clock or a random order in the answer looks the same.",
		CautionUnknown: "{lowpercent} to {highpercent} of requests get a different answer when sent twice: too few " +
			"to tell ({requests})",
		CautionUnknownR: "{more}",
	},
	Check: ofBurst(analysis.Advisory,
		func(b *analysis.Burst, r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
			if b.Repeats.N == 0 {
				return analysis.Skip("", analysis.Advisory, noRepeat.Text())
			}
			const want = repeatedMost
			j := analysis.Judgement{
				Severity: analysis.Advisory, Unit: "share", Want: analysis.WantAtMost(want),
				Args: message.Args{
					"requests": message.Count(b.Repeats.N, "different request"),
					"where":    message.Nested(repeatWords(b)), "more": message.Nested(repeatMany.Text()),
				},
			}
			seen := analysis.BoundOf(b.Repeats)
			n, ok := stat.Needed(b.Repeats, want, b.Repeats.Items, &unitRange, r.Confidence)
			if b.Requests > 0 && (!ok || n > b.Requests) { // there are no more requests
				n, ok = b.Requests, true
			}
			switch {
			case b.Requests > 0 && b.Repeats.N >= b.Requests: // a complete count, not a sample
				seen = analysis.Observed(*b.Repeats.Value)
			case ok:
				j.Needs, j.Settles, j.Args["more"] = &analysis.Needs{Items: n, Samples: 1}, true,
					message.Nested(repeatLeast.With(message.Args{"least": message.Int(n)}))
			}
			return []analysis.Finding{j.Finding(seen.AtMost(want), seen)}
		}),
}

// lostWordsOf says which endpoints caused rollouts to be discarded.
func lostWordsOf(b *analysis.Burst) message.Text {
	var parts []message.Text
	for _, name := range slices.Sorted(maps.Keys(b.LostBy)) {
		parts = append(parts,
			lostByOne.With(message.Args{"endpoint": message.Name(name), "n": message.Int(b.LostBy[name])}))
	}
	if len(parts) == 0 {
		return noneOfThem.Text()
	}
	return message.Commas(parts...)
}

func firstWords(b *analysis.Burst) message.Text {
	if b.FirstFailure == nil {
		return noFailure.Text()
	}
	return firstFailed.With(message.Args{
		"seconds":  message.Number(b.FirstFailure.After),
		"endpoint": message.Name(b.FirstFailure.Endpoint), "kind": message.Name(b.FirstFailure.Kind),
	})
}

// causesOf names the most frequent failure of each endpoint.
func causesOf(b *analysis.Burst) message.Text {
	var parts []message.Text
	for _, e := range b.Endpoints {
		for _, err := range e.Errors {
			if !strings.HasPrefix(err.Kind, "refused") {
				parts = append(parts,
					causeOfEndpoint.With(message.Args{
						"endpoint": message.Name(e.Name),
						"kind":     message.Name(err.Kind), "n": message.Int(err.Count),
						"requests": message.Int(e.Requests),
					}))
				break
			}
		}
	}
	if len(parts) == 0 {
		return noneOfThem.Text()
	}
	return message.Clauses(parts...)
}

// doublingWords says at which load the latency doubles, as a clause.
func doublingWords(d analysis.Doubling) message.Text {
	switch {
	case d.At == nil:
		return neverDoubles.Text()
	case d.Low != nil && d.High != nil:
		return doublesBetween.With(message.Args{
			"at": message.Number(*d.At), "low": message.Int(*d.Low),
			"high": message.Int(*d.High),
		})
	}
	return doublesAt.With(message.Args{"at": message.Number(*d.At)})
}

func leakWords(b *analysis.Burst) message.Text {
	var parts []message.Text
	for _, x := range b.Crosstalk.Examples[:min(3, len(b.Crosstalk.Examples))] {
		parts = append(parts,
			answeredWith.With(message.Args{
				"endpoint": message.Name(x.Endpoint), "rollout": message.Name(x.TraceID),
				"id": message.Name(x.Holds),
			}))
	}
	return message.Clauses(parts...)
}

// departureNames describe the violations of the wire contract.
var departureNames = map[string]message.Def{
	rollout.NoOutput:       message.New("endpoint.wire.no_output", "a success without an output"),
	rollout.OutputNoString: message.New("endpoint.wire.output_no_string", "an output that is not a string"),
	rollout.ReplyTooLarge: message.New("endpoint.wire.reply_too_large",
		"an answer above 1 MB, which the model sees as an error"),
	rollout.RequestTooLarge: message.New("endpoint.wire.request_too_large", "a request above 1 MB"),
	rollout.NoCallID:        message.New("endpoint.wire.no_call_id", "an answer without its call_id"),
	rollout.WrongCallID:     message.New("endpoint.wire.wrong_call_id", "the call_id of another call"),
	rollout.NoScore:         message.New("endpoint.wire.no_score", "a grader's success without a score"),
}

func departureWords(b *analysis.Burst) message.Text {
	var parts []message.Text
	for _, e := range b.Endpoints {
		for _, what := range slices.Sorted(maps.Keys(e.Departures)) {
			parts = append(parts,
				departed.With(message.Args{
					"endpoint": message.Name(e.Name),
					"what":     message.Nested(departureNames[what].Text()),
					"times":    message.Count(e.Departures[what], "time"),
				}))
		}
	}
	return message.Clauses(parts...)
}

func repeatWords(b *analysis.Burst) message.Text {
	var parts []message.Text
	for _, e := range b.Endpoints {
		if e.Repeats.Known() && *e.Repeats.Value > 0 {
			parts = append(parts,
				repeatedOf.With(message.Args{
					"endpoint": message.Name(e.Name),
					"share":    message.Share(*e.Repeats.Value), "requests": message.Int(e.Repeats.N),
				}))
		}
	}
	return message.Commas(parts...)
}

var (
	lostByOne   = message.New("endpoint.lost_by", "{endpoint} {n}")
	manyMore    = message.New("phrase.many_more", "many more")
	noFailure   = message.New("endpoint.no_failure", "No request failed.")
	firstFailed = message.New("endpoint.first_failure",
		"The first request failed after {seconds} s ({endpoint}, {kind}).")
	causeOfEndpoint = message.New("endpoint.cause", "{endpoint}: {kind} ({n} of {requests|request})")
	neverDoubles    = message.New("endpoint.never_doubles", "does not double")
	doublesBetween  = message.New("endpoint.doubles_between",
		"doubles at about {at|rollout} at once (between {low} and {high})")
	doublesAt    = message.New("endpoint.doubles_at", "doubles at about {at|rollout} at once")
	answeredWith = message.New("endpoint.answered_with", "{endpoint} answered {rollout} with {id}")
	departed     = message.New("endpoint.departed", "{endpoint}: {what}, {times}")
	repeatedOf   = message.New("endpoint.repeated", "{endpoint} {share} of {requests}")
	repeatLeast  = message.New("endpoint.repeat_least",
		"About {least|different request} would tell (key burst.repeats).")
	repeatMany = message.New("endpoint.repeat_many",
		"Many more different requests would tell (key burst.repeats).")
)

var (
	tooQuick = message.New("skip.too_quick",
		"the endpoints answer within 100 ms, or there is nothing to compare the burst with")
	noWire   = message.New("skip.no_wire", "no answer came in the wire format of the job")
	noRepeat = message.New("skip.no_repeat", "no request was answered twice")
)

var (
	burstLost = analysis.Threshold{
		Name: "endpoint.burst.lost", Unit: "share",
		Doc: "share of rollouts that a trainer would discard under a training step's load", Default: 0.05,
	}
	burstLatency = analysis.Threshold{
		Name: "endpoint.burst.latency", Unit: "times",
		Doc: "95th percentile of an endpoint's latency with all rollouts of a step at once, divided by that " +
			"with one",
		Default: 2,
	}
)

var endpointBurst = &analysis.Gate{
	Name:       "endpoint.burst",
	Label:      "Endpoints under load",
	Charts:     []string{"endpoint_load"},
	Doc:        "The endpoints can handle the load of a training step.",
	Thresholds: []analysis.Threshold{burstLost, burstLatency},
	Words:      analysis.Words{Pass: "the endpoints can handle the load of a training step"},
	Parts:      []*analysis.Gate{endpointLost, endpointCrosstalk, endpointWire, endpointLatency, endpointRepeat},
}
