package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"gonogo/sampler/input/document"
)

// take reads a document, possibly made from --set, into c.written. The error lists all mistakes;
// with any, only the job is read, to report its mistakes too.
func (c *Config) take(root *document.Node, file string) error {
	switch root.Kind {
	case document.Null:
		return nil
	case document.Map:
	default:
		return Errors{{
			File: file, Line: root.Line, Column: root.Column,
			Msg: fmt.Sprintf("a configuration is a map of keys, this is %s", root.Kind),
		}}
	}
	errs := mistakes(root, file)
	for _, k := range Keys().Keys() {
		n := root.Inner(k.Path)
		if n == nil {
			continue
		}
		c.places[k.Path] = place{file, n}
		if to := k.At(&c.written); to.Kind() != reflect.Map { // maps are merged
			to.SetZero()
		}
	}
	if job := root.Get("job"); len(errs) > 0 && job != nil && (job.Kind == document.Text || job.Kind == document.Map) {
		errs = append(errs, decode(job, file, &c.written.Job)...)
	}
	if len(errs) == 0 {
		errs = decode(root, file, &c.written)
	}
	return errs.OrNil()
}

func decode(n *document.Node, file string, to any) Errors {
	if err := json.Unmarshal(n.JSON(), to); err != nil {
		return Errors{{File: file, Line: n.Line, Column: n.Column, Msg: err.Error()}}
	}
	return nil
}

// mistakes returns the mistakes found by the table of keys, and an invalid reward range.
func mistakes(root *document.Node, file string) Errors {
	errs := Keys().Check(root, file)
	if slices.ContainsFunc(errs, func(e Error) bool { return e.Path == "reward_range" }) {
		return errs
	}
	var ends [2]*float64
	if n := root.Get("reward_range"); n != nil && decode(n, file, &ends) == nil && ends[0] != nil && ends[1] != nil &&
		*ends[0] >= *ends[1] {
		msg := fmt.Sprintf("the first number must be below the second, got [%g, %g]", *ends[0], *ends[1])
		errs = append(errs, Error{File: file, Line: n.Line, Column: n.Column, Path: "reward_range", Msg: msg})
	}
	return errs
}
