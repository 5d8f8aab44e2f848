package sampler_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// mill is a model, tools, a grader, a judge and sessions that answer by the
// rollout's trace id alone: what each rollout should come to is known, and no
// right reward is 0. It refuses nothing, and reports whatever it is asked that
// belongs to another rollout or is in another order.
type mill struct {
	t    *testing.T
	seed uint64
	api  string // chat, else responses

	mu     sync.Mutex // guards what follows
	starts map[string]int
	stops  map[string]int
}

func newMill(t *testing.T, api string) *mill {
	return &mill{t: t, seed: 11, api: api, starts: map[string]int{}, stops: map[string]int{}}
}

// course is what a rollout should come to.
type course struct {
	turns  [][]rollout.ToolCall
	answer string
	reward float64
}

func courseOf(trace string) course {
	h := fnv.New64a()
	_, _ = io.WriteString(h, trace)
	x := h.Sum64()
	c := course{answer: "the answer of " + trace, reward: float64(1+x%8) / 8}
	for turn := range 1 + x>>8%3 {
		var calls []rollout.ToolCall
		for i := range 1 + (x>>16+turn)%3 {
			calls = append(calls, rollout.ToolCall{
				ID: fmt.Sprintf("call_%s_%d_%d", trace[6:14], turn, i), Name: []string{"search", "cat"}[(x>>24+i)%2],
				Arguments: fmt.Sprintf(`{"q":"%s/%d/%d"}`, trace, turn, i),
			})
		}
		c.turns = append(c.turns, calls)
	}
	return c
}

func found(arguments string) string { return "found " + arguments }

// wanted is the record of a rollout, as far as nothing of chance is in it.
func wanted(trace string) (messages []rollout.Message, calls []rollout.Call, input, output int64) {
	c := courseOf(trace)
	for turn, list := range c.turns {
		messages = append(messages, rollout.Message{Role: "assistant", ToolCalls: list})
		for _, call := range list {
			out := found(call.Arguments)
			messages = append(messages, rollout.Message{Role: "tool", Name: call.Name, Content: out, ToolCallID: call.ID})
			calls = append(calls, rollout.Call{
				Turn: turn, ID: call.ID, Name: call.Name, Arguments: call.Arguments, Output: out, OutputBytes: len(out), Status: rollout.CallOK, HTTPStatus: 200,
			})
		}
	}
	for turn := range len(c.turns) + 1 {
		input, output = input+tokensIn(turn), output+5
	}
	return append(messages, rollout.Message{Role: "assistant", Content: c.answer}), calls, input, output
}

func tokensIn(turn int) int64 { return 10 * int64(turn+1) }

// check holds a graded record against what the rollout should have come to. Ids
// of calls may differ where the model gave one twice.
func (m *mill) check(r *rollout.Record) {
	m.t.Helper()
	if r.Reward == nil || *r.Reward != courseOf(r.TraceID).reward {
		m.t.Errorf("%s: the reward is %v, want %v", r.TraceID, r.Reward, courseOf(r.TraceID).reward)
	}
	messages, calls, input, output := wanted(r.TraceID)
	got, made := slices.Clone(r.Messages), slices.Clone(r.Calls)
	var asked, answered, done []string
	for i := range got {
		if got[i].Role == "tool" {
			answered = append(answered, got[i].ToolCallID)
		}
		got[i].ToolCalls = slices.Clone(got[i].ToolCalls)
		for j := range got[i].ToolCalls {
			asked = append(asked, got[i].ToolCalls[j].ID)
			got[i].ToolCalls[j].ID = ""
		}
		got[i].ToolCallID = ""
	}
	for i := range made {
		done = append(done, made[i].ID)
		made[i].ID, made[i].Retries, made[i].Offset, made[i].Elapsed = "", 0, 0, 0
	}
	for i := range messages {
		messages[i].ToolCallID, messages[i].ToolCalls = "", slices.Clone(messages[i].ToolCalls)
		for j := range messages[i].ToolCalls {
			messages[i].ToolCalls[j].ID = ""
		}
	}
	for i := range calls {
		calls[i].ID = ""
	}
	if d := cmp.Diff(messages, got); d != "" {
		m.t.Errorf("%s: messages (-want +got):\n%s", r.TraceID, d)
	}
	if d := cmp.Diff(calls, made); d != "" {
		m.t.Errorf("%s: calls (-want +got):\n%s", r.TraceID, d)
	}
	if !slices.Equal(asked, answered) || !slices.Equal(asked, done) {
		m.t.Errorf("%s: the calls %v were made as %v and answered as %v", r.TraceID, asked, done, answered)
	}
	if u := r.Usage; u.Input == nil || *u.Input != input || u.Output == nil || *u.Output != output {
		m.t.Errorf("%s: the usage is %+v, want %d and %d", r.TraceID, u, input, output)
	}
}

// checkJudge holds what a judge is said to have used against how often it was
// asked. What a lost answer took no one knows.
func (m *mill) checkJudge(r *rollout.Record, asked int) {
	m.t.Helper()
	u := r.Judge
	switch told := u.Input != nil && u.Output != nil && *u.Input == 7 && *u.Output == 3; {
	case asked == 0 && (r.JudgeCalls != 0 || u != (rollout.Usage{})), asked == 1 && (r.JudgeCalls != 1 || !told):
		m.t.Errorf("%s: %d calls of the judge with %+v are told, of %d", r.TraceID, r.JudgeCalls, u, asked)
	case asked > 1 && (r.JudgeCalls < 1 || r.JudgeCalls > asked || !told && u != (rollout.Usage{})):
		m.t.Errorf("%s: %d calls of the judge with %+v are told, of %d", r.TraceID, r.JudgeCalls, u, asked)
	}
}

func (m *mill) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var in struct {
		ID        string
		TraceID   string `json:"trace_id"`
		CallID    string `json:"call_id"`
		Arguments string
		Sample    json.RawMessage
	}
	switch path := strings.Split(strings.Trim(r.URL.Path, "/"), "/"); path[0] {
	case "v1":
		m.reply(w, r.Header.Get("X-Client-Request-Id"), body)
	case "judge":
		trace := m.judged(body)
		m.say(w, "judge", fmt.Sprintf(`{"steps":[],"result":%v}`, courseOf(trace).reward), nil, 7, 3)
	case "tools":
		m.decode(body, &in)
		var arguments struct{ Q string }
		m.decode([]byte(in.Arguments), &arguments)
		if trace, _, _ := strings.Cut(arguments.Q, "/"); trace != in.TraceID || r.Header.Get("X-Key") != "key-of-"+trace {
			m.t.Errorf("%s was called with %s and the key %q", in.TraceID, in.Arguments, r.Header.Get("X-Key"))
		}
		fmt.Fprintf(w, `{"type":"function_call_output","call_id":%q,"output":%q}`, in.CallID, found(in.Arguments))
	case "grade":
		m.decode(body, &in)
		var sample struct {
			Text string `json:"output_text"`
		}
		m.decode(in.Sample, &sample)
		if want := courseOf(in.TraceID).answer; sample.Text != want {
			m.t.Errorf("%q is graded, want %q", sample.Text, want)
		}
		fmt.Fprintf(w, `{"score":%v}`, courseOf(in.TraceID).reward)
	case "start":
		m.decode(body, &in)
		m.count(m.starts, in.ID)
		fmt.Fprintf(w, `{"key":"key-of-%s"}`, in.TraceID)
	case "stop":
		m.decode(body, &in)
		m.count(m.stops, in.ID)
		_, _ = io.WriteString(w, `{"stopped":true}`)
	default:
		m.t.Errorf("nobody is meant by %s", r.URL.Path)
	}
}

func (m *mill) count(in map[string]int, id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in[id]++
}

// left counts the sessions that were started and never stopped.
func (m *mill) left() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.starts {
		if m.stops[id] == 0 {
			n++
		}
	}
	return n
}

func (m *mill) decode(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		m.t.Errorf("a request is not JSON: %v: %s", err, body)
	}
}

var answerOf = regexp.MustCompile(`the answer of (trace_[0-9a-f]+)`)

func (m *mill) judged(body []byte) string {
	found := answerOf.FindSubmatch(body)
	if found == nil {
		m.t.Errorf("the judge is asked about nothing: %s", body)
		return "trace_00000000"
	}
	return string(found[1])
}

// reply is one turn of the model, which looks at what it is shown first.
func (m *mill) reply(w http.ResponseWriter, id string, body []byte) {
	trace, at, _ := strings.Cut(id, "/")
	c, turn := courseOf(trace), 0
	_, _ = fmt.Sscan(at, &turn)
	asked, answered, outputs := m.conversation(body)
	var want []string
	for _, calls := range c.turns[:min(turn, len(c.turns))] {
		for _, call := range calls {
			want = append(want, found(call.Arguments))
		}
	}
	if !slices.Equal(outputs, want) || !slices.Equal(asked, answered) || len(slices.Compact(slices.Sorted(slices.Values(asked)))) != len(want) {
		m.t.Errorf("turn %d of %s is shown %v for the calls %v as %v, want %v", turn, trace, outputs, asked, answered, want)
	}
	if turn < len(c.turns) {
		m.say(w, id, "", c.turns[turn], tokensIn(turn), 5)
		return
	}
	m.say(w, id, c.answer, nil, tokensIn(turn), 5)
}

// conversation reads the ids of the calls, those they are answered under, and
// what was answered.
func (m *mill) conversation(body []byte) (asked, answered, outputs []string) {
	var in struct {
		Input []struct {
			Type, Output string
			CallID       string `json:"call_id"`
		}
		Messages []struct {
			Role       string
			Content    any
			ToolCallID string                `json:"tool_call_id"`
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
		}
	}
	m.decode(body, &in)
	for _, i := range in.Input {
		switch i.Type {
		case "function_call":
			asked = append(asked, i.CallID)
		case "function_call_output":
			answered, outputs = append(answered, i.CallID), append(outputs, i.Output)
		}
	}
	for _, i := range in.Messages {
		for _, c := range i.ToolCalls {
			asked = append(asked, c.ID)
		}
		if i.Role == "tool" {
			answered, outputs = append(answered, i.ToolCallID), append(outputs, fmt.Sprint(i.Content))
		}
	}
	return asked, answered, outputs
}

// say writes a reply of the model or the judge.
func (m *mill) say(w http.ResponseWriter, id, text string, calls []rollout.ToolCall, input, output int64) {
	type object = map[string]any
	id = strings.ReplaceAll(id, "/", "_")
	var a object
	if m.api == "chat" {
		message, reason := object{"role": "assistant", "content": text}, "stop"
		var list []object
		for _, c := range calls {
			list = append(list, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
		}
		if list != nil {
			message, reason = object{"role": "assistant", "content": nil, "tool_calls": list}, "tool_calls"
		}
		a = object{"id": "chatcmpl-" + id, "choices": []object{{"index": 0, "finish_reason": reason, "message": message}}, "usage": object{"prompt_tokens": input, "completion_tokens": output}}
	} else {
		var list []object
		for _, c := range calls {
			list = append(list, object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Arguments})
		}
		if list == nil {
			list = []object{{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": text}}}}
		}
		a = object{"id": "resp_" + id, "status": "completed", "output": list, "usage": object{"input_tokens": input, "output_tokens": output}}
	}
	_ = json.NewEncoder(w).Encode(a) // the caller may be gone
}

// traceOf is the trace id that a rollout should have.
func (m *mill) traceOf(item string, sample, attempt int) string {
	return sampler.TraceID(m.seed, rollout.Train, item, sample, attempt)
}
