package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonogo/sampler/rollout"
)

// levels is the number of strata of items: those without a reward, and those with a mean reward in
// each third of the range.
const levels = 4

// level returns the stratum of an item.
func (s *surveyed) level(lo, hi float64) int {
	mean, ok := s.mean()
	if !ok || hi <= lo {
		return 0
	}
	return 1 + min(2, max(0, int(3*(mean-lo)/(hi-lo))))
}

// drawn returns the items in the order in which they are taken: the splits in turn, train first,
// and within a split the levels of mean reward in turn, each in the seed's order. The first k are
// the same for any number of items taken.
func drawn(items []*surveyed, seed uint64, lo, hi float64) []*surveyed {
	bySplit := make([][]*surveyed, 0, 3)
	for _, split := range rollout.Splits() {
		strata := make([][]*surveyed, levels)
		for _, s := range items {
			if s.item.Split == split {
				l := s.level(lo, hi)
				strata[l] = append(strata[l], s)
			}
		}
		for _, stratum := range strata {
			draws := make(map[*surveyed]uint64, len(stratum))
			for _, s := range stratum {
				draws[s] = luck(seed, "item", s.key().ItemName())
			}
			slices.SortFunc(stratum, func(a, b *surveyed) int {
				return cmp.Or(cmp.Compare(draws[a], draws[b]), cmp.Compare(a.item.ID, b.item.ID),
					cmp.Compare(a.step, b.step))
			})
		}
		slices.Reverse(strata) // the highest rewards first
		bySplit = append(bySplit, interleave(strata))
	}
	return interleave(bySplit)
}

// interleave takes one element of each list in turn until all are empty.
func interleave[T any](lists [][]T) []T {
	var out []T
	for i, more := 0, true; more; i++ {
		more = false
		for _, list := range lists {
			if i < len(list) {
				out = append(out, list[i])
				more = true
			}
		}
	}
	return out
}

// luck returns a number that depends only on the seed and the names.
func luck(seed uint64, names ...string) uint64 {
	h := sha256.New()
	fmt.Fprintf(h, "gonogo/audit/1\x00%d", seed)
	for _, name := range names {
		fmt.Fprintf(h, "\x00%s", name)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// source returns the random source of one probe at one item: other probes do not affect it.
func source(seed uint64, probe string, it *rollout.Item) *rand.Rand {
	return rand.New(rand.NewPCG(seed, luck(seed, probe, string(it.Split), it.ID)))
}

// hashOf returns the start of a hash of texts, in hexadecimal.
func hashOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
