package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
)

// Read reads a job's body from the text of a file, JSON or YAML.
func Read(file string, text []byte) (*Job, error) {
	ext := strings.ToLower(filepath.Ext(file))
	if isJSON := bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n"),
		[]byte("{")); ext == ".json" || isJSON && ext != ".yaml" && ext != ".yml" {
		return Parse(file, text)
	}
	root, err := document.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return Within(file, "", root, root.JSON())
}

// Within reads the body from n, the node at path in a document: mistakes have their positions in
// the document. If n is nil they have none.
func Within(name, path string, n *document.Node, body []byte) (*Job, error) {
	if n == nil {
		n = &document.Node{}
	}
	j, err := Parse(name, body)
	if err == nil {
		j.within, j.path = n, path
		return j, nil
	}
	errs, ok := errors.AsType[document.Errors](err)
	if !ok {
		return nil, err
	}
	for i, e := range errs {
		errs[i] = (&Job{within: n, path: path}).placed(e)
	}
	return nil, errs.OrNil()
}

// placed gives a mistake its position in the document.
func (j *Job) placed(e document.Error) document.Error {
	if j.within != nil {
		found := j.within.Locate(e.Path)
		e.Line, e.Column = found.Line, found.Column
	}
	e.Path = strings.TrimSuffix(join(j.path, e.Path), ".")
	return e
}

// reparse reads a changed body; its mistakes get the positions of the original document.
func (j *Job) reparse(body []byte) (*Job, error) {
	out, err := Parse(j.name, body)
	if err == nil {
		out.within, out.path = j.within, j.path
		return out, nil
	}
	if errs, ok := errors.AsType[document.Errors](err); ok {
		for i, e := range errs {
			errs[i] = j.placed(e)
		}
	}
	return nil, err
}

// ReadGrader reads the text of a file, JSON or YAML, that holds a grader or a job. A grader without
// a job is returned as a job with nothing else, and alone is true.
func ReadGrader(file string, text []byte) (j *Job, alone bool, err error) {
	n, err := document.Parse(file, text)
	switch {
	case err != nil:
		return nil, false, err
	case n.Kind != document.Map:
		return nil, false, fmt.Errorf("%s:%d:%d: a grader or a job is a map of keys, this is %s", file,
			max(1, n.Line), max(1, n.Column), n.Kind)
	case n.Get("grader") != nil, n.Get("method") != nil, n.Get("reinforcement") != nil:
		j, err = Parse(file, n.JSON())
		return j, false, err
	case n.Get("type") == nil:
		return nil, false, fmt.Errorf("%s: this is neither a grader, which has a type, nor a job, which has a grader, "+
			"nor a Python file (.py) of reward functions", file)
	}
	j, err = Alone(file, n.JSON())
	return j, true, err
}

// Alone returns a job with nothing but the grader.
func Alone(name string, grader json.RawMessage) (*Job, error) {
	return Parse(name, bodyOf(map[string]json.RawMessage{"grader": grader}))
}

// GraderAlone returns a job with nothing but this job's grader.
func (j *Job) GraderAlone() *Job {
	alone, err := Alone(j.name, j.Grader)
	if err != nil { // the grader is part of a job that was parsed
		panic("gonogo: " + err.Error())
	}
	return alone
}

// MaskedGrader returns the grader without secrets: see Masked.
func (j *Job) MaskedGrader() json.RawMessage {
	var keys map[string]json.RawMessage
	_ = jsontext.Unmarshal(j.GraderAlone().Masked(), &keys) // the masked body is JSON
	return keys["grader"]
}

// WithGrader returns the job with another grader.
func (j *Job) WithGrader(to json.RawMessage) (*Job, error) { return j.reparse(j.BodyWith(to)) }

// BodyWith returns the body with another grader.
func (j *Job) BodyWith(to json.RawMessage) json.RawMessage { return withGrader(j.Raw, to) }

func withGrader(body, to json.RawMessage) json.RawMessage {
	var keys map[string]json.RawMessage
	if jsontext.Unmarshal(body, &keys) != nil {
		return body // Parse reports that it is not an object
	}
	if _, ok := keys["grader"]; ok {
		keys["grader"] = to
	}
	for _, inner := range []string{"method", "reinforcement"} {
		if raw, ok := keys[inner]; ok {
			keys[inner] = withGrader(raw, to)
		}
	}
	return bodyOf(keys)
}

func bodyOf(keys map[string]json.RawMessage) json.RawMessage {
	body, err := json.Marshal(keys)
	if err != nil { // a value is not JSON, which Parse reports
		return nil
	}
	return body
}
