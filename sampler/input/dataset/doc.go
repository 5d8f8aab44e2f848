// Package dataset serves the gonogo command; its API may change in any release.
//
// It reads the data files of a reinforcement fine-tuning job.
//
// In: JSONL files, one object per line with messages and whatever else the grader reads, JSON files
// with a list of such objects, or Parquet files; text may be compressed. Out: Items, each with its
// split, its position in the file and its row verbatim, and the Problems that a training platform
// would have with the files. What cannot be read is an error with file:line; what breaks a
// platform's rules is a Problem. The package also draws seeded, stratified subsets.
package dataset
