package audit

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"slices"

	"gonogo/sampler/rollout"
)

// surveyed is an item and what is known about its rollouts without their texts.
type surveyed struct {
	item     *rollout.Item
	ref      Reference
	has      bool // a reference
	numeric  bool // it is a number
	rollouts []seen
	turn     int // its place in the drawing
}

// seen is one recorded rollout: its place among the records that are read, and
// what the plan needs before it reads texts.
type seen struct {
	sample int
	place  int
	reward *float64
	text   bool // there is an answer
	acted  bool // there is an answer or a call
	gone   bool // missing data: a boundary failed
	whole  bool // an answer that was graded, not one that a limit cut off
	answer uint64
	says   uint64 // what the answer comes down to; 0 for nothing
}

// survey is what one pass over the rollouts leaves.
type survey struct {
	in    *Input
	items []*surveyed // in the order of the input, then of the first record
	index map[rollout.Key]*surveyed
}

// newSurvey reads the rollouts once, without their transcripts.
func newSurvey(ctx context.Context, in *Input) (*survey, error) {
	s := &survey{in: in, index: make(map[rollout.Key]*surveyed)}
	for i := range in.Items {
		s.add(&in.Items[i])
	}
	err := s.read(ctx, true, func(place int, r *rollout.Record) error {
		item := s.index[rollout.Key{Split: r.Split, Item: r.Item}]
		if item == nil {
			item = s.add(&rollout.Item{ID: r.Item, Split: r.Split, Category: r.Category, Family: r.Family})
		}
		item.rollouts = append(item.rollouts, seen{
			sample: r.Sample, place: place, reward: r.Reward, gone: r.Outcome.Missing(), whole: r.Outcome == rollout.Graded,
			text: r.Answer != "", acted: r.Answer != "" || len(r.Calls) > 0, answer: sum(r.Answer),
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, item := range s.items {
		item.settle()
	}
	return s, nil
}

// add takes an item in, once.
func (s *survey) add(it *rollout.Item) *surveyed {
	key := rollout.Key{Split: it.Split, Item: it.ID}
	if known := s.index[key]; known != nil {
		return known
	}
	item := &surveyed{item: it}
	if item.ref, item.has = s.in.reference(it); item.has {
		_, item.numeric = parseNumber(item.ref.Text)
	}
	s.index[key] = item
	s.items = append(s.items, item)
	return item
}

// settle keeps the last record of each sample and orders them by sample, so
// that nothing depends on the order of the file.
func (item *surveyed) settle() {
	slices.SortStableFunc(item.rollouts, func(a, b seen) int {
		return cmp.Or(cmp.Compare(a.sample, b.sample), cmp.Compare(b.place, a.place))
	})
	item.rollouts = slices.CompactFunc(item.rollouts, func(a, b seen) bool { return a.sample == b.sample })
}

// read calls visit for each record of the rollouts with its place among them.
// A run without rollouts has none.
func (s *survey) read(ctx context.Context, lean bool, visit func(place int, r *rollout.Record) error) error {
	if s.in.Records == nil {
		return nil
	}
	opt := s.in.Read
	opt.Lean = lean
	place := -1
	_, err := s.in.Records(ctx, opt, func(r *rollout.Record) error {
		place++
		return visit(place, r)
	})
	if errors.Is(err, rollout.ErrNoRecords) {
		return nil
	}
	return err
}

// mean is the mean reward of the item's rollouts.
func (item *surveyed) mean() (float64, bool) {
	total, n := 0.0, 0
	for _, r := range item.rollouts {
		if r.reward != nil {
			total += *r.reward
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return total / float64(n), true
}

// template reads an answer that earned the top of each item, and tells the
// template that they have in common.
func (s *survey) template(ctx context.Context) (string, error) {
	top := s.in.Range[0] + full*(s.in.Range[1]-s.in.Range[0])
	wanted := make(map[int]*surveyed)
	for _, item := range s.items {
		at := slices.IndexFunc(item.rollouts, func(r seen) bool { return r.text && r.reward != nil && *r.reward >= top })
		if item.has && at >= 0 {
			wanted[item.rollouts[at].place] = item
		}
	}
	var v votes
	err := s.read(ctx, true, func(place int, r *rollout.Record) error {
		if item := wanted[place]; item != nil {
			v.add(example{answer: r.Answer, reference: item.ref.Text})
		}
		return nil
	})
	template, _ := v.winner()
	return template, err
}

// sum is a hash of a text.
func sum(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
