package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// FinishOf returns how a reply ended, from its server's reason: a finish_reason, a stop_reason, or
// the reason of an incomplete response. known is false for "" and for a reason that is not the
// model's own.
func FinishOf(reason string) (f rollout.Finish, known bool) {
	f = rollout.FinishOf(reason)
	return f, f != ""
}

// FinishOfReply reads the finish_reason of a complete reply. Some servers leave it out: if there is
// an answer, the way it ended is then unknown (""). An error is the endpoint's failure: the reply is
// empty and has no reason, the server ended it, or it has not ended (null, as OpenAI documents it).
func FinishOfReply(reason json.RawMessage, answered bool) (rollout.Finish, error) {
	reason = bytes.TrimSpace(reason)
	if len(reason) == 0 || string(reason) == `""` {
		if !answered {
			return "", fmt.Errorf("the reply is empty and has no finish_reason")
		}
		return "", nil
	}
	if string(reason) == "null" {
		return "", fmt.Errorf("finish_reason is null: the server sent a reply that had not ended")
	}
	text := jsontext.TextOrJSON(reason)
	f, known := FinishOf(text)
	if !known {
		return "", fmt.Errorf("finish_reason is %.100q: the server ended the reply, not the model", text)
	}
	return f, nil
}

// FinishOfIncomplete reads why a response of the Responses API is incomplete. An error is the
// endpoint's failure: the server cancelled the response.
func FinishOfIncomplete(reason string) (rollout.Finish, error) {
	f, known := FinishOf(reason)
	if !known || f == rollout.FinishStop {
		return "",
			fmt.Errorf("the response is incomplete for the reason %.100q: the server broke it off, not the model",
				reason)
	}
	return f, nil
}

// CutAt reports whether a reply that its server calls complete was cut off: it has exactly as many
// tokens as the request allowed, as llama.cpp's Responses API and transformers answer with the
// status completed. A reply whose last call has valid arguments was not cut off. limit is nil if
// there is none.
func CutAt(limit *int, finish rollout.Finish, usage rollout.Usage, calls []rollout.ToolCall) bool {
	return limit != nil && usage.Output != nil && *usage.Output == int64(*limit) && CutWhole(finish, calls)
}

// CutWhole reports whether a reply that used all its tokens was cut off, although its server calls
// it complete.
func CutWhole(finish rollout.Finish, calls []rollout.ToolCall) bool {
	if finish != "" && finish != rollout.FinishStop {
		return false
	}
	return len(calls) == 0 || CallStatus(calls[len(calls)-1].Arguments) == rollout.CallMalformed
}
