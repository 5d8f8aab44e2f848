package sampler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"gonogo/sampler/rollout"
)

// TraceID names one attempt at one rollout: "trace_" and 32 hexadecimal digits, a hash of the run's
// seed and the rollout's place in the run. The same run gives the same ids at any concurrency, two
// attempts never share one, and every tool and grader call of the rollout carries it.
func TraceID(seed uint64, split rollout.Split, item string, sample, attempt int) string {
	return traceID("trace", seed, split, item, sample, attempt)
}

// rehearsalID is the TraceID of a rehearsal: a tool that keeps state by trace id must not see the
// run's first rollout twice.
func rehearsalID(seed uint64, split rollout.Split, item string, sample, attempt int) string {
	return traceID("rehearsal", seed, split, item, sample, attempt)
}

func traceID(space string, seed uint64, split rollout.Split, item string, sample, attempt int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "gonogo/%s/1\x00%d\x00%s\x00%s\x00%d\x00%d", space, seed, split, item,
		sample, attempt))
	return "trace_" + hex.EncodeToString(sum[:16])
}

// requestID names one model request: the trace and the turn, from 0.
func requestID(trace string, turn int) string { return trace + "/" + strconv.Itoa(turn) }
