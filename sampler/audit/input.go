package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"

	"gonogo/sampler/rollout"
)

// Input is the input of an audit's plan.
type Input struct {
	Seed  uint64
	Items []rollout.Item // nil: items are known from rollouts only

	// Records reads the rollouts, as rollout.Run.Records does. It is called up to three times and
	// must yield the same records in the same order. nil: there are none.
	Records func(ctx context.Context, opt rollout.ReadOptions, yield func(*rollout.Record) error) (rollout.Input, error)
	Read    rollout.ReadOptions // how they are read

	Range     [2]float64 // of rewards
	Probes    []Probe
	Detectors []Detector
	Labels    []rollout.Label // those with an Output are graded

	Reference func(*rollout.Item) (Reference, bool) // nil: FieldReference
	// template of an answer, see AnswerTemplate; "": the form of the answers that earned the top
	Answer string
	// hash of the grader's definition: gradings by another grader are repeated
	Grader string
	Judges int // requests to a judge per grading
	// how many outputs of an item the grader compares; 0: each is graded by itself
	GroupSize int

	// Mutant changes a token of the first of programs that passes the tests of a row, such that it fails
	// them, and returns it with its place; "" if there is none. It runs the tests. nil: no tests are run
	Mutant func(ctx context.Context, row json.RawMessage, programs []string,
		seed uint64) (code string, place int, err error)

	// hash of the definitions of attacker and second grader: where only another wrote, it is asked; "": none is at hand
	Attacker     string
	SecondJudges int // requests to a judge per grading by the second grader

	Served                 []string // the tools that policies may call; nil: none are at hand
	Unserved               string   // why Served is nil, for a reader; "": nothing is said about it
	MaxSteps, MaxToolCalls int      // limits of a policy's rollout, as in sampler.Config
	Sandbox                bool     // each rollout has a session of its own, in which policies may write
}

func (in *Input) validate(cfg Config) error {
	if in.Range[0] >= in.Range[1] {
		return errors.New("plan the audit: the reward range is empty")
	}
	return errors.Join(cfg.validate(), cfg.checkNames(in.Probes, in.Detectors))
}

func (in *Input) reference(it *rollout.Item) (Reference, bool) {
	find := in.Reference
	if find == nil {
		find = FieldReference
	}
	ref, ok := find(it)
	return ref, ok && strings.TrimSpace(ref.Text) != ""
}

// FieldCount says how many items have their reference in a field.
type FieldCount struct {
	Field string // "" for items without a reference
	Items int
}

// fields counts the fields in which references were found, the most frequent first.
func (s *survey) fields() []FieldCount {
	counts := map[string]int{}
	for item := range s.data() {
		counts[item.ref.Field]++
	}
	list := make([]FieldCount, 0, len(counts))
	for field, n := range counts {
		list = append(list, FieldCount{field, n})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(b.Items, a.Items), cmp.Compare(a.Field, b.Field)) < 0
	})
	return list
}

// common is what the cases of a run share.
type common struct {
	seed      uint64
	wrap      func(string) string
	constant  string
	others    []string            // all references, each once, sorted
	labels    []string            // references of several items, if short
	prompts   map[string][]string // references by prompt
	unordered bool
	asked     bool
	work      *float64
	least     float64
}

// longestLabel is the number of words up to which a reference counts as a label.
const longestLabel = 4

// nearNothing is the share of the range up to which a reward counts as nothing.
const nearNothing = 0.05

func (s *survey) common(wrap func(string) string, unordered bool) common {
	shared := common{seed: s.in.Seed, wrap: wrap, prompts: map[string][]string{}, unordered: unordered}
	counts := map[string]int{}
	for item := range s.data() {
		if !item.has {
			continue
		}
		counts[item.ref.Text]++
		if prompt := (&Case{Item: item.item}).prompt(); prompt != "" {
			shared.prompts[prompt] = append(shared.prompts[prompt], item.ref.Text)
		}
	}
	shared.constant = mostCommon(counts)
	lo, width := s.in.Range[0], s.in.Range[1]-s.in.Range[0]
	shared.least = lo + nearNothing*width
	for _, item := range s.items {
		for _, r := range item.rollouts {
			if top := lo + full*width; r.called && r.reward != nil && *r.reward >= top {
				shared.work = &top
			}
		}
	}
	for text, n := range counts {
		shared.others = append(shared.others, text)
		if n > 1 && len(words(text)) <= longestLabel {
			shared.labels = append(shared.labels, text)
		}
	}
	slices.Sort(shared.others)
	slices.Sort(shared.labels)
	return shared
}

// newCase returns an item as probes see it. Rand is set later, for each probe.
func (s common) newCase(item *surveyed, rollouts []*rollout.Record) *Case {
	c := s.judged(item)
	c.Work, c.Least = s.work, s.least
	c.Rollouts, c.Others, c.Constant, c.Unordered, c.Turn = rollouts, s.others, s.constant, s.unordered, item.turn
	c.labels = s.labels
	return c
}

// judged returns the part of a case that is needed to tell right answers from wrong ones.
func (s common) judged(item *surveyed) *Case {
	c := &Case{
		Item: item.item, Reference: item.ref.Text, HasReference: item.has, Answer: s.wrap, Asked: s.asked,
		Accepted: accepted(item.item),
	}
	if write := item.ref.solution(); c.Answer == nil && write != nil { // until a rollout shows a form
		c.Answer, c.Asked = write, true
	}
	c.Accepted = append(c.Accepted, s.prompts[c.prompt()]...)
	return c
}
