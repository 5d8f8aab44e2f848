package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"gonogo/sampler"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/endpoint"
)

var pythonKind = Kind{
	Name: "python",
	Doc: "Runs your function grade(sample, item) in a pool of Python interpreters. The reward is the number it " +
		"returns.",
	New: newPython,

	inline: inlineFile,
}

// largestSource is the service's limit on a source: 256 kB.
const largestSource = 256_000

// Python is a grader written in Python. Its number is not checked against the reward range. An
// exception and a result that is not a number are failures. The hosted service counts both as a
// reward of 0, but a 0 that the answer did not earn teaches the model the wrong thing.
type Python struct {
	loaded
	source string
	image  string // the image that the definition requests; "" if none
	tools  string

	failed atomic.Int64 // gradings that the service would have scored 0
}

func newPython(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Name   string `json:"name"`
		Source string `json:"source"`
		Image  string `json:"image_tag"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(c.Source) == "":
		return nil, errors.New("source is missing: it must define grade(sample, item)")
	case len(c.Source) >= largestSource:
		return nil, fmt.Errorf("source has %d bytes: the service takes less than %d", len(c.Source), largestSource)
	case env.Python == nil:
		return nil, errors.New("no python interpreters to run it in: this program was set up without them")
	}
	g := &Python{source: c.Source, image: c.Image, tools: env.SampleTools}
	g.loaded = loaded{pool: env.Python, name: env.named("python", c.Name), load: g.loadGrade}
	return g, nil
}

func (g *Python) loadGrade(ctx context.Context) (*python.Function, error) {
	return g.pool.Load(ctx, g.name, g.source, "grade", 2)
}

// Grade calls the function with the whole namespace sample and the item's row.
func (g *Python) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	f, err := g.function(ctx)
	if err != nil {
		return sampler.Grade{}, err
	}
	item := out.Item.Row
	if len(item) == 0 {
		item = json.RawMessage(`{}`)
	}
	result, err := f.Call(ctx, out.Caller, NewSample(out, g.tools).JSON(), item)
	if err != nil {
		return sampler.Grade{}, g.note(err)
	}
	reward, err := number(result)
	if err != nil {
		return sampler.Grade{},
			g.note(&sampler.GradeError{Kind: sampler.KindNotANumber, Err: fmt.Errorf("%s: %w", g.name, err)})
	}
	return sampler.Grade{Reward: reward}, nil
}

// number reads the result of grade. An int counts as a float, and so does a bool, which is an int
// in Python. How the service treats either is not documented.
func number(result json.RawMessage) (float64, error) {
	switch text := string(result); {
	case text == "true":
		return 1, nil
	case text == "false":
		return 0, nil
	case text == "null":
		return 0, errors.New("grade returned None: it must return a float on every path")
	case strings.HasPrefix(text, `"`):
		return 0, fmt.Errorf("grade returned the str %s: it must return a float", endpoint.Brief(text))
	case strings.HasPrefix(text, "["):
		return 0, errors.New("grade returned a list: it must return a float")
	case strings.HasPrefix(text, "{"):
		return 0, errors.New("grade returned a dict: it must return a float")
	}
	v, err := strconv.ParseFloat(string(result), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("grade returned %s: that is not a finite float", endpoint.Brief(string(result)))
	}
	return v, nil
}

// note counts a failure that the service would have scored 0, and says so in the error.
func (g *Python) note(err error) error {
	e, ok := errors.AsType[*sampler.GradeError](err)
	if !ok || e.Kind != sampler.KindRuntime && e.Kind != sampler.KindNotANumber {
		return err
	}
	g.failed.Add(1)
	return &sampler.GradeError{Kind: e.Kind, Err: fmt.Errorf("%w; the hosted service would have scored it 0", e.Err)}
}

// Reads lists the keys of sample whose names occur in the source. This is a guess: tool_calls is
// below choices, and code can build a name at run time.
func (g *Python) Reads() []string {
	var keys []string
	for _, key := range sampleKeys {
		if strings.Contains(g.source, key) {
			keys = append(keys, key)
		}
	}
	return union(keys)
}

// Warnings reports the outputs so far that the service would have scored 0.
func (g *Python) Warnings() []string {
	n := g.failed.Load()
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: gradings that raised an exception or returned no finite number: %d; they have "+
		"no grade here, and the hosted service would have scored them 0", g.name, n)}
}

// Choices says which interpreter runs the source, how it is isolated, and what counts as a number.
func (g *Python) Choices() map[string]string {
	out := map[string]string{
		"python result": "a float or an int is the reward, True and False are 1 and 0; an exception or anything " +
			"else is a failed grading and not the 0 that the hosted service gives",
	}
	if runs := g.pool.Interpreter(); runs != "" {
		out["python interpreter"] = fmt.Sprintf("%s; the hosted service's image may have other modules and versions",
			runs)
		if g.image != "" {
			out["python interpreter"] = fmt.Sprintf(
				"%s; the hosted service's image %s may have other modules and versions", runs, g.image)
		}
		out["python isolation"] = g.pool.Isolation()
	}
	return out
}
