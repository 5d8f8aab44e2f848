package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// evalsRecorder reads the logs of openai/evals (evals/record.py): lines with {"spec"}, events and
// {"final_report"}. Events of several samples are interleaved: a first pass finds the last event of
// each sample.
var evalsRecorder = Format{
	Name:   "evals-recorder",
	Scored: true,
	Doc:    "the log that oaieval of openai/evals records, JSON lines with spec, events and final_report",
	Files:  []string{"*.jsonl"},
	From: Origin{
		Item:   "`sample_id`",
		Sample: "the order of the files: one run is one repeat",
		Reward: "the share of `match` events that are correct; without any, of `metrics` the number that " +
			"`--score` names, else `score`, `accuracy` or the first",
		Failures: "an `error` event without a match or metrics; a `choice` of `__invalid__`, by which a judge gave " +
			"no verdict, is `grader`",
	},
	Read: readRecorder, sniff: sniffRecorder,
}

type recorderEvent struct {
	SampleID string          `json:"sample_id"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
	Created  string          `json:"created_at"`

	sampling recordedSampling
	broken   error // why it cannot be read
}

// recordedSampling is the data of a sampling event.
type recordedSampling struct {
	Prompt  json.RawMessage `json:"prompt"`
	Sampled json.RawMessage `json:"sampled"`
	Usage   chatUsage       `json:"usage"`
	text    string
}

// prepare reads the data of a sampling event.
func (e *recorderEvent) prepare() {
	if e.Type != "sampling" {
		return
	}
	data := &e.sampling
	e.broken = jsontext.Unmarshal(e.Data, data)
	var texts []string
	if jsontext.Unmarshal(data.Sampled, &texts) != nil || len(texts) == 0 {
		texts = []string{jsontext.TextOrJSON(data.Sampled)}
	}
	e.Data, data.Sampled, data.text = nil, nil, texts[0]
}

type recorderSpec struct {
	Models json.RawMessage `json:"completion_fns"`
}

// model returns the only completion function, which may be a solver; "" if there are several.
func (s *recorderSpec) model() string {
	var names []string
	if jsontext.Unmarshal(s.Models, &names) != nil || len(names) != 1 {
		return ""
	}
	return names[0]
}

// recorderHead holds the fields of a line that the first pass needs.
type recorderHead struct {
	Spec     *recorderSpec   `json:"spec"`
	Report   json.RawMessage `json:"final_report"`
	SampleID string          `json:"sample_id"`
	Type     string          `json:"type"`
}

func readRecorder(ctx context.Context, in *intake) error {
	r := recorderReader{intake: in}
	for _, f := range in.files {
		r.file()
		if err := r.read(ctx, f, in.sink.forFile(f, in.files)); err != nil {
			return err
		}
	}
	in.sink.note("item = sample_id, sample = the position of the file among the imported files, split = %s", r.split)
	if r.matched > 0 {
		in.sink.note("rollouts with several match events: %d; the reward of each is the share that is correct",
			r.matched)
	}
	if r.wanted != "" {
		in.sink.note("rewards of rollouts without a match event are their metric %s; --score NAME selects another", r.wanted)
	}
	r.noteMissing()
	return nil
}

func sniffRecorder(f File) error {
	head, err := readHead(f)
	if err != nil {
		return err
	}
	keys := head.keys
	spec, isSpec := keys["spec"]
	if isSpec && len(spec) > 0 && spec[0] == '{' && len(keys) <= 2 || keys["event_id"] != nil &&
		keys["sample_id"] != nil && keys["type"] != nil {
		return nil
	}
	return fmt.Errorf("%w: its first line is neither a spec nor an event", ErrUnrecognized)
}

type recorderReader struct {
	*intake
	matched int                  // rollouts with several match events
	samples map[string]*recorded // samples whose last event has not been read yet
}

// recorded collects the events of one sample.
type recorded struct {
	rec             *rollout.Record
	row             map[string]json.RawMessage
	talk            transcript.Builder
	matches, right  int
	metrics         json.RawMessage
	cause           string
	failed, sampled bool
	marked
	last   rollout.Usage // of the last output
	before *beforeLast   // the state before a second output; nil if there was only one
}

// beforeLast is the state before the last of several outputs.
type beforeLast struct {
	answer          string
	usage           rollout.Usage
	messages, turns int
}

func (r *recorderReader) read(ctx context.Context, f File, sink Sink) error {
	last, specs, report := make(map[string]int), 0, false
	var final json.RawMessage
	err := eachRow(ctx, f, Sink{}, func(line int, e *recorderHead) error {
		switch {
		case e.Spec != nil:
			specs++
			if err := r.setModel(f, e.Spec.model()); err != nil {
				return err
			}
		case len(e.Report) > 0:
			report, final = true, bytes.Clone(e.Report)
		case e.Type != "" && e.SampleID != "":
			last[e.SampleID] = line
		default:
			return fmt.Errorf("it is neither a spec nor an event with sample_id and type nor a final_report")
		}
		if specs > 1 {
			return fmt.Errorf("a second run begins here: one run is one repeat; keep each in its own file")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !report {
		sink.note("there is no final report: the run was broken off, and rollouts may be missing")
	}
	r.samples = make(map[string]*recorded)
	defer func() { r.report(f, final) }()
	return eachRow(ctx, f, sink, func(line int, e *recorderEvent) error {
		if e.SampleID == "" {
			return nil
		}
		s := r.samples[e.SampleID]
		if s == nil {
			s = &recorded{rec: &rollout.Record{Item: e.SampleID, Started: pythonTime(e.Created)}}
			s.set("messages", json.RawMessage("[]"))
			r.samples[e.SampleID] = s
		}
		if err := s.event(e); err != nil {
			return fmt.Errorf("%s event of %s: %w", e.Type, e.SampleID, err)
		}
		if last[e.SampleID] != line {
			return nil
		}
		delete(r.samples, e.SampleID)
		return r.whole(f, line, s)
	})
}

// report records the mean in the final report of a file.
func (r *recorderReader) report(f File, final json.RawMessage) {
	var means map[string]any
	if jsontext.Unmarshal(final, &means) != nil {
		return
	}
	metric := cmp.Or(r.wanted, "accuracy")
	if mean, ok := means[metric].(float64); ok {
		r.means.state(f, metric, &mean)
	}
}

// whole passes on a sample after its last event.
func (r *recorderReader) whole(f File, line int, s *recorded) error {
	row, err := marshalRow(s.row)
	if err != nil {
		return err
	}
	if err := r.item(f, line, s.rec.Item, row); err != nil {
		return err
	}
	s.retractJudge()
	s.rec.Messages, s.rec.Calls, s.rec.Turns = s.talk.Messages, s.talk.Calls, s.talk.Turns
	if err := r.grade(s); err != nil {
		return err
	}
	return r.record(s.rec, 0)
}

func (r *recorderReader) grade(s *recorded) error {
	names, values, err := r.metrics(s)
	if err != nil {
		return fmt.Errorf("metrics of %s: %w", s.rec.Item, err)
	}
	if s.matches > 1 {
		r.matched++
	}
	for name, value := range values {
		if name != r.wanted || s.matches > 0 {
			setParts(s.rec, name, value)
		}
	}
	boundary, cause := s.marked.failure(rollout.GraderFailed)
	switch {
	case s.matches == 0 && boundary != "":
		fail(s.rec, boundary, cause)
		s.rec.Parts = nil
	case s.matches == 0 && s.unjudged():
		fail(s.rec, rollout.GraderFailed,
			"the judge's answer was none of its choices (__invalid__), which scores as the lowest of them")
		s.rec.Parts = nil
	case s.matches > 0:
		share := float64(s.right) / float64(s.matches)
		grade(s.rec, &share, "")
	case len(names) > 0:
		grade(s.rec, values[r.wanted], "there is no number in the metric "+r.wanted)
	case s.failed:
		fail(s.rec, rollout.ModelAPI, s.cause)
	case s.sampled:
		fail(s.rec, rollout.GraderFailed, "not graded: there is no match event and no metrics event")
	default:
		fail(s.rec, rollout.ModelAPI, "neither an output nor a grade was recorded")
	}
	return nil
}

// choice returns the verdict of a model-graded evaluation; nil if there is none.
func (s *recorded) choice() json.RawMessage {
	var m struct {
		Choice json.RawMessage `json:"choice"`
	}
	if jsontext.Unmarshal(s.metrics, &m) != nil {
		return nil
	}
	return m.Choice
}

// retractJudge attributes the last output of a model-graded sample to the judge: the log records it
// like the model's own outputs.
func (s *recorded) retractJudge() {
	if s.before == nil || len(s.choice()) == 0 {
		return
	}
	s.rec.Judge, s.rec.JudgeCalls = s.last, 1
	s.rec.Answer, s.rec.Usage = s.before.answer, s.before.usage
	s.talk.Messages, s.talk.Turns = s.talk.Messages[:s.before.messages], s.before.turns
}

// unjudged reports whether a model-graded evaluation got no verdict: the log then has the choice
// "__invalid__" and the lowest possible score (evals/elsuite/modelgraded/classify_utils.py).
func (s *recorded) unjudged() bool { return string(s.choice()) == `"__invalid__"` }

// metrics returns the numbers of the metrics event by name, and chooses the reward among them.
// Other values are skipped: events hold texts too.
func (r *recorderReader) metrics(s *recorded) (names []string, values map[string]*float64, err error) {
	if isNone(s.metrics) {
		return nil, nil, nil
	}
	values = make(map[string]*float64)
	err = rollout.Members(s.metrics, func(key string, v []byte) error {
		s.mark(key, v)
		if string(v) == "true" || string(v) == "false" {
			x := 0.0
			if v[0] == 't' {
				x = 1
			}
			names, values[key] = append(names, key), &x
			return nil
		}
		if x, err := number(key, v); err == nil {
			names, values[key] = append(names, key), x
		}
		return nil
	})
	r.offer(names...)
	if s.matches == 0 {
		r.choose(names, "score", "accuracy")
	}
	return names, values, err
}

// event reads one event.
func (s *recorded) event(e *recorderEvent) error {
	switch e.Type {
	case "match":
		var data struct {
			Correct  *bool           `json:"correct"`
			Expected json.RawMessage `json:"expected"`
		}
		if err := jsontext.Unmarshal(e.Data, &data); err != nil {
			return err
		}
		if data.Correct == nil {
			return fmt.Errorf(`"correct" is missing`)
		}
		s.matches++
		if *data.Correct {
			s.right++
		}
		s.set("expected", data.Expected)
	case "metrics":
		s.metrics = slices.Clone(e.Data)
	case "sampling":
		if e.broken != nil {
			return e.broken
		}
		s.sampling(&e.sampling)
	case "function_call":
		s.functionCall(e.Data)
	case "raw_sample":
		s.set("data", e.Data)
	case "error":
		var data struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		}
		_ = jsontext.Unmarshal(e.Data, &data) // whatever it says, it is an error
		s.failed, s.cause = true, strings.TrimPrefix(data.Type+"\n"+data.Message, "\n")
	}
	return nil
}

func (s *recorded) set(key string, value json.RawMessage) {
	if s.row == nil {
		s.row = make(map[string]json.RawMessage)
	}
	if !isNone(value) {
		s.row[key] = value
	}
}

func (s *recorded) sampling(data *recordedSampling) {
	s.last = rollout.Usage{Input: data.Usage.Input, Output: data.Usage.Output}
	if s.sampled {
		s.before = &beforeLast{s.rec.Answer, s.rec.Usage, len(s.talk.Messages), s.talk.Turns}
		s.rec.Usage = s.rec.Usage.Plus(s.last)
	} else {
		s.set("messages", asMessages(data.Prompt))
		s.rec.Usage = s.last
	}
	s.sampled = true
	s.rec.Answer = data.text
	s.talk.EndTurn()
	s.talk.AddReply(data.text)
}

// asMessages converts a prompt, a text or a list of chat messages, into a list of chat messages. It
// copies a text without decoding it, since it may be long.
func asMessages(prompt json.RawMessage) json.RawMessage {
	switch prompt = bytes.TrimSpace(prompt); {
	case len(prompt) > 2 && prompt[0] == '"':
		return slices.Concat(json.RawMessage(`[{"role":"user","content":`), prompt, json.RawMessage(`}]`))
	case len(prompt) > 2 && prompt[0] == '[' && jsontext.Unmarshal(prompt, new([]rollout.Message)) == nil:
		return prompt
	}
	return json.RawMessage("[]")
}

// functionCall reads a call; the event has no fixed shape.
func (s *recorded) functionCall(v json.RawMessage) {
	var data struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Output    json.RawMessage `json:"output"`
		Returned  json.RawMessage `json:"return_value"` // the name that record_function_call of the package uses
		CallID    string          `json:"call_id"`
	}
	if jsontext.Unmarshal(v, &data) != nil || data.Name == "" {
		return
	}
	s.talk.AddCall(data.CallID, data.Name, jsontext.TextOrJSON(data.Arguments))
	if isNone(data.Output) {
		data.Output = data.Returned
	}
	if !isNone(data.Output) {
		s.talk.AddResult(data.CallID, jsontext.TextOrJSON(data.Output))
	}
}
