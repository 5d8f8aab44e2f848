package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"gonogo/sampler/input/document"
)

// take reads a document, or what --set makes one of, into what is written. The error
// lists all mistakes; with one, the job alone is taken, for the mistakes in it.
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
		c.given[k.Path] = place{file, n}
		if to := k.At(&c.written); to.Kind() != reflect.Map { // maps are added to
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

// mistakes are those that the table of keys finds, and a range of rewards that is none.
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
