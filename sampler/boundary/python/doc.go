// Package python serves the gonogo command; its API may change in any release.
//
// It runs functions written in Python, such as the graders of a job, in a pool of long-lived
// interpreters.
//
// In: a Config, the source of a module, the name of a function in it and its arguments as JSON.
// Out: the function's result as JSON, or a *sampler.GradeError that says how it failed.
//
// Each worker is one interpreter; a call is a line in and a line out. A worker runs in bubblewrap
// or in its own namespaces, made by unshare, if the machine allows it; Isolation says what applies.
// A worker that exceeds the time limit is killed with everything that it started, and replaced.
// Within one interpreter nothing is hidden from a function that looks for it: the sandbox protects
// the machine and prevents accidents, but it does not make a grader honest.
//
// A module is loaded once in each worker and stays loaded, so a call sees what the previous one left
// in the module's globals or in /tmp. String hashes are the same in every worker and every run
// (PYTHONHASHSEED=0), so the order of a set adds no noise. The module random is not seeded: a grader
// that uses it is noisy, and the noise should show.
package python
