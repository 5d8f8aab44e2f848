package console

import (
	"fmt"
	"time"

	"gonogo/analysis/message"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// EstimateOptions describe how rollouts will be made.
type EstimateOptions struct {
	AtMost      bool // not all of them may be needed
	Concurrency int  // most in flight; 0: as the endpoints allow
	Cost        func(*rollout.Record) (usd float64, known bool)
}

// Estimate says what the rollouts will take, judged by the rollout rec unless that is nil.
func Estimate(rollouts []sampler.Rollout, rec *rollout.Record, o EstimateOptions) string {
	items := make(map[string]bool)
	for _, j := range rollouts {
		items[string(j.Item.Split)+"/"+j.Item.ID] = true
	}
	n := len(rollouts)
	what := "To make:"
	if o.AtMost {
		what = "To make at most:"
	}
	text := fmt.Sprintf("%s %s of %s, each with one grade", what, Count(n, "rollout"), Count(len(items), "item"))
	if rec == nil {
		return text + " and at least one model turn."
	}
	text += fmt.Sprintf("; going by this one, about %s, %s", Count(n*rec.Turns, "model turn"),
		Count(n*len(rec.Calls), "tool call"))
	if rec.Usage.Input != nil && rec.Usage.Output != nil {
		text += fmt.Sprintf(", %s in and %s out", Tokens(int64(n)**rec.Usage.Input), Tokens(int64(n)**rec.Usage.Output))
	} else {
		text += ", an unknown number of tokens (the server does not report it)"
	}
	if usd, ok := o.Cost(rec); ok {
		text += ", $" + message.Digits(float64(n)*usd)
	}
	inFlight := o.Concurrency
	if inFlight == 0 {
		return text + fmt.Sprintf(", and %s of rollouts, as many at a time as the endpoints can take.",
			(time.Duration(rec.Elapsed)*time.Duration(n)).Round(time.Second))
	}
	span := time.Duration(rec.Elapsed) * time.Duration((n+inFlight-1)/inFlight)
	return text + fmt.Sprintf(", and %s with %d at a time.", span.Round(time.Second), inFlight)
}

// AuditEstimate says what an audit may take after the rollouts; judges is the number of models that
// the grader calls for a grade, second that of an attacker's second grader, and policies what those for tools may
// take.
func AuditEstimate(cfg audit.Config, judges, second int, detectors []audit.Detector, rollouts int,
	policies audit.Estimate,
) string {
	text := fmt.Sprintf(" Then an audit of the grader: at most %s", Count(cfg.MaxGradings, "grading"))
	if judges > 0 {
		text += fmt.Sprintf(", that is %s to a model that grades", Count(judges*cfg.MaxGradings, "request"))
	}
	text += policyCalls(policies)
	if cfg.Attacks > 0 {
		text += fmt.Sprintf(", at most %s by an attacker, that is %s to a model", Count(cfg.Attacks, "answer"),
			Count(cfg.Attacks*(1+second), "request"))
	}
	if n := len(detectors); n > 0 {
		marks := rollouts
		if cfg.MaxMarks > 0 {
			marks = min(marks, cfg.MaxMarks)
		}
		asked := 0
		for _, d := range detectors {
			asked += d.Judges
		}
		text += fmt.Sprintf("; %s read by %s", Count(marks, "rollout"), Count(n, "detector"))
		if asked > 0 {
			text += fmt.Sprintf(", that is %s to a model", Count(asked*marks, "request"))
		}
	}
	return text + " (audit.max_gradings; --no-audit leaves it out)."
}

// policyCalls says what the policies of an audit take in addition to their gradings; "" if there
// are none.
func policyCalls(e audit.Estimate) string {
	if e.Policies == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of policies with at most %s", Count(e.Policies, "rollout"), Count(e.ToolCalls, "tool call"))
}

// BoundText names a cap of a budget, and how much of it was used.
func BoundText(budget *limit.Budget, bound limit.Bound) string {
	usd, tokens := budget.Used()
	switch b := budget.Bounds(); bound {
	case limit.Rollouts:
		return "max_rollouts: " + message.Whole(b.Rollouts)
	case limit.Tokens:
		return fmt.Sprintf("max_tokens: %s of %s", message.Whole(int(tokens)), message.Whole(int(b.Tokens)))
	case limit.USD:
		return fmt.Sprintf("max_usd: %s of %s", Dollars(usd), Dollars(b.USD))
	case limit.Deadline:
		return "deadline: " + b.Deadline.Format(time.DateTime)
	}
	return "spent"
}

// MoneyText describes the money spent by a call so far, and the forecast for total rollouts like
// those of e; "" if unknown.
func MoneyText(budget *limit.Budget, e sampler.Event, total int) string {
	if e.USD.N == 0 {
		return ""
	}
	usd, _ := budget.Used()
	text := Dollars(usd)
	if all, low, high, ok := e.Judged.Forecast(total - e.Judged.N); ok && e.Recorded < total {
		all, low, high = max(all, e.USD.Total), max(low, e.USD.Total), max(high, e.USD.Total)
		before := max(0, usd-e.USD.Total-e.USD.Mean()*float64(e.USDUnknown)) // the forecast covers unknown costs
		text += fmt.Sprintf(" of about %s [%s, %s]", Dollars(before+all), message.Digits(before+low),
			message.Digits(before+high))
		if most := budget.Bounds().USD; most > 0 && before+high > most {
			text += ", capped at " + Dollars(most)
		}
	}
	return text
}

// Uncounted says that the cap on tokens or money is partly a guess; "" if it is not, or if that is
// why sampling stopped.
func Uncounted(b limit.Bounds, s sampler.Stats) string {
	switch {
	case s.StoppedBy == sampler.StoppedByUnknownUsage:
	case b.Tokens > 0 && s.TokensUnknown > 0:
		return fmt.Sprintf("warning: the server did not report the tokens of %s; sampling.max_tokens used the mean of "+
			"the others instead\n", Count(s.TokensUnknown, "rollout"))
	case b.USD > 0 && s.USDUnknown > 0:
		return fmt.Sprintf("warning: the server did not report the tokens of %s; sampling.max_usd used the mean cost "+
			"of the others instead\n", Count(s.USDUnknown, "rollout"))
	}
	return ""
}
