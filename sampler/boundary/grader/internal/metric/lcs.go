package metric

import "math/bits"

// lcs returns the length of the longest common subsequence of two sequences of ids below distinct.
// It reads the longer sequence once for every 64 elements of the shorter one (Hyyrö 2004,
// "Bit-parallel LCS-length computation revisited"), so it takes len(a)·len(b)/64 steps, and memory
// linear in the longer sequence and distinct.
func lcs(a, b []int32, distinct int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	masks := make([]uint64, distinct) // positions of each id in the block
	carry := make([]uint64, len(b))   // carry of the previous block, by column
	length := 0
	for start := 0; start < len(a); start += 64 {
		block := a[start:min(start+64, len(a))]
		for i, id := range block {
			masks[id] |= 1 << i
		}
		s := ^uint64(0)
		for j, id := range b {
			u := s & masks[id]
			sum, out := bits.Add64(s, u, carry[j])
			s, carry[j] = sum|(s-u), out
		}
		length += bits.OnesCount64(^s)
		for _, id := range block {
			masks[id] = 0
		}
	}
	return length
}

// numbered replaces the elements of two sequences by ids from 0; equal elements have the same id.
func numbered[T comparable](a, b []T) (x, y []int32, distinct int) {
	known := make(map[T]int32, len(a))
	number := func(from []T) []int32 {
		to := make([]int32, len(from))
		for i, v := range from {
			id, ok := known[v]
			if !ok {
				id = int32(len(known))
				known[v] = id
			}
			to[i] = id
		}
		return to
	}
	x, y = number(a), number(b)
	return x, y, len(known)
}
