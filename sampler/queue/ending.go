package queue

import (
	"errors"
	"net"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// failure is the wire form of endpoint.Failure.
type failure struct {
	URL        string        `json:"url,omitempty"`
	Status     int           `json:"status,omitempty"`
	Hidden     int           `json:"hidden,omitempty"`
	Temporary  bool          `json:"temporary,omitempty"`
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	Fatal      bool          `json:"fatal,omitempty"`
	Unreached  bool          `json:"unreached,omitempty"` // no connection was made
	NoFiles    bool          `json:"no_files,omitempty"`  // because the worker has too many files open
	Text       string        `json:"text"`
}

func sendFailure(f *endpoint.Failure) *failure {
	if f == nil {
		return nil
	}
	return &failure{
		f.URL, f.Status, f.Hidden, f.Temporary, f.RetryAfter, f.Fatal, endpoint.Unreachable(f.Err),
		endpoint.OutOfFiles(f.Err), f.Err.Error(),
	}
}

func (f *failure) failure() *endpoint.Failure {
	if f == nil {
		return nil
	}
	err := errors.New(endpoint.Brief(f.Text))
	switch {
	case f.NoFiles:
		err = &endpoint.OpenFilesError{Text: err.Error()}
	case f.Unreached:
		err = &unreached{err.Error(), &net.OpError{Op: "dial", Err: err}}
	}
	return &endpoint.Failure{
		URL: endpoint.Brief(f.URL), Status: f.Status, Hidden: f.Hidden, Temporary: f.Temporary,
		RetryAfter: f.RetryAfter,
		Fatal:      f.Fatal, Err: err,
	}
}

// unreached is the error of a worker that could not connect to an endpoint.
type unreached struct {
	text string
	as   *net.OpError
}

func (e *unreached) Error() string { return e.text }
func (e *unreached) Unwrap() error { return e.as }

// ending is the wire form of an error that ends a run: its kind and its parts.
type ending struct {
	Kind     string        `json:"kind"`
	Text     string        `json:"text,omitempty"`
	Boundary string        `json:"boundary,omitempty"`
	URL      string        `json:"url,omitempty"`
	Times    int           `json:"times,omitempty"`
	For      time.Duration `json:"for_ns,omitempty"`
	Failure  *failure      `json:"failure,omitempty"`
	Items    int           `json:"items,omitempty"`
	Item     string        `json:"item,omitempty"`
	Value    float64       `json:"value,omitempty"`
	Range    [2]float64    `json:"range,omitzero"`
	Assumed  bool          `json:"assumed,omitempty"`
}

// The kinds of endings.
const (
	endEndpoint   = "endpoint"
	endRange      = "range"
	endGraderless = "graderless"
	endLeftOpen   = "left_open"
	endOther      = "other"
)

// sendEnd encodes an error that ends a run; nil for nil.
func sendEnd(err error) *ending {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*endpoint.Error](err); ok {
		out := &ending{
			Kind: endEndpoint, Boundary: e.Boundary, URL: e.URL, Times: e.Times, For: e.For,
			Text: e.Err.Error(),
		}
		if f, ok := endpoint.AsFailure(e.Err); ok {
			out.Failure = sendFailure(f)
		}
		return out
	}
	if e, ok := errors.AsType[*sampler.RangeError](err); ok {
		return &ending{Kind: endRange, Value: e.Value, Range: e.Range, Item: e.Item, Items: e.Items, Assumed: e.Assumed}
	}
	if e, ok := errors.AsType[*sampler.GraderFailedError](err); ok {
		return &ending{Kind: endGraderless, Items: e.Items, Text: e.Err.Error()}
	}
	if e, ok := errors.AsType[*sampler.StuckSessionsError](err); ok {
		return &ending{Kind: endLeftOpen, Times: e.Times, Text: e.Err.Error()}
	}
	return &ending{Kind: endOther, Text: err.Error()}
}

// error decodes what sendEnd encoded.
func (e *ending) error() error {
	text := errors.New(endpoint.Brief(e.Text))
	switch e.Kind {
	case endEndpoint:
		end := &endpoint.Error{
			Boundary: endpoint.Brief(e.Boundary), URL: endpoint.Brief(e.URL), Err: text,
			Times: e.Times, For: e.For,
		}
		if e.Failure != nil {
			end.Err = e.Failure.failure()
		}
		return end
	case endRange:
		return &sampler.RangeError{Value: e.Value, Range: e.Range, Item: e.Item, Items: e.Items, Assumed: e.Assumed}
	case endGraderless:
		return &sampler.GraderFailedError{Items: e.Items, Err: text}
	case endLeftOpen:
		return &sampler.StuckSessionsError{Times: e.Times, Err: text}
	}
	return text
}

// now reports whether the run is aborted at once. As in a local run, the first refusal of a
// key aborts it, whereas a breaker lets the other rollouts finish.
func (e *ending) now() bool {
	return e.Kind == endEndpoint && e.Times == 0 && e.For == 0 || e.Kind == endOther
}
