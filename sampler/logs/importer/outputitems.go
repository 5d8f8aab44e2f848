package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/internal/jsonrows"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// outputItems reads the output items of OpenAI Evals (openai-python,
// types/evals/runs/output_item_list_response.py), as the API lists them or one per line.
var outputItems = Format{
	Name:   "openai-evals",
	Scored: true,
	Doc:    "output items of OpenAI Evals (closed on 2026-11-30), as the API's list or one a line",
	Files:  []string{"output_items*.json", "output_items*.jsonl"},
	From: Origin{
		Item: "`datasource_item_id`",
		Sample: "the position of `run_id` among the runs of a file: a repeat is another run; of several files, later " +
			"ones continue",
		Reward: "`results[].score` of the grader that `--score` names (without the UUID), else of the first",
		Failures: "`sample.error`; an item or a result that is marked so, and a result whose `sample` has an error; " +
			"no results",
	},
	Read: readOutputItems, sniff: sniffOutputItems,
}

type outputItem struct {
	Object  string          `json:"object"`
	RunID   string          `json:"run_id"`
	EvalID  json.RawMessage `json:"eval_id"`
	ItemID  json.RawMessage `json:"datasource_item_id"`
	Item    json.RawMessage `json:"datasource_item"`
	Created float64         `json:"created_at"`
	Results []evalResult    `json:"results"`
	Sample  evalSample      `json:"sample"`
	Stamp   json.RawMessage `json:"gonogo"`
	marked
}

type evalResult struct {
	Name   string          `json:"name"`
	Score  json.RawMessage `json:"score"`
	Sample *evalSample     `json:"sample"`
	marked
}

// UnmarshalJSON decodes a result with its marks.
func (r *evalResult) UnmarshalJSON(text []byte) error { return decodeInto(text, r) }

// failure reports whether the grader failed, and why: the result's sample has an error, or the
// result itself has a mark, such as Azure's status or the flags of graders/run.
func (r *evalResult) failure() (text string, failed bool) {
	if text, failed := r.Sample.failure(); failed {
		return text, true
	}
	_, text = r.marked.failure(rollout.GraderFailed)
	return text, text != ""
}

type evalSample struct {
	Input  []rollout.Message `json:"input"`
	Output []rollout.Message `json:"output"`
	Finish string            `json:"finish_reason"`
	Model  string            `json:"model"`
	Usage  *struct {
		Input  *int64 `json:"prompt_tokens"`
		Output *int64 `json:"completion_tokens"`
		Cached *int64 `json:"cached_tokens"`
	} `json:"usage"`
	Error *struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
	} `json:"error"`
}

func (s *evalSample) failure() (text string, failed bool) {
	if s == nil || s.Error == nil {
		return "", false
	}
	code, text := jsontext.TextOrJSON(s.Error.Code), s.Error.Message
	if code == "" && text == "" {
		return "", false
	}
	return strings.Trim(code+": "+text, ": "), true
}

func readOutputItems(ctx context.Context, in *intake) error {
	o := outputItemReader{intake: in}
	for _, f := range in.files {
		o.file()
		if err := o.each(ctx, f, in.sink.forFile(f, in.files)); err != nil {
			return err
		}
	}
	if o.plain > 0 {
		in.sink.note("item = datasource_item_id, sample = the position of the run in its file, split = %s",
			o.split)
	}
	in.noteGraders()
	switch {
	case o.plain == 0:
	case o.called:
		in.sink.note("output items hold no times: unknown, not zero")
	default:
		in.sink.note("output items hold neither tool calls nor times: unknown, not zero")
	}
	in.noteStamps(o.stamped)
	in.noteMissing()
	return nil
}

type outputItemReader struct {
	*intake
	stamped int
	plain   int  // items without a stamp
	called  bool // the files contain a tool call
}

// azureParts decodes tool calls and tool results in the content of a message, where Azure's agents
// put them (azure-ai-evaluation, _converters/_models.py). Other messages are unchanged.
func azureParts(messages []rollout.Message) []rollout.Message {
	for i := range messages {
		m := &messages[i]
		var parts []struct {
			Type      string          `json:"type"`
			Text      string          `json:"text"`
			ID        string          `json:"tool_call_id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
			Result    json.RawMessage `json:"tool_result"`
		}
		if len(m.Parts) == 0 || jsontext.Unmarshal(m.Parts, &parts) != nil {
			continue
		}
		var texts []string
		found := false
		for _, p := range parts {
			switch p.Type {
			case "tool_call":
				m.ToolCalls = append(m.ToolCalls,
					rollout.ToolCall{ID: p.ID, Name: p.Name, Arguments: jsontext.TextOrJSON(p.Arguments)})
				found = true
			case "tool_result":
				texts = append(texts, jsontext.TextOrJSON(p.Result))
				found = true
			default:
				texts = append(texts, p.Text)
			}
		}
		if found {
			m.Content, m.Parts = strings.Join(texts, "\n"), nil
		}
	}
	return messages
}

// each reads the items of a file: lines, or the list that the API returns.
func (o *outputItemReader) each(ctx context.Context, f File, sink Sink) error {
	if !evalList(f) {
		return eachRow(ctx, f, sink, func(line int, it *outputItem) error { return o.add(f, line, it) })
	}
	more := false
	err := eachOf(ctx, f, []string{"data"}, func(key string, value json.RawMessage) error {
		more = more || key == "has_more" && string(value) == "true"
		return nil
	}, func(a *array, raw []byte) error {
		it, err := decodeRow[outputItem](raw)
		if err == nil {
			err = o.add(f, a.index+1, it)
		}
		return err
	})
	if err == nil && more {
		sink.note("the list says that it has more pages, which are not in this file")
	}
	return err
}

func (o *outputItemReader) add(f File, line int, it *outputItem) error {
	id, err := wholeID("datasource_item_id", it.ItemID)
	if err != nil {
		return err
	}
	ours := stampIn(it.Stamp)
	rec := &rollout.Record{Item: id, Split: ours.splitOr(o.split)}
	sample := ours.names(rec, o.run(it.RunID))
	if err := o.only(line, fmt.Sprintf("item %s of run %q", rec.Item, it.RunID)); err != nil {
		return err
	}
	row, err := evalRow(it)
	if err != nil {
		return err
	}
	o.sink.tellExactly("eval_id", it.EvalID)
	o.sink.tellExactly("datasource_item", it.Item)
	if ours != nil && string(it.Item) != "{}" {
		ours.Row = it.Item
	}
	if err := o.send(f, line, rec, ours, row); err != nil {
		return err
	}
	if err := o.setModel(f, it.Sample.Model); err != nil {
		return err
	}
	o.fill(rec, it)
	if ours != nil {
		o.stamped++
		if ours.Record != nil {
			rec.Messages = ours.messages()
		}
	} else {
		o.plain++
	}
	ours.finish(rec)
	if !ours.ungraded(rec) {
		if err := o.grade(rec, it); err != nil {
			return err
		}
		ours.outcome(rec)
	}
	return o.record(rec, sample)
}

// send passes on the item of a record.
func (o *outputItemReader) send(f File, line int, rec *rollout.Record, ours *stamp, row json.RawMessage) error {
	if ok, err := sendStamped(o.sink, ours, rec, nil); ok {
		return err
	}
	return o.itemIn(f, line, rec.Split, rec.Item, row)
}

// evalRow returns the row of the data source. If it has no messages, they are those that the model
// was shown.
func evalRow(it *outputItem) (json.RawMessage, error) {
	row := make(map[string]json.RawMessage)
	if !isNone(it.Item) && jsontext.Unmarshal(it.Item, &row) != nil {
		row["item"] = it.Item
	}
	if _, has := row["messages"]; !has && len(it.Sample.Input) > 0 {
		messages, err := json.Marshal(it.Sample.Input)
		if err != nil {
			return nil, err
		}
		row["messages"] = messages
	}
	return marshalRow(row)
}

func (o *outputItemReader) fill(rec *rollout.Record, it *outputItem) {
	if it.Created > 0 && it.Created < 1<<34 {
		rec.Started = time.Unix(int64(it.Created), 0).UTC()
	}
	rec.Messages = azureParts(it.Sample.Output)
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, transcript.UnreportedStatus)
	if len(rec.Calls) > 0 {
		o.called = true
	}
	rec.Answer = transcript.LastAnswer(rec.Messages)
	finished(rec, it.Sample.Finish)
	if u := it.Sample.Usage; u != nil {
		rec.Usage = rollout.Usage{Input: u.Input, Output: u.Output, Cached: u.Cached}
	}
}

func (o *outputItemReader) grade(rec *rollout.Record, it *outputItem) error {
	if text, broken := it.Sample.failure(); broken {
		fail(rec, rollout.ModelAPI, text)
		return nil
	}
	if boundary, cause := it.failure(rollout.GraderFailed); boundary != "" {
		fail(rec, boundary, cause)
		return nil
	}
	names := make([]string, len(it.Results))
	for i, r := range it.Results {
		names[i] = graderName(r.Name)
	}
	o.choose(names)
	for i, r := range it.Results {
		score, err := number("the score of "+names[i], r.Score)
		if err != nil {
			return err
		}
		if names[i] != o.wanted {
			setParts(rec, names[i], score)
			continue
		}
		if text, broken := r.failure(); broken {
			fail(rec, rollout.GraderFailed, text)
			continue
		}
		grade(rec, score, "the score is missing, null or NaN")
	}
	switch cut := it.Sample.Finish == "length" || it.Sample.Finish == "content_filter"; {
	case rec.Outcome != "":
	case cut && rec.Answer == "":
		fail(rec, rollout.NoAnswer, "no output: the model stopped because of "+it.Sample.Finish)
	default:
		fail(rec, rollout.GraderFailed, "there is no result of "+cmp.Or(o.wanted, "a grader"))
	}
	return nil
}

var trailingUUID = regexp.MustCompile(`(?i)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// graderName removes the UUID that the API appends to a grader's name. The name itself may contain
// hyphens.
func graderName(name string) string { return trailingUUID.ReplaceAllString(name, "") }

func sniffOutputItems(f File) error {
	if evalList(f) {
		return nil
	}
	head, err := readHead(f)
	keys := head.keys
	switch {
	case err != nil:
		return err
	case jsontext.TextOrJSON(keys["object"]) == "eval.run.output_item", keys["datasource_item_id"] != nil &&
		keys["results"] != nil:
		return nil
	}
	return fmt.Errorf("%w: its first line is not an eval.run.output_item", ErrUnrecognized)
}

// evalList reports whether a file is the list that the API returns: an object with data whose first
// element is an output item.
func evalList(f File) bool {
	const most = 64 << 20 // bytes: every output item is smaller
	if !f.hasKey("data", most) {
		return false
	}
	rd, err := f.Open()
	if err != nil {
		return false
	}
	head := struct {
		io.Reader
		io.Closer
	}{io.LimitReader(rd, most), rd}
	kind := ""
	a, err := newArray(f, head, []string{"data"}, func(key string, value json.RawMessage) error {
		if key == "object" {
			kind = jsontext.TextOrJSON(value)
		}
		return nil
	})
	if err != nil {
		return false
	}
	defer a.close()
	var first struct {
		Object string `json:"object"`
	}
	data := !a.ended
	raw, err := a.next(context.Background())
	if err != nil || jsontext.Unmarshal(raw, &first) != nil { // the list is empty, or its first item is cut off
		return data && kind == "list"
	}
	return first.Object == "eval.run.output_item"
}

// hasKey reports whether the first bytes of a file hold the key of the object that it begins with.
func (f File) hasKey(key string, most int64) bool {
	rd, err := f.Open()
	if err != nil {
		return false
	}
	defer rd.Close()
	shape, err := jsonrows.Find(io.LimitReader(rd, most))
	return err == nil && slices.Contains(shape.Keys, key)
}
