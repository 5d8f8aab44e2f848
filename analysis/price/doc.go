// Package price serves the gonogo command; its API may change in any release.
//
// It holds what tokens, tool calls and hours of training cost: the prices of a
// configuration, those of a published list, and what a rollout cost by them.
package price
