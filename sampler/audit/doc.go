// Package audit plans the tests of a grader: whether it can be fooled, whether it
// accepts a right answer, and whether it repeats its grades.
//
// In: the items of a run, their references, the recorded rollouts, the probes and
// detectors. Out: a Plan, whose tasks are records of source "probe" that
// sampler.Regrade hands to the grader and writes to probes.jsonl. The package makes no
// requests: the same run, seed and settings give the same plan, and its cost is known
// before the first grading. Only Input.Mutant may run something: tests that rows have for code.
//
// A Probe's Doc says what it submits to the grader and what a sound grader does with it. To add a
// probe, write a file and add a line to Probes.
package audit
