package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/wording"
)

// promptfoo reads a promptfooconfig.yaml (promptfoo 0.123, src/types/index.ts).
type promptfoo struct {
	path, dir string
	setup     *Setup
	prompt    []message
	modules   map[string]string // the Python files that assertions call
	refused   map[string]int    // what has no counterpart, with the number of times
	rubrics   []rubric
	judge     string   // who judges all rubrics
	open      []string // files of tests that are being read
}

// mostRows is how many rows a configuration may become, whose variables multiply.
const mostRows = 100_000

// message is a template of a message.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type testCase struct {
	Description string          `json:"description"`
	Vars        map[string]any  `json:"vars"`
	Assert      []assertion     `json:"assert"`
	Options     map[string]any  `json:"options"`
	Scoring     json.RawMessage `json:"assertScoringFunction"`
	Prompts     json.RawMessage `json:"prompts"`
}

type assertion struct {
	Type      string          `json:"type"`
	Value     any             `json:"value,omitempty"`
	Threshold *float64        `json:"threshold,omitempty"`
	Weight    *float64        `json:"weight,omitempty"`
	Function  string          `json:"function,omitempty"` // of the grader, which calls the Python file's
	Provider  any             `json:"provider,omitempty"`
	Transform json.RawMessage `json:"transform,omitempty"`
	Config    json.RawMessage `json:"config,omitempty"`
}

// checks are the assertions that the grader knows, each of which may start with "not-".
var checks = []string{
	"equals", "contains", "icontains", "contains-any", "contains-all", "icontains-any", "icontains-all", "starts-with",
	"regex", "is-json", "levenshtein", "python",
}

// row is what is written for a test.
type row struct {
	ID        string         `json:"id"`
	Messages  []message      `json:"messages"`
	Vars      map[string]any `json:"vars"`
	Assert    []assertion    `json:"assert"`
	Rubric    string         `json:"rubric,omitempty"`           // what the judge is asked about
	Reference string         `json:"reference_answer,omitempty"` // the text that the only check wants
}

func (p *promptfoo) read(root *document.Node) (*Setup, error) {
	p.refused = make(map[string]int)
	if err := p.prompts(root.Get("prompts")); err != nil {
		return nil, err
	}
	p.providers(root)
	usual, err := p.usual(root.Get("defaultTest"))
	if err != nil {
		return nil, err
	}
	tests, err := p.tests(root.Get("tests"))
	if err != nil {
		return nil, err
	}
	if root.Get("scenarios") != nil {
		p.refused["scenarios, which are tests of another form"]++
	}
	var rows bytes.Buffer
	to, n := json.NewEncoder(&rows), 0
	to.SetEscapeHTML(false)
	for i := range tests {
		vars := merged(usual.Vars, tests[i].Vars)
		each := []map[string]any{vars}
		if merged(usual.Options, tests[i].Options)["disableVarExpansion"] != true {
			if each = product(vars, mostRows-n); each == nil {
				return nil, fmt.Errorf("%s: test %d: the combinations of its variables make more than %d rows", p.path, i+1, mostRows)
			}
		}
		for j, vars := range each {
			r, err := p.row(&usual, &tests[i], vars)
			if err != nil {
				return nil, fmt.Errorf("%s: test %d: %w", p.path, i+1, err)
			}
			if r.ID = fmt.Sprintf("test-%d", i+1); j > 0 {
				r.ID += fmt.Sprintf("-%d", j+1)
			}
			if err := to.Encode(r); err != nil {
				return nil, err
			}
			n++
		}
	}
	if len(p.refused) > 0 {
		var said []string
		for _, what := range slices.Sorted(maps.Keys(p.refused)) {
			said = append(said, fmt.Sprintf("%s (%d)", what, p.refused[what]))
		}
		return nil, fmt.Errorf("%s cannot be taken over, because the reward would be a different one; it has %s. Write them as "+
			"python assertions, or take them out", p.path, strings.Join(said, "; "))
	}
	if n == 0 {
		return nil, fmt.Errorf("%s has no tests", p.path)
	}
	if p.setup.Grader, err = p.graders(n); err != nil {
		return nil, err
	}
	p.setup.Files = map[string][]byte{RowsFile: rows.Bytes(), GraderFile: p.source()}
	p.setup.Data = map[string]string{"train": RowsFile}
	return p.setup, nil
}

// usual returns the test whose settings hold for all.
func (p *promptfoo) usual(n *document.Node) (t testCase, err error) {
	if n == nil {
		return t, nil
	}
	if n.Kind == document.Text {
		body, err := p.file(n.Text)
		if err == nil {
			n, err = document.Parse(n.Text, body)
		}
		if err != nil {
			return t, err
		}
	}
	return t, p.decode(n, "defaultTest", &t)
}

// row makes the row of a test with one value for each variable.
func (p *promptfoo) row(usual, t *testCase, vars map[string]any) (*row, error) {
	out := &row{Vars: vars, Assert: []assertion{}}
	for name, v := range vars {
		if text, ok := v.(string); ok && strings.HasPrefix(text, "file://") {
			body, err := p.data(text)
			if err != nil {
				return nil, err
			}
			vars[name] = strings.TrimSpace(string(body))
		}
	}
	for _, m := range p.prompt {
		text, err := render(m.Content, vars)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, message{m.Role, text})
	}
	options := merged(usual.Options, t.Options)
	for _, name := range []string{"transform", "postprocess", "transformVars", "prefix", "suffix"} {
		if options[name] != nil {
			p.refused["the option "+name]++
		}
	}
	if len(usual.Scoring)+len(t.Scoring) > 0 {
		p.refused["assertScoringFunction"]++
	}
	if len(t.Prompts) > 0 {
		p.refused["tests for some of the prompts"]++
	}
	all := t.Assert
	if options["disableDefaultAsserts"] != true {
		all = slices.Concat(usual.Assert, t.Assert)
	}
	weights, asked := 0.0, 0.0
	for _, a := range all {
		weight := 1.0
		if a.Weight != nil {
			weight = *a.Weight
		}
		if weight == 0 {
			continue // it does not count
		}
		if a.Type == "llm-rubric" {
			text, isText := a.Value.(string)
			text, err := render(text, vars)
			if err != nil {
				return nil, err
			}
			judge := judgeOf(a.Provider, options["provider"])
			if asked > 0 || !isText || a.Threshold != nil && len(a.Transform) > 0 || p.judge != "" && judge != p.judge {
				p.refused["a second llm-rubric, or one of another judge, in a test"]++
			}
			out.Rubric, asked, p.judge = text, weight, judge
			continue
		}
		weights += weight
		if err := p.assertion(&a, vars); err != nil {
			return nil, err
		}
		out.Assert = append(out.Assert, a)
	}
	if asked > 0 {
		p.rubrics = append(p.rubrics, rubric{asked, weights})
	}
	if weights+asked == 0 {
		p.refused["tests without an assertion that counts"]++
	}
	if asked == 0 {
		out.Reference = wanted(out.Assert)
	}
	return out, nil
}

// wanted returns the text that the only check wants which is not a "not-" one; "" if there are several.
func wanted(checks []assertion) (text string) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(a assertion) bool { return strings.HasPrefix(a.Type, "not-") })
	if len(checks) == 1 && slices.Contains([]string{"equals", "contains", "icontains"}, checks[0].Type) {
		switch v := checks[0].Value.(type) {
		case string:
			text = v
		case float64:
			text = string(document.Marshal(v))
		}
	}
	return text
}

// assertion fills the variables into an assertion, and notes what the grader does not know.
func (p *promptfoo) assertion(a *assertion, vars map[string]any) (err error) {
	kind := strings.TrimPrefix(a.Type, "not-")
	schema := kind == "is-json" && a.Value != nil
	switch {
	case !slices.Contains(checks, kind):
		p.refused[fmt.Sprintf("assertions of type %s", a.Type)]++
		return nil
	case len(a.Transform)+len(a.Config) > 0 || schema:
		p.refused[fmt.Sprintf("%s assertions with a transform, a config or a schema", a.Type)]++
		return nil
	}
	text, isText := a.Value.(string)
	switch {
	case kind == "python" && strings.HasPrefix(text, "file://"):
		a.Function, err = p.module(strings.TrimPrefix(text, "file://"))
		a.Value = nil
		return err
	case isText && strings.HasPrefix(text, "file://"):
		body, err := p.data(text)
		if err != nil {
			return err
		}
		text = strings.TrimSpace(string(body))
	}
	if isText {
		if a.Value, err = render(text, vars); strings.Contains(text, `"`) &&
			(strings.HasSuffix(kind, "-any") || strings.HasSuffix(kind, "-all")) {
			p.refused["quotes in the text of "+a.Type+", which a list need not have"]++
		}
		return err
	}
	if list, ok := a.Value.([]any); ok {
		rendered := make([]any, len(list))
		for i, v := range list {
			rendered[i] = v
			if text, ok := v.(string); ok {
				if rendered[i], err = render(text, vars); err != nil {
					return err
				}
			}
		}
		a.Value = rendered
	}
	return nil
}

// prompts reads the first prompt.
func (p *promptfoo) prompts(n *document.Node) error {
	first, others := n, 0
	if n.Kind == document.List {
		if len(n.Items) == 0 {
			return fmt.Errorf("%s has no prompts", p.path)
		}
		first, others = n.Items[0], len(n.Items)-1
	}
	text := first.Text
	if first.Kind == document.Map {
		if raw := first.Get("raw"); raw != nil {
			text = raw.Text
		} else if id := first.Get("id"); id != nil {
			text = id.Text
		}
	}
	ext := strings.ToLower(filepath.Ext(text))
	isFile := slices.Contains([]string{".txt", ".md", ".json", ".yaml", ".yml", ".j2"}, ext) && !strings.ContainsAny(text, "\n{")
	switch {
	case slices.Contains([]string{".js", ".cjs", ".mjs", ".ts", ".py"}, ext) && !strings.Contains(text, " "):
		return fmt.Errorf("%s: the prompt %s is a program: write its text here", p.path, text)
	case strings.HasPrefix(text, "file://") || isFile:
		body, err := p.data(text)
		if err != nil {
			return fmt.Errorf("%s: prompts: %w", p.path, err)
		}
		parts := []string{string(body)}
		if ext == ".txt" {
			parts = strings.Split(string(body), "\n---\n")
		}
		text, others = strings.TrimSpace(parts[0]), others+len(parts)-1
	}
	if text == "" {
		return fmt.Errorf("%s: the first prompt is empty", p.path)
	}
	if others > 0 {
		p.setup.Notes = append(p.setup.Notes, fmt.Sprintf("the first prompt is taken, %d %s left out", others,
			wording.Plural(others, "other[ is|s are]")))
	}
	p.prompt = []message{{"user", text}}
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "- role:") { // a chat
		var talk []message
		node, err := document.Parse(p.path, []byte(text))
		if err == nil {
			err = jsontext.Unmarshal(node.JSON(), &talk)
		}
		if err != nil || len(talk) == 0 {
			return fmt.Errorf("%s: the first prompt looks like a chat: write it as a list of maps with role and content", p.path)
		}
		p.prompt = talk
	}
	return nil
}

// providers takes over the first provider, if it is one of OpenAI's.
func (p *promptfoo) providers(root *document.Node) {
	n := root.Get("providers")
	if n == nil {
		n = root.Get("targets")
	}
	first := n
	if n.Kind == document.List && len(n.Items) > 0 {
		if first = n.Items[0]; len(n.Items) > 1 {
			p.setup.Notes = append(p.setup.Notes, fmt.Sprintf("the first provider is taken, %d %s left out", len(n.Items)-1,
				wording.Plural(len(n.Items)-1, "other[ is|s are]")))
		}
	}
	id, settings := first.Text, (*document.Node)(nil)
	if first.Kind == document.Map {
		settings = first.Get("config")
		at := first
		if len(first.Fields) == 1 {
			at = first.Fields[0].Value
		}
		for _, name := range []string{"transform", "prompts"} {
			if at.Get(name) != nil {
				p.refused["a provider's "+name]++
			}
		}
		if name := first.Get("id"); name != nil {
			id = name.Text
		} else if len(first.Fields) == 1 { // its id is the key
			id, settings = first.Fields[0].Key, first.Fields[0].Value.Get("config")
		}
	}
	vendor, name, _ := strings.Cut(id, ":")
	if vendor != "openai" {
		p.setup.Notes = append(p.setup.Notes, fmt.Sprintf("the provider %s is not taken over: the model needs an "+
			"OpenAI-compatible server (model.base_url)", id))
		return
	}
	kind, model, typed := strings.Cut(name, ":")
	if typed {
		name = model
	}
	if p.setup.Model = name; typed && kind == "responses" {
		p.setup.Set["model.api"] = "responses"
	}
	for _, s := range []struct{ theirs, ours string }{
		{"apiBaseUrl", "model.base_url"},
		{"temperature", "model.temperature"},
		{"max_tokens", "model.max_output_tokens"},
		{"max_completion_tokens", "model.max_output_tokens"},
		{"max_output_tokens", "model.max_output_tokens"},
		{"top_p", "model.top_p"},
	} {
		if v := inner(settings, s.theirs); v != nil && (v.Kind == document.Text || v.Kind == document.Number) {
			p.setup.Set[s.ours] = document.Quote(v.Text)
			if v.Kind == document.Number {
				p.setup.Set[s.ours] = v.Text
			}
		}
	}
	if inner(settings, "tools") != nil {
		p.setup.Notes = append(p.setup.Notes, "the provider's tools are not taken over: they need a job with servers "+
			"(docs/wire.md)")
	}
}

func inner(n *document.Node, key string) *document.Node {
	if n == nil {
		return nil
	}
	return n.Get(key)
}

// file reads a file that the configuration names.
func (p *promptfoo) file(name string) ([]byte, error) {
	path := strings.TrimPrefix(name, "file://")
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	return document.ReadFile(path)
}

// data reads a file that is not a program.
func (p *promptfoo) data(name string) ([]byte, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".py", ".js", ".cjs", ".mjs", ".ts", ".xlsx", ".pdf", ".png", ".jpg":
		return nil, fmt.Errorf("%s is not text: write what it gives here", name)
	}
	return p.file(name)
}

func (p *promptfoo) decode(n *document.Node, what string, to any) error {
	err := jsontext.Unmarshal(n.JSON(), to)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return document.Error{
			File: p.path, Line: n.Line, Column: n.Column, Path: what,
			Msg: fmt.Sprintf("%s has another type, %s", wrong.Field, wrong.Value),
		}
	}
	return err
}

// merged returns both maps in one; the second counts.
func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	if out == nil {
		out = make(map[string]any, len(b))
	}
	maps.Copy(out, b)
	return out
}

// product returns a map for each combination of the values of variables that are lists, as promptfoo expands them:
// the first variable in the order of the alphabet changes slowest. It returns nil if there are more than most.
func product(vars map[string]any, most int) []map[string]any {
	out := []map[string]any{maps.Clone(vars)}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		values, ok := vars[name].([]any)
		if _, text := first(values).(string); !ok || !text {
			continue
		}
		if len(out) > most/len(values) {
			return nil
		}
		var next []map[string]any
		for _, chosen := range out {
			for _, v := range values {
				one := maps.Clone(chosen)
				one[name] = v
				next = append(next, one)
			}
		}
		out = next
	}
	return out
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}
