// Package python serves the gonogo command; its API may change in any release.
//
// It runs functions written in Python, such as the graders of a job, in a pool of long-lived
// interpreters.
//
// In: a Config, the source of a module, the name of a function in it and its
// arguments as JSON. Out: what the function returned, as JSON, or a
// *sampler.GradeError that says how it failed.
//
// Each worker is one interpreter that answers one call a line. It runs inside bubblewrap,
// or in namespaces of its own made by unshare, where the machine allows that; Isolation
// says what holds. Whatever a function does, when the time is up its worker is killed
// with everything it started, and replaced. Within one interpreter nothing is hidden from
// a function that looks for it: the sandbox protects the machine and prevents accidents;
// it does not make a grader honest.
//
// A module is loaded once in each worker and stays loaded: the next call in that worker
// sees whatever the last one left in its globals or in /tmp. String hashes are the same
// in every worker and every run (PYTHONHASHSEED=0), so the order of a set adds no
// noise. Nothing seeds the module random: a grader that uses it is noisy, and that should
// show.
package python
