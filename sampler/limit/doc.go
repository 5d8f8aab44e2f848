// Package limit holds the policies that pace and bound sampling: how many
// requests an endpoint is sent at once and when, which failed request is tried
// again and when, when an endpoint is given up, and how much a run may use.
//
// In: what came of requests, what servers say of their limits, counts, the time,
// a random number between 0 and 1. Out: a yes or a no, a delay. The policies have
// no clock, no goroutines and no randomness of their own, so tables test them, an
// hour in no time.
package limit
