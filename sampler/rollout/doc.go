// Package rollout defines the project's central record: one attempt of a model at one
// item, from start to end.
//
// In: lines of rollouts.jsonl and items.jsonl, and run.json; probes.jsonl and labels.jsonl, which
// concern the grader. Out: Records, Items, Labels and a Manifest, and the same files again. Records
// are all that sampling passes to analysis. Standard library only, and no network.
package rollout
