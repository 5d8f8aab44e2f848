package grader

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader/internal/formula"
	"gonogo/sampler/jsontext"
)

var multi = Kind{
	Name: "multi",
	Doc:  "Computes the reward from other graders' rewards by a formula, such as tests * (0.7 + 0.3*style).",
	New:  newMulti,
}

// Multi is a grader made of other graders. Its parts are named by their keys in graders, not by
// their own names.
type Multi struct {
	parts   []child // sorted by name
	formula *formula.Formula
	source  string
	invalid bool // invalid_grade is set
}

// child is one part.
type child struct {
	name   string
	grader sampler.Grader
	remote bool
}

func newMulti(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Graders map[string]json.RawMessage `json:"graders"`
		Formula string                     `json:"calculate_output"`
		Invalid json.RawMessage            `json:"invalid_grade"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	if len(c.Graders) == 0 {
		return nil, errors.New("graders is missing: a map from a name, which the formula reads, to a grader")
	}
	if strings.TrimSpace(c.Formula) == "" {
		return nil, errors.New("calculate_output is missing: the formula over the names of graders")
	}
	names := slices.Sorted(maps.Keys(c.Graders))
	f, err := formula.Compile(c.Formula, names)
	if err != nil {
		return nil, fmt.Errorf("calculate_output: %w", err)
	}
	g := &Multi{formula: f, source: c.Formula, invalid: present(c.Invalid)}
	for _, name := range names {
		part, err := newChild(name, c.Graders[name], env)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("graders.%s: %w", name, err), g.Close())
		}
		g.parts = append(g.parts, part)
	}
	if GroupSize(g) > 0 && len(g.SessionReads()) > 0 {
		return nil, errors.Join(errors.New("graders: one part compares a group, which is graded after its rollouts, and "+
			"another works in the session of a rollout, which has ended then"), g.Close())
	}
	for _, part := range g.parts {
		if n := GroupSize(part.grader); n > 0 && n != GroupSize(g) {
			return nil, errors.Join(fmt.Errorf("graders.%s: group is %d, and %d in another part: set both to the group "+
				"size of the training", part.name, n, GroupSize(g)), g.Close())
		}
	}
	return g, nil
}

func newChild(name string, raw json.RawMessage, env Env) (child, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := jsontext.Unmarshal(raw, &head); err != nil {
		return child{}, fmt.Errorf("read the grader: %w", err)
	}
	if head.Type == "multi" {
		return child{}, errors.New("a multi grader cannot be part of another: name its parts in one formula")
	}
	kind, err := find(env.kinds, head.Type)
	if err != nil {
		return child{}, err
	}
	env.part = name
	g, err := New(env.kinds, raw, env)
	return child{name: name, grader: g, remote: kind.Remote}, err
}
