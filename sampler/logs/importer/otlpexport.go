package importer

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Tracing backends export spans in forms of their own, of which each row becomes an export request:
//   - MLflow: a trace with its assessments ("mlflow traces search --output json"), a row of
//     search_traces() with that as text in the column trace, and the spans of a trace in its file store;
//   - Phoenix: a span or an annotation of the REST API, or a row of its data frames, whose columns have
//     the same names with dots.

// pages are the numbers of rows that MLflow and Phoenix export by default.
var pages = []int{100, 1000}

// exportHint says how to export what is in a database.
const exportHint = "write traces and scores into a file: mlflow traces search --experiment-id ID --max-results 50000 " +
	"--output json"

var errNoExport = unrecognized("it holds neither spans nor scores of MLflow or Phoenix")

// exportDecoder returns how to read rows with certain keys; nil if no backend exports such rows.
func exportDecoder(has func(key string) bool) func(row []byte) (*otlpRequest, error) {
	switch {
	case has("trace_id") && has("trace"):
		return searchedTrace
	case has("info") && has("data"):
		return mlflowTrace
	case has("annotator_kind"):
		return annotation
	case has("start_time") && (has("context") || has("context.span_id")),
		has("start_time_unix_nano") && has("span_id"):
		return func(row []byte) (*otlpRequest, error) {
			s, err := exportedSpan(row)
			return newRequest([]otlpSpan{s}, nil), err
		}
	}
	return nil
}

// export is a file of rows that a tracing backend exports.
type export struct {
	file  File
	table *table // nil for JSON
}

// exported returns the file as an export; ErrUnrecognized if it is none.
func exported(f File) (x export, err error) {
	for _, open := range []opener{openParquet, openCSV} {
		if x.table, err = open(f, nil); err == nil {
			x.file = f
			return x, x.table.exported(f)
		}
	}
	if f.mentions("SQLite format 3\x00") {
		return x, fmt.Errorf("%s is a database, which gonogo does not read: %s", f.Name, exportHint)
	}
	if x.file, err = f.asLines(func(keys []string) bool { return slices.Contains(keys, otlpSpans) }); err != nil {
		return x, err
	}
	ours := f.mentions(`trace_id"`)
	switch h, err := readHead(x.file); {
	case err != nil && ours:
		return x, err
	case err != nil:
	case exportDecoder(func(key string) bool { return h.keys[key] != nil }) != nil:
		return x, nil
	case h.broken && ours:
		return x, fmt.Errorf("read %s: the file ends within an object: it was cut off", f.Name)
	}
	return x, errNoExport
}

// exported returns ErrUnrecognized if the table is none that a backend exports.
func (t *table) exported(f File) error {
	switch has := func(key string) bool { return slices.Contains(t.columns, key) }; {
	case exportDecoder(has) == nil:
		return errNoExport
	case has("context.span_id"):
		return fmt.Errorf("%s has messages in a form that cannot be read: write the data frame with "+
			"to_json(\"spans.json\", orient=\"records\")", f.Name)
	}
	return nil
}

// each passes on the rows.
func (x export) each(ctx context.Context, sink Sink, yield func(line int, r *otlpRequest) error) error {
	stored := x.file.list != nil && slices.Equal(x.file.list.path, []string{"spans"})
	metadata := make(otlpAttributes)
	if stored {
		if err := storedMetadata(x.file, metadata); err != nil {
			return err
		}
	}
	rows, trace := 0, ""
	read := x.eachRow
	if x.table != nil {
		read = x.eachCells
	}
	err := read(ctx, sink, func(line int, r *otlpRequest) error {
		rows++
		for s := range r.spans() {
			if trace = s.Trace; s.Parent == "" {
				maps.Copy(s.Attributes, metadata)
			}
		}
		return stopped(x.file, line, yield(line, r))
	})
	if err == nil && stored {
		var logs []otlpLog
		if logs, err = storedAssessments(x.file, trace); err == nil {
			err = yield(1, newRequest(nil, logs))
		}
	} else if slices.Contains(pages, rows) {
		sink.note("there are exactly %d entries, as many as MLflow and Phoenix export by default: are there more?", rows)
	}
	return err
}

// eachRow passes on the rows of JSON.
func (x export) eachRow(ctx context.Context, sink Sink, yield func(line int, r *otlpRequest) error) error {
	return readJSONLines(ctx, x.file, sink, func(row []byte) (*otlpRequest, error) {
		keys := make(map[string]bool)
		_ = rollout.Members(row, func(key string, _ []byte) error { // its decoder says if it is broken
			keys[key] = true
			return nil
		})
		decode := exportDecoder(func(key string) bool { return keys[key] })
		if decode == nil {
			return nil, errors.New(string(errNoExport))
		}
		return decode(row)
	}, func(l rollout.Line[*otlpRequest]) error { return yield(l.Number, l.Value) })
}

// eachCells passes on the rows of a table.
func (x export) eachCells(ctx context.Context, sink Sink, yield func(line int, r *otlpRequest) error) error {
	var wanted []string
	for _, c := range []string{
		"trace_id", "trace", "annotator_kind", "annotation_name", "span_id", "result.score", "result.label", "updated_at",
	} {
		if slices.Contains(x.table.columns, c) {
			wanted = append(wanted, c)
		}
	}
	decode := exportDecoder(func(key string) bool { return slices.Contains(wanted, key) })
	return x.table.rows(ctx, sink, wanted, func(line int, cells []cell) error {
		row := make(map[string]string)
		for i, c := range cells {
			if !c.none {
				row[wanted[i]] = c.text
			}
		}
		text, err := json.Marshal(row)
		if err != nil {
			return err
		}
		r, err := decode(text)
		if err != nil {
			return stopped(x.file, line, err)
		}
		return yield(line, r)
	})
}

// storedMetadata adds the metadata and the tags of a trace in MLflow's file store, each in a file by its
// key in folders next to that of the spans.
func storedMetadata(f File, metadata otlpAttributes) error {
	if _, err := f.Beside("../trace_info.yaml").stat(); err != nil {
		return fmt.Errorf("%s holds the spans of one trace without its scores: import the folder of the file "+
			"store or, if MLflow has a database, %s", f.Name, exportHint)
	}
	for _, folder := range []string{"../request_metadata", "../tags"} {
		err := eachStored(f, folder, func(y File, text []byte) error {
			quoted, err := json.Marshal(string(text))
			metadata["metadata."+y.base()] = quoted
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// storedAssessments returns the scores of a trace in MLflow's file store.
func storedAssessments(f File, trace string) (logs []otlpLog, err error) {
	err = eachStored(f, "../assessments", func(y File, text []byte) error {
		node, err := document.Parse(y.Name, text)
		if err == nil {
			logs = appendAssessment(logs, trace, node.JSON())
		}
		return err
	})
	return logs, err
}

// eachStored passes on the files of a folder that is named from the folder of f, if there is one.
func eachStored(f File, folder string, yield func(y File, text []byte) error) error {
	files, err := fs.ReadDir(f.FS, path.Join(path.Dir(f.Path), folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.errorOf("read "+folder+" of", err)
	}
	for _, file := range files {
		y := f.Beside(folder + "/" + file.Name())
		text, err := fs.ReadFile(y.FS, y.Path)
		if err != nil {
			return y.errorOf("read", err)
		}
		if err := yield(y, text); err != nil {
			return err
		}
	}
	return nil
}

// newRequest returns an export request with spans and evaluations.
func newRequest(spans []otlpSpan, logs []otlpLog) *otlpRequest {
	return &otlpRequest{
		Spans: []otlpResourceSpans{{[]otlpScopeSpans{{spans}}}}, Logs: []otlpResourceLogs{{[]otlpScopeLogs{{logs}}}},
	}
}

// searchedTrace reads a row of the data frame that search_traces() returns.
func searchedTrace(row []byte) (*otlpRequest, error) {
	return mlflowTrace([]byte(jsontext.TextOrJSON(member(row, "trace"))))
}

// mlflowTrace reads a trace of MLflow. Its tags and its metadata are those of its root.
func mlflowTrace(row []byte) (*otlpRequest, error) {
	info := member(row, "info")
	var texts, assessments []json.RawMessage
	err := jsontext.Unmarshal(member(member(row, "data"), "spans"), &texts)
	if err != nil || len(texts) == 0 {
		return nil, fmt.Errorf("the trace %s holds no spans: export it with all of its fields",
			jsontext.TextOrJSON(member(info, "trace_id")))
	}
	spans := make([]otlpSpan, len(texts))
	for i, text := range texts {
		if spans[i], err = exportedSpan(text); err != nil {
			return nil, err
		}
		if spans[i].Parent == "" {
			for _, of := range []string{"request_metadata", "trace_metadata", "tags"} {
				spans[i].Attributes.flatten("metadata", member(info, of))
			}
		}
	}
	var logs []otlpLog
	if list := member(info, "assessments"); !isNone(list) {
		err = jsontext.Unmarshal(list, &assessments)
	}
	for _, text := range assessments {
		logs = appendAssessment(logs, spans[0].Trace, text)
	}
	return newRequest(spans, logs), err
}

// appendAssessment appends a feedback of MLflow. An expectation, a feedback that failed and one that
// another one replaced are no scores.
func appendAssessment(logs []otlpLog, trace string, text []byte) []otlpLog {
	feedback := member(text, "feedback")
	value := member(feedback, "value")
	if isNone(value) || !isNone(member(feedback, "error")) || string(member(text, "valid")) == "false" {
		return logs
	}
	return append(logs, scoreEvent(trace, member(text, "span_id"), member(text, "assessment_name"),
		member(text, "create_time"), value, value))
}

// annotation reads an annotation of a span by Phoenix.
func annotation(row []byte) (*otlpRequest, error) {
	a := make(otlpAttributes)
	a.flatten("", row)
	name := a["annotation_name"]
	if name == nil {
		name = a["name"]
	}
	if a["span_id"] == nil {
		return nil, fmt.Errorf("the annotation %s names no span: its data frame has the id as its index, which "+
			"reset_index() makes a column before to_json()", name)
	}
	return newRequest(nil, []otlpLog{
		scoreEvent("", a["span_id"], name, a["updated_at"], a["result.score"], a["result.label"]),
	}), nil
}

// scoreEvent returns a score as the event in which the GenAI conventions record one.
func scoreEvent(trace string, span, name, at, score, label json.RawMessage) otlpLog {
	return otlpLog{
		Trace: trace, Span: jsontext.TextOrJSON(span), Name: otlpEvaluation, at: jsontext.TextOrJSON(at),
		Attributes: otlpAttributes{
			"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": score, "gen_ai.evaluation.score.label": label,
		},
	}
}

// exportedSpan reads a span of MLflow or Phoenix.
func exportedSpan(row []byte) (s otlpSpan, err error) {
	a := make(otlpAttributes)
	a.flatten("", row)
	if a["attributes.0.key"] != nil {
		return s, errors.New("its attributes are a list, which is neither OTLP JSON nor a span of Phoenix: take the answer " +
			"of /v1/projects/PROJECT/spans, not of spans/otlpv1")
	}
	s = otlpSpan{
		Trace: hexID(a.text("trace_id", "context.trace_id")), ID: hexID(a.text("span_id", "context.span_id")),
		Parent: hexID(a.text("parent_span_id", "parent_id")), Name: a.text("name"), Attributes: a.below("attributes."),
	}
	if s.Start, err = nanoseconds(a.text("start_time_unix_nano", "start_time")); err == nil {
		s.End, err = nanoseconds(a.text("end_time_unix_nano", "end_time"))
	}
	s.Status.Message = a.text("status.message", "status_message")
	if slices.Contains([]string{"STATUS_CODE_ERROR", "ERROR"}, a.text("status.code", "status_code")) {
		s.Status.Code = json.RawMessage("2")
	}
	for i := 0; a[fmt.Sprintf("events.%d.name", i)] != nil; i++ {
		event := a.below(fmt.Sprintf("events.%d.", i))
		s.Events = append(s.Events, otlpEvent{Name: event.text("name"), Attributes: event.below("attributes.")})
	}
	if kind := a["span_kind"]; kind != nil {
		s.Attributes["openinference.span.kind"] = kind
	}
	s.Attributes.unquote()
	return s, err
}

// hexID returns an id in hexadecimal digits, which MLflow writes in base64.
func hexID(id string) string {
	if raw, err := base64.StdEncoding.DecodeString(id); err == nil && strings.HasSuffix(id, "=") {
		return hex.EncodeToString(raw)
	}
	return id
}

// nanoseconds reads a time: in nanoseconds or milliseconds since 1970, or as RFC 3339 writes it.
func nanoseconds(text string) (otlpInt, error) {
	if text == "" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n > -9e12 && n < 9e12 { // a data frame's
			n *= int64(time.Millisecond)
		}
		return otlpInt(n), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, fmt.Errorf("%.60q is no time", text)
	}
	return otlpInt(at.UnixNano()), nil
}

// below returns the attributes whose keys have a prefix, without it.
func (a otlpAttributes) below(prefix string) otlpAttributes {
	inner := make(otlpAttributes)
	for key, value := range a {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			inner[rest] = value
		}
	}
	return inner
}

// flatten adds a value by the keys and the numbers that lead to it, with dots, into objects and lists
// of objects. Nulls are left out. What is deeper than 50 stays JSON, because each level is read again.
func (a otlpAttributes) flatten(key string, value []byte) { a.flattenTo(50, key, value) }

func (a otlpAttributes) flattenTo(depth int, key string, value []byte) {
	inside := func(name string, inner []byte) {
		a.flattenTo(depth-1, strings.TrimPrefix(key+"."+name, "."), inner)
	}
	switch value = bytes.TrimSpace(value); {
	case isNone(value):
	case depth == 0:
		a[key] = bytes.Clone(value)
	case value[0] == '{':
		_ = rollout.Members(value, func(name string, inner []byte) error {
			inside(name, inner)
			return nil
		})
	case value[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(value[1:]), []byte("{")):
		var list []json.RawMessage
		_ = jsontext.Unmarshal(value, &list) // of a row that is valid JSON
		for i, inner := range list {
			inside(strconv.Itoa(i), inner)
		}
	default:
		a[key] = bytes.Clone(value)
	}
}

// unquote replaces texts in JSON, which MLflow makes of all attributes and Langfuse of metadata, by
// what they hold.
func (a otlpAttributes) unquote() {
	mlflow := a["mlflow.traceRequestId"] != nil
	for key, value := range a {
		if !mlflow && !strings.HasPrefix(key, "langfuse.") {
			continue
		}
		if text := []byte(jsontext.TextOrJSON(value)); len(text) > 0 && text[0] == '"' && isJSON(text) {
			a[key] = text
		}
	}
}
