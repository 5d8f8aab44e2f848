package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
)

// The known keys of each object. integrations and metadata belong to the platform's body and do not
// affect what is measured.
var (
	bodyKeys = []string{
		"model", "training_file", "validation_file", "suffix", "seed", "method",
		"integrations", "metadata",
	}
	methodKeys        = []string{"type", "reinforcement"}
	reinforcementKeys = []string{"tools", "grader", "response_format", "max_episode_steps", "hyperparameters"}
	hyperKeys         = []string{
		"batch_size", "n_epochs", "compute_multiplier", "eval_samples", "eval_interval",
		"learning_rate_multiplier", "reasoning_effort",
	}
)

// Parse reads a job's body: the whole body, only its method object, or only its reinforcement
// object. name is the name of the body in errors. Unknown keys are kept in Raw and listed in
// Unknown; a key whose value is null counts as absent. The error is document.Errors with every
// mistake found.
func Parse(name string, body []byte) (*Job, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	root, err := readTree(name, body)
	if err != nil {
		return nil, err
	}
	p := &parser{name: name, body: body, job: &Job{Raw: bytes.Clone(bytes.TrimSpace(body)), name: name}}
	p.root(root)
	if len(p.errs) > 0 {
		return nil, p.errs.OrNil()
	}
	return p.job, nil
}

// parser fills a job from the tree and collects the mistakes.
type parser struct {
	name string
	body []byte
	job  *Job
	errs document.Errors
}

func (p *parser) fail(n *node, path, format string, args ...any) {
	p.errs = append(p.errs, place(p.name, p.body, n.start, path, fmt.Sprintf(format, args...)))
}

// root determines which of the three shapes the body has.
func (p *parser) root(n *node) {
	switch {
	case !n.object():
		p.fail(n, "", "a job is a JSON object, this is %s", n.kind())
	case n.get("method") != nil:
		p.full(n)
	case n.get("reinforcement") != nil:
		p.method(n)
	case n.get("grader") != nil:
		p.reinforcement(n)
	case n.get("type") != nil:
		p.fail(n, "", `this looks like a grader, not a job: write it as {"grader": {…}}`)
	default:
		p.fail(n, "",
			`no "method", "reinforcement" or "grader" in it: give the body for fine_tuning.jobs.create, its method object or its reinforcement object`)
	}
}

func (p *parser) full(n *node) {
	p.unknown(n, bodyKeys)
	p.job.Model = p.text(n, "model")
	p.job.TrainingFile = p.text(n, "training_file")
	p.job.ValidationFile = p.text(n, "validation_file")
	p.job.Suffix = p.text(n, "suffix")
	if c := n.get("seed"); c != nil {
		var seed int64
		if p.into(c, &seed, "a whole number") {
			p.job.Seed = &seed
		}
	}
	if m := n.get("method"); p.wantObject(m) {
		p.method(m)
	}
}

func (p *parser) method(n *node) {
	p.unknown(n, methodKeys)
	if kind := p.text(n, "type"); kind != "" && kind != "reinforcement" {
		p.fail(n.get("type"), n.get("type").path, "the method is %q: only \"reinforcement\" jobs can be measured", kind)
		return
	}
	r := n.get("reinforcement")
	if r == nil {
		p.fail(n, join(n.path, "reinforcement"), "missing")
		return
	}
	if p.wantObject(r) {
		p.reinforcement(r)
	}
}

func (p *parser) reinforcement(n *node) {
	p.unknown(n, reinforcementKeys)
	p.tools(n.get("tools"))
	if g := n.get("grader"); g == nil {
		p.fail(n, join(n.path, "grader"), "missing: without a grader there is no reward")
	} else if p.wantObject(g) {
		p.grader(g)
		p.job.Grader = p.raw(g)
		if t := g.get("pass_threshold"); t != nil {
			position := place(p.name, p.body, t.start, t.path, "")
			p.job.passAt = &position
		}
	}
	if f := n.get("response_format"); f != nil && p.wantObject(f) {
		p.responseFormat(f)
		p.job.ResponseFormat = p.raw(f)
	}
	if s := n.get("max_episode_steps"); s != nil {
		if p.into(s, &p.job.MaxEpisodeSteps, "a whole number") && p.job.MaxEpisodeSteps < 1 {
			p.fail(s, s.path, "must be 1 or more, got %d", p.job.MaxEpisodeSteps)
		}
	}
	if h := n.get("hyperparameters"); h != nil && p.wantObject(h) {
		p.hyper(h)
	}
}

// formatTypes are the response formats of OpenAI's API, and those that servers add.
var formatTypes = []string{"text", "json_object", "json_schema", "structural_tag", "regex", "grammar", "ebnf"}

func (p *parser) responseFormat(n *node) {
	switch kind := p.text(n, "type"); {
	case kind == "" && p.stringOrAbsent(n, "type"):
		p.fail(n, join(n.path, "type"), `missing: "text", "json_object" or "json_schema"`)
	case kind != "" && !slices.Contains(formatTypes, kind):
		p.fail(n.get("type"), join(n.path, "type"),
			`unknown response format %q: "text", "json_object" or "json_schema"`, kind)
	}
}

func (p *parser) tools(n *node) {
	if n == nil {
		return
	}
	if !n.array() {
		p.fail(n, n.path, "must be a list of tools, got %s", n.kind())
		return
	}
	first := map[string]*node{}
	for _, t := range n.items {
		if !p.wantObject(t) {
			continue
		}
		tool := p.tool(t)
		switch earlier := first[tool.Name]; {
		case tool.Name == "":
		case earlier != nil:
			p.fail(t, join(t.path, "name"), "%q is served twice, also by %s", tool.Name, earlier.path)
		default:
			first[tool.Name] = t
		}
		p.job.Tools = append(p.job.Tools, tool)
	}
}

func (p *parser) tool(n *node) Tool {
	var t Tool
	if t.Name = p.text(n, "name"); t.Name == "" && p.stringOrAbsent(n, "name") {
		p.fail(n, join(n.path, "name"), "missing: the name that the data rows call the tool by")
	}
	if t.ServerURL = p.text(n, "server_url"); t.ServerURL != "" {
		p.url(n.get("server_url"), t.ServerURL)
	} else if p.stringOrAbsent(n, "server_url") {
		p.fail(n, join(n.path, "server_url"), "missing: the URL at which tool %q is called", t.Name)
	}
	t.Headers = p.headers(n.get("headers"))
	for _, key := range n.keys {
		if key == "name" || key == "server_url" || key == "headers" {
			continue
		}
		if t.Extra == nil {
			t.Extra = map[string]json.RawMessage{}
		}
		t.Extra[key] = p.raw(n.fields[key])
	}
	return t
}

// grader checks what every kind of grader needs. The kinds themselves are known only to the grader
// package.
func (p *parser) grader(n *node) {
	if n.get("lambdaGrader") != nil {
		p.fail(n.get("lambdaGrader"), n.get("lambdaGrader").path,
			`Bedrock's Lambda grader runs at AWS: put {"type": "lambda", "file": "handler.py"} in its place, with the Python file of its handler`)
		return
	}
	if p.text(n, "type") == "" && p.stringOrAbsent(n, "type") {
		p.fail(n, join(n.path, "type"), `missing: say which kind of grader this is, such as "string_check"`)
	}
	if n.get("url") != nil {
		p.url(n.get("url"), p.text(n, "url"))
	}
	p.headers(n.get("headers"))
	children := n.get("graders")
	if children == nil {
		return
	}
	if !children.object() {
		p.fail(children, children.path, "must be a map from name to grader, got %s", children.kind())
		return
	}
	for _, key := range children.keys {
		if c := children.fields[key]; p.wantObject(c) {
			p.grader(c)
		}
	}
}

func (p *parser) headers(n *node) map[string]string {
	if n == nil || !p.wantObject(n) {
		return nil
	}
	headers := make(map[string]string, len(n.keys))
	for _, key := range n.keys {
		if n.get(key) == nil {
			continue
		}
		value := p.text(n, key)
		headers[key] = value
	}
	return headers
}

func (p *parser) hyper(n *node) {
	p.unknown(n, hyperKeys)
	h := &p.job.Hyper
	for key, to := range map[string]*Setting{
		"batch_size": &h.BatchSize, "n_epochs": &h.NEpochs, "compute_multiplier": &h.ComputeMultiplier,
		"eval_samples": &h.EvalSamples, "eval_interval": &h.EvalInterval,
		"learning_rate_multiplier": &h.LearningRateMultiplier,
	} {
		c := n.get(key)
		switch {
		case c == nil:
		case c.token == "auto":
			to.Auto = true
		default:
			var number float64
			if p.into(c, &number, `a number or "auto"`) {
				to.Number = &number
			}
		}
	}
	h.ReasoningEffort = p.text(n, "reasoning_effort")
}

// text returns the string under key, "" if it is absent.
func (p *parser) text(n *node, key string) string {
	c := n.get(key)
	if c == nil {
		return ""
	}
	s, ok := c.token.(string)
	if !ok {
		p.fail(c, c.path, "must be a string, got %s", c.kind())
	}
	return s
}

// stringOrAbsent reports whether text has not already complained about key.
func (p *parser) stringOrAbsent(n *node, key string) bool {
	c := n.get(key)
	if c == nil {
		return true
	}
	_, ok := c.token.(string)
	return ok
}

func (p *parser) into(n *node, to any, want string) bool {
	if _, ok := n.token.(json.Number); ok && jsontext.Unmarshal(p.raw(n), to) == nil {
		return true
	}
	p.fail(n, n.path, "must be %s, got %s", want, bytes.TrimSpace(p.raw(n)))
	return false
}

func (p *parser) wantObject(n *node) bool {
	if n.object() {
		return true
	}
	p.fail(n, n.path, "must be an object, got %s", n.kind())
	return false
}

func (p *parser) url(n *node, text string) {
	if _, ok := n.token.(string); !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		p.fail(n, n.path, "not a URL") // the parser's own message would quote the URL and any key in it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		p.fail(n, n.path, "must be a http:// or https:// URL with a host") // not quoted: it may contain a key
	}
}

func (p *parser) raw(n *node) json.RawMessage { return bytes.Clone(p.body[n.start:n.end]) }

func (p *parser) unknown(n *node, known []string) {
	for _, key := range n.keys {
		if !slices.Contains(known, key) {
			p.job.Unknown = append(p.job.Unknown, n.fields[key].path)
		}
	}
}
