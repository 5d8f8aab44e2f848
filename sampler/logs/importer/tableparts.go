package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// part is a part of a record that a column can hold.
type part struct {
	name string
	set  func(x *rowRecord, name string, v cell) error
}

// rowRecord is a record that is being built from a row.
type rowRecord struct {
	rollout.Record
	sampled bool   // the row names its sample
	name    string // of the sample if it is not a number, such as a UUID
	prompt  string // the prompt of the item
	right   string // the item's right answer
	shown   cell   // the prompt, if the mapping does not mention it
	facets  []cell // possible facets
	raw     cell   // the reward, which is not parsed for a failure
	marked
	verdict string // the column whose word "failed" is a verdict, not a mark of failure

	counts                            bool // only the number of calls is known
	calls, refused, malformed, failed int
}

// messages returns the prompt in a column that the mapping does not mention; nil if it is a
// conversation without a user message.
func (v cell) messages() []rollout.Message {
	if v.key == "" {
		return nil
	}
	var list []rollout.Message
	if v.text[0] != '[' || jsontext.Unmarshal([]byte(v.text), &list) != nil {
		if v.key == "messages" {
			return nil
		}
		return []rollout.Message{{Role: "user", Content: v.text}}
	}
	list = list[:transcript.UntilAnswer(list)]
	if !slices.ContainsFunc(list, func(m rollout.Message) bool { return m.Role == "user" }) {
		return nil
	}
	return list
}

// PartNames lists the parts that Options.Map may name.
func PartNames() []string {
	var names []string
	for _, p := range tableParts() {
		names = append(names, p.name)
	}
	return append(names, "parts.NAME")
}

// partCalled returns the part with that name.
func partCalled(name string) (part, bool) {
	if sub, ok := strings.CutPrefix(name, "parts."); ok && sub != "" {
		return part{name, setSubScore}, true
	}
	all := tableParts()
	i := slices.IndexFunc(all, func(p part) bool { return p.name == name })
	if i < 0 {
		return part{}, false
	}
	return all[i], true
}

func tableParts() []part {
	return []part{
		{"item", texts(func(x *rowRecord) *string { return &x.Item })},
		{"split", setSplit},
		{"sample", setSample},
		{"step", setStep},
		{"reward", func(x *rowRecord, _ string, v cell) error { x.raw = v; return nil }},
		{"outcome", setOutcome},
		{"error", causes(func(x *rowRecord) *string { return &x.Error })},
		{"error_kind", causes(func(x *rowRecord) *string { return &x.Kind })},
		{"finish", func(x *rowRecord, _ string, v cell) error { finished(&x.Record, v.text); return nil }},
		{"answer", texts(func(x *rowRecord) *string { return &x.Answer })},
		{"prompt", texts(func(x *rowRecord) *string { return &x.prompt })},
		{"reference", texts(func(x *rowRecord) *string { return &x.right })},
		{"messages", setMessages},
		{"category", texts(func(x *rowRecord) *string { return &x.Category })},
		{"family", texts(func(x *rowRecord) *string { return &x.Family })},
		{"turns", counts(func(x *rowRecord) *int { return &x.Turns })},
		{"tool_calls", counts(func(x *rowRecord) *int { return &x.calls })},
		{"tool_calls_refused", counts(func(x *rowRecord) *int { return &x.refused })},
		{"tool_calls_malformed", counts(func(x *rowRecord) *int { return &x.malformed })},
		{"tool_calls_failed", counts(func(x *rowRecord) *int { return &x.failed })},
		{"input_tokens", tokenCounts(func(x *rowRecord) **int64 { return &x.Usage.Input })},
		{"output_tokens", tokenCounts(func(x *rowRecord) **int64 { return &x.Usage.Output })},
		{"reasoning_tokens", tokenCounts(func(x *rowRecord) **int64 { return &x.Usage.Reasoning })},
		{"cached_tokens", tokenCounts(func(x *rowRecord) **int64 { return &x.Usage.Cached })},
		{"judge_calls", counts(func(x *rowRecord) *int { return &x.JudgeCalls })},
		{"judge_input_tokens", tokenCounts(func(x *rowRecord) **int64 { return &x.Judge.Input })},
		{"judge_output_tokens", tokenCounts(func(x *rowRecord) **int64 { return &x.Judge.Output })},
		{"retries", counts(func(x *rowRecord) *int { return &x.Retries })},
		{"latency_s", setLatency},
		{"clipped", setClipped},
		{"started_at", setStarted},
		{"trace_id", texts(func(x *rowRecord) *string { return &x.TraceID })},
		{"more_parts", setMoreParts},
	}
}

// promptAsItem is the prompt of rows without an item: each prompt is one.
var promptAsItem = part{"prompt", func(x *rowRecord, _ string, v cell) error {
	if x.prompt = validText(v.text); x.prompt != "" {
		x.Item = hash([]byte(x.prompt))
	}
	return nil
}}

func texts(field func(*rowRecord) *string) func(*rowRecord, string, cell) error {
	return func(x *rowRecord, _ string, v cell) error {
		*field(x) = validText(v.text)
		return nil
	}
}

// whole parses a whole number, which may be written as 3.0, as in tables whose column has gaps.
func whole(v cell) (n int64, ok bool, err error) {
	if v.none {
		return 0, false, nil
	}
	if n, err = strconv.ParseInt(v.text, 10, 64); err == nil {
		return n, true, nil
	}
	f, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err == nil && math.IsNaN(f):
		return 0, false, nil
	case err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53:
		return 0, false, fmt.Errorf("%q is not a whole number", transcript.FirstLine(v.text))
	}
	return int64(f), true, nil
}

func counts(field func(*rowRecord) *int) func(*rowRecord, string, cell) error {
	return func(x *rowRecord, name string, v cell) error {
		const most = 100_000
		n, _, err := whole(v)
		if err == nil && (n < 0 || n > most) {
			err = fmt.Errorf("%d is not a number of %s: it must be from 0 to %d", n,
				strings.ReplaceAll(name, "_", " "), most)
		}
		*field(x) = int(n)
		return err
	}
}

func tokenCounts(field func(*rowRecord) **int64) func(*rowRecord, string, cell) error {
	return func(x *rowRecord, _ string, v cell) error {
		n, ok, err := whole(v)
		if err == nil && n < 0 {
			err = fmt.Errorf("%d is not a number of tokens", n)
		}
		if ok {
			*field(x) = &n
		}
		return err
	}
}

func setSplit(x *rowRecord, _ string, v cell) error {
	if v.none {
		return nil
	}
	x.Split = rollout.Split(v.text)
	if !slices.Contains(rollout.Splits(), x.Split) {
		return fmt.Errorf("%q is not a split: splits are %v; of a file that holds one, --split says which",
			transcript.FirstLine(v.text), rollout.Splits())
	}
	return nil
}

func setSample(x *rowRecord, _ string, v cell) error {
	n, ok, err := whole(v)
	if err != nil {
		x.name, x.sampled = v.text, true
		return nil
	}
	if n < 0 || n > math.MaxInt32 {
		err = fmt.Errorf("sample is %d: samples count from 0", n)
	}
	x.Record.Sample, x.sampled = int(n), ok
	return err
}

func setStep(x *rowRecord, _ string, v cell) error {
	n, _, err := whole(v)
	if err == nil && (n < 0 || n > math.MaxInt32) {
		err = fmt.Errorf("step is %d: the steps of a training count from 0", n)
	}
	x.Step = int(n)
	return err
}

// stepByName is the step of rows if the mapping does not mention it. As in plain lines, a value
// that is not a step, such as a text, is ignored.
var stepByName = part{"step", func(x *rowRecord, name string, v cell) error {
	if setStep(x, name, v) != nil {
		x.Step = 0
	}
	return nil
}}

func setOutcome(x *rowRecord, _ string, v cell) error {
	if v.none {
		return nil
	}
	x.Outcome = rollout.Outcome(v.text)
	if !slices.Contains(rollout.Outcomes(), x.Outcome) {
		return fmt.Errorf("%q is not an outcome: outcomes are %v", transcript.FirstLine(v.text), rollout.Outcomes())
	}
	return nil
}

// causes sets what went wrong, unless the cell says that nothing did.
func causes(field func(*rowRecord) *string) func(*rowRecord, string, cell) error {
	return func(x *rowRecord, _ string, v cell) error {
		if !failure.None(v.text) {
			*field(x) = transcript.FirstLine(validText(v.text))
		}
		return nil
	}
}

func setMessages(x *rowRecord, _ string, v cell) error {
	if v.none {
		return nil
	}
	if err := jsontext.Unmarshal([]byte(v.text), &x.Messages); err != nil {
		return fmt.Errorf("it is not a list of chat messages: %w", err)
	}
	x.Calls, x.Turns = transcript.CallsOf(x.Messages, transcript.UnreportedStatus)
	return nil
}

func setLatency(x *rowRecord, _ string, v cell) error {
	f, err := float(v)
	if _, truth := truthOf(v.text); truth {
		return fmt.Errorf("%q is not a number of seconds", v.text)
	}
	if err == nil {
		x.Elapsed = seconds(f)
	}
	return err
}

func setClipped(x *rowRecord, _ string, v cell) error {
	if v.none {
		return nil
	}
	clipped, err := strconv.ParseBool(strings.ToLower(v.text))
	x.Clipped = clipped
	return err
}

func setStarted(x *rowRecord, _ string, v cell) error {
	if x.Started = pythonTime(v.text); x.Started.IsZero() && !v.none {
		return fmt.Errorf("%q is not a time such as 2026-01-31T12:00:00Z", transcript.FirstLine(v.text))
	}
	return nil
}

func setSubScore(x *rowRecord, name string, v cell) error {
	f, err := float(v)
	if err == nil {
		setParts(&x.Record, strings.TrimPrefix(name, "parts."), f)
	}
	return err
}

// setMoreParts reads the column in which our own tables keep the partial scores that have no column
// of their own.
func setMoreParts(x *rowRecord, _ string, v cell) error {
	if v.none {
		return nil
	}
	var parts map[string]*float64
	if err := jsontext.Unmarshal([]byte(v.text), &parts); err != nil {
		return fmt.Errorf("it is not an object of numbers: %w", err)
	}
	for name, value := range parts {
		setParts(&x.Record, name, value)
	}
	return nil
}

// float parses a number, or true for 1 and false for 0; nil for an empty cell or NaN.
func float(v cell) (*float64, error) {
	if v.none {
		return nil, nil
	}
	if f, truth := truthOf(v.text); truth {
		return &f, nil
	}
	f, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err == nil && math.IsNaN(f):
		return nil, nil
	case err != nil || math.IsInf(f, 0):
		return nil, fmt.Errorf("%q is not a number", transcript.FirstLine(v.text))
	}
	return &f, nil
}

// settle makes reward, outcome and error consistent: a failure never has a number, and a reward
// that is not a number is ignored only if there is an error. native says that a report of gonogo wrote
// the row: its graded rows are graded, even with an error.
func (x *rowRecord) settle(native bool) error {
	if boundary, cause := x.failure(rollout.ModelAPI); boundary != "" && x.Error == "" &&
		(x.Outcome == "" || x.Outcome == rollout.Graded) {
		x.Outcome, x.Error = boundary, transcript.FirstLine(cause)
	}
	failed := x.Error != "" || x.Kind != ""
	if failed && (x.Outcome == "" || x.Outcome == rollout.Graded && !native) {
		x.Outcome = rollout.Boundary(x.Kind + " " + x.Error)
	}
	x.makeCalls()
	if x.Outcome.Missing() {
		if x.Error == "" {
			x.Error = cmp.Or(x.Kind, "no cause is recorded")
		}
		return nil
	}
	reward, err := float(x.raw)
	switch {
	case err != nil && failed:
		return nil
	case err != nil && strings.HasPrefix(x.raw.text, "["):
		return fmt.Errorf("reward: %w but a list, perhaps with a score for each token, and a rollout has one "+
			"reward: write their sum or the last one, such as by jq -c '.KEY |= add' FILE", err)
	case err != nil:
		return fmt.Errorf("reward: %w; if it names a failure, map its column to error or outcome", err)
	case reward == nil && !x.Outcome.OwnFailure():
		grade(&x.Record, nil, "the reward is empty")
		return nil
	}
	x.Reward = reward
	if !x.Outcome.OwnFailure() {
		x.Outcome = rollout.Graded
	}
	if failed && x.Outcome == rollout.Graded { // the first of several gradings, of which some failed
		x.Grades = []float64{*reward}
	}
	return nil
}

// makeCalls makes up the calls of a row that only counts them. Failed calls come last. Each call
// has distinct arguments, so none counts as a repeat.
func (x *rowRecord) makeCalls() {
	if len(x.Calls) > 0 {
		return
	}
	x.counts = true
	wrong := slices.Concat(
		slices.Repeat([]rollout.CallStatus{rollout.CallError}, x.refused),
		slices.Repeat([]rollout.CallStatus{rollout.CallMalformed}, x.malformed),
		slices.Repeat([]rollout.CallStatus{rollout.CallFailed}, x.failed),
	)
	n := max(x.calls, len(wrong))
	for i := range n {
		c := rollout.Call{
			Turn: i, Name: rollout.UnnamedCall, Arguments: fmt.Sprintf(`{"call":%d}`, i),
			Status: rollout.CallOK,
		}
		if index := i - (n - len(wrong)); index >= 0 {
			c.Status = wrong[index]
		}
		x.Calls = append(x.Calls, c)
	}
}

// unmarked removes the apostrophe that our own tables put before a text that looks like a formula
// (package analysis, PlainCell). A text that has such an apostrophe in the data itself also loses
// it.
func unmarked(text string) string {
	rest, marked := strings.CutPrefix(text, "'")
	trimmed := strings.TrimLeft(rest, " \u00a0")
	if !marked || trimmed == "" {
		return text
	}
	if strings.ContainsAny(trimmed[:1], "=+-@\t\r\n") || strings.HasPrefix(trimmed, "＝") ||
		strings.HasPrefix(trimmed, "＋") || strings.HasPrefix(trimmed, "－") || strings.HasPrefix(trimmed, "＠") {
		return rest
	}
	return text
}

// validText replaces invalid UTF-8 by U+FFFD.
func validText(text string) string {
	if utf8.ValidString(text) { // far faster
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
