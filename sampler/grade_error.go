package sampler

import (
	"errors"

	"gonogo/sampler/endpoint"
)

// GradeError is a grading without a grade, with the kind of its failure. The kinds are the error
// keys of the wire contract where it has one.
type GradeError struct {
	Kind string
	Err  error
}

// The kinds of a grader's failure. A failure of an endpoint that is not a GradeError has the kind
// KindServer, or KindTimeout if no answer came in time.
const (
	KindServer     = "grader_server_error" // no answer, or an error status
	KindStart      = "grader_start_error"  // its program could not be started
	KindTimeout    = "grader_timeout"      // no answer in time
	KindMalformed  = "malformed_reply"     // HTML, broken JSON, no score
	KindNotANumber = "not_a_number"        // a score that is text, NaN or infinite
	KindRange      = "out_of_range"        // a number outside the reward range
	KindReported   = "reported_error"      // the reply says that grading failed
	KindRuntime    = "python_grader_runtime_error"
	KindParse      = "model_grader_parse_error"   // a judge's answer lacks what was asked for
	KindRefusal    = "model_grader_refusal_error" // the judge refused
	KindCutOff     = "model_grader_exceeded_max_tokens_error"
	KindVariable   = "invalid_variable_error" // a template names a missing variable
	KindFormula    = "formula_parse_error"    // the value of a formula is not a number
	KindBatch      = "depends_on_batch"       // a reward depends on the other outputs of a batch
	KindOther      = "other_error"
)

// Error returns the text of the cause.
func (e *GradeError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *GradeError) Unwrap() error { return e.Err }

// gradeKind returns the kind of a failed grading: that of a *GradeError anywhere in the chain, else
// the one that follows from the endpoint's failure.
func gradeKind(err error) string {
	if e, ok := errors.AsType[*GradeError](err); ok {
		return e.Kind
	}
	if late(err) {
		return KindTimeout
	}
	if _, ok := endpoint.AsFailure(err); ok {
		return KindServer
	}
	return KindOther
}

// late reports whether err is a timeout.
func late(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}
