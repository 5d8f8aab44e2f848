// Package limit holds the policies that pace and bound sampling: when a failed
// request is tried again, and how much a run may use.
//
// In: counts, the server's own wish, a random number between 0 and 1. Out: a
// delay, a yes or a no. The policies have no clock and no randomness of their
// own, so tables test them.
package limit
