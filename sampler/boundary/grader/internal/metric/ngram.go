package metric

// gram is a run of up to five words by their ids, padded with -1.
type gram [5]int32

// grams counts the runs of n ids, 1 <= n <= 5.
func grams(ids []int32, n int) map[gram]int {
	counts := make(map[gram]int, max(len(ids)-n+1, 0))
	for i := 0; i+n <= len(ids); i++ {
		g := gram{-1, -1, -1, -1, -1}
		copy(g[:n], ids[i:i+n])
		counts[g]++
	}
	return counts
}

// overlap counts the runs of n ids that both sequences contain, and the runs of each. A repeated run
// counts as often as in the sequence that has it less often.
func overlap(a, b []int32, n int) (both, inA, inB int) {
	counts := grams(b, n)
	for g, c := range grams(a, n) {
		both += min(c, counts[g])
	}
	return both, max(len(a)-n+1, 0), max(len(b)-n+1, 0)
}
