// Package dataset serves the gonogo command; its API may change in any release.
//
// It reads the data files of a reinforcement fine-tuning job.
//
// In: JSONL files, one object a line with messages and whatever else the grader
// reads. Out: Items, each with its split, its place in the file and its row verbatim,
// and the Problems that a training platform would have with the files. What cannot be
// read is an error with file:line; what breaks a platform's rules is a Problem. The
// package also takes seeded, stratified subsets. Standard library only.
package dataset
