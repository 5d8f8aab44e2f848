package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// verifiers reads results.jsonl as verifiers wrote it before version 1
// (verifiers/legacy/utils/save_utils.py), with metadata.json next to it.
var verifiers = Format{
	Name:   "verifiers",
	Scored: true,
	Doc: "results.jsonl of verifiers before layout v1 (vf-eval), with its metadata.json, or the samples of an " +
		"evaluation that Prime Intellect hosts (prime eval samples)",
	Files: []string{"results.jsonl"},
	From: Origin{
		Item:   "`example_id`",
		Sample: "the order of an example's lines; in several files, later files continue",
		Reward: "`reward`; `metrics` are `parts`; `--score NAME` takes one of them",
		Failures: "`error` is `model_api`, `tool` or `grader` by its chain, whatever `reward` says; " +
			"`stop_condition` of turns, tokens or time is `step_limit`; a reward that is missing, null or NaN, or " +
			"of a rollout that was not completed, is `grader`",
	},
	Read: readVerifiers, sniff: sniffVerifiers,
}

// verifiersRow is one line: one rollout.
type verifiersRow struct {
	Example    json.RawMessage     `json:"example_id"`
	Hosted     json.RawMessage     `json:"exampleId"` // as prime eval samples may write it
	Prompt     json.RawMessage     `json:"prompt"`
	Completion json.RawMessage     `json:"completion"`
	Answer     json.RawMessage     `json:"answer"`
	Info       json.RawMessage     `json:"info"`
	ToolDefs   json.RawMessage     `json:"tool_defs"`
	OAITools   json.RawMessage     `json:"oai_tools"`
	Tools      json.RawMessage     `json:"tools"`
	Reward     json.RawMessage     `json:"reward"`
	Metrics    map[string]*float64 `json:"metrics"`
	Error      json.RawMessage     `json:"error"`
	Completed  *bool               `json:"is_completed"`
	Truncated  *bool               `json:"is_truncated"`
	Stop       string              `json:"stop_condition"`
	Usage      struct {
		Input  *float64 `json:"input_tokens"`
		Output *float64 `json:"output_tokens"`
	} `json:"token_usage"`
	Timing struct {
		Start   *float64 `json:"start_time"`
		Total   *float64 `json:"total"`
		TotalMS *float64 `json:"total_ms"`
	} `json:"timing"`
	Stamp json.RawMessage `json:"gonogo"`
	marked

	names       map[string]json.RawMessage // the policy and the environment, by key
	asked, talk []rollout.Message          // prompt and completion
	broken      bool                       // the line is not JSON
}

// mark records the keys that name the policy and the environment, and marks of failure in other
// keys.
func (r *verifiersRow) mark(key string, value []byte) {
	if !isFacet(key) {
		r.marked.mark(key, value)
		return
	}
	if r.names == nil {
		r.names = make(map[string]json.RawMessage)
	}
	r.names[key] = bytes.Clone(value)
}

// decodeVerifiers decodes a line. Lines that are not JSON, which a killed run leaves behind, are
// marked as broken: verifiers' own loader skips them.
func decodeVerifiers(text []byte) (*verifiersRow, error) {
	r, err := decodeRow[verifiersRow](text)
	if errors.Is(err, rollout.ErrBroken) {
		return &verifiersRow{broken: true}, nil
	}
	if err != nil {
		return r, err
	}
	r.marks = r.marks.Without(func(key string) bool { // metrics occur a second time as keys of the line
		_, metric := r.Metrics[key]
		return metric
	})
	if r.Example == nil {
		r.Example = r.Hosted
	}
	info := json.RawMessage(jsontext.TextOrJSON(r.Info)) // may be an object written as a string
	r.Tools = offered(r.ToolDefs, r.OAITools, r.Tools, member(info, "oai_tools"), member(info, "tools"))
	if r.asked, err = transcript.Messages(r.Prompt, "user"); err != nil {
		return r, fmt.Errorf("prompt: %w", err)
	}
	if r.talk, err = transcript.Messages(r.Completion, "assistant"); err != nil {
		return r, fmt.Errorf("completion: %w", err)
	}
	return r, nil
}

func sniffVerifiers(f File) error {
	if hosted(f) {
		return nil
	}
	return sniffKeys(f, "example_id", "completion")
}

func readVerifiers(ctx context.Context, in *intake) error {
	sink, files := in.sink, in.files
	v := verifiersReader{
		intake: in, texts: make(map[uint64]bool), stamped: make(map[rollout.Key]bool),
		args: make(map[string]json.RawMessage), stated: make(map[string]*float64), folders: stepFolders(files),
	}
	for _, f := range files {
		if err := v.metadata(f); err != nil {
			return err
		}
	}
	sink.model(v.model.name)
	for _, f := range files {
		clear(v.texts)
		if v.file(); v.wanted == "" {
			v.means.state(f, "avg_reward", v.stated[f.Name])
		}
		if hosted(f) {
			if err := v.samples(ctx, f, sink.forFile(f, files)); err != nil {
				return err
			}
			continue
		}
		err := readJSONLines(ctx, f, sink.forFile(f, files), decodeVerifiers, func(l rollout.Line[*verifiersRow]) error {
			return stopped(f, l.Number, v.line(f, l))
		})
		if err != nil {
			return err
		}
	}
	sink.note("item = example_id; the file numbers no rollouts, so sample = how often the example appeared before; "+
		"split = %s", v.split)
	if v.wanted != "" {
		sink.note("reward = metric %s, by --score", v.wanted)
	}
	steps := make(map[int]bool)
	for _, step := range v.folders {
		steps[step] = true
	}
	sink.noteSteps(steps)
	in.noteStamps(len(v.stamped))
	if len(v.stamped) == 0 { // our own export plans as many for every example as the one with the most has
		in.sendPlan(len(files), 0)
	}
	return nil
}

// hosted reports whether a file is the output of `prime eval samples ID` (prime-evals, models.py,
// SamplesResponse): an object with a page of the rows of results.jsonl.
func hosted(f File) bool {
	head, err := readHead(f)
	return err == nil && (head.keys["samples"] != nil || head.broken && f.mentions(`"samples"`)) &&
		(f.mentions(`"example_id"`) || f.mentions(`"exampleId"`))
}

// samples reads such a page.
func (v *verifiersReader) samples(ctx context.Context, f File, sink Sink) error {
	more := false
	err := eachOf(ctx, f, []string{"samples"}, func(key string, value json.RawMessage) error {
		more = more || (key == "hasMore" || key == "has_more") && string(value) == "true"
		return nil
	}, func(a *array, raw []byte) error {
		row, err := decodeVerifiers(raw)
		if err == nil {
			sum := fnv.New64a()
			sum.Write(raw)
			err = v.line(f, rollout.Line[*verifiersRow]{Number: a.index + 1, Value: row, Hash: sum.Sum64()})
		}
		return err
	})
	if err == nil && more {
		sink.note("the page says that there are more samples: get them with --page, and import the pages together")
	}
	return err
}

// verifiersReader remembers how often items occurred, but not their text.
type verifiersReader struct {
	*intake
	env     string
	args    map[string]json.RawMessage // env_args by file
	stated  map[string]*float64        // mean rewards by file
	folders map[string]int             // see stepFolders
	texts   map[uint64]bool            // hashes of the lines of this file
	stamped map[rollout.Key]bool
}

// metadata reads the file next to the results, if there is one.
func (v *verifiersReader) metadata(f File) error {
	beside := f.Beside("metadata.json")
	text, err := readValue(beside)
	if errors.Is(err, fs.ErrNotExist) {
		v.sink.note("%s: there is no metadata.json next to it: model and environment are not known", f.Name)
		return nil
	}
	if err != nil {
		return err
	}
	var m struct {
		Env      string          `json:"env_id"`
		Args     json.RawMessage `json:"env_args"`
		Model    json.RawMessage `json:"model"`
		Examples float64         `json:"num_examples"` // below 0 means all
		Rollouts float64         `json:"rollouts_per_example"`
		Mean     *float64        `json:"avg_reward"`
	}
	if err := decodeInto(text, &m); err != nil {
		return fmt.Errorf("%s: %w", beside.Name, err)
	}
	if err := v.model.check(f, jsontext.TextOrJSON(m.Model)); err != nil {
		return fmt.Errorf("%s: %w", beside.Name, err)
	}
	if v.env != "" && m.Env != "" && m.Env != v.env {
		return fmt.Errorf("%s: its environment is %q, but earlier files are from %q; example_id is only unique within "+
			"one environment: import them separately", beside.Name, m.Env, v.env)
	}
	v.env, v.args[f.Name] = cmp.Or(v.env, m.Env), m.Args
	v.plans.add(int(m.Examples * m.Rollouts))
	v.stated[f.Name] = m.Mean
	return nil
}

func (v *verifiersReader) line(f File, l rollout.Line[*verifiersRow]) error {
	row := l.Value
	if row.broken {
		v.count("line[|s] [is|are] not JSON and [was|were] left out, as verifiers does")
		return nil
	}
	id := jsontext.TextOrJSON(row.Example)
	if id == "" {
		return errors.New(`"example_id" is missing`)
	}
	if row.Timing.Start != nil && v.texts[l.Hash] { // no two rollouts begin and end at the same microsecond
		v.count("exact duplicate[|s] [was|were] left out")
		return nil
	}
	v.texts[l.Hash] = true
	ours := stampIn(row.Stamp)
	rec := &rollout.Record{
		Item: id, Split: ours.splitOr(v.split), Step: v.folders[f.Name], Source: rollout.Import, Messages: row.talk,
		Answer: finalAnswer(row.talk),
	}
	if err := v.name(rec, ours); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(row.names)) {
		v.sink.tellVersion(key, row.names[key])
		v.sink.tell(key, jsontext.TextOrJSON(row.names[key]))
	}
	v.sink.tellExactly("answer", row.Answer)
	v.sink.tellExactly("info", row.Info)
	v.sink.tellExactly("env_args", v.args[f.Name])
	err := sendItem(v.sink, f, rollout.Item{ID: rec.Item, Split: rec.Split}, row.asked,
		map[string]json.RawMessage{"answer": row.Answer, "info": row.Info, "tools": row.Tools})
	if err != nil {
		return err
	}
	rec.Calls, rec.Turns = transcript.CallsOf(row.talk, transcript.UnreportedStatus)
	row.fill(rec)
	ours.finish(rec)
	if !ours.ungraded(rec) {
		if err := v.grade(rec, row); err != nil {
			return err
		}
		ours.outcome(rec)
	}
	return ended(v.sink.record(rec))
}

// finalAnswer returns the model's last text. A conversation that ends with a tool result has none:
// the text next to the call is not an answer.
func finalAnswer(talk []rollout.Message) string {
	if n := len(talk); n > 0 && talk[n-1].Role == "tool" {
		return ""
	}
	return transcript.LastAnswer(talk)
}

// name sets the item and the sample of a record. Lines of our own export have both.
func (v *verifiersReader) name(rec *rollout.Record, st *stamp) error {
	sample := st.names(rec, -1)
	if sample < 0 {
		rec.Sample = v.numbers.another(rec.Split, rec.Item, rec.Step)
		return nil
	}
	rec.Sample = v.numbers.inStep(rec.Split, rec.Item, rec.Step, sample)
	return st.again(v.stamped, rec.Key())
}

func (r *verifiersRow) fill(rec *rollout.Record) {
	rec.Usage = rollout.Usage{Input: tokens(r.Usage.Input), Output: tokens(r.Usage.Output)}
	switch {
	case r.Truncated != nil && *r.Truncated:
		rec.Finish = rollout.FinishLength
	case r.Truncated != nil && len(rec.Messages) > 0:
		finished(rec, "stop")
	}
	rec.Elapsed = seconds(r.Timing.Total)
	if r.Timing.Total == nil && r.Timing.TotalMS != nil {
		total := *r.Timing.TotalMS / 1000
		rec.Elapsed = seconds(&total)
	}
	if s := seconds(r.Timing.Start); s > 0 {
		rec.Started = time.Unix(0, int64(s)).UTC()
	}
}

// grade sets outcome, reward and parts. The reward of a failed rollout is 0.0 only because it was
// never set, so it is dropped.
func (v *verifiersReader) grade(rec *rollout.Record, row *verifiersRow) error {
	if cause := verifiersCause(row.Error); cause != "" {
		v.failed(rec, rollout.Boundary(string(row.Error)), cause)
		return nil
	}
	if boundary, cause := row.failure(rollout.ModelAPI); boundary != "" {
		v.failed(rec, boundary, cause)
		return nil
	}
	reward, err := v.reward("reward", row.Reward)
	if err != nil {
		return err
	}
	v.offer(slices.Collect(maps.Keys(row.Metrics))...)
	if v.wanted != "" {
		reward = row.Metrics[v.wanted]
	}
	rec.Parts = parts(row.Metrics, v.wanted)
	switch {
	case row.Completed != nil && !*row.Completed && row.Stop == "":
		v.ungraded(rec, "is_completed is false: its reward was never set")
	case reward == nil:
		v.ungraded(rec, "reward is missing, null or NaN")
	case isLimit(row.Stop) && !oneTurn(rec, row.Stop):
		v.limited(rec, reward, row.Stop)
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// verifiersCause returns what went wrong; "" if the value is a metric called error that was copied
// over the key.
func verifiersCause(text json.RawMessage) string {
	if isNone(text) || text[0] != '{' && text[0] != '"' {
		return ""
	}
	var e struct {
		Error   string `json:"error"`
		Message string `json:"message"`
		Chain   string `json:"error_chain_str"`
	}
	if message := jsontext.TextOrJSON(text); text[0] == '"' || jsontext.Unmarshal(text, &e) != nil {
		if failure.None(message) {
			return ""
		}
		return transcript.FirstLine(message)
	}
	cause := strings.Trim(e.Error+": "+e.Message, ": ")
	if cause == "" {
		cause = e.Chain
	}
	if cause = transcript.FirstLine(cause); cause == "" {
		return "an error without a text"
	}
	return cause
}

// isLimit reports whether a stop condition is a limit that was reached.
func isLimit(stop string) bool {
	stop = strings.ToLower(stop)
	for _, word := range []string{"max_", "too_long", "timeout", "limit", "truncat", "context_length", "overlong"} {
		if strings.Contains(stop, word) {
			return true
		}
	}
	return false
}

// oneTurn reports whether a rollout ended because its environment has only one turn: verifiers
// writes max_turns_reached for these too.
func oneTurn(rec *rollout.Record, stop string) bool {
	return strings.HasPrefix(stop, "max_turns") && rec.Turns == 1 && len(rec.Calls) == 0
}

// tokens converts a token count that a log writes as a float.
func tokens(f *float64) *int64 {
	if f == nil || *f < 0 || *f > 1<<53 {
		return nil
	}
	n := int64(math.Round(*f))
	return &n
}
