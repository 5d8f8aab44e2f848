// Package console writes, as plain text for a terminal, what is found of a run before and
// while it is made: the checks of its files and endpoints, the trial of its grader, the plan
// of an audit, a rollout as a person reads it, and how runs and endpoints do.
//
// In: values of the sampler and of analysis. Out: lines of English text in which nothing
// steers the terminal. What the run shows once it is judged is package report's.
package console
