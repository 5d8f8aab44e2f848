package audit

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

var consensus = Probe{
	Name: rollout.ProbeConsensus, Expect: rollout.Note,
	Doc: "An answer that more than half of an item's rollouts gave, at least three, and that is not its reference: " +
		"one of the two is wrong, and it is not always the rollouts. Their rewards are known, so the answer is " +
		"graded only if none of them has a grade.",
}

// minAgreeing is how many rollouts must agree.
const minAgreeing = 3

// agreement is an answer that most rollouts of an item gave.
type agreement struct {
	item  *surveyed
	base  seen    // the first with a reward, else the first
	share float64 // share of the item's rollouts, without missing data
}

// agreements reads the gist of each answer, and returns the answers that most rollouts of an item
// agree on, by the place of the record, for items with a reference. Whether the answer equals the
// reference is decided later, from its text.
func (s *survey) agreements(ctx context.Context, wrap func(string) string) (map[int]agreement, error) {
	where := make(map[int]*seen)
	for _, item := range s.items {
		for i := range item.rollouts {
			where[item.rollouts[i].place] = &item.rollouts[i]
		}
	}
	err := s.read(ctx, true, func(place int, r *rollout.Record) error {
		item := s.index[rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}]
		if answered := where[place]; answered != nil && item.has && !answered.missing {
			answered.gist = gist(wrap, item.numeric, r.Answer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make(map[int]agreement)
	for _, item := range s.items {
		if a, ok := item.agreement(); ok {
			found[a.base.place] = a
		}
	}
	return found, nil
}

// gist returns a hash of what an answer says: its last number if the reference is a number, else
// its normalized text; 0 if it says nothing.
func gist(wrap func(string) string, numeric bool, answer string) uint64 {
	bare, _ := unwrap(wrap, answer)
	if numeric {
		if n, ok := lastNumber(bare); ok {
			return sum(n.value().RatString())
		}
	}
	if bare = normal(bare); bare == "" {
		return 0
	}
	return sum(bare)
}

func (item *surveyed) agreement() (agreement, bool) {
	counts := make(map[uint64]int)
	n := 0
	for _, r := range item.rollouts {
		if !r.missing {
			n++
			counts[r.gist]++
		}
	}
	a := agreement{item: item}
	for _, r := range item.rollouts {
		agreeing := counts[r.gist]
		if r.missing || r.gist == 0 || agreeing < minAgreeing || 2*agreeing <= n {
			continue
		}
		if a.share == 0 || a.base.reward == nil && r.reward != nil {
			a.base, a.share = r, float64(agreeing)/float64(n)
		}
	}
	return a, a.share > 0
}

// disagrees reports whether an answer that most agree on is not the reference: another number, or a
// text that does not equal or contain it.
func (c *Case) disagrees(answer string) bool {
	bare, _ := unwrap(c.Answer, answer)
	if ref, ok := parseNumber(c.Reference); ok {
		if n, ok := lastNumber(bare); ok && near(n, ref) {
			return false
		}
	}
	if c.right(answer) || c.right(bare) {
		return false
	}
	if _, ok := parseNumber(c.Reference); ok {
		return true
	}
	text := " " + normal(bare) + " "
	return !slices.ContainsFunc(append([]string{c.Reference}, c.Accepted...), func(ref string) bool {
		return strings.Contains(text, normal(ref))
	})
}

// consensus plans the answers that most rollouts agree on against the reference. If a rollout has a
// reward, no grading is needed.
func (b *builder) consensus(p Probe) {
	for place, a := range b.agreed {
		base := b.texts[place]
		if !b.shared.judged(a.item).disagrees(base.Answer) {
			continue
		}
		t := b.plan.task(p, a.item, 0, Payload{Answer: base.Answer, Base: base}, len(b.plan.Counts)-1)
		t.task.Record.Probe.Share = &a.share
		b.count().Items++
		b.count().Payloads++
		if base.Reward != nil {
			b.plan.tasks = b.plan.tasks[:len(b.plan.tasks)-1]
			b.plan.known(t.task.Record, base)
		}
	}
	slices.SortFunc(b.plan.Known, func(x, y *rollout.Record) int {
		return cmp.Or(cmp.Compare(x.Split, y.Split), cmp.Compare(x.Item, y.Item), cmp.Compare(x.Step, y.Step))
	})
}

// known adds a record whose reward is that of a recorded rollout.
func (p *Plan) known(r, base *rollout.Record) {
	reward := *base.Reward
	r.Outcome, r.Reward, r.Parts = rollout.Graded, &reward, base.Parts
	r.TraceID = base.TraceID
	r.Messages, r.Calls = nil, nil
	p.Known = append(p.Known, r)
}
