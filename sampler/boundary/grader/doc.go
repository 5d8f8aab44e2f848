// Package grader serves the gonogo command; its API may change in any release.
//
// It turns outputs of rollouts into rewards, as the graders of a fine-tuning job would.
//
// In: the job's grader as JSON, an Env with the clients a grader may need, and
// outputs of package sampler. Out: sampler.Grade, or an error: a failure of a
// grader is never a number. One file a kind, listed in Kinds.
package grader
