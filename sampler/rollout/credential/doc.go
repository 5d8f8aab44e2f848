// Package credential serves the gonogo command; its API may change in any release.
//
// It tells secrets from what is not one, by names and values.
//
// In: names of headers, keys and parameters, with their values. Out: what must be
// masked. It masks nothing itself: rollout.Redactor does.
package credential
