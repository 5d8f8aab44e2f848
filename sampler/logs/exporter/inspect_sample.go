package exporter

import (
	"encoding/json"
	"maps"
	"slices"
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
		{"messages", inspectMessages(slices.Concat(prompt, conversation(rec)), rec.Calls)},
		{"output", s.output(rec)},
		{"scores", s.scores(rec, rec.Answer)},
		{"metadata", s.metadata(rec)},
		{"store", pairs{}},
		{"events", []any{}},
		{"model_usage", s.usage(rec)},
		{"attachments", pairs{}},
	}
	return append(p, s.course(rec, func(text string) any {
		return pairs{{"message", text}, {"traceback", ""}, {"traceback_ansi", ""}}
	}, func(kind string) any {
		return pairs{{"type", kind}, {"limit", max(len(rec.Messages), 1)}}
	})...)
}

// summary builds the EvalSampleSummary, for readers that need only scores, tokens and times.
func (s inspector) summary(rec *rollout.Record) pairs {
	p := pairs{
		{"id", s.id(rec.Item)},
		{"epoch", rec.Sample + 1},
		{"input", cut(question(s.run.prompt(rec)))},
		{"target", ""},
		{"metadata", s.metadata(rec)},
		{"scores", s.scores(rec, cut(rec.Answer))},
		{"model_usage", s.usage(rec)},
		{"completed", true},
	}
	plain := func(text string) any { return cut(text) }
	return append(p, s.course(rec, plain, plain)...)
}

// cut shortens a text as Inspect does in summaries.
func cut(text string) string {
	const most = 1024
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// course returns when a rollout ran, and how it ended if it did not end with an answer.
func (s inspector) course(rec *rollout.Record, failure, limit func(string) any) (p pairs) {
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
	switch {
	case rec.Outcome.Missing():
		p = append(p, pair{"error", failure(cause(rec))})
	case rec.Outcome == rollout.StepLimit:
		p = append(p, pair{"limit", limit("message")})
	}
	return p
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

func (s inspector) scores(rec *rollout.Record, answer string) pairs {
	p := pairs{}
	if rec.Reward != nil {
		p = append(p, pair{s.scorer, pairs{{"value", *rec.Reward}, {"answer", answer}}})
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Parts)) {
		p = append(p, pair{name, pairs{{"value", rec.Parts[name]}}})
	}
	return p
}

func (s inspector) metadata(rec *rollout.Record) pairs {
	p := pairs{{"gonogo", stampOf(rec)}}
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
func (s inspector) usage(rec *rollout.Record) pairs {
	u := rec.Usage
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

// inspectMessages converts messages to Inspect's ChatMessage. Calls are matched turn by turn,
// because some logs reuse ids.
func inspectMessages(messages []rollout.Message, calls []rollout.Call) []pairs {
	out := make([]pairs, 0, len(messages))
	var turn []rollout.Call // the calls of the last assistant message
	for _, m := range messages {
		if m.Role == "assistant" {
			n := min(len(m.ToolCalls), len(calls))
			turn, calls = calls[:n], calls[n:]
		}
		out = append(out, inspectMessage(m, turn))
	}
	return out
}

func inspectMessage(m rollout.Message, turn []rollout.Call) pairs {
	role := m.Role
	if role == "developer" { // the roles are system, user, assistant and tool
		role = "system"
	}
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
