// Package limit serves the gonogo command; its API may change in any release.
//
// It holds the policies that pace and bound sampling: how many requests may be in flight at an
// endpoint, which failed requests are retried and when, when an endpoint is given up, and how much
// a run may use.
//
// In: the outcomes of requests, the servers' rate limit headers, counts, the time, a random number
// between 0 and 1. Out: a yes or a no, a delay. The policies have no clock, goroutines or
// randomness of their own, so table tests cover hours in no time.
package limit
