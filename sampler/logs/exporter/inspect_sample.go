package exporter

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/rollout"
)

// sample builds the EvalSample of a rollout.
func (s inspector) sample(rec *rollout.Record) pairs {
	prompt := s.run.prompt(rec)
	p := pairs{
		{"id", s.id(rec.Item)},
		{"epoch", rec.Sample + 1},
		{"input", s.input(prompt)},
		{"target", ""},
		{"messages", append(inspectMessages(prompt, nil), inspectMessages(conversation(rec), rec.Calls)...)},
		{"output", s.output(rec)},
		{"scores", s.scores(rec, rec.Answer)},
		{"metadata", s.metadata(rec)},
		{"store", pairs{}},
		{"events", []any{}},
		{"model_usage", s.usage(rec.Usage)},
		{"attachments", pairs{}},
	}
	p = append(p, s.course(rec)...)
	switch {
	case rec.Outcome.Missing():
		p = append(p, pair{"error", pairs{{"message", cause(rec)}, {"traceback", ""}, {"traceback_ansi", ""}}})
	case rec.Outcome == rollout.StepLimit:
		kind, limit := limitOf(rec.Error)
		p = append(p, pair{"limit", pairs{{"type", kind}, {"limit", limit}, {"reason", rec.Error}}})
	}
	return p
}

// summary builds the EvalSampleSummary, for readers that need only scores, tokens and times.
func (s inspector) summary(rec *rollout.Record) pairs {
	p := pairs{
		{"id", s.id(rec.Item)},
		{"epoch", rec.Sample + 1},
		{"input", cut(question(s.run.prompt(rec)))},
		{"target", ""},
		{"metadata", labels(rec)},
		{"scores", s.scores(rec, cut(rec.Answer))},
		{"model_usage", s.usage(rec.Usage)},
		{"completed", true},
	}
	p = append(p, s.course(rec)...)
	switch {
	case rec.Outcome.Missing():
		p = append(p, pair{"error", cut(cause(rec))})
	case rec.Outcome == rollout.StepLimit:
		kind, _ := limitOf(rec.Error)
		p = append(p, pair{"limit", kind}, pair{"limit_reason", cut(rec.Error)})
	}
	return p
}

// cut shortens a text as Inspect does in summaries.
func cut(text string) string {
	const most = 1024
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// course returns when a rollout ran.
func (s inspector) course(rec *rollout.Record) (p pairs) {
	if !rec.Started.IsZero() {
		p = append(p, pair{"started_at", rec.Started.UTC().Format(time.RFC3339Nano)})
		if rec.Elapsed > 0 {
			p = append(p,
				pair{"completed_at", rec.Started.UTC().Add(time.Duration(rec.Elapsed)).Format(time.RFC3339Nano)})
		}
	}
	if rec.Elapsed > 0 {
		p = append(p, pair{"total_time", rec.Elapsed}, pair{"working_time", rec.Elapsed})
	}
	if rec.TraceID != "" {
		p = append(p, pair{"uuid", rec.TraceID})
	}
	return p
}

// limitWords are words in the text of a limit, in the order in which they are tried, with Inspect's
// type of the limit (EvalSampleLimitType in log/_log.py). Our own limits on steps and tool calls
// have no type there and are custom. Inspect's type operator is somebody who stops a sample, not a
// limit of the model.
var limitWords = []struct{ kind, words string }{
	{"context", `context|too_?long|overlong|input_tokens_exceeded`},
	{"token", `token|max_(completion|output|response)_length|outputlength|truncat`},
	{"working", `(^|[^a-z])working`},
	{"time", `timeout|timed out|(^|[^a-z])time|deadline`},
	{"turn", `(^|[^a-z])turns?([^a-z]|$)|max_?turns?`},
	{"message", `messages?[ _]limit|max_messages`},
	{"cost", `(^|[^a-z])cost|usd|budget`},
}

var limitKinds = func() (kinds []*regexp.Regexp) {
	for _, w := range limitWords {
		kinds = append(kinds, regexp.MustCompile(`(?i)`+w.words))
	}
	return kinds
}()

// limitNumber matches the first number of a text that is not part of a word.
var limitNumber = regexp.MustCompile(`(?:^|[\s=(])(\d{1,15}(?:\.\d{1,15})?)\b`)

// limitOf returns Inspect's type of the limit that a text names, and the limit; 0 if the text has no
// number.
func limitOf(text string) (kind string, limit float64) {
	if m := limitNumber.FindStringSubmatch(text); m != nil {
		limit, _ = strconv.ParseFloat(m[1], 64) // it matches
	}
	for i, w := range limitWords {
		if limitKinds[i].MatchString(text) {
			return w.kind, limit
		}
	}
	return "custom", limit
}

func (s inspector) input(prompt []rollout.Message) any {
	if len(prompt) == 0 {
		return ""
	}
	return inspectMessages(prompt, nil)
}

func (s inspector) output(rec *rollout.Record) pairs {
	if rec.Answer == "" {
		return pairs{{"model", s.run.model()}, {"choices", []any{}}}
	}
	reply := pairs{{"role", "assistant"}, {"content", rec.Answer}}
	return pairs{{"model", s.run.model()}, {"choices", []pairs{{{"message", reply}, {"stop_reason", stopReason(rec)}}}}}
}

// stopReason returns Inspect's word for why the last reply ended.
func stopReason(rec *rollout.Record) string {
	switch rec.Finish {
	case rollout.FinishLength:
		return "max_tokens"
	case rollout.FinishFilter, rollout.FinishRefusal:
		return "content_filter"
	}
	return "stop"
}

// scores returns the scores of a rollout; a failure has none.
func (s inspector) scores(rec *rollout.Record, answer string) pairs {
	p := pairs{}
	score, scored := rec.Score(s.run.floor)
	if !scored {
		return p
	}
	p = append(p, pair{s.scorer, pairs{{"value", score}, {"answer", answer}}})
	for _, name := range slices.Sorted(maps.Keys(rec.Parts)) {
		p = append(p, pair{name, pairs{{"value", rec.Parts[name]}}})
	}
	return p
}

func (s inspector) metadata(rec *rollout.Record) pairs {
	return append(pairs{{"gonogo", s.run.stampOf(rec, inspectHolds)}}, labels(rec)...)
}

// labels returns the labels of the item, the metadata of a summary.
func labels(rec *rollout.Record) pairs {
	p := pairs{}
	if rec.Category != "" {
		p = append(p, pair{"category", rec.Category})
	}
	if rec.Family != "" {
		p = append(p, pair{"family", rec.Family})
	}
	return p
}

// usage counts tokens as Inspect does: input_tokens excludes cached tokens. If the input or output
// count is unknown, the usage is empty: Inspect has no word for an unknown count.
func (s inspector) usage(u rollout.Usage) pairs {
	if u.Input == nil || u.Output == nil {
		return pairs{}
	}
	input := *u.Input
	if u.Cached != nil {
		input -= *u.Cached
	}
	p := pairs{{"input_tokens", input}, {"output_tokens", *u.Output}, {"total_tokens", *u.Input + *u.Output}}
	if u.Cached != nil {
		p = append(p, pair{"input_tokens_cache_read", *u.Cached})
	}
	if u.Reasoning != nil {
		p = append(p, pair{"reasoning_tokens", *u.Reasoning})
	}
	return pairs{{s.run.model(), p}}
}

// inspectHolds reports whether a message is the same after Inspect read and wrote it.
func inspectHolds(m *rollout.Message) bool {
	odd := func(c rollout.ToolCall) bool { return !canonical(c.Arguments) }
	if slices.ContainsFunc(m.ToolCalls, odd) {
		return false
	}
	return plain(m) && strings.TrimSpace(m.Reasoning) == m.Reasoning && (m.Role != "tool" || m.Content != "")
}

// canonical reports whether arguments are a JSON object that every encoder writes in the same way:
// without white space, escapes and numbers that have several forms.
func canonical(arguments string) bool {
	compact, err := json.Marshal(json.RawMessage(arguments))
	if !isObject(arguments) || err != nil || string(compact) != arguments || strings.Contains(arguments, `\`) {
		return false
	}
	tokens := json.NewDecoder(strings.NewReader(arguments))
	tokens.UseNumber()
	for {
		token, err := tokens.Token()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		if n, ok := token.(json.Number); ok && (len(n) > 15 || strings.ContainsAny(n.String(), ".eE")) {
			return false
		}
	}
}

// inspectMessages converts messages to Inspect's ChatMessage. A call is matched with its result
// within its turn, because some logs reuse ids; calls that were asked for and not made have none.
func inspectMessages(messages []rollout.Message, calls []rollout.Call) []pairs {
	out := make([]pairs, 0, len(messages))
	var turn []rollout.Call // the calls of the last assistant message that were made
	for _, m := range messages {
		if m.Role == "assistant" {
			n := 0
			for _, asked := range m.ToolCalls {
				if n < len(calls) && calls[n].ID == asked.ID && calls[n].Name == asked.Name {
					n++
				}
			}
			turn, calls = calls[:n], calls[n:]
		}
		out = append(out, inspectMessage(m, turn))
	}
	return out
}

func inspectMessage(m rollout.Message, turn []rollout.Call) pairs {
	role := chatRole(m.Role)
	p := pairs{{"role", role}, {"content", inspectContent(m)}}
	if role == "tool" {
		p = append(p, pair{"tool_call_id", m.ToolCallID}, pair{"function", m.Name})
		index := slices.IndexFunc(turn, func(c rollout.Call) bool { return c.ID == m.ToolCallID })
		if index >= 0 && turn[index].Status != rollout.CallOK {
			kind := "unknown"
			if turn[index].Status == rollout.CallMalformed {
				kind = "parsing"
			}
			p = append(p, pair{"error", pairs{{"type", kind}, {"message", turn[index].Error}}})
		}
	}
	if role != "assistant" || len(m.ToolCalls) == 0 {
		return p
	}
	var calls []pairs
	for _, c := range m.ToolCalls {
		call := pairs{
			{"id", c.ID},
			{"function", c.Name},
			{"arguments", json.RawMessage(c.Arguments)},
			{"type", "function"},
		}
		if !isObject(c.Arguments) {
			call[2].value = pairs{}
			call = append(call, pair{"parse_error", "arguments are not a JSON object: " + c.Arguments})
		}
		calls = append(calls, call)
	}
	return append(p, pair{"tool_calls", calls})
}

// inspectContent returns a text, or a list if there is reasoning.
func inspectContent(m rollout.Message) any {
	if m.Reasoning == "" {
		return m.Content
	}
	return []pairs{{{"type", "reasoning"}, {"reasoning", m.Reasoning}}, {{"type", "text"}, {"text", m.Content}}}
}
