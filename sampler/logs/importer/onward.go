package importer

import (
	"fmt"

	"gonogo/sampler/rollout"
)

// onward numbers samples over several files: each file counts from 0 for
// itself, and the rollouts of an item in a later file go on from those in the
// files before.
type onward struct {
	base, next map[rollout.Key]int // by split and item
}

func newOnward() *onward { return &onward{next: make(map[rollout.Key]int)} }

// file begins the next file.
func (o *onward) file() {
	if o.base == nil {
		o.base = make(map[rollout.Key]int) // the first file begins at 0
		return
	}
	for k, n := range o.next {
		o.base[k] = n
	}
}

// sample returns the number of the rollout that its file calls own.
func (o *onward) sample(split rollout.Split, item string, own int) int {
	return o.inStep(split, item, 0, own)
}

// inStep is sample for the rollouts of one step, which are numbered for themselves.
func (o *onward) inStep(split rollout.Split, item string, step, own int) int {
	k := rollout.Key{Split: split, Item: item, Step: step}
	n := o.base[k] + own
	o.next[k] = max(o.next[k], n+1)
	return n
}

// another numbers one more rollout of an item whose log has no numbers.
func (o *onward) another(split rollout.Split, item string, step int) int {
	k := rollout.Key{Split: split, Item: item, Step: step}
	o.next[k]++
	return o.next[k] - 1
}

// oneModel holds the rollouts of an import to one model: what several models
// do is for gonogo compare to say, and no mean of one run.
type oneModel struct{ name, file string }

// check refuses a second model.
func (m *oneModel) check(f File, name string) error {
	switch {
	case name == "" || name == m.name:
		return nil
	case m.name == "":
		m.name, m.file = name, f.Name
		return nil
	case m.file == f.Name:
		return fmt.Errorf("it is of model %q, and rollouts before it of %q: keep those of each model in files of "+
			"their own, and compare the two runs", name, m.name)
	}
	return fmt.Errorf("it is of model %q, and %s of %q: import each model by itself, and compare the two runs", name,
		m.file, m.name)
}
