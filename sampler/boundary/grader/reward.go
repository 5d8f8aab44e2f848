package grader

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gonogo/sampler"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

//go:embed adapter/reward.py
var rewardAdapter string

// Reward is a reward function written in Python for a trainer's library. An adapter in Python
// calls it as that library does, with one output at a time, or with a group of an item's outputs.
//
// An exception, None and NaN are failures, never a reward of 0.
type Reward struct {
	loaded
	source  string
	extra   python.Extra
	names   []string  // names of the functions, if the definition names them
	weights []float64 // weight of each function; nil: all 1
	choices map[string]string

	group int         // outputs of an item that the functions compare; 0: they see one at a time
	batch *batchCheck // nil: no check whether the functions compare outputs
}

// batchCheck keeps earlier outputs. Some gradings grade an output again in a batch with them, to see
// whether the functions give it the same reward as by itself.
type batchCheck struct {
	mu    sync.Mutex // guards the fields below
	count int        // gradings so far
	kept  []adapterOutput
}

// The gradings that check the batch, and how many outputs the batch adds.
const (
	batchFirst = 16 // the first 16 gradings all check,
	batchEvery = 16 // later ones 1 in 16
	batchKept  = 3
)

// next returns the outputs to put in a batch with the next one; nil if there is no batch.
func (b *batchCheck) next(output adapterOutput) []adapterOutput {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	if b.count > batchFirst && b.count%batchEvery != 0 {
		return nil
	}
	out := append([]adapterOutput{}, b.kept...)
	if !slices.ContainsFunc(b.kept, func(h adapterOutput) bool { return h.Text == output.Text }) {
		b.kept = append(b.kept, output)
		b.kept = b.kept[max(0, len(b.kept)-batchKept):]
	}
	return out
}

// rewardSource holds the keys that all definitions of reward functions share.
type rewardSource struct {
	Type    string       `json:"type"`
	Name    string       `json:"name"`
	Source  string       `json:"source"`
	File    string       `json:"file"`
	Modules []moduleFile `json:"modules"`
	Group   *int         `json:"group"` // outputs of an item that the functions compare

	PassThreshold *float64 `json:"pass_threshold"`
}

// moduleFile is a module that the source imports.
type moduleFile struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// rewardFunctions names functions of the source and their weights.
type rewardFunctions struct {
	Function  string    `json:"function"`
	Functions []string  `json:"functions"`
	Weights   []float64 `json:"weights"`
}

// grouped lists the kinds whose functions may get a group of outputs.
var grouped = []string{"trl", "verl", "ms_swift", "verifiers", "eval_protocol"}

// identifier matches what Python accepts as a name.
var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// decodeStrict reads a definition and refuses unknown keys. It is for gonogo's own kinds: no service
// defines keys for them that are unknown here.
func decodeStrict(raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		key := t.Field[strings.LastIndexByte(t.Field, '.')+1:] // below the names of embedded structs
		return fmt.Errorf("%q cannot be a %s", key, t.Value)
	}
	if err != nil {
		return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
	}
	return nil
}

// list returns the names of the functions. An empty list means the source's only function.
func (f rewardFunctions) list() ([]string, error) {
	names := f.Functions
	if f.Function != "" {
		if len(names) > 0 {
			return nil, errors.New("function and functions are both set: use one of them")
		}
		names = []string{f.Function}
	}
	for i, name := range names {
		if !identifier.MatchString(name) {
			return nil, fmt.Errorf("functions: %q is not a name of a function", name)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("functions: %s is listed twice", name)
		}
	}
	if f.Weights != nil && len(f.Weights) != max(1, len(names)) {
		return nil, fmt.Errorf("weights: there are %d for %d functions", len(f.Weights), max(1, len(names)))
	}
	return names, nil
}

// one returns the only function of a trainer that calls one, by default the one of a name.
func (f rewardFunctions) one(name string) (rewardFunctions, error) {
	switch {
	case f.Weights != nil:
		return f, errors.New("weights: the trainer calls one function, which has no weight")
	case len(f.Functions) > 1:
		return f, errors.New("functions: the trainer calls one function: name it with function")
	case f.Function == "" && len(f.Functions) == 0:
		f.Function = name
	}
	return f, nil
}

// newReward makes a grader of a kind with that kind's adapter.
func newReward(kind string, c rewardSource, f rewardFunctions, adapter string, options map[string]any,
	choices map[string]string, env Env,
) (*Reward, error) {
	names, err := f.list()
	switch {
	case err != nil:
		return nil, err
	case c.Source == "" && c.File != "":
		return nil, fmt.Errorf("file: %s was not read: give its text as source", c.File)
	case strings.TrimSpace(c.Source) == "":
		return nil, errors.New("file is missing: name the Python file with the reward functions")
	case c.Group != nil && !slices.Contains(grouped, kind):
		return nil, fmt.Errorf("group: functions of %s grade one output at a time", kind)
	case c.Group != nil && *c.Group < 2:
		return nil, fmt.Errorf("group is %d: it must be the group size of the training, at least 2", *c.Group)
	case env.Python == nil:
		return nil, errors.New("no python interpreters to run it in: this program was set up without them")
	}
	g := &Reward{
		source: c.Source, names: names, weights: f.Weights, choices: choices,
	}
	if c.Group != nil {
		g.group = *c.Group
	}
	g.loaded = loaded{pool: env.Python, name: env.named(kind, c.Name), load: g.loadFunctions}
	for _, m := range c.Modules {
		if !identifier.MatchString(m.Name) {
			return nil, fmt.Errorf("modules: %q is not a name of a module", m.Name)
		}
		if g.extra.Modules == nil {
			g.extra.Modules = make(map[string]string)
		}
		g.extra.Modules[m.Name] = m.Source
	}
	options["functions"], options["weights"], options["group"] = names, f.Weights, g.group > 0
	if g.extra.Options, err = json.Marshal(options); err != nil {
		return nil, err
	}
	g.extra.Adapter = rewardAdapter + adapter
	return g, nil
}

func (g *Reward) loadFunctions(ctx context.Context) (*python.Function, error) {
	word := "reward"
	if len(g.names) == 1 {
		word = g.names[0]
	}
	f, err := g.pool.LoadWith(ctx, g.name, g.source, word, 1, g.extra)
	if err != nil && strings.Contains(err.Error(), "has no module") {
		return nil, fmt.Errorf("%w; list your own files of other folders that it imports under modules", err)
	}
	return f, err
}

// Grade calls the functions with the item's row and the output.
func (g *Reward) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	f, err := g.function(ctx)
	if err != nil {
		return sampler.Grade{}, err
	}
	output := forAdapter(out)
	switch {
	case g.group > 0:
		output.Place = out.Place
		for _, other := range out.Group {
			output.Group = append(output.Group, forAdapter(other))
		}
	case g.batch != nil:
		output.Beside = g.batch.next(output)
	}
	request, err := json.Marshal(output)
	if err != nil {
		return sampler.Grade{}, err
	}
	text, err := f.Call(ctx, out.Caller, request)
	if err != nil {
		return sampler.Grade{}, err
	}
	var result struct {
		Reward  *float64           `json:"reward"`
		Parts   map[string]float64 `json:"parts"`
		NoGrade string             `json:"no_grade"`
		Kind    string             `json:"kind"`

		Said map[string]json.RawMessage `json:"said"`
	}
	if err := jsontext.Unmarshal(text, &result); err != nil {
		return sampler.Grade{}, failed(sampler.KindNotANumber, "%s: the result is not a number: %s", g.name,
			endpoint.Brief(string(text)))
	}
	if result.Reward == nil {
		return sampler.Grade{}, failed(result.Kind, "%s: %s", g.name, result.NoGrade)
	}
	if f, is := markOf(result.Said, (*failure.Marks).Row); is {
		return sampler.Grade{}, failed(sampler.KindReported, "%s: the result reports an error: %s", g.name,
			endpoint.Brief(f.Text()))
	}
	if len(result.Parts) == 0 {
		result.Parts = nil
	}
	return sampler.Grade{Reward: *result.Reward, Parts: result.Parts}, nil
}

// adapterOutput is an output as an adapter receives it.
type adapterOutput struct {
	Item       json.RawMessage   `json:"item"`
	Text       string            `json:"text"`
	Completion []rollout.Message `json:"completion"`
	TraceID    string            `json:"trace_id"`
	Finish     string            `json:"finish_reason"`
	Beside     []adapterOutput   `json:"beside,omitzero"` // batched with it; empty: only itself again; nil: none
	Group      []adapterOutput   `json:"group,omitempty"` // graded together, this one at Place
	Place      int               `json:"place,omitempty"`
}

func forAdapter(out sampler.Output) adapterOutput {
	row := out.Item.Row
	if len(row) == 0 {
		row = json.RawMessage(`{}`)
	}
	return adapterOutput{
		Item: row, Text: out.Text, Completion: completion(out), TraceID: out.TraceID, Finish: out.FinishReason,
	}
}

// completion returns the conversation after the prompt. It ends with the answer that is graded,
// which may differ from the recorded one: an audit substitutes others.
func completion(out sampler.Output) []rollout.Message {
	all := slices.Clone(out.Messages)
	if n := len(all); n > 0 && all[n-1].Role == "assistant" && len(all[n-1].ToolCalls) == 0 {
		if all[n-1].Content == out.Text {
			return all
		}
		all = all[:n-1]
	}
	return append(all, rollout.Message{Role: "assistant", Content: out.Text})
}

// Info returns the formula that computes the reward from several functions; empty for one.
func (g *Reward) Info() rollout.GraderInfo {
	if len(g.names) < 2 {
		return rollout.GraderInfo{}
	}
	terms := slices.Clone(g.names)
	for i, w := range g.weights {
		if w != 1 {
			terms[i] = fmt.Sprintf("%v*%s", w, terms[i])
		}
	}
	return rollout.GraderInfo{Formula: strings.Join(terms, " + "), Parts: g.names}
}

// Choices says which interpreter runs the source, and what counts as a reward.
func (g *Reward) Choices() map[string]string {
	out := maps.Clone(g.choices)
	switch {
	case g.group > 0:
		out["outputs of a call"] = fmt.Sprintf("those of a group of %d samples of the item", g.group)
	case g.batch != nil:
		out["outputs of a call"] = "one; a function that gives different rewards in a batch is refused"
	}
	if runs := g.pool.Interpreter(); runs != "" {
		out["python interpreter"] = runs
		out["python isolation"] = g.pool.Isolation()
	}
	return out
}
