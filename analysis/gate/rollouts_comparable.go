package gate

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var rolloutsPrompts = &analysis.Gate{
	Name:  "rollouts.prompts",
	Label: "items with several prompts",
	Doc: "Blocking, on every sampled split: at most 5 % of items (rollouts.independent.mixed) have rollouts that " +
		"were asked different things, as far as the records show the prompt; " +
		"above that it is UNDECIDED. White space, dates, times and UUIDs do not count. Advisory: no item does.",
	Words: analysis.Words{
		Why: "A trainer compares rollouts of one prompt. Where several prompts share an id, an easy one " +
			"and a hard one look like a group that teaches, and no number about groups is true.",
		Pass:          "all rollouts of an item were given the same prompt",
		Unknown:       "{pooled|item holds|items hold} rollouts of different prompts, such as {a} and {b}",
		UnknownRemedy: "{apart}",
		Caution:       "{pooled|item holds|items hold} rollouts of different prompts, such as {a} and {b}",
		CautionRemedy: "{apart}",
	},
	Check: mixed(func(sr *analysis.SplitResult) *mixture {
		p := sr.Pooled
		if p == nil {
			return nil
		}
		return &mixture{blocking: p.Share, share: p.Share, items: p.Items, args: message.Args{
			"pooled": message.Int(p.Count), "a": message.Quote(p.Prompts[0]), "b": message.Quote(p.Prompts[1]),
			"apart": message.Nested(keepApart.Text()),
		}}
	}),
}

var keepApart = message.New("rollouts.prompts.apart", "Give each prompt an id of its own. gonogo import --item "+
	"prompt does so for a log, and --item KEY takes the id from another key.")

var rolloutsModels = &analysis.Gate{
	Name:  "rollouts.models",
	Label: "items with several models",
	Doc: "Blocking, on every sampled split: at most 5 % of items (rollouts.independent.mixed) have rollouts of " +
		"several models, as the endpoint reports itself (`served_by`: " +
		"the model, the deployment behind a LiteLLM proxy); above that it is UNDECIDED. Fingerprints of one model " +
		"do not block. Advisory: one model with one fingerprint answered all rollouts.",
	Words: analysis.Words{
		Why: "A group whose rollouts come from two models differs by which model answered. Training " +
			"starts from one of them, and its groups will not look like these.",
		Pass: "one model answered, as far as the endpoint says",
		Unknown: "one name means several models: {models} answered, and {mixed|item has|items have} rollouts " +
			"of more than one",
		UnknownRemedy: "{pin}",
		Caution:       "{several}: {models}; {mixed|item has|items have} rollouts of more than one",
		CautionRemedy: "{pin}",
	},
	Check: mixed(func(sr *analysis.SplitResult) *mixture {
		s := sr.Served
		if s == nil {
			return nil
		}
		m := &mixture{
			blocking: s.Share, share: s.Share, items: s.Items,
			args: message.Args{
				"mixed": message.Int(s.Mixed), "models": servedWords(s),
				"several": message.Nested(severalModels.Text()), "pin": message.Nested(pinModel.Text()),
			},
		}
		if s.OneModel() {
			m.blocking = 0
			m.args["several"], m.args["pin"] = message.Nested(severalPrints.Text()), message.Nested(checkPrints.Text())
		}
		return m
	}),
}

var (
	pinModel = message.New("rollouts.models.pin", "Have one checkpoint serve the name for the whole run: pin "+
		"its version, or name one deployment of the proxy. Then sample into a new run directory. If these are "+
		"copies of one model, set thresholds.rollouts.independent.mixed to 1.")
	severalModels = message.New("rollouts.models.several", "several models answered")
	severalPrints = message.New("rollouts.models.fingerprints", "one model answered with several fingerprints")
	checkPrints   = message.New("rollouts.models.fingerprints.check", "A hosted service answers from several "+
		"machines or configurations. Where the server is your own, check that one checkpoint served the name for "+
		"the whole run.")
	servedBy = message.New("rollouts.models.by", "{model} ({rollouts|rollout})")
)

// servedWords lists the models with their numbers of rollouts, the most frequent first.
func servedWords(s *analysis.Served) message.Arg {
	var parts []message.Arg
	for _, by := range s.By[:min(4, len(s.By))] {
		parts = append(parts,
			message.Nested(servedBy.With(message.Args{
				"model":    message.Name(by.Name),
				"rollouts": message.Int(by.Rollouts),
			})))
	}
	return message.List(parts...)
}

// mixture describes the items of a split whose rollouts are not comparable.
type mixture struct {
	blocking, share float64 // share of mixed items: those that can block, and all
	items           []string
	args            message.Args
}

// mixed judges on each split the share of items whose rollouts are not comparable: above the
// threshold it blocks without failing, and any such item is a caution. find returns nil if there is
// nothing to report.
func mixed(find func(*analysis.SplitResult) *mixture) check {
	return everySplit(func(_ *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		m := find(sr)
		if m == nil {
			return nil
		}
		want := t.At(independentMixed)
		j := analysis.Judgement{
			Split: split, Severity: analysis.Blocking, Unit: "share",
			Want: analysis.WantAtMost(want), Items: m.items, Args: m.args,
		}
		seen := analysis.Observed(m.blocking)
		status := seen.AtMost(want)
		if status == analysis.Fail { // what a clean run would show is unknown
			status = analysis.Unknown
		}
		blocking := j.Finding(status, seen)
		j.Severity, j.Want = analysis.Advisory, analysis.WantAtMost(0)
		// one mixed item, or different models for different items, is worth a look
		return []analysis.Finding{blocking, j.Finding(analysis.Fail, analysis.Observed(m.share))}
	})
}

// Rollouts of an item that are identical in all that was said count as copies if this is so for
// most items, and if there is evidence against chance. Equal rewards alone are no evidence: short
// answers of a confident model are legitimately equal.
const (
	leastCopied      = 20   // items
	mostCopied       = 0.9  // share of items
	identicalCaution = 0.50 // share of items with identical outputs, from which a cache or a fixed seed is suspected
)

var samplingIdentical = &analysis.Gate{
	Name:  "sampling.identical",
	Label: "the same text",
	Doc: "Blocking, on every sampled split with at least 20 items whose outputs are recorded: it fails if on 90 % " +
		"of them all rollouts say exactly the same, " +
		"with a sign that they are copies: outputs of more than 24 bytes on average, temperature 0, or equal ids, " +
		"times or cache marks in the log. " +
		"Advisory: the outputs of most items are not all the same text, as one seed for all samples or a response " +
		"cache would make them.",
	Words: analysis.Words{
		Why: "One seed for all samples, temperature 0 or a cache of responses makes all rollouts of an " +
			"item the same. Then every number about variety is wrong.",
		Pass: "rollouts of the same item differ in their text",
		Fail: "on {percent} of items all rollouts are copies of one another: every word is the same ({signs})",
		FailRemedy: "Look for a fixed seed, temperature 0 or a response cache between here and the model. Then " +
			"sample into a new run directory.",
		Caution:         "on {percent} of items all rollouts are the same text",
		CautionRemedy:   "Look for a fixed seed, temperature 0 or a response cache between here and the model.",
		CautionUnknown:  "on {lowpercent} to {highpercent} of items all rollouts are the same text",
		CautionUnknownR: "{needs}",
	},
	Check: onSplits(analysis.Advisory, noOutputs, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		var out []analysis.Finding
		if c := sr.Copies; c != nil && (c.Share < mostCopied || c.Compared >= leastCopied) {
			j := analysis.Judgement{
				Split: split, Severity: analysis.Blocking, Unit: "share",
				Want: analysis.WantBelow.With(analysis.Limit(mostCopied)), Args: message.Args{"signs": signWords(c)},
			}
			status := failIf(c.Share >= mostCopied && len(c.Signs) > 0)
			if status == analysis.Fail {
				j.Items = c.Items
			}
			out = append(out, j.Finding(status, analysis.Observed(c.Share)))
		}
		if sr.Identical.Known() {
			j := analysis.Judgement{Split: split, Severity: analysis.Advisory, Unit: "share"}
			j.Needs, j.Settles = settle(sr.Identical, identicalCaution, unitRange, r.Confidence, sr)
			out = append(out, j.AtMost(identicalCaution, analysis.BoundOf(sr.Identical)))
		}
		return out
	}),
}

// signWords lists the evidence for copies.
func signWords(c *analysis.Copies) message.Arg {
	var parts []message.Arg
	for _, sign := range copySigns {
		if slices.Contains(c.Signs, sign.name) {
			parts = append(parts, message.Nested(sign.text.With(message.Args{"bytes": message.Int(int(c.Text))})))
		}
	}
	return message.List(parts...)
}

var copySigns = []struct {
	name string
	text message.Def
}{
	{analysis.CopiesText, message.New("sampling.identical.text", "outputs of {bytes} bytes on average")},
	{analysis.CopiesTemperature, message.New("sampling.identical.temperature", "temperature 0 in the requests")},
	{analysis.CopiesIDs, message.New("sampling.identical.ids", "one id for all")},
	{analysis.CopiesTimes, message.New("sampling.identical.times", "the same time to the microsecond")},
	{analysis.CopiesCache, message.New("sampling.identical.cache", "marked as taken from a cache")},
}
