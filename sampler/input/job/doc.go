// Package job serves the gonogo command; its API may change in any release.
//
// It reads the body of a reinforcement fine-tuning job.
//
// In: the JSON or YAML that would be sent to create the job, or only its method or reinforcement
// object. Out: a Job with its tools, grader, response format, step limit and hyperparameters, the
// body as it was written, and the paths of the keys that this package does not know. Nothing is
// dropped, nothing is sent.
package job
