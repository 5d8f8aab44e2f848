// Package console writes, as plain text for a terminal, what is known about a run before and while
// it is made: the checks of its files and endpoints, the trial of its grader, the plan of an audit,
// a rollout in readable form, and the state of runs and endpoints.
//
// In: values of the sampler and of analysis. Out: lines of English text that cannot control the
// terminal. Package report shows the run once it is judged.
package console
