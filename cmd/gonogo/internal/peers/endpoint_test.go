package peers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// chatRequest is what a client of the chat API sends, as far as the tests look.
type chatRequest struct {
	Model    string
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	Tools []json.RawMessage
}

// asked returns the text of the last message of the user.
func (r chatRequest) asked() string {
	text := ""
	for _, m := range r.Messages {
		if m.Role == "user" {
			text = string(m.Content)
		}
	}
	return text
}

// answered reports whether a tool has answered.
func (r chatRequest) answered() bool { return r.Messages[len(r.Messages)-1].Role == "tool" }

// reply is what an endpoint answers: an error where status is set.
type reply struct {
	status  int
	content string
	call    string // name and arguments of a tool call, as NAME{...}
	finish  string
}

// scripted serves the chat API on this machine: replies without a network, a model or
// chance.
func scripted(t *testing.T, answer func(chatRequest) reply) (url string) {
	t.Helper()
	server := httptest.NewServer(script(answer))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func script(answer func(chatRequest) reply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in chatRequest
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.Error(w, `{"error":{"message":"not found","type":"invalid_request_error"}}`, http.StatusNotFound)
			return
		}
		out := answer(in)
		w.Header().Set("Content-Type", "application/json")
		if out.status != 0 {
			w.WriteHeader(out.status)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": out.content, "type": "server_error"}})
			return
		}
		message, finish := map[string]any{"role": "assistant", "content": out.content}, "stop"
		if name, arguments, ok := strings.Cut(out.call, "{"); ok {
			message["tool_calls"] = []any{map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": name, "arguments": "{" + arguments}}}
			finish = "tool_calls"
		}
		if out.finish != "" {
			finish = out.finish
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": in.Model,
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
			"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
		})
	})
}
