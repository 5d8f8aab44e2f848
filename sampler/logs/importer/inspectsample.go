package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// inspectSample holds the fields that are read from an EvalSample; the others are skipped.
type inspectSample struct {
	ID          json.RawMessage            `json:"id"`
	Epoch       *int                       `json:"epoch"`
	Input       json.RawMessage            `json:"input"`
	Target      json.RawMessage            `json:"target"`
	Metadata    json.RawMessage            `json:"metadata"`
	Messages    json.RawMessage            `json:"messages"`
	Output      json.RawMessage            `json:"output"`
	Scores      json.RawMessage            `json:"scores"`
	Score       json.RawMessage            `json:"score"` // in logs from before a sample could have several scores
	Error       *inspectError              `json:"error"`
	Retries     []inspectError             `json:"error_retries"`
	Limit       *inspectLimit              `json:"limit"`
	ModelUsage  map[string]inspectUsage    `json:"model_usage"`
	RoleUsage   map[string]inspectUsage    `json:"role_usage"`
	Started     string                     `json:"started_at"`
	TotalTime   *float64                   `json:"total_time"`
	UUID        string                     `json:"uuid"`
	Invalid     json.RawMessage            `json:"invalidation"`
	Attachments map[string]json.RawMessage `json:"attachments"`
	Events      json.RawMessage            `json:"events"`
	Transcript  json.RawMessage            `json:"transcript"` // events and attachments, in logs before 2025
	marked
}

type inspectError struct {
	Message   string `json:"message"`
	Traceback string `json:"traceback"`
}

type inspectLimit struct {
	Type  string          `json:"type"`
	Limit json.RawMessage `json:"limit"`
}

// inspectUsage counts tokens; input_tokens excludes those read from or written to a cache.
type inspectUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"input_tokens_cache_read"`
	CacheWrite *int64 `json:"input_tokens_cache_write"`
	Reasoning  *int64 `json:"reasoning_tokens"`
}

// decodedSample is a sample with its conversation, and what is wrong with each.
type decodedSample struct {
	*inspectSample
	talk         inspectTalk
	err, talkErr error

	skipped bool  // a later log of the evaluation has the sample that counts
	nameErr error // of its name, by which that was looked up
}

// decodeLast is decodeInspectSample for a log of which only the samples with the names in last
// count; nil means all.
func decodeLast(last map[string]bool) func(text []byte) decodedSample {
	if last == nil {
		return decodeInspectSample
	}
	return func(text []byte) decodedSample {
		if name, err := inspectName(text); err != nil || !last[name] {
			return decodedSample{skipped: err == nil, nameErr: err}
		}
		return decodeInspectSample(text)
	}
}

func decodeInspectSample(text []byte) (d decodedSample) {
	s, err := decodeRow[inspectSample](text)
	if err == nil {
		s.mark("invalidation", s.Invalid)
	}
	if err == nil && !isNone(s.Transcript) {
		err = rollout.Members(s.Transcript, s.transcript)
	}
	if d.inspectSample, d.err = s, err; err == nil {
		s.resolve()
		d.talk, d.talkErr = decodeInspectMessages(s.Messages)
	}
	return d
}

func (s *inspectSample) transcript(key string, value []byte) error {
	switch key {
	case "events":
		s.Events = value
	case "content":
		return jsontext.Unmarshal(value, &s.Attachments)
	}
	return nil
}

// inspectReader remembers the items and samples of its logs, but not their text.
type inspectReader struct {
	*intake
	scores *inspectScores

	tasks map[string]bool
	items map[string]bool // by id: whether it is written as a number
	uuids map[string]string

	log  File // the log being read
	task string
	seen map[rollout.Key]string // where each sample of the log occurs

	named *inspectHeader

	failures, limits, unscored, cancelled, retried, copies, replaced, scoredErrors, edited, invalidated int

	stamped, plain int // samples with and without a stamp
}

// sample reads one sample.
func (r *inspectReader) sample(where string, text []byte, d decodedSample) error {
	if d.skipped || d.nameErr != nil {
		return d.nameErr
	}
	r.sink.beginRow(text)
	if d.err != nil {
		return d.err
	}
	s, talk := d.inspectSample, d.talk
	id, epoch, err := r.key(s)
	if err != nil {
		return err
	}
	ours := s.stamp()
	if ours != nil {
		id = r.itemID(ours.Item)
		r.stamped++
	} else {
		r.plain++
	}
	split := ours.splitOr(r.split)
	k := rollout.Key{Split: split, Item: id, Sample: epoch - 1, Step: ours.step(0)}
	if was := r.seen[k]; was != "" {
		return fmt.Errorf("sample %s, epoch %d occurs twice: %s", id, epoch, was)
	}
	r.seen[k] = where
	if was := r.uuids[s.UUID]; s.UUID != "" && was != "" && was != r.log.Name {
		r.copies++
		return nil
	}
	r.uuids[s.UUID] = r.log.Name
	if s.Limit != nil && s.Limit.Type == "operator" || s.Error.cancelled() {
		r.cancelled++
		return nil
	}
	if d.talkErr != nil {
		return fmt.Errorf(`"messages": %w`, d.talkErr)
	}
	prompt := ours.prompt(len(talk.messages), inspectPrompt(talk.messages, s.Input))
	rec := &rollout.Record{
		Item: id, Split: split, Step: k.Step, Sample: r.numbers.inStep(split, id, k.Step, epoch-1),
		Source: rollout.Import, TraceID: s.UUID,
	}
	if err := r.sendItem(rec, s, ours, talk.messages[:prompt]); err != nil {
		return err
	}
	if err := r.retries(rec, s.Retries); err != nil {
		return err
	}
	rec.Messages = talk.messages[prompt:]
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, talk.status)
	s.fill(rec, r.model.name)
	ours.finish(rec)
	if !ours.ungraded(rec) {
		if err := r.grade(rec, s); err != nil {
			return err
		}
		ours.outcome(rec)
	}
	return ended(r.sink.record(rec))
}

// stamp returns the stamp that our own export wrote into the metadata.
func (s *inspectSample) stamp() *stamp {
	var metadata struct {
		Stamp json.RawMessage `json:"gonogo"`
	}
	if jsontext.Unmarshal(s.Metadata, &metadata) != nil {
		return nil
	}
	return stampIn(metadata.Stamp)
}

// key returns the id and the epoch of the sample.
func (r *inspectReader) key(s *inspectSample) (id string, epoch int, err error) {
	if id = jsontext.TextOrJSON(s.ID); id == "" {
		return "", 0, fmt.Errorf(`"id" is missing`)
	}
	number := s.ID[0] != '"'
	id = r.itemID(id)
	if was, known := r.items[id]; known && was != number {
		return "", 0, fmt.Errorf("id %s is a number here and a string elsewhere: they would be one item", id)
	}
	r.items[id] = number
	switch {
	case s.Epoch == nil:
		return id, 1, nil
	case *s.Epoch < 1:
		return "", 0, fmt.Errorf("epoch is %d: epochs count from 1", *s.Epoch)
	}
	return id, *s.Epoch, nil
}

// sendItem passes on the item of a sample. The item is that of its first sample.
func (r *inspectReader) sendItem(rec *rollout.Record, s *inspectSample, ours *stamp, prompt []rollout.Message) error {
	if len(prompt) == 0 && len(s.Input) > 0 && s.Input[0] == '"' {
		prompt = []rollout.Message{{Role: "user", Content: jsontext.TextOrJSON(s.Input)}}
	}
	r.named.tell(r.sink)
	r.sink.tellExactly("target", s.Target)
	if ok, err := sendStamped(r.sink, ours, rec, prompt); ok {
		return err
	}
	return sendItem(r.sink, r.log, rollout.Item{ID: rec.Item, Split: rec.Split}, prompt,
		map[string]json.RawMessage{"target": s.Target, "metadata": s.Metadata, "tools": s.offered()})
}

// retries passes on the earlier attempts, which ended in an error.
func (r *inspectReader) retries(rec *rollout.Record, failed []inspectError) error {
	failed = slices.DeleteFunc(slices.Clone(failed), func(e inspectError) bool { return e.cancelled() })
	for i, e := range failed {
		earlier := *rec
		earlier.Attempt = i
		earlier.Outcome, earlier.Error = inspectBoundary(e), transcript.FirstLine(e.Message)
		r.retried++
		if err := ended(r.sink.record(&earlier)); err != nil {
			return err
		}
	}
	rec.Attempt = len(failed)
	return nil
}

// fill copies everything but the grade.
func (s *inspectSample) fill(rec *rollout.Record, model string) {
	s.time(rec.Calls)
	rec.Answer = inspectAnswer(s.Output)
	s.finish(rec)
	rec.Usage, rec.Judge = s.usage(model)
	if started, err := time.Parse(time.RFC3339Nano, s.Started); err == nil {
		rec.Started = started.UTC()
	}
	rec.Elapsed = seconds(s.TotalTime)
}

// finish sets the stop_reason of the last reply or, if that is unknown, the token limit that ended
// the sample.
func (s *inspectSample) finish(rec *rollout.Record) {
	var out struct {
		Choices []struct {
			Stop string `json:"stop_reason"`
		} `json:"choices"`
	}
	if jsontext.Unmarshal(s.Output, &out) == nil && len(out.Choices) > 0 {
		finished(rec, out.Choices[0].Stop)
	}
	if rec.Finish == "" && s.Limit != nil && (s.Limit.Type == "token" || s.Limit.Type == "context") {
		rec.Finish = rollout.FinishLength
	}
}

// usage returns the token usage of the evaluated model and of the model in the role of grader.
func (s *inspectSample) usage(model string) (policy, judge rollout.Usage) {
	u, ok := s.ModelUsage[model]
	if !ok && len(s.ModelUsage) == 1 {
		for _, only := range s.ModelUsage {
			u = only
		}
	}
	policy, judge = u.usage(), s.RoleUsage["grader"].usage()
	if len(s.ModelUsage) == 1 { // one model had both roles
		policy.Input, policy.Output = less(policy.Input, judge.Input), less(policy.Output, judge.Output)
		policy.Cached, policy.Reasoning = less(policy.Cached, judge.Cached), less(policy.Reasoning, judge.Reasoning)
	}
	return policy, judge
}

// usage converts the counts: input includes tokens read from and written to a cache, as everywhere
// else.
func (u inspectUsage) usage() rollout.Usage {
	out := rollout.Usage{Input: u.Input, Output: u.Output, Reasoning: u.Reasoning, Cached: u.CacheRead}
	if u.Input != nil {
		sum := *u.Input
		for _, more := range []*int64{u.CacheRead, u.CacheWrite} {
			if more != nil {
				sum += *more
			}
		}
		out.Input = &sum
	}
	return out
}

func less(all, part *int64) *int64 {
	if all == nil || part == nil {
		return all
	}
	rest := max(*all-*part, 0)
	return &rest
}

// inspectBoundary finds the failed boundary by the last frame of the traceback that belongs to a
// boundary. If there is no such frame, the model API failed: that is what solvers mostly await.
// Anything that fails below a scorer, such as its judge, is a failure of the grader. Tools and
// scorers are mostly the user's own files, so the frames that call them identify them.
func inspectBoundary(e inspectError) rollout.Outcome {
	for _, scoring := range []string{"await scorer(", "inspect_ai/scorer/"} {
		if strings.Contains(e.Traceback, scoring) {
			return rollout.GraderFailed
		}
	}
	last, outcome := -1, rollout.ModelAPI
	for _, frame := range []struct {
		part    string
		outcome rollout.Outcome
	}{
		{"/model/", rollout.ModelAPI},
		{"/tool/", rollout.ToolFailed},
		{"/tools/", rollout.ToolFailed},
		{"/sandbox/", rollout.ToolFailed},
		{"await tool_def.tool(", rollout.ToolFailed},
		{"/scorer/", rollout.GraderFailed},
		{"/scorers/", rollout.GraderFailed},
	} {
		if index := strings.LastIndex(e.Traceback, frame.part); index > last {
			last, outcome = index, frame.outcome
		}
	}
	return outcome
}
