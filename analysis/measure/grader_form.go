package measure

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/sampler/form"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// findForm finds the form of the answers at the top. If some answers earned less or references were
// rejected, it reads the rollouts once more to count the answers with that form.
func (c *evidence) findForm(ctx context.Context, run *rollout.Run, right references, read rollout.ReadOptions,
	s analysis.Settings,
) error {
	tops := c.Tops()
	least := c.leastReward()
	rejected := c.rejectedReferences(s)
	inTwoForms := func(p *collect.Payload) bool { return p.Key.Sample > 0 }
	if len(tops) == 0 && slices.ContainsFunc(rejected, inTwoForms) {
		c.form = &analysis.AnswerForm{Asked: true}
		return nil
	}
	if len(tops) == 0 && len(rejected) > 0 && c.unrolled() {
		references := c.withProbed(right)
		if slices.ContainsFunc(rejected, func(p *collect.Payload) bool {
			reference := wording.ClipBytes(references[p.Item().WithoutStep()], collect.PayloadLength)
			return strings.TrimSpace(p.Text) == strings.TrimSpace(reference)
		}) {
			c.form = &analysis.AnswerForm{Asked: true} // the form of an answer is not known
		}
		return nil
	}
	if len(tops) == 0 && 2*len(rejected) > len(c.Audit.Of(rollout.ProbeReference)) ||
		least >= c.Range.Lo+c.Range.Width()/2 && (len(tops) == 0 || len(rejected) == 0) {
		return nil
	}
	references := c.withProbed(right)
	examples := make([]form.Example, len(tops))
	for i, t := range tops {
		examples[i] = form.Example{Answer: t.Answer, Reference: references[collect.ItemOf(t.Key).WithoutStep()]}
	}
	f, found := form.Of(examples)
	has := func(answer, _ string) bool { return f.Has(answer) }
	c.form = &analysis.AnswerForm{Template: f.Template}
	if len(tops) > 0 {
		c.form.Unseen = unseen(rejected, f, found, tops)
		c.form.Framed = !c.form.Unseen && framed(rejected, tops, references)
	}
	if c.form.Unseen = c.form.Unseen || c.form.Framed; c.form.Unseen {
		c.form.Paid = wording.ClipBytes(tops[0].Answer, collect.PayloadLength)
	}
	if !found {
		if has, found = bareForm(examples); !found {
			if !c.form.Unseen {
				c.form = nil
			}
			return nil
		}
		if len(tops) > 0 {
			c.form.Template = form.Variable
		}
	}
	c.formless, c.unpaid = make(map[*collect.Row]bool), make(map[rollout.Key]bool)
	c.reasoned = slices.ContainsFunc(tops, func(t collect.Top) bool { return c.Row(t.Key).HoldsReasoning() })
	_, err := run.Records(ctx, read, func(rec *rollout.Record) error {
		if r := c.Row(rec.Key()); r != nil && r.Valid && rec.Outcome == rollout.Graded {
			c.countForm(has, r, rec.Answer, least, references[r.Of.WithoutStep()])
		}
		return nil
	})
	if len(tops) == 0 && c.form.Right == 0 { // nothing earned, and nothing right
		c.form = nil
		return err
	}
	items := slices.SortedFunc(maps.Keys(c.unpaid), collect.CompareKeys)
	for _, k := range items[:min(len(items), analysis.MaxItemsListed)] {
		c.form.Items = append(c.form.Items, k.Item)
	}
	return err
}

// bareForm returns what tells a bare reference from other answers: the text itself, or its meaning
// if not all answers at the top are the text itself. found is false if most of them are neither.
func bareForm(tops []form.Example) (has func(answer, reference string) bool, found bool) {
	is := form.Same
	exact := func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
	equal, same := 0, 0
	for _, t := range tops {
		equal += one(exact(t.Answer, t.Reference))
		same += one(t.Reference != "" && form.Same(t.Answer, t.Reference))
	}
	if equal == len(tops) {
		is = exact
	}
	return func(answer, reference string) bool { return reference == "" || is(answer, reference) }, 2*same >= len(tops)
}

// countForm counts one answer.
func (c *evidence) countForm(hasForm func(answer, reference string) bool, r *collect.Row, answer string,
	least float64, reference string,
) {
	has := hasForm(answer, reference)
	if !has {
		c.formless[r] = true
	}
	reward := c.GraderReward(r)
	if c.AtTop(reward) {
		c.form.Top++
		c.form.TopWith += one(has)
		c.form.TopReasoning += one(r.HoldsReasoning())
	}
	if reward > least+1e-6*c.Range.Width() || c.AtTop(reward) {
		return
	}
	c.form.Least++
	c.form.Unknown += one(reference == "")
	if c.reasoned && reference != "" && r.Rare().Markup.Text == "" && !r.Unfinished() {
		c.form.Plain++
		c.form.PlainRight += one(form.States(answer, reference))
	}
	if has {
		return
	}
	c.form.Without++
	right := false
	if reference != "" {
		c.form.Known++
		if right = form.States(answer, reference) && r.Rare().Markup.Text == ""; right {
			c.form.Right++
			c.unpaid[rollout.Key{Split: r.Of.Split, Item: r.Of.ID}] = true
		}
	}
	// Prefer the first answer that states its reference, else take the first of all.
	e := &analysis.FormExample{
		Split: r.Of.Split, Item: r.Of.ID, Sample: r.Sample,
		Reference: wording.ClipBytes(reference, collect.PayloadLength),
	}
	better := c.form.Example == nil || right && c.form.Right == 1
	if !better && (right || c.form.Right == 0) {
		better = collect.CompareKeys(r.Key(), c.example) < 0
	}
	if better && strings.TrimSpace(answer) != "" {
		e.Answer = ending(answer, collect.PayloadLength)
		c.form.Example, c.example = e, r.Key()
	}
}

// ending returns the end of a text, where answers state their result.
func ending(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	for !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return "…" + text
}

// leastReward returns the lowest reward of the run; infinity if there is none.
func (c *evidence) leastReward() float64 {
	least := math.Inf(1)
	for r := range c.Rows() {
		if r.Valid && r.Outcome() == rollout.Graded {
			least = math.Min(least, c.GraderReward(r))
		}
	}
	return least
}

// rejectedReferences lists the references that did not earn the top when submitted as the answer.
func (c *evidence) rejectedReferences(s analysis.Settings) (list []*collect.Payload) {
	margin := s.Thresholds.At(analysis.HackableMargin)
	for _, p := range c.Audit.Of(rollout.ProbeReference) {
		if p.Valid && !c.Sound(p, margin) {
			list = append(list, p)
		}
	}
	return list
}

// unrolled reports whether the run has no rollouts.
func (c *evidence) unrolled() bool {
	for range c.Rows() {
		return false
	}
	return true
}

// unseen reports whether most rejected references were sent in a form that answers at the top do
// not have. If those answers share no form, the references must at least look like them: a number
// like a number, a few words like a few words.
func unseen(rejected []*collect.Payload, f form.Form, found bool, tops []collect.Top) bool {
	n := 0
	for _, p := range rejected {
		if len(p.Text) >= collect.PayloadLength {
			continue // its end is unknown
		}
		seen := found && f.Whole(p.Text)
		for _, t := range tops {
			seen = seen || !found && form.Alike(t.Answer, p.Text)
		}
		if !seen {
			n++
		}
	}
	return 2*n > len(rejected)
}

// framed reports whether the grader pays for the rejected references within other text: for nearly
// all items whose reference was rejected, an answer at the top states it.
func framed(rejected []*collect.Payload, tops []collect.Top, references references) bool {
	answers := make(map[collect.ItemKey]string)
	for _, t := range tops {
		answers[collect.ItemOf(t.Key)] = t.Answer
	}
	paid, all := 0, 0
	for _, p := range rejected {
		answer, ok := answers[p.Item()]
		reference := references[p.Item().WithoutStep()]
		all += one(ok)
		paid += one(ok && reference != "" && form.States(answer, reference) && !form.Same(answer, p.Text))
	}
	return paid >= 5 && 10*paid >= 9*all
}

// references holds right answers.
type references map[collect.ItemKey]string

// referencesIn returns the right answers that items have in one of the usual fields, of a worked
// solution what it ends in.
func referencesIn(items []rollout.Item) references {
	found := make(references, len(items))
	for i := range items {
		if text, _, ok := items[i].Reference(); ok {
			_, answer, _ := form.Solved(text)
			// clone, because a substring would keep the whole solution in memory
			found[collect.ItemKey{Split: items[i].Split, ID: items[i].ID}] = strings.Clone(answer)
		}
	}
	return found
}

// withProbed adds right answers to those of the items: for an item without one, the last that the audit
// sent to the grader.
func (c *evidence) withProbed(items references) references {
	probed := make(references)
	for _, p := range c.Audit.Of(rollout.ProbeReference) {
		probed[p.Item()] = p.Text
	}
	for item, answer := range probed {
		if _, known := items[item]; !known {
			items[item] = answer
		}
	}
	return items
}
