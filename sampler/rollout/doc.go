// Package rollout holds the noun of the project: one attempt of a model at
// one item, carried to its end.
//
// In: lines of rollouts.jsonl and items.jsonl, and the run.json beside them; of
// probes.jsonl and labels.jsonl, which are about the grader.
// Out: Records, Items, Labels and a Manifest, and the same files again. A Record is
// the only thing that passes between the room that samples and the room that
// judges. Standard library only, and no network.
package rollout
