package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// otlp reads traces in the JSON encoding of OTLP (opentelemetry/proto/trace/v1/trace.proto), as the
// file exporter of the OpenTelemetry Collector writes them: an export request per line, or one in the
// whole file. It knows the attributes of the GenAI semantic conventions (semantic-conventions-genai,
// docs/gen-ai), of OpenInference (spec/semantic_conventions.md), of MLflow, Langfuse and LangSmith, and the
// cases of pydantic-evals. Exports of MLflow and Phoenix become such requests; see exportDecoder.
var otlp = Format{
	Name:   "otlp",
	Scored: true,
	Doc: "traces in OTLP JSON, as the file exporter of the OpenTelemetry Collector writes them, with the attributes " +
		"of GenAI, OpenInference, OpenLLMetry, MLflow, Langfuse or LangSmith; traces as MLflow or Phoenix exports them",
	Files: []string{"*.jsonl", "*.json"},
	From: Origin{
		Item: "an attribute of the outermost span but tools that has one, or of its `metadata`: " + codeList(otlpItemKeys) +
			", or any by `--item KEY`; else the first messages of the root's last model span",
		Sample: "the order of an item's rollouts; each span that names an item, else each root span over a model " +
			"span, is a rollout",
		Reward: "`gen_ai.evaluation.result` events of its spans or in logs, MLflow's feedback, Phoenix's annotations, " +
			"`scores` and `assertions` of a case, or the attribute or metadata `reward` or `score` of the rollout's own " +
			"span: the one that `--score` names, else `reward`, else `score`, else the first; the others are `parts`",
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

// sniffOTLP recognizes a file of export requests, and what MLflow and Phoenix export.
func sniffOTLP(f File) error {
	err := sniffRequest(f)
	if errors.Is(err, ErrUnrecognized) {
		if _, other := exported(f); !errors.Is(other, ErrUnrecognized) {
			return other
		}
	}
	return err
}

// sniffRequest recognizes a file whose first object is an export request of any signal.
func sniffRequest(f File) error {
	var err error
	for _, key := range []string{otlpSpans, otlpLogs, otlpMetrics} {
		if err = sniffKeys(f, key); err == nil || !errors.Is(err, ErrUnrecognized) {
			return err
		}
	}
	if line, headErr := firstBytes(f); headErr == nil && exportRequest.Match(line) {
		return nil // cut off within it, which its reader says
	}
	return fmt.Errorf("%w: the object it begins with has no %q", ErrUnrecognized, otlpSpans)
}

// exportRequest matches the beginning of an export request.
var exportRequest = regexp.MustCompile(`^\s*\{\s*"resource(Spans|Logs|Metrics)"\s*:`)

func firstBytes(f File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 256))
}

// eachRequest passes on the export requests of a file: its lines, or the one object that it is.
func eachRequest(ctx context.Context, f File, sink Sink, yield func(line int, r *otlpRequest) error) error {
	if sniffRequest(f) != nil {
		if x, err := exported(f); err == nil {
			sink.rowKey = nil
			return x.each(ctx, sink, yield)
		}
	}
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
	ids    []string  // of traces, in the order of their first span
	twice  int       // spans that occur twice
	keys   []string  // attributes that named an item
	loose  []otlpLog // evaluations that name their span alone
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
	r.place()
	r.file()
	return r.send(ctx)
}

// place gives evaluations that name their span alone to its trace.
func (r *otlpReader) place() {
	if len(r.loose) == 0 {
		return
	}
	of, strays := make(map[string]*otlpTrace), 0 // by span; the first trace counts
	for _, id := range slices.Backward(r.ids) {
		for span := range r.traces[id].nodes {
			of[span] = r.traces[id]
		}
	}
	for _, l := range r.loose {
		if t := of[l.Span]; t != nil {
			t.later = append(t.later, l)
		} else {
			strays++
		}
	}
	r.sink.noteCount(strays, "score[|s] of spans that are not in the files [was|were] left out")
}

// take keeps the spans and evaluations of a request.
func (r *otlpReader) take(req *otlpRequest) error {
	for s := range req.spans() {
		if err := r.span(s); err != nil {
			return err
		}
	}
	for _, resource := range req.Logs {
		for _, scope := range resource.Scopes {
			for _, l := range scope.Records {
				switch {
				case evaluationName(l.Name, l.Attributes) == "":
				case l.Trace != "":
					t := r.trace(l.Trace)
					t.later = append(t.later, l)
				case l.Span != "":
					r.loose = append(r.loose, l)
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
