package audit

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"iter"
	"slices"
	"sort"

	"gonogo/sampler/form"
	"gonogo/sampler/rollout"
)

// surveyed is an item and what is known about its rollouts of one step without their texts. Several
// steps share the item.
type surveyed struct {
	item     *rollout.Item
	step     int
	ref      Reference
	has      bool // it has a reference
	numeric  bool // the reference is a number
	rollouts []seen
	turn     int // its position in the drawing
}

// seen is one recorded rollout: its place among the records read, and what the plan needs to know
// before it reads texts.
type seen struct {
	sample  int
	place   int
	reward  *float64
	text    bool // there is an answer
	acted   bool // there is an answer or a call
	called  bool // there is a call
	missing bool // missing data: a boundary failed
	graded  bool // the outcome is graded: the answer was not cut off by a limit
	answer  uint64
	gist    uint64 // gist of the answer; 0 for nothing
}

// survey is the result of one pass over the rollouts.
type survey struct {
	in    *Input
	items []*surveyed // in the order of the input, then of their first records
	index map[rollout.Key]*surveyed
	steps map[rollout.Key][]*surveyed // by key without step
}

// newSurvey reads the rollouts once, without their transcripts.
func newSurvey(ctx context.Context, in *Input) (*survey, error) {
	s := &survey{in: in, index: make(map[rollout.Key]*surveyed), steps: make(map[rollout.Key][]*surveyed)}
	for i := range in.Items {
		if it := &in.Items[i]; s.index[rollout.Key{Split: it.Split, Item: it.ID}] == nil {
			s.add(it, 0)
		}
	}
	err := s.read(ctx, true, func(place int, r *rollout.Record) error {
		key := rollout.Key{Split: r.Split, Item: r.Item, Step: r.Step}
		item := s.index[key]
		if item == nil {
			it := &rollout.Item{ID: r.Item, Split: r.Split, Category: r.Category, Family: r.Family}
			if others := s.steps[rollout.Key{Split: r.Split, Item: r.Item}]; len(others) > 0 {
				it = others[0].item
			}
			item = s.add(it, r.Step)
		}
		item.rollouts = append(item.rollouts, seen{
			sample: r.Sample, place: place, reward: r.Reward, missing: r.Outcome.Missing(),
			graded: r.Outcome == rollout.Graded,
			text:   r.Answer != "", acted: r.Answer != "" || len(r.Calls) > 0, answer: sum(r.Answer), called: len(r.Calls) > 0,
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.dropUnused()
	for _, item := range s.items {
		item.settle()
	}
	return s, nil
}

// dropUnused removes step 0 of items that have rollouts of other steps only.
func (s *survey) dropUnused() {
	s.items = slices.DeleteFunc(s.items, func(item *surveyed) bool {
		steps := s.steps[item.bare()]
		if len(item.rollouts) > 0 || len(steps) == 1 {
			return false
		}
		delete(s.index, item.key())
		s.steps[item.bare()] = steps[1:] // step 0 came first, with the input
		return true
	})
}

// key returns the key of the item at its step.
func (item *surveyed) key() rollout.Key {
	return rollout.Key{Split: item.item.Split, Item: item.item.ID, Step: item.step}
}

// bare returns the key of the item in the data, which is the same for all steps.
func (item *surveyed) bare() rollout.Key {
	return rollout.Key{Split: item.item.Split, Item: item.item.ID}
}

// data yields each item once, no matter how many steps it has.
func (s *survey) data() iter.Seq[*surveyed] {
	return func(yield func(*surveyed) bool) {
		for _, item := range s.items {
			if s.steps[item.bare()][0] == item && !yield(item) {
				return
			}
		}
	}
}

// add adds an item at a step.
func (s *survey) add(it *rollout.Item, step int) *surveyed {
	item := &surveyed{item: it, step: step}
	if item.ref, item.has = s.in.reference(it); item.has {
		_, item.numeric = parseNumber(item.ref.Text)
	}
	s.index[item.key()] = item
	s.steps[item.bare()] = append(s.steps[item.bare()], item)
	s.items = append(s.items, item)
	return item
}

// settle keeps the last record of each sample and sorts by sample, so that nothing depends on the
// order of the file.
func (item *surveyed) settle() {
	sort.SliceStable(item.rollouts, func(i, j int) bool {
		a, b := &item.rollouts[i], &item.rollouts[j]
		return cmp.Or(cmp.Compare(a.sample, b.sample), cmp.Compare(b.place, a.place)) < 0
	})
	item.rollouts = slices.CompactFunc(item.rollouts, func(a, b seen) bool { return a.sample == b.sample })
}

// read calls visit for each record of the rollouts, with its place among them. A run without
// rollouts has none.
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

// mean returns the mean reward of the item's rollouts.
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

// form reads an answer that earned the top for each item, at most mostExamples, and finds the form
// that they share. It returns the number of these answers.
func (s *survey) form(ctx context.Context) (f form.Form, tops int, err error) {
	top := s.in.Range[0] + full*(s.in.Range[1]-s.in.Range[0])
	wanted := make(map[int]*surveyed)
	for _, item := range s.items {
		i := slices.IndexFunc(item.rollouts, func(r seen) bool {
			return r.text && r.reward != nil &&
				*r.reward >= top
		})
		if item.has && i >= 0 && len(wanted) < mostExamples {
			wanted[item.rollouts[i].place] = item
		}
	}
	var examples []form.Example
	err = s.read(ctx, true, func(place int, r *rollout.Record) error {
		if item := wanted[place]; item != nil {
			examples = append(examples, form.Example{Answer: r.Answer, Reference: item.ref.Text})
		}
		return nil
	})
	f, _ = form.Of(examples)
	return f, len(examples), err
}

// mostExamples bounds the number of answers whose texts are held to find their form.
const mostExamples = 1000

// sum returns a hash of a text.
func sum(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
