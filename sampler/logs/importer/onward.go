package importer

import (
	"fmt"

	"gonogo/sampler/rollout"
)

// onward numbers samples over several files: each file counts from 0, and the rollouts of an item
// in a later file continue from those in earlier files.
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

// sample returns the number of a rollout; number is its number in the file.
func (o *onward) sample(split rollout.Split, item string, number int) int {
	return o.inStep(split, item, 0, number)
}

// inStep is sample within a step: each step is numbered separately.
func (o *onward) inStep(split rollout.Split, item string, step, number int) int {
	k := rollout.Key{Split: split, Item: item, Step: step}
	n := o.base[k] + number
	o.next[k] = max(o.next[k], n+1)
	return n
}

// another returns the next number of an item whose log has no sample numbers.
func (o *onward) another(split rollout.Split, item string, step int) int {
	k := rollout.Key{Split: split, Item: item, Step: step}
	o.next[k]++
	return o.next[k] - 1
}

// oneModel enforces that the rollouts of an import come from one model: comparing models is the job
// of gonogo compare, and a mean over several would be meaningless.
type oneModel struct{ name, file string }

// check returns an error for a second model.
func (m *oneModel) check(f File, name string) error {
	switch {
	case name == "" || name == m.name:
		return nil
	case m.name == "":
		m.name, m.file = name, f.Name
		return nil
	case m.file == f.Name:
		return fmt.Errorf("its model is %q, but earlier rollouts are from %q: keep each model in its own files, and "+
			"compare the two runs", name, m.name)
	}
	return fmt.Errorf("its model is %q, but that of %s is %q: import each model separately, and compare the two runs",
		name, m.file, m.name)
}
