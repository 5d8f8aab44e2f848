package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// Function is a function of a loaded module.
type Function struct {
	pool   *Pool
	module *module
}

// Call calls the function with one JSON text for each argument and returns its result as JSON. A
// failure is a *sampler.GradeError: KindTimeout; KindNotANumber if the result is not finite or cannot
// be written as JSON; KindStart if no interpreter could be started; otherwise KindRuntime, with the
// exception's type, message and source line. If ctx ends first, the worker is killed and the error
// is ctx's cause.
func (f *Function) Call(ctx context.Context, by *endpoint.Caller, args ...json.RawMessage) (json.RawMessage, error) {
	if len(args) != f.module.Args {
		return nil, fmt.Errorf("%s: %s was loaded to take %d arguments, and is called with %d", f.module.Name,
			f.module.Function, f.module.Args, len(args))
	}
	var result json.RawMessage
	resume := by.Pause() // waiting for a worker, starting it and loading the module is not grading time
	defer resume()
	err := f.pool.with(ctx, func(w *worker) error {
		err := w.load(ctx, f.pool.cfg.Timeout, f.module)
		resume()
		if err == nil {
			result, err = w.call(ctx, f.pool.cfg.Timeout, f.module, args)
		}
		return err
	})
	if err != nil {
		return nil, f.callError(ctx, err)
	}
	return result, nil
}

// callError returns a failed call's error with its kind.
func (f *Function) callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	kind := sampler.KindRuntime
	var r *raised
	var s startError
	switch {
	case errors.As(err, &s):
		kind = sampler.KindStart
	case errors.Is(err, errTimeout):
		kind = sampler.KindTimeout
	case errors.As(err, &r) && r.unfit:
		kind = sampler.KindNotANumber
	}
	return &sampler.GradeError{Kind: kind, Err: fmt.Errorf("%s: %s: %w", f.module.Name, f.module.Function, err)}
}

// loadError returns an error that says why a module cannot be used, and how to fix it.
func (p *Pool) loadError(name string, err error) error {
	var s startError
	if errors.As(err, &s) {
		return s.error
	}
	var r *raised
	if !errors.As(err, &r) {
		return fmt.Errorf("load %s: %w", name, err)
	}
	switch r.Type {
	case "Unfit":
		return fmt.Errorf("load %s: %s", name, r.Message)
	case "ModuleNotFoundError":
		return fmt.Errorf("load %s: %s has no module %s%s: install it there, or name another interpreter", name,
			p.Interpreter(), r.Module, r.place())
	}
	return fmt.Errorf("load %s: %w", name, r)
}

// raised is an exception, or an unusable result.
type raised struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Module  string `json:"module"`
	Line    int    `json:"line"`
	In      string `json:"in"`
	Code    string `json:"code"`
	Retire  bool   `json:"retire"`
	unfit   bool
}

// Error returns a text such as "ValueError: the message (line 12, in grade: the code)".
func (r *raised) Error() string {
	if r.unfit {
		return fmt.Sprintf("the result is a %s: %s", r.Type, r.Message)
	}
	if r.Message == "" {
		return r.Type + r.place()
	}
	return r.Type + ": " + r.Message + r.place()
}

// place returns the place in the source, in parentheses; "" if unknown.
func (r *raised) place() string {
	if r.Line == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, " (line %d", r.Line)
	if r.In != "" && r.In != "<module>" {
		b.WriteString(", in " + r.In)
	}
	if r.Code != "" {
		b.WriteString(": " + r.Code)
	}
	b.WriteString(")")
	return b.String()
}
