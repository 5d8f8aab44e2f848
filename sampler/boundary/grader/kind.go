package grader

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/jsontext"
)

// Kind is one type of grader.
type Kind struct {
	Name string // the value of "type"
	Doc  string // one sentence for a user
	New  func(raw json.RawMessage, env Env) (sampler.Grader, error)

	Remote bool // grading calls a server, which takes time and may cost money

	inline func(d definition, dir string) error // reads the files that a definition names; nil if the kind has none
}

// Kinds lists the graders that gonogo can run, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{
		stringCheck, textSimilarity, scoreModel, labelModel, pythonKind, multi, endpointKind, trl,
		verifiers, verl, openrlhf, swift, evalProtocol, lambda, command, agentReward,
	}
}

// Env holds what graders need from outside. The zero value serves graders that need nothing.
type Env struct {
	HTTP        *http.Client                // for endpoints; nil = a new endpoint.HTTPClient
	Judge       sampler.Judge               // for graders that ask a model
	Rewrite     func(address string) string // maps a URL of the job to the one to connect to; nil = unchanged
	Python      *python.Pool                // for python graders, which fail without it
	Dir         string                      // working directory of commands; "" is this program's
	Without     []string                    // environment variables of this program that commands must not see
	Environment sampler.Grader              // grades outputs by playing an episode; nil if there is no environment
	SampleTools string                      // All (also when empty) or Last: the calls that sample.output_tools shows

	kinds []Kind // the kinds passed to New, from which a multi grader makes its parts
	part  string // the name within a multi grader; "" outside
}

// named returns the name for messages: the kind, with the grader's own name or else its name
// within a multi grader.
func (e Env) named(kind, name string) string {
	return strings.TrimSuffix(kind+" grader "+cmp.Or(name, e.part), " ")
}

// New returns the grader that raw describes.
func New(kinds []Kind, raw json.RawMessage, env Env) (sampler.Grader, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := jsontext.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("read the grader: %w", err)
	}
	if env.SampleTools != "" && env.SampleTools != All && env.SampleTools != Last {
		return nil, fmt.Errorf("sample_tools is %q: it is %s or %s", env.SampleTools, All, Last)
	}
	k, err := find(kinds, head.Type)
	if err != nil {
		return nil, err
	}
	env.kinds = kinds
	g, err := k.New(raw, env)
	if err != nil {
		return nil, fmt.Errorf("%s grader: %w", k.Name, err)
	}
	return g, nil
}

// find returns the kind with a name.
func find(kinds []Kind, name string) (Kind, error) {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names[i] = k.Name
	}
	if name == "" {
		return Kind{}, fmt.Errorf("the grader has no type; the types are %s", strings.Join(names, ", "))
	}
	return Kind{}, fmt.Errorf("grader type %q cannot be run; the types are %s", name, strings.Join(names, ", "))
}

// decode reads a grader's JSON into its struct. Unknown keys are not an error here: the reader of
// the job reports them.
func decode(raw json.RawMessage, into any) error {
	if err := jsontext.Unmarshal(raw, into); err != nil {
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) {
			field, embedded := t.Field, []string{"rawCompared", "rawJudged", "rawInput"}
			if head, below, found := strings.Cut(field, "."); found && slices.Contains(embedded, head) {
				field = below // the name of an embedded struct is not a key
			}
			return fmt.Errorf("%q cannot be a %s", field, t.Value)
		}
		return err
	}
	return nil
}

// present reports whether a raw JSON value exists and is not null.
func present(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}
