// Package burst measures endpoints under the load of a training step. In: the burst of a run,
// which is the requests of whole steps made at once. Out: an analysis.Burst with what each
// endpoint lost, how its latency grows, and which answers departed from their contract.
package burst
