package rollout

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/prompt"
)

// Record is one attempt of the model at one item, from start to end. One line of rollouts.jsonl is
// one Record; the shortest valid line is {"item":"q1","reward":0.5}.
type Record struct {
	Item  string `json:"item"`  // Item.ID
	Split Split  `json:"split"` // copied, so a Record can be read alone
	// the version of the policy: the training step whose weights made it; 0 is the base model
	Step int `json:"step,omitempty"`
	// 0-based; (Split, Step, Item, Sample) is unique within a run
	Sample  int     `json:"sample"`
	Attempt int     `json:"attempt"`         // 0-based count of re-runs of one Key; the highest wins
	Source  Source  `json:"source"`          // live, import or probe
	Outcome Outcome `json:"outcome"`         // graded, or what ended the rollout instead
	Error   string  `json:"error,omitempty"` // the cause, if Outcome is not Graded
	// of a failure of the grader or a session: one of the kinds in package sampler
	Kind string `json:"error_kind,omitempty"`
	// present exactly if a grade exists; read it through Score
	Reward *float64           `json:"reward,omitempty"`
	Grades []float64          `json:"grades,omitempty"` // regrades of the same output; the first equals Reward
	Parts  map[string]float64 `json:"parts,omitempty"`  // sub-scores by grader name
	// GroupSize is how many outputs of the item a grader that compares them graded together; 0: it
	// graded this one by itself.
	GroupSize int `json:"group_size,omitempty"`
	// the judge's number was outside its range and was clipped
	Clipped  bool   `json:"clipped,omitempty"`
	Category string `json:"category,omitempty"` // optional label of the item
	// optional cluster of the item: repository, document, patient
	Family string `json:"family,omitempty"`

	Answer string `json:"answer,omitempty"` // the final output text that was graded
	Finish Finish `json:"finish,omitempty"` // why the model's last reply ended; "" if unknown
	// the model that replied last, as the endpoint names it, with its fingerprint if there is one
	Served   string    `json:"served_by,omitempty"`
	Messages []Message `json:"messages,omitempty"` // the messages after the item's own
	Calls    []Call    `json:"calls,omitempty"`    // every tool call with its timing
	Turns    int       `json:"turns,omitempty"`    // model replies
	Retries  int       `json:"retries,omitempty"`  // requests retried at any boundary
	Usage    Usage     `json:"usage,omitzero"`     // tokens of the policy model
	Judge    Usage     `json:"judge,omitzero"`     // tokens of the judge

	// JudgeCalls counts the requests that a judge worked on. 0 with an empty Judge means that there
	// was no judge; more than 0 with an empty Judge, that it did not report its tokens.
	JudgeCalls int `json:"judge_calls,omitempty"`
	// Blanked counts the texts in which a secret of the environment was blanked before the model or
	// the grader read them.
	Blanked int `json:"blanked,omitempty"`

	// Planted says that the rollout's own canary was where other rollouts could find it: in a file
	// of its session, or where a tool read it.
	Planted bool   `json:"canary_planted,omitempty"`
	Leaks   []Leak `json:"leaks,omitempty"` // canaries of others that it found, each once, at most MaxLeaksListed

	TraceID string    `json:"trace_id,omitempty"`
	Started time.Time `json:"started_at,omitzero"`
	Elapsed Seconds   `json:"elapsed_s,omitempty"` // wall time of the rollout, grading included

	Earlier []Earlier  `json:"earlier,omitempty"` // the grades that other graders gave this output before, oldest first
	Probe   *ProbeInfo `json:"probe,omitempty"`   // of a record of probes.jsonl

	// Extra holds the line's unknown keys, so that a rewrite keeps them.
	Extra map[string]json.RawMessage `json:"-"`
	// Line is the 1-based line that the record was read from; 0 if it was not read.
	Line int `json:"-"`
	// Asked is the prompt at the start of the messages that a lean read skipped; read it through
	// Prompt.
	Asked prompt.Identity `json:"-"`
	// Said identifies all messages that a lean read skipped, except for the ids of calls, within
	// one process; 0 if there were none.
	Said uint64 `json:"-"`
	// Replaces is the line of the record of the same Key that was yielded before; 0 if there was
	// none.
	Replaces int `json:"-"`
}

// Key identifies a rollout within a run.
type Key struct {
	Split  Split
	Item   string
	Sample int
	Step   int
}

// group returns the key of the group of size samples that the rollout is compared in: Sample counts the
// item's groups.
func (k Key) group(size int) Key {
	k.Sample /= size
	return k
}

// stepMark separates an item from the step in what ItemAtStep returns.
const stepMark = "/step-"

// ItemAtStep returns the item's id with the step, as ITEM/step-N: it is shown to readers if items
// have rollouts of several policies.
func (k Key) ItemAtStep() string { return k.Item + stepMark + strconv.Itoa(k.Step) }

// ItemName returns the item's id, with the step unless that is 0, the base model: the item part of
// names, such as that of an audit's payload.
func (k Key) ItemName() string {
	if k.Step == 0 {
		return k.Item
	}
	return k.ItemAtStep()
}

// CutStep splits what ItemAtStep returns; ok is false for any other text.
func CutStep(shown string) (item string, step int, ok bool) {
	i := strings.LastIndex(shown, stepMark)
	if i < 0 {
		return "", 0, false
	}
	item = shown[:i]
	step, err := strconv.Atoi(shown[i+len(stepMark):])
	return item, step, err == nil && step >= 0 && Key{Item: item, Step: step}.ItemAtStep() == shown
}

// Key returns the record's key within its run.
func (r *Record) Key() Key { return Key{r.Split, r.Item, r.Sample, r.Step} }

// Score is the only way to a number. ok is false if the grade is missing: a missing grade is never
// a zero. floor is the bottom of the reward range, which the model's own failures (no_answer,
// step_limit) earn if there is no grade.
func (r *Record) Score(floor float64) (reward float64, ok bool) {
	switch {
	case r.Outcome.Missing():
		return 0, false
	case r.Reward != nil:
		return *r.Reward, true
	case r.Outcome.OwnFailure():
		return floor, true
	}
	return 0, false
}

// Split says which data file an item came from.
type Split string

// The splits, in the order in which they are shown.
const (
	Train      Split = "train"
	Eval       Split = "eval"
	Production Split = "production"
)

// Splits lists the splits in the order in which they are shown.
func Splits() []Split { return []Split{Train, Eval, Production} }

// Source says where a record comes from.
type Source string

// The sources of a record.
const (
	Live   Source = "live"
	Import Source = "import"
	Probe  Source = "probe"
)

// sources lists the sources of a record.
func sources() []Source { return []Source{Live, Import, Probe} }

// Outcome says how a rollout ended.
type Outcome string

// The outcomes, in the order in which they are shown. The first three are the model's own doing;
// the others are missing data.
const (
	Graded        Outcome = "graded"
	NoAnswer      Outcome = "no_answer"       // refusal, empty, cut off
	StepLimit     Outcome = "step_limit"      // episode steps or tool calls used up
	ModelAPI      Outcome = "model_api"       // the model's endpoint failed after its retries
	PromptTooLong Outcome = "prompt_too_long" // the item's prompt does not fit the context of the model's server
	ToolFailed    Outcome = "tool"            // a tool's endpoint failed after its retries
	GraderFailed  Outcome = "grader"          // the grader failed after its retries
)

// Outcomes lists the outcomes in the order in which they are shown.
func Outcomes() []Outcome {
	return []Outcome{Graded, NoAnswer, StepLimit, ModelAPI, PromptTooLong, ToolFailed, GraderFailed}
}

// Missing reports whether the outcome is missing data: the boundary failed, not the model.
func (o Outcome) Missing() bool {
	return o == ModelAPI || o == PromptTooLong || o == ToolFailed || o == GraderFailed
}

// OwnFailure reports whether the model itself gave no answer worth grading.
func (o Outcome) OwnFailure() bool { return o == NoAnswer || o == StepLimit }

// Finish says why the model's last reply ended.
type Finish string

// The ways a model's last reply ends. Any other end is the endpoint's failure,
// not the model's.
const (
	FinishStop    Finish = "stop"    // complete
	FinishLength  Finish = "length"  // cut off by a token limit
	FinishRefusal Finish = "refusal" // the model declined
	FinishFilter  Finish = "filter"  // withheld or cut off by a content filter
	FinishEmpty   Finish = "empty"   // complete, with neither text nor a tool call
)

// Finishes lists these ways in the order in which they are shown.
func Finishes() []Finish {
	return []Finish{FinishStop, FinishLength, FinishRefusal, FinishFilter, FinishEmpty}
}

// Seconds is a span of time, written to JSON as a number of seconds, to the microsecond.
type Seconds time.Duration

// MarshalJSON writes the span as seconds, rounded to microseconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return s.appendTo(nil), nil
}

// UnmarshalJSON reads a number of seconds, rounded to microseconds; null is 0. A span of more than
// a century is an error.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	f, err := 0.0, error(nil)
	if n := (jsontext.Scanner{Source: b}); len(b) > 0 && n.Number() == nil && n.At == len(b) {
		f, err = strconv.ParseFloat(string(b), 64)
	} else {
		err = jsontext.Unmarshal(b, &f)
	}
	if err != nil {
		return err
	}
	const century = 100 * 365.25 * 24 * 3600
	if math.Abs(f) > century {
		return fmt.Errorf("a span of %g seconds is longer than a century", f)
	}
	*s = Seconds(time.Duration(math.Round(f*1e6)) * time.Microsecond)
	return nil
}

// Usage counts tokens over all model turns of a rollout. A nil count means that the server did not
// report it for at least one turn: absent is not zero.
type Usage struct {
	Input     *int64 `json:"input_tokens,omitempty"`
	Output    *int64 `json:"output_tokens,omitempty"`
	Reasoning *int64 `json:"reasoning_tokens,omitempty"` // part of Output
	Cached    *int64 `json:"cached_tokens,omitempty"`    // part of Input
}

// Plus adds the usage of further turns. A count that one of them lacks is missing in the sum.
func (u Usage) Plus(more Usage) Usage {
	plus := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			return nil
		}
		n := *a + *b
		return &n
	}
	return Usage{
		Input: plus(u.Input, more.Input), Output: plus(u.Output, more.Output),
		Reasoning: plus(u.Reasoning, more.Reasoning), Cached: plus(u.Cached, more.Cached),
	}
}

// KindUngraded is the kind of a record with an answer that was not graded: its grading was in
// progress, or was cut off with the run. Any other line of the same attempt replaces such a line.
const KindUngraded = "ungraded"

// UnnamedCall is the name of a call of which a log says only that it was made: its tool, arguments,
// turn and output are unknown.
const UnnamedCall = "not told"

// Call is one tool call of a rollout.
type Call struct {
	Turn        int        `json:"turn"` // the model turn that asked for it, from 0
	ID          string     `json:"id,omitempty"`
	Name        string     `json:"name"`
	Arguments   string     `json:"arguments"` // as the model wrote them
	Output      string     `json:"output,omitempty"`
	OutputBytes int        `json:"output_bytes,omitempty"` // length of Output before it was cut
	Status      CallStatus `json:"status"`
	Error       string     `json:"error,omitempty"`
	HTTPStatus  int        `json:"http_status,omitempty"`
	Retries     int        `json:"retries,omitempty"`
	Offset      Seconds    `json:"offset_s,omitempty"` // from the start of the rollout to the start of the call
	Elapsed     Seconds    `json:"elapsed_s,omitempty"`
}

// NotText is the Error of a call whose tool returned an output that is not a string, though the
// wire format requires one: the model saw its JSON.
const NotText = "the output is not a string: shown as JSON"

// CallStatus says how a tool call ended.
type CallStatus string

// The ways a tool call can end.
const (
	CallOK        CallStatus = "ok"
	CallError     CallStatus = "error"     // the tool returned an error, which the model saw
	CallMalformed CallStatus = "malformed" // unknown tool or unparsable arguments: the model's mistake, which it saw
	CallFailed    CallStatus = "failed"    // no answer after all retries: ends the rollout
)

// CallStatuses lists the ways a tool call can end.
func CallStatuses() []CallStatus {
	return []CallStatus{CallOK, CallError, CallMalformed, CallFailed}
}
