// Package prompt serves the gonogo command; its API may change in any release.
//
// It tells whether two prompts are the same.
//
// In: the text of a prompt's messages. Out: its Identity, which is the same for all rollouts of one
// item, and what differs between two prompts.
package prompt
