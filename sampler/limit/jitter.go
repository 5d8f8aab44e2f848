package limit

import (
	"fmt"
	"hash/fnv"
)

// Jitter returns a number in [0, 1) that depends only on the request and its attempt, so that
// backoff needs no shared source of randomness.
func Jitter(trace, request string, attempt int) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d", trace, request, attempt)
	return float64(Mix(h.Sum64())>>11) / (1 << 53)
}

// Mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): FNV alone leaves the
// high bits of short inputs poorly mixed.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
