// Package grader serves the gonogo command; its API may change in any release.
//
// It turns outputs of rollouts into rewards, as the graders of a fine-tuning job would.
//
// In: the job's grader as JSON, an Env with the clients that a grader may need, and outputs of
// package sampler. Out: a sampler.Grade or an error: a grader that fails never returns a number.
// Each kind has its own file; Kinds lists them.
package grader
