package sampler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"

	"gonogo/sampler/rollout"
)

// TraceID names one attempt at one rollout: "trace_" and 32 hexadecimal
// digits, a hash of the run's seed and the rollout's place in the run. The same
// run gives the same ids at any concurrency, two attempts never share one, and
// every tool and grader call of the rollout carries it.
func TraceID(seed uint64, split rollout.Split, item string, sample, attempt int) string {
	return traceID("trace", seed, split, item, sample, attempt)
}

// rehearsalID is the TraceID of a rehearsal: a tool that keeps state by trace
// id must not meet the run's first rollout again.
func rehearsalID(seed uint64, split rollout.Split, item string, sample, attempt int) string {
	return traceID("rehearsal", seed, split, item, sample, attempt)
}

func traceID(space string, seed uint64, split rollout.Split, item string, sample, attempt int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "gonogo/%s/1\x00%d\x00%s\x00%s\x00%d\x00%d", space, seed, split, item, sample, attempt))
	return "trace_" + hex.EncodeToString(sum[:16])
}

// requestID names one model request: the trace and the turn, from 0.
func requestID(trace string, turn int) string { return trace + "/" + strconv.Itoa(turn) }

// jitter returns a number in [0, 1) that depends on nothing but the request
// and its attempt, so backoff needs no shared source of randomness.
func jitter(trace, request string, attempt int) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d", trace, request, attempt)
	return float64(mix(h.Sum64())>>11) / (1 << 53)
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): FNV
// alone leaves the high bits of short inputs poorly mixed.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
