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

// Reward is a reward function that was written in Python for a trainer's library:
// an adapter in Python calls it as that library does, for one output at a time.
//
// An exception, None and NaN are failures, never a reward of 0.
type Reward struct {
	loaded
	source  string
	extra   python.Extra
	names   []string  // of the functions, as far as they are named
	weights []float64 // of each; nil is 1
	choices map[string]string

	beside *besides // nil: no one asks whether the functions compare outputs
}

// besides are outputs that were graded before: now and then the functions are asked
// whether an output is worth as much next to them as alone.
type besides struct {
	mu    sync.Mutex // guards what follows
	asked int
	kept  []handedOutput
}

// The gradings that ask, and the outputs they are compared with.
const (
	askedAtFirst = 16 // of the first gradings all do,
	askedEvery   = 16 // one in that many of later ones
	besidesKept  = 3
)

// next returns the outputs with which the next one is to be graded as well; nil
// when it is graded alone.
func (b *besides) next(asked handedOutput) []handedOutput {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.asked > askedAtFirst && b.asked%askedEvery != 0 {
		return nil
	}
	out := append([]handedOutput{}, b.kept...)
	if !slices.ContainsFunc(b.kept, func(h handedOutput) bool { return h.Text == asked.Text }) {
		b.kept = append(b.kept, asked)
		b.kept = b.kept[max(0, len(b.kept)-besidesKept):]
	}
	return out
}

// rewardSource is what the definitions of all such kinds have.
type rewardSource struct {
	Type    string       `json:"type"`
	Name    string       `json:"name"`
	Source  string       `json:"source"`
	File    string       `json:"file"`
	Modules []moduleFile `json:"modules"`

	PassThreshold *float64 `json:"pass_threshold"`
}

// moduleFile is a module that the source imports.
type moduleFile struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// rewardFunctions names functions of the source, and what each weighs.
type rewardFunctions struct {
	Function  string    `json:"function"`
	Functions []string  `json:"functions"`
	Weights   []float64 `json:"weights"`
}

// identifier is what Python takes for a name.
var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// strictly reads a definition and refuses keys that mean nothing: one of our own
// kinds comes from no service that may know more.
func strictly(raw json.RawMessage, into any) error {
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

// list returns the names of the functions; none is the only one there is.
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

// newReward makes a grader of a kind, with the adapter of that kind.
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
	case env.Python == nil:
		return nil, errors.New("no python interpreters to run it in: this program was set up without them")
	}
	g := &Reward{
		source: c.Source, names: names, weights: f.Weights, choices: choices,
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
	options["functions"], options["weights"] = names, f.Weights
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
		return nil, fmt.Errorf("%w; a file of your own that it imports is named under modules", err)
	}
	return f, err
}

// Grade calls the functions with the item's row and the output.
func (g *Reward) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	f, err := g.function(ctx)
	if err != nil {
		return sampler.Grade{}, err
	}
	given := handed(out)
	if g.beside != nil {
		given.Beside = g.beside.next(given)
	}
	asked, err := json.Marshal(given)
	if err != nil {
		return sampler.Grade{}, err
	}
	text, err := f.Call(ctx, out.Caller, asked)
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

// handedOutput is what an adapter is handed.
type handedOutput struct {
	Item       json.RawMessage   `json:"item"`
	Text       string            `json:"text"`
	Completion []rollout.Message `json:"completion"`
	TraceID    string            `json:"trace_id"`
	Beside     []handedOutput    `json:"beside,omitzero"` // empty is next to itself only
}

func handed(out sampler.Output) handedOutput {
	row := out.Item.Row
	if len(row) == 0 {
		row = json.RawMessage(`{}`)
	}
	return handedOutput{Item: row, Text: out.Text, Completion: completion(out), TraceID: out.TraceID}
}

// completion is the conversation after the prompt. It ends with the answer that
// is graded, which need not be the recorded one: an audit puts others there.
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

// Info says how the reward is computed from the functions, if there are several.
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

// Choices says what runs the source, and what counts as a reward.
func (g *Reward) Choices() map[string]string {
	out := maps.Clone(g.choices)
	if runs := g.pool.Interpreter(); runs != "" {
		out["python interpreter"] = runs
		out["python isolation"] = g.pool.Isolation()
	}
	return out
}
