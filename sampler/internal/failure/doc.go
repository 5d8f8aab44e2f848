// Package failure recognizes the marks with which tools say that a rollout was not judged.
//
// In: the keys and values of a log's row, a grader's reply or an agent's result. Out: the mark that
// says that there is no grade, with its cause and the boundary that failed.
//
// One rule holds for every reader: what the tool itself marks as not judged is missing, whatever
// number is next to it. The lists of this package are the only ones; docs/failures.md is generated
// from them. A tool's own verdict takes precedence: a reader that knows such a key (ok of
// verifiers, failureReason of promptfoo, termination_reason of tau2-bench) passes on only the keys
// that it does not know.
package failure
