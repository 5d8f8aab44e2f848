package agent_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gonogo/sampler/boundary/agent"
)

// The variables that make this test binary an agent: how it behaves, where its
// tools are, and the file whose appearance has it write its late line.
const (
	behaviour = "GONOGO_TEST_AGENT"
	toolsAt   = "GONOGO_TEST_TOOLS"
	lateAt    = "GONOGO_TEST_LATE"
)

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		play(how)
		return
	}
	goleak.VerifyTestMain(m)
}

// play is an agent's program: for each line of its input, a line of output.
func play(how string) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for n := 0; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var req agent.Request
		if err := json.Unmarshal(line, &req); err != nil {
			panic(err)
		}
		if how == "another model" {
			req.Model.Name = "gpt-4"
		}
		if how == "loop" || how == "another model" {
			b, err := json.Marshal(loop(http.DefaultClient, req, os.Getenv(toolsAt)))
			if err != nil {
				panic(err)
			}
			fmt.Printf("%s\n", b)
			continue
		}
		misbehave(how, n, req)
	}
}

// misbehave does what a careless agent does.
func misbehave(how string, n int, req agent.Request) {
	answer := func(more string) {
		fmt.Printf(`{"trace_id":%q,"output":"42"%s}`+"\n", req.TraceID, more)
	}
	switch {
	case how == "garbage":
		fmt.Println("Loading the model …")
	case how == "chatty" && n == 0: // and goes on with its rollout
		fmt.Println("DEBUG: step 1")
		time.Sleep(50 * time.Millisecond)
		os.Exit(7)
	case how == "two":
		fmt.Printf("{\"trace_id\":%q,\"output\":\"42\"}\nand done\n", req.TraceID)
	case how == "late" && n == 0:
		answer("")
		waitFor(os.Getenv(lateAt), true)
		fmt.Println("a late thought")
		_ = os.Remove(os.Getenv(lateAt))
	case how == "huge":
		block := strings.Repeat("x", 1<<20)
		for range 100 {
			fmt.Print(block)
		}
	case how == "hang":
		time.Sleep(time.Hour)
	case how == "crash":
		fmt.Fprintln(os.Stderr, "Traceback: out of luck")
		os.Exit(7)
	case how == "nameless":
		fmt.Println(`{"output":"42"}`)
	case how == "another":
		fmt.Println(`{"trace_id":"trace_0","output":"42"}`)
	case how == "negative":
		answer(`,"usage":{"input_tokens":-1000000}`)
	case how == "silent":
		answer(`,"output":""`)
	case how == "model":
		answer(`,"error":{"boundary":"model","message":"overloaded"}`)
	case how == "tool":
		answer(`,"error":{"boundary":"tool","message":"database is locked"}`)
	case how == "itself":
		answer(`,"error":{"message":"index out of range"}`)
	default:
		answer("")
	}
}

// waitFor waits, a minute at most, until the file is there or is gone, and reports
// whether it came to that.
func waitFor(file string, there bool) bool {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); (err == nil) == there {
			return true
		}
	}
	return false
}

// loop is a plain agent: it asks the model until that answers, and calls its
// tools.
func loop(client *http.Client, req agent.Request, tools string) map[string]any {
	var row struct {
		Tools []json.RawMessage `json:"tools"`
	}
	row.Tools = nil
	_ = json.Unmarshal(req.Item["tools"], &row.Tools)
	var messages []json.RawMessage
	_ = json.Unmarshal(req.Messages, &messages)
	failed := func(boundary string, err error) map[string]any {
		return map[string]any{"trace_id": req.TraceID, "error": map[string]string{"boundary": boundary, "message": err.Error()}}
	}
	for {
		body, _ := json.Marshal(map[string]any{"model": req.Model.Name, "messages": messages, "tools": row.Tools})
		var reply struct {
			Choices []struct {
				Message json.RawMessage `json:"message"`
			} `json:"choices"`
		}
		if err := post(client, req.Model.BaseURL+"/chat/completions", req.Model.APIKey, body, &reply); err != nil {
			return failed("model", err)
		}
		var said struct {
			Content   string `json:"content"`
			Refusal   string `json:"refusal"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(reply.Choices[0].Message, &said); err != nil {
			return failed("agent", err)
		}
		messages = append(messages, reply.Choices[0].Message)
		if len(said.ToolCalls) == 0 {
			return map[string]any{"trace_id": req.TraceID, "output": said.Content, "refusal": said.Refusal}
		}
		for _, call := range said.ToolCalls {
			b, _ := json.Marshal(map[string]any{"type": "function_call", "name": call.Function.Name, "arguments": call.Function.Arguments, "trace_id": req.TraceID, "call_id": call.ID})
			var out struct{ Output string }
			if err := post(client, tools+"/"+call.Function.Name, "", b, &out); err != nil {
				out.Output = "Error: " + err.Error()
			}
			answer, _ := json.Marshal(map[string]string{"role": "tool", "tool_call_id": call.ID, "content": out.Output})
			messages = append(messages, answer)
		}
	}
}

func post(client *http.Client, address, key string, body []byte, into any) error {
	req, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	return json.Unmarshal(text, into)
}
