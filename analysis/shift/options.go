package shift

import (
	"cmp"
	"math/rand/v2"

	"gonogo/analysis/message"
)

// Options are the sizes of a comparison. The zero value of a field stands for
// its default.
type Options struct {
	Seed         uint64
	Rows         int                     // rows a side in tests; a larger sample takes part by a random subset (1,000)
	References   int                     // rows a side for coverage (5,000)
	Permutations int                     // of the primary test (1,999)
	Others       int                     // of every other test without refits (499)
	Refits       int                     // of the classifier (199)
	Components   int                     // dimensions that the words of a text are reduced to (16)
	Confidence   float64                 // of intervals (0.95)
	Words        map[string]message.Text // what numbers are called, by their names; one that is not there goes by its name
}

// named is what a number is called.
func (o Options) named(name string) message.Text {
	if said, ok := o.Words[name]; ok {
		return said
	}
	return message.Verbatim(name)
}

func (o Options) withDefaults() Options {
	o.Rows = cmp.Or(o.Rows, 1000)
	o.References = cmp.Or(o.References, 5000)
	o.Permutations = cmp.Or(o.Permutations, 1999)
	o.Others = cmp.Or(o.Others, 499)
	o.Refits = cmp.Or(o.Refits, 199)
	o.Components = cmp.Or(o.Components, 16)
	o.Confidence = cmp.Or(o.Confidence, 0.95)
	return o
}

func (o Options) rand(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(o.Seed, stream))
}

// Streams of random numbers drawn from one seed.
const (
	streamSubset = iota << 32
	streamPermutation
	streamProjection
	streamFold
)
