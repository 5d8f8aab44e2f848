package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gonogo/sampler/limit"
)

// Error reports an endpoint that every rollout needs and that does not work: nothing listens there,
// it refuses the key, or it does not have what was requested. It ends a run.
type Error struct {
	Boundary string // model, judge, grader, or tool and its name
	URL      string // without query and credentials
	Err      error  // the last failure
	Times    int    // consecutive failures of this kind; 0 if that is not why

	// For is how long nothing was answered, with any failures; 0 if the failures were the same.
	For time.Duration
}

// Error names the endpoint, the cause and what to do.
func (e *Error) Error() string {
	where := e.Boundary + " endpoint"
	if e.URL != "" {
		where += " " + e.URL
	}
	cause, status := e.Err, 0
	if f, ok := AsFailure(e.Err); ok {
		cause, status = f.Err, f.Status
		if f.RetryAfter > limit.Patience {
			cause = fmt.Errorf("%w, and it asks for a pause of %v", cause, f.RetryAfter.Round(time.Second))
		}
	}
	switch {
	case OutOfFiles(e.Err):
		return fmt.Sprintf("no connection to %s could be opened: %v; raise the limit on open files (ulimit -n) or "+
			"lower sampling.concurrency, then run again", where, cause)
	case e.For > 0:
		if status != 0 {
			cause = fmt.Errorf("status %d: %w", status, cause)
		}
		return fmt.Sprintf("%s has not answered for %v; its last failure: %v; fix it and run again: failed "+
			"rollouts are repeated and missing ones made; to wait longer, set sampling.retry_for above %v "+
			"(sampling.breaker 0 = never stop for it)", where, e.For.Round(time.Second), cause,
			max(limit.Outage, e.For).Round(time.Second))
	case e.Times > 0 && e.Boundary == Agent && e.URL == Agent:
		return fmt.Sprintf("the agent failed %d rollouts in a row with the same error: %v; fix it and run again: "+
			"they are repeated and missing ones made; or raise sampling.breaker (0 = never stop for it)", e.Times,
			cause)
	case e.Times > 0 && status == 0:
		return fmt.Sprintf("%s gave no answer %d times in a row: %v; fix it and run again: failed rollouts "+
			"are repeated and missing ones made; or raise sampling.breaker (0 = never stop for it)", where, e.Times,
			cause)
	case e.Times > 0:
		return fmt.Sprintf("%s failed %d times in a row with the same error, status %d: %v; fix it and run again: "+
			"failed rollouts are repeated and missing ones made; or raise sampling.breaker (0 = never stop for it)",
			where, e.Times, status, cause)
	case status == 0 && Unreachable(e.Err):
		return fmt.Sprintf("%s does not answer: %v; start the server or correct its URL, then run again", where, cause)
	case status == 0:
		return fmt.Sprintf("%s does not work: %v", where, cause)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Sprintf("%s refuses the request with status %d: %v; check the key and the headers sent to it",
			where, status, cause)
	case status == http.StatusNotFound && e.Boundary != Model && e.Boundary != Judge:
		return fmt.Sprintf("%s answers with status 404: %v; check its URL", where, cause)
	case status == http.StatusNotFound && strings.HasSuffix(e.URL, "/responses"):
		return fmt.Sprintf("%s answers with status 404: %v; check its URL and the name of the model; a server that "+
			"knows only Chat Completions needs model.api: chat (or judge.api)", where, cause)
	case status == http.StatusNotFound:
		return fmt.Sprintf("%s answers with status 404: %v; check its URL and the name of the model", where, cause)
	}
	return fmt.Sprintf("%s fails with status %d: %v", where, status, cause)
}

// Unwrap returns the last failure.
func (e *Error) Unwrap() error { return e.Err }

// OpenFilesError is the error of a worker that has as many files open as it may.
type OpenFilesError struct{ Text string }

// Error returns the text.
func (e *OpenFilesError) Error() string { return e.Text }

// OutOfFiles reports whether a request was not made because its process, or its machine, has as many
// files open as it may.
func OutOfFiles(err error) bool {
	_, elsewhere := errors.AsType[*OpenFilesError](err)
	return elsewhere || outOfFiles(err)
}
