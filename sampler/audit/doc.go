// Package audit plans what is put to a grader to learn whether it can be
// fooled, whether it knows a right answer, and whether it repeats itself.
//
// In: the items of a run, their references, the recorded rollouts, the probes
// and detectors. Out: a Plan, whose tasks are records of source "probe" that
// sampler.Regrade hands to the grader and writes to probes.jsonl. Nothing here
// asks anybody anything: the same run, seed and settings give the same plan,
// and what it will cost is known before the first grading.
//
// A Probe says in its Doc what it puts to the grader and what a sound grader
// does with it. To add one, write a file and add a line to Probes.
package audit
