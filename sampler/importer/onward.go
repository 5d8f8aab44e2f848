package importer

import "gonogo/sampler/rollout"

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
	k := rollout.Key{Split: split, Item: item}
	n := o.base[k] + own
	o.next[k] = max(o.next[k], n+1)
	return n
}
