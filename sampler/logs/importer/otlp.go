package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// otlp reads traces in the JSON encoding of OTLP (opentelemetry/proto/trace/v1/trace.proto), as the
// file exporter of the OpenTelemetry Collector writes them: an export request per line, or one in the
// whole file. It knows the attributes of the GenAI semantic conventions (semantic-conventions-genai,
// docs/gen-ai), of OpenInference (spec/semantic_conventions.md) and the cases of pydantic-evals.
var otlp = Format{
	Name:   "otlp",
	Scored: true,
	Doc: "traces in OTLP JSON, as the file exporter of the OpenTelemetry Collector writes them, with the attributes " +
		"of GenAI or OpenInference",
	Files: []string{"*.jsonl", "*.json"},
	From: Origin{
		Item: "an attribute of the outermost span but tools that has one, or of its `metadata`: " + codeList(otlpItemKeys) +
			", or any by `--item KEY`; else the first messages of the root's last model span",
		Sample: "the order of an item's rollouts; each span that names an item, else each root span over a model " +
			"span, is a rollout",
		Reward: "`gen_ai.evaluation.result` events of its spans or in logs, `scores` and `assertions` of a case, or the " +
			"attribute `reward` or `score` of the rollout's own span: the one that `--score` names, else `reward`, else `score`, else the " +
			"first; the others are `parts`",
		Failures: "a last model span with status error is `model_api`; a rollout with status error is `model_api`, " +
			"`tool` or `grader` by its exception, whatever its score; no score is `grader`",
	},
	Read: readOTLP, sniff: sniffOTLP,
}

// otlpItemKeys are the attributes that name an item, best first.
var otlpItemKeys = []string{
	"logfire.experiment.source_case_name", "case_name", "item.id", "item_id", "item", "example.id", "example_id",
	"sample.id", "sample_id", "task.id", "task_id", "question_id", "row_id",
}

// codeList returns names as code, with commas.
func codeList(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// Members of an export request.
const (
	otlpSpans   = "resourceSpans"
	otlpLogs    = "resourceLogs"
	otlpMetrics = "resourceMetrics"
)

// otlpRequest is an export request: a line of the file exporter. Metrics are left out.
type otlpRequest struct {
	Spans []struct {
		Scopes []struct {
			Spans []otlpSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
	Logs []struct {
		Scopes []struct {
			Records []otlpLog `json:"logRecords"`
		} `json:"scopeLogs"`
	} `json:"resourceLogs"`
}

type otlpSpan struct {
	Trace      string         `json:"traceId"`
	ID         string         `json:"spanId"`
	Parent     string         `json:"parentSpanId"`
	Name       string         `json:"name"`
	Start      otlpInt        `json:"startTimeUnixNano"`
	End        otlpInt        `json:"endTimeUnixNano"`
	Attributes otlpAttributes `json:"attributes"`
	Events     []otlpEvent    `json:"events"`
	Status     struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
	} `json:"status"`
}

type otlpEvent struct {
	Name       string         `json:"name"`
	Attributes otlpAttributes `json:"attributes"`
}

type otlpLog struct {
	Trace      string         `json:"traceId"`
	Span       string         `json:"spanId"`
	Name       string         `json:"eventName"`
	Attributes otlpAttributes `json:"attributes"`
}

// failed reports whether the status is an error. Some writers name the code.
func (s *otlpSpan) failed() bool {
	code := jsontext.TextOrJSON(s.Status.Code)
	return code == "2" || code == "STATUS_CODE_ERROR"
}

// cause returns why the span failed: its exception, else the message of its status.
func (s *otlpSpan) cause() string {
	for _, e := range slices.Backward(s.Events) {
		if e.Name == "exception" {
			return strings.TrimLeft(e.Attributes.text("exception.type")+": "+e.Attributes.text("exception.message"), ": ")
		}
	}
	return cmp.Or(s.Status.Message, s.Attributes.text("error.type"), "the span "+s.Name+" has the status error")
}

// otlpInt is a 64-bit integer, which JSON of protobuf writes as a string.
type otlpInt int64

// UnmarshalJSON reads a number or a string of digits.
func (n *otlpInt) UnmarshalJSON(text []byte) error {
	digits := jsontext.TextOrJSON(text)
	if digits == "" || digits == "null" {
		*n = 0
		return nil
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is no whole number of 64 bits", text)
	}
	*n = otlpInt(v)
	return nil
}

// otlpAttributes are attributes by key, each as JSON.
type otlpAttributes map[string]json.RawMessage

// UnmarshalJSON reads a list of keys and values.
func (a *otlpAttributes) UnmarshalJSON(text []byte) error {
	var list []otlpKeyValue
	if err := jsontext.Unmarshal(text, &list); err != nil {
		return err
	}
	*a = make(otlpAttributes, len(list))
	for _, kv := range list {
		value, err := kv.Value.plain()
		if err != nil {
			return fmt.Errorf("attribute %q: %w", kv.Key, err)
		}
		(*a)[kv.Key] = value
	}
	return nil
}

// text returns an attribute as text; numbers, lists and objects as JSON.
func (a otlpAttributes) text(key string) string { return jsontext.TextOrJSON(a[key]) }

// number returns an attribute that is a number; nil otherwise.
func (a otlpAttributes) number(keys ...string) *float64 {
	for _, key := range keys {
		if v, err := number(key, a[key]); err == nil && v != nil && !math.IsNaN(*v) {
			return v
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(jsontext.TextOrJSON(a[key])), 64); err == nil &&
			!math.IsNaN(v) && !math.IsInf(v, 0) {
			return &v
		}
	}
	return nil
}

// count returns an attribute that is a whole number; nil otherwise.
func (a otlpAttributes) count(keys ...string) *int64 {
	for _, key := range keys {
		if n, err := strconv.ParseInt(jsontext.TextOrJSON(a[key]), 10, 64); err == nil {
			return &n
		}
	}
	return nil
}

// structured returns an attribute that is a list or an object, which many writers encode as text.
func (a otlpAttributes) structured(key string) json.RawMessage {
	v := bytes.TrimSpace([]byte(jsontext.TextOrJSON(a[key])))
	if len(v) == 0 || v[0] != '{' && v[0] != '[' || !json.Valid(v) {
		return nil
	}
	return v
}

type otlpKeyValue struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue is an AnyValue (opentelemetry/proto/common/v1/common.proto).
type otlpValue struct {
	String *string         `json:"stringValue"`
	Bool   *bool           `json:"boolValue"`
	Int    *otlpInt        `json:"intValue"`
	Double json.RawMessage `json:"doubleValue"`
	Bytes  *string         `json:"bytesValue"`
	Array  *struct {
		Values []otlpValue `json:"values"`
	} `json:"arrayValue"`
	Object *struct {
		Values []otlpKeyValue `json:"values"`
	} `json:"kvlistValue"`
}

// plain returns the value as plain JSON.
func (v otlpValue) plain() (json.RawMessage, error) {
	switch {
	case v.String != nil:
		return json.Marshal(*v.String)
	case v.Bool != nil:
		return json.Marshal(*v.Bool)
	case v.Int != nil:
		return json.Marshal(int64(*v.Int))
	case v.Double != nil: // a number, or its text
		f, err := strconv.ParseFloat(jsontext.TextOrJSON(v.Double), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return json.RawMessage("null"), nil
		}
		return json.Marshal(f)
	case v.Bytes != nil:
		return json.Marshal(*v.Bytes)
	case v.Array != nil:
		list := make([]json.RawMessage, 0, len(v.Array.Values))
		for _, one := range v.Array.Values {
			text, err := one.plain()
			if err != nil {
				return nil, err
			}
			list = append(list, text)
		}
		return json.Marshal(list)
	case v.Object != nil:
		object := make(map[string]json.RawMessage, len(v.Object.Values))
		for _, one := range v.Object.Values {
			text, err := one.Value.plain()
			if err != nil {
				return nil, err
			}
			object[one.Key] = text
		}
		return json.Marshal(object)
	}
	return json.RawMessage("null"), nil
}

// sniffOTLP recognizes a file whose first object is an export request of any signal.
func sniffOTLP(f File) error {
	var err error
	for _, key := range []string{otlpSpans, otlpLogs, otlpMetrics} {
		if err = sniffKeys(f, key); err == nil || !errors.Is(err, ErrUnrecognized) {
			return err
		}
	}
	return fmt.Errorf("%w: the object it begins with has no %q", ErrUnrecognized, otlpSpans)
}

// eachRequest passes on the export requests of a file: its lines, or the one object that it is.
func eachRequest(ctx context.Context, f File, sink Sink, yield func(line int, r *otlpRequest) error) error {
	oneLine, err := beginsWithLine(f)
	if err != nil {
		return err
	}
	if oneLine {
		sink.rowKey = nil // a line is no rollout
		return eachRow(ctx, f, sink, yield)
	}
	var r otlpRequest
	if err := readObject(f, &r); err != nil {
		return err
	}
	return stopped(f, 1, yield(1, &r))
}

// beginsWithLine reports whether the file's first line is an object, or all that there is.
func beginsWithLine(f File) (bool, error) {
	rd, err := f.Open()
	if err != nil {
		return false, err
	}
	defer rd.Close()
	lines := bufio.NewReader(io.LimitReader(rd, longestObject))
	for {
		text, err := lines.ReadBytes('\n')
		text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, f.errorOf("read", err)
		case len(text) > 0:
			return isObject(text), nil
		}
	}
}

// otlpRole is what a span does for a rollout.
type otlpRole int

const (
	otlpOther otlpRole = iota
	otlpModel
	otlpTool
	otlpJudge // evaluates: what is below it is the grader's
)

// role tells a call of the model, a tool and an evaluator apart.
func (s *otlpSpan) role() otlpRole {
	a := s.Attributes
	switch strings.ToUpper(a.text("openinference.span.kind")) {
	case "LLM":
		return otlpModel
	case "TOOL":
		return otlpTool
	case "EVALUATOR", "GUARDRAIL":
		return otlpJudge
	}
	switch a.text("gen_ai.operation.name") {
	case "chat", "generate_content", "text_completion":
		return otlpModel
	case "execute_tool":
		return otlpTool
	case "evaluate", "evaluation":
		return otlpJudge
	}
	switch {
	case a["evaluator_name"] != nil: // pydantic-evals
		return otlpJudge
	case a.text("traceloop.span.kind") == "tool":
		return otlpTool
	}
	return otlpOther
}

// otlpNode is what is kept of a span until its rollout is complete.
type otlpNode struct {
	id, parent  string
	role        otlpRole
	start, end  int64
	key, item   string          // the item that its attributes name, and by which
	row         json.RawMessage // the attributes of a span that names an item, or of a root
	input       otlpCount
	output      otlpCount
	cached      otlpCount
	reasoning   otlpCount
	model       string
	agent       string
	finish      string
	failed      bool
	cause       string
	call        *rollout.Call
	reward      *float64           // the attribute, which counts for a rollout's own span alone
	rated       *float64           // the attribute score, in the same way
	scores      map[string]float64 // of events, cases and evaluators
	graded      []string           // names of scores, in order
	asked, said string             // input and output of a span that may be a rollout's
	within      bool               // below another call of the model
	adopted     bool               // it stands for a parent that is not in the trace
}

// otlpCount is a number of tokens, if the span has one.
type otlpCount struct {
	n     int64
	known bool
}

func (c *otlpCount) set(n *int64) {
	if n != nil && *n >= 0 {
		c.n, c.known = *n, true
	}
}

// otlpTrace is a trace: its spans by id.
type otlpTrace struct {
	nodes map[string]*otlpNode
	order []string
	later []otlpLog // evaluations in logs

	orphaned bool // a parent is missing
}

type otlpReader struct {
	*intake
	traces map[string]*otlpTrace
	ids    []string // of traces, in the order of their first span
	twice  int      // spans that occur twice
	keys   []string // attributes that named an item
}

func readOTLP(ctx context.Context, in *intake) error {
	r := &otlpReader{intake: in, traces: make(map[string]*otlpTrace)}
	for _, f := range in.files {
		err := eachRequest(ctx, f, in.sink.forFile(f, in.files), func(_ int, req *otlpRequest) error { return r.take(req) })
		if err != nil {
			return err
		}
	}
	if len(r.traces) == 0 {
		in.sink.note("there is no span in it")
		return nil
	}
	in.sink.noteCount(r.twice, "span[|s] [is|are] in the file twice and [was|were] read once")
	r.file()
	return r.send(ctx)
}

// take keeps the spans and evaluations of a request.
func (r *otlpReader) take(req *otlpRequest) error {
	for _, resource := range req.Spans {
		for _, scope := range resource.Scopes {
			for i := range scope.Spans {
				if err := r.span(&scope.Spans[i]); err != nil {
					return err
				}
			}
		}
	}
	for _, resource := range req.Logs {
		for _, scope := range resource.Scopes {
			for _, l := range scope.Records {
				if l.Trace != "" && evaluationName(l.Name, l.Attributes) != "" {
					t := r.trace(l.Trace)
					t.later = append(t.later, l)
				}
			}
		}
	}
	return nil
}

func (r *otlpReader) trace(id string) *otlpTrace {
	t := r.traces[id]
	if t == nil {
		t = &otlpTrace{nodes: make(map[string]*otlpNode)}
		r.traces[id] = t
		r.ids = append(r.ids, id)
	}
	return t
}

// span keeps a span.
func (r *otlpReader) span(s *otlpSpan) error {
	if s.Trace == "" || s.ID == "" {
		return fmt.Errorf("the span %q has no traceId or no spanId", s.Name)
	}
	t := r.trace(s.Trace)
	n := s.node(r.opt.Item)
	if was := t.nodes[s.ID]; was != nil {
		if was.start == n.start {
			r.twice++
			if was.end == 0 { // exported when it began
				t.nodes[s.ID] = n
			}
			return nil
		}
		return fmt.Errorf("span %s of trace %s occurs twice, with different times: two processes that seeded Python's "+
			"random make the same ids; import the file of each process by itself", s.ID, s.Trace)
	}
	t.nodes[s.ID] = n
	t.order = append(t.order, s.ID)
	return nil
}

// node returns what is kept of the span; by is Options.Item.
func (s *otlpSpan) node(by string) *otlpNode {
	a := s.Attributes
	n := &otlpNode{
		id: s.ID, parent: s.Parent, role: s.role(), start: int64(s.Start), end: int64(s.End), failed: s.failed(),
		agent: a.text("gen_ai.agent.name"),
	}
	if n.role != otlpJudge {
		n.key, n.item = itemOf(a, by)
	}
	if n.failed {
		n.cause = s.cause()
	}
	switch n.role {
	case otlpModel:
		n.model = cmp.Or(a.text("gen_ai.request.model"), a.text("llm.model_name"), a.text("gen_ai.response.model"))
		n.finish = finishOf(a)
		n.input.set(a.count("gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens"))
		n.output.set(a.count("gen_ai.usage.output_tokens", "llm.token_count.completion",
			"gen_ai.usage.completion_tokens"))
		n.cached.set(a.count("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"))
		n.reasoning.set(a.count("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
			"llm.token_count.completion_details.reasoning"))
	case otlpTool:
		n.call = s.call()
	}
	if n.item != "" || n.parent == "" {
		n.row, _ = json.Marshal(a.withMetadata())
		n.said, n.asked = a.text("output"), cmp.Or(a.text("inputs"), a.text("input.value"))
		n.said = cmp.Or(n.said, a.text("output.value"))
	}
	for _, e := range s.Events {
		if name := evaluationName(e.Name, e.Attributes); name != "" {
			n.score(name, scoreOf(e.Attributes))
		}
	}
	switch n.role {
	case otlpOther:
		for _, key := range []string{"scores", "assertions"} { // of a case of pydantic-evals
			n.caseScores(a.structured(key))
		}
		own := otlpAttributes(a.withMetadata())
		n.reward, n.rated = own.number("reward", "metadata.reward"), own.number("score", "metadata.score")
	case otlpJudge:
		n.score(cmp.Or(a.text("evaluator_name"), s.Name), a.number("score", "gen_ai.evaluation.score.value"))
	}
	return n
}

// itemOf returns the item that attributes name, and by which key; "" if there is none. by is Options.Item.
func itemOf(a otlpAttributes, by string) (key, item string) {
	row, keys := a.withMetadata(), otlpItemKeys
	if by != "" && by != ItemPrompt && by != itemKept {
		keys = []string{by}
	}
	for _, key := range keys {
		for _, path := range []string{key, "metadata." + key} {
			if id := idText(row[path]); id != "" {
				return path, id
			}
		}
	}
	return "", ""
}

// withMetadata returns the attributes with the members of the object metadata, which OpenInference
// encodes as text.
func (a otlpAttributes) withMetadata() map[string]json.RawMessage {
	meta := a.structured("metadata")
	if meta == nil {
		return a
	}
	all := maps.Clone(a)
	_ = rollout.Members(meta, func(key string, value []byte) error {
		all["metadata."+key] = bytes.Clone(value)
		return nil
	})
	return all
}

// finishOf returns why the model's reply ended.
func finishOf(a otlpAttributes) string {
	var reasons []string
	if jsontext.Unmarshal(a.structured("gen_ai.response.finish_reasons"), &reasons) == nil && len(reasons) > 0 {
		if reasons[0] == "tool_call" { // in OpenLLMetry
			return "tool_calls"
		}
		return reasons[0]
	}
	return a.text("llm.finish_reason")
}

// call returns the tool call that a span describes.
func (s *otlpSpan) call() *rollout.Call {
	a := s.Attributes
	c := &rollout.Call{
		ID: cmp.Or(a.text("gen_ai.tool.call.id"), a.text("tool.id"), a.text("tool_call.id")),
		Name: cmp.Or(a.text("gen_ai.tool.name"), a.text("tool.name"), a.text("traceloop.entity.name"),
			strings.TrimPrefix(s.Name, "execute_tool ")),
		Arguments: cmp.Or(a.text("gen_ai.tool.call.arguments"), a.text("input.value"), a.text("traceloop.entity.input")),
		Output:    cmp.Or(a.text("gen_ai.tool.call.result"), a.text("output.value"), a.text("traceloop.entity.output")),
	}
	c.OutputBytes = len(c.Output)
	c.Status = rollout.CallOK
	if s.failed() {
		c.Status, c.Error = rollout.CallError, s.cause()
	}
	return c
}

// evaluationName returns the name of the score that an event holds; "" for any other event.
func evaluationName(event string, a otlpAttributes) string {
	if event != "gen_ai.evaluation.result" && a.text("event.name") != "gen_ai.evaluation.result" {
		return ""
	}
	return cmp.Or(a.text("gen_ai.evaluation.name"), "score")
}

// scoreOf returns the score of an evaluation: its value or, without one, pass or fail as 1 or 0.
func scoreOf(a otlpAttributes) *float64 {
	if v := a.number("gen_ai.evaluation.score.value"); v != nil {
		return v
	}
	for i, labels := range [][]string{{"fail", "failed", "incorrect", "false"}, {"pass", "passed", "correct", "true"}} {
		if slices.Contains(labels, strings.ToLower(a.text("gen_ai.evaluation.score.label"))) {
			v := float64(i)
			return &v
		}
	}
	return nil
}

// score keeps a score; the last of several with one name counts.
func (n *otlpNode) score(name string, v *float64) {
	if v == nil {
		return
	}
	if n.scores == nil {
		n.scores = make(map[string]float64)
	}
	if _, seen := n.scores[name]; !seen {
		n.graded = append(n.graded, name)
	}
	n.scores[name] = *v
}

// caseScores keeps the scores of a case: objects with a value, by name.
func (n *otlpNode) caseScores(object json.RawMessage) {
	_ = rollout.Members(object, func(name string, value []byte) error {
		if v, err := number(name, member(value, "value")); err == nil {
			n.score(name, v)
		}
		return nil
	})
}
