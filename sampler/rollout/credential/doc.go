// Package credential serves the gonogo command; its API may change in any release.
//
// It distinguishes secrets from other values, by name and value.
//
// In: names of headers, keys and parameters, with their values. Out: what must be
// masked. It masks nothing itself: rollout.Redactor does.
package credential
