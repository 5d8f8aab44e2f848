package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// variantCosts are the columns of a variant's costs, by name of the difference.
var variantCosts = []string{"tool_calls", "input_tokens", "output_tokens", "latency"}

// variantBlocks show the gains of the run's variants, the best first: the ranking split, then the
// others.
func variantBlocks(r *analysis.Result, opt Options, w *words) []block.Block {
	v := r.Variants
	if v == nil || len(v.Ranked) == 0 {
		return nil
	}
	splits := rollout.Splits()
	if v.Split != nil {
		splits = append([]rollout.Split{*v.Split},
			slices.DeleteFunc(splits, func(s rollout.Split) bool { return s == *v.Split })...)
	}
	var tables []block.Block
	for _, split := range splits {
		tables = append(tables, filled(variantGrid(r, split, w))...)
	}
	if len(tables) == 0 {
		g := Grid{Words: true, Head: []string{w.Variants.Head[0], ""}}
		for _, one := range v.Ranked {
			g.Rows = append(g.Rows, []string{id(one.Name), prose(one.Why.In(r.Lang))})
		}
		tables = append(tables, g)
	}
	var notes []string
	for _, one := range v.Ranked {
		for _, c := range one.Changes {
			notes = append(notes, fmt.Sprintf(w.Variants.Change, id(one.Name), id(c.Key), orNotSet(c.Base, w),
				quotedText(c, w)))
		}
		for _, note := range one.Notes {
			notes = append(notes, w.named(id(one.Name), prose(note.At(opt.place()).In(r.Lang))))
		}
	}
	for _, note := range v.Notes {
		notes = append(notes, w.Capital(prose(note.In(r.Lang)))+w.Signs.Stop)
	}
	return tabled(variantsLead(r, w), tables, notes)
}

func orNotSet(text string, w *words) string {
	if text == "" {
		return w.Variants.NotSet
	}
	return id(text)
}

// quotedText is the value that a variant sets, in quotes if it is a text for the model.
func quotedText(c rollout.Change, w *words) string {
	text := orNotSet(c.New, w)
	if c.New != "" && !strings.HasPrefix(c.Key, "model.") {
		return "“" + text + "”"
	}
	return text
}

// variantsLead summarizes the result in a sentence.
func variantsLead(r *analysis.Result, w *words) string {
	v := r.Variants
	if v.Split == nil {
		return w.Variants.None
	}
	gains := 0
	for _, one := range v.Ranked {
		if one.Answer == analysis.Gains {
			gains++
		}
	}
	lead := fmt.Sprintf(w.Variants.Lead, w.Lang.Count(len(v.Ranked), "variant"), *v.Split)
	if v.ByLift {
		lead = fmt.Sprintf(w.Variants.LeadByLift, w.Lang.Count(len(v.Ranked), "variant"))
	}
	return lead + w.Signs.Space + fmt.Sprintf(w.Variants.Gain, w.Lang.Count(gains, "variant"),
		message.Digits(v.Hoped), message.Digits(v.Delta))
}

// variantGrid ranks the variants on one split, below the base.
func variantGrid(r *analysis.Result, split rollout.Split, w *words) Grid {
	g := Grid{Title: fmt.Sprintf(w.Variants.On, split), Head: w.Variants.Head, Spare: []int{9, 8, 7, 6}}
	var lift *stat.Estimate // of the base
	for i := range r.Variants.Ranked {
		one := &r.Variants.Ranked[i]
		sp := one.Splits[split]
		if sp == nil || !sp.Reward.Known() {
			continue
		}
		row := []string{
			id(one.Name), w.Variants.Answers[sp.Answer], message.Interval(sp.Mean.Value, sp.Mean.Low, sp.Mean.High),
			change("", sp.Reward.Estimate), pValue(sp.Reward.PHolm),
			message.Interval(sp.Lift.Value, sp.Lift.Low, sp.Lift.High),
		}
		for _, name := range variantCosts {
			row = append(row, costOf(sp.Costs, name))
		}
		g.Rows, lift = append(g.Rows, row), sp.BaseLift
	}
	if base := r.Splits[split]; base != nil && len(g.Rows) > 0 {
		e, lift := base.Reward.Estimate, cmp.Or(lift, &base.Lift)
		row := []string{
			w.Variants.Base, "", message.Interval(e.Value, e.Low, e.High), "", "",
			message.Interval(lift.Value, lift.Low, lift.High),
			message.DigitsOf(base.Tools.Calls.Value), message.DigitsOf(base.Tokens.Input.Value),
			message.DigitsOf(base.Tokens.Output.Value), "",
		}
		g.Rows = append([][]string{row}, g.Rows...)
	}
	return g
}

// costOf formats a variant's difference in cost from the base, in brackets if chance explains it.
func costOf(costs []analysis.Difference, name string) string {
	for _, d := range costs {
		if d.Name != name || d.Value == nil {
			continue
		}
		if d.Direction == "unclear" {
			return "(" + message.Signed(*d.Value) + ")"
		}
		return message.Signed(*d.Value)
	}
	return "–"
}
