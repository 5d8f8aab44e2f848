// Package failure knows the marks by which tools say that a rollout was not judged.
//
// In: the keys and values of a log's row, a grader's reply or an agent's result. Out: the
// mark that says that there is no grade, with its cause and whose failure it was.
//
// One rule holds for every reader: what the tool itself marks as not judged is missing,
// whatever number is next to it. The lists of this package are the only ones; docs/failures.md
// is written from them. A tool's own verdict comes first where it has one: a reader that
// knows such a key (ok of verifiers, failureReason of promptfoo, termination_reason of
// tau2-bench) hands on only the keys that it does not know.
package failure
