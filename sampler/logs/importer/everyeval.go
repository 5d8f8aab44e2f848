package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// everyEval reads the instance-level results of Every Eval Ever (evaleval/every_eval_ever,
// schemas/instance_level_eval.schema.json). Its aggregate files hold no rollouts.
var everyEval = Format{
	Name:   "every-eval-ever",
	Scored: true,
	Doc:    "ID_samples.jsonl of Every Eval Ever, its instance-level results",
	Files:  []string{"*_samples.jsonl"},
	From: Origin{
		Item:   "`sample_id`, with `evaluation_name` before it if a file has several",
		Sample: "the order of a sample's lines; in several files, later files continue",
		Reward: "`evaluation.score`; of several results about one output the first, or that whose " +
			"`evaluation_result_id` or `evaluation_name` is `--score`",
		Failures: "`error` is `model_api`, `tool` or `grader` by its words, whatever the score; a score that is " +
			"missing, null or NaN is `grader`",
	},
	Read: readEveryEval, keys: []string{"evaluation_name", "evaluation", "sample_id", "interaction_type"},
}

type everyEvalRow struct {
	Model  string          `json:"model_id"`
	Name   string          `json:"evaluation_name"`
	Result string          `json:"evaluation_result_id"`
	Sample json.RawMessage `json:"sample_id"`
	Hash   json.RawMessage `json:"sample_hash"`
	Input  struct {
		Raw       string          `json:"raw"`
		Reference json.RawMessage `json:"reference"`
		Choices   json.RawMessage `json:"choices"`
	} `json:"input"`
	Output *struct {
		Raw       []string `json:"raw"`
		Reasoning []string `json:"reasoning_trace"`
	} `json:"output"`
	Messages   []everyEvalMessage `json:"messages"`
	Evaluation struct {
		Score json.RawMessage `json:"score"`
	} `json:"evaluation"`
	Usage struct {
		Input     *float64 `json:"input_tokens"`
		Output    *float64 `json:"output_tokens"`
		Reasoning *float64 `json:"reasoning_tokens"`
		Cached    *float64 `json:"input_tokens_cache_read"`
	} `json:"token_usage"`
	Performance struct {
		Latency *float64 `json:"latency_ms"`
	} `json:"performance"`
	marked

	output string // see fingerprint
	broken error  // of fingerprint
}

// everyEvalHead is a row of the first reading, which needs no fingerprint.
type everyEvalHead everyEvalRow

// prepare sets the fingerprint.
func (r *everyEvalRow) prepare() { r.output, r.broken = r.fingerprint() }

type everyEvalMessage struct {
	transcript.ChatMessage
	Trace string   `json:"reasoning_trace"`
	Calls []string `json:"tool_call_id"`
}

// key names the result that the line reports.
func (r *everyEvalRow) key() string { return cmp.Or(r.Result, r.Name) }

// fingerprint hashes prompt and output: two lines about one rollout share it.
func (r *everyEvalRow) fingerprint() (string, error) {
	text, err := json.Marshal([]any{r.Sample, r.Input.Raw, r.Output, r.Messages})
	return hash(text), err
}

func readEveryEval(ctx context.Context, in *intake) error {
	e := everyEvalReader{intake: in, names: make(map[string]bool), first: make(map[string]string)}
	for _, f := range in.files {
		err := eachRow(ctx, f, Sink{}, func(_ int, row *everyEvalHead) error {
			e.names[row.Name] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := eachRowOf(ctx, in, e.row); err != nil {
		return err
	}
	in.sink.note("item = sample_id, sample = the order of its lines, split = %s", e.split)
	in.sink.noteCount(e.others, "line[|s] with another result for an output, left out; --score takes the "+
		"evaluation_result_id or the evaluation_name")
	return nil
}

type everyEvalReader struct {
	*intake
	names  map[string]bool   // names of evaluations
	first  map[string]string // the first result of each output, by fingerprint and file
	others int
}

func (e *everyEvalReader) row(f File, line int, row *everyEvalRow) error {
	if row.broken != nil {
		return row.broken
	}
	output := row.output + f.Name
	e.offer(row.Result, row.Name)
	if e.wanted != "" && e.wanted != row.Result && e.wanted != row.Name {
		e.others++
		return nil
	}
	if first, ok := e.first[output]; ok && first != row.key() {
		e.others++
		return nil
	}
	e.first[output] = row.key()
	if err := e.setModel(f, row.Model); err != nil {
		return err
	}
	id, err := wholeID("sample_id", row.Sample)
	if err != nil {
		return err
	}
	if len(e.names) > 1 && e.wanted == "" {
		id = row.Name + "/" + id
	}
	asked, talk, err := row.conversation()
	if err != nil {
		return err
	}
	it := rollout.Item{ID: id, Split: e.split, Line: line}
	e.sink.tellExactly("sample_hash", row.Hash)
	e.sink.tellExactly("reference", row.Input.Reference)
	if err := sendItem(e.sink, f, it, asked, map[string]json.RawMessage{
		"reference": row.Input.Reference,
		"choices":   row.Input.Choices,
	}); err != nil {
		return err
	}
	rec := &rollout.Record{
		Item: id, Messages: talk, Answer: transcript.LastAnswer(talk),
		Usage: rollout.Usage{
			Input: tokens(row.Usage.Input), Output: tokens(row.Usage.Output),
			Reasoning: tokens(row.Usage.Reasoning), Cached: tokens(row.Usage.Cached),
		},
	}
	rec.Calls, rec.Turns = transcript.CallsOf(talk, transcript.UnreportedStatus)
	if ms := row.Performance.Latency; ms != nil {
		s := *ms / 1000
		rec.Elapsed = seconds(&s)
	}
	score, err := e.reward("evaluation.score", row.Evaluation.Score)
	if err != nil {
		return err
	}
	switch boundary, cause := row.failure(rollout.ModelAPI); {
	case boundary != "":
		e.failed(rec, boundary, cause)
	case score == nil:
		e.ungraded(rec, "evaluation.score is missing, null or NaN")
	default:
		rec.Outcome, rec.Reward = rollout.Graded, score
	}
	return e.record(rec, e.again(id))
}

// conversation returns the prompt and the rest of the conversation: a single reply or messages.
func (r *everyEvalRow) conversation() (asked, talk []rollout.Message, err error) {
	if r.Output != nil {
		m := rollout.Message{Role: "assistant", Content: joined(r.Output.Raw), Reasoning: joined(r.Output.Reasoning)}
		if r.Input.Raw != "" {
			asked = []rollout.Message{{Role: "user", Content: r.Input.Raw}}
		}
		return asked, []rollout.Message{m}, nil
	}
	for i, msg := range r.Messages {
		if len(msg.Calls) == 1 {
			msg.ToolCallID = msg.Calls[0]
		}
		m, err := msg.Message()
		if err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if m.Role == "" {
			return nil, nil, errors.New("a message has no role")
		}
		m.Reasoning = cmp.Or(m.Reasoning, msg.Trace)
		talk = append(talk, m)
	}
	first := transcript.UntilAnswer(talk)
	return talk[:first], talk[first:], nil
}

// joined joins the nonempty texts with line breaks.
func joined(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" }), "\n")
}
