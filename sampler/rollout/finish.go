package rollout

import "strings"

// finishes are the words by which endpoints and the logs of other tools say why
// a reply ended: Chat Completions (finish_reason), Responses
// (incomplete_details.reason, status), Anthropic's Messages (stop_reason),
// Gemini (finishReason), Bedrock's Converse (stopReason) and Inspect AI
// (stop_reason), in lower case with _ between words.
var finishes = map[string]Finish{
	"stop": FinishStop, "completed": FinishStop, "complete": FinishStop, "end_turn": FinishStop, "stop_sequence": FinishStop,
	"eos": FinishStop, "eos_token": FinishStop, "tool_calls": FinishStop, "tool_call": FinishStop, "tool_use": FinishStop, "function_call": FinishStop,

	"length": FinishLength, "max_tokens": FinishLength, "max_output_tokens": FinishLength, "max_completion_tokens": FinishLength, "max_new_tokens": FinishLength,
	"max_length": FinishLength, "model_length": FinishLength, "model_context_window_exceeded": FinishLength, "context_length": FinishLength, "truncated": FinishLength,

	"refusal": FinishRefusal, "refused": FinishRefusal,

	"content_filter": FinishFilter, "content_filtered": FinishFilter, "filter": FinishFilter, "safety": FinishFilter, "recitation": FinishFilter,
	"guardrail_intervened": FinishFilter, "prohibited_content": FinishFilter, "blocklist": FinishFilter,

	"empty": FinishEmpty,
}

// FinishOf returns the way a reply ended that a word stands for; "" for a word
// that is not known.
func FinishOf(word string) Finish {
	if f, known := finishes[word]; known {
		return f
	}
	return finishes[strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(word)))]
}

// finishKeys are the keys of a line by which other tools say why the last reply
// ended.
var finishKeys = []string{"finish_reason", "stop_reason"}

// takeFinish reads the key "finish". A word that is not known is no way to end
// that could be counted: it stays among the unknown keys, so that a rewrite
// keeps it.
func (d *recordDecoder) takeFinish(v []byte) {
	d.rec.Finish = FinishOf(TextOrJSON(v))
	if d.rec.Finish == "" && !isNull(v) && string(v) != `""` {
		d.extra("finish", v)
	} else if delete(d.rec.Extra, "finish"); len(d.rec.Extra) == 0 {
		d.rec.Extra = nil
	}
}

// settleFinish takes the word of another tool's key where the line has no
// "finish" of its own.
func (r *Record) settleFinish() {
	if _, own := r.Extra["finish"]; own || r.Finish != "" {
		return
	}
	for _, key := range finishKeys {
		if v := r.Extra[key]; len(v) > 0 && v[0] == '"' {
			if r.Finish = FinishOf(TextOrJSON(v)); r.Finish != "" {
				return
			}
		}
	}
}
