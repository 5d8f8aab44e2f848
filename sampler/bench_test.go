package sampler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/model"
	"gonogo/sampler/rollout"
	"gonogo/sampler/tool"
)

// The benchmark's load: 1,600 rollouts of 3 tool calls each. Four of five make
// two calls at once, and so 3 model turns; the fifth makes them one by one: 3.2
// model turns on average.
const (
	benchItems   = 200
	benchSamples = 8
	benchWorkers = 64
)

// BenchmarkRollouts compares, against one loopback server, the sampler with a
// loop over bare net/http and a loop over the SDK's typed call. All three pool
// their connections.
func BenchmarkRollouts(b *testing.B) {
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		w := newBenchWorld(b, latency)
		for _, loop := range []struct {
			name string
			run  func(*testing.B, *benchWorld)
		}{
			{"sampler", runSampler},
			{"bare", func(b *testing.B, w *benchWorld) { runLoop(b, w, bareTurn) }},
			{"typed", func(b *testing.B, w *benchWorld) { runLoop(b, w, typedTurn) }},
		} {
			b.Run(fmt.Sprintf("latency=%v/%s", latency, loop.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					loop.run(b, w)
				}
			})
		}
	}
}

type benchWorld struct {
	url    string
	model  string
	tool   func(name string) string                           // URL of a tool
	finish func(it *rollout.Item, trace, answer string) error // what is done with an answer
	grader json.RawMessage
	items  []rollout.Item
	client *http.Client
	sdk    openai.Client
	tools  []responses.ToolUnionParam
	flat   []json.RawMessage // the tools as bare JSON
}

func newBenchWorld(b *testing.B, latency time.Duration) *benchWorld {
	b.Helper()
	server := httptest.NewServer(benchServer(latency))
	b.Cleanup(server.Close)
	w := newLoops(b, server.URL, "m")
	w.tool = func(string) string { return server.URL + "/tool" }
	w.finish = func(_ *rollout.Item, _, answer string) error {
		if answer != "42" {
			return fmt.Errorf("answer %q", answer)
		}
		return nil
	}
	w.grader = json.RawMessage(`{"type":"string_check","name":"exact","input":"{{sample.output_text}}","reference":"{{item.reference_answer}}","operation":"eq"}`)
	parameters := map[string]any{"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string", "description": strings.Repeat("what to look for ", 8)}}, "required": []string{"query"}}
	var nested []map[string]any
	for _, name := range []string{"search", "list", "cat"} {
		f := map[string]any{"name": name, "description": strings.Repeat("does something ", 10), "parameters": parameters, "strict": true}
		nested = append(nested, map[string]any{"type": "function", "function": f})
		w.tools = append(w.tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: name, Description: openai.String(strings.Repeat("does something ", 10)), Parameters: parameters, Strict: openai.Bool(true),
		}})
		f["type"] = "function"
		flat, _ := json.Marshal(f)
		delete(f, "type")
		w.flat = append(w.flat, flat)
	}
	for i := range benchItems {
		row, err := json.Marshal(map[string]any{
			"id": i, "reference_answer": "42", "tools": nested,
			"messages": []map[string]string{
				{"role": "developer", "content": strings.Repeat("You answer questions about reports. ", 20)},
				{"role": "user", "content": fmt.Sprintf("kind=%d %s", i%5, strings.Repeat("What was the revenue? ", 10))},
			},
		})
		if err != nil {
			b.Fatal(err)
		}
		it := rollout.Item{ID: fmt.Sprint(i), Split: rollout.Train, Row: row}
		if err := it.Decode(); err != nil {
			b.Fatal(err)
		}
		w.items = append(w.items, it)
	}
	return w
}

// newLoops has what all loops share: clients that pool their connections.
func newLoops(b *testing.B, url, model string) *benchWorld {
	w := &benchWorld{url: url, model: model, client: sampler.HTTPClient(nil, 8*benchWorkers)}
	b.Cleanup(w.client.CloseIdleConnections)
	w.sdk = openai.NewClient(option.WithBaseURL(url+"/v1/"), option.WithAPIKey("benchmark"), option.WithHTTPClient(w.client), option.WithMaxRetries(0))
	return w
}

// benchServer is a model and a tool. The model looks at how many outputs there
// are and at the item's kind.
func benchServer(latency time.Duration) http.Handler {
	output, _ := json.Marshal(map[string]string{"type": "function_call_output", "output": strings.Repeat("a line of a report\n", 60)})
	wait := func() {
		if latency > 0 {
			time.Sleep(latency)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /tool", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		wait()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(output)
	})
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		wait()
		done := bytes.Count(body, []byte(`"function_call_output"`))
		calls := 1
		if done == 0 && !bytes.Contains(body, []byte("kind=0")) {
			calls = 2
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, benchReply(done, calls))
	})
	return mux
}

func benchReply(done, calls int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":"resp_%d","object":"response","created_at":1,"model":"m","status":"completed","error":null,"incomplete_details":null,"parallel_tool_calls":true,"output":[`, done)
	fmt.Fprintf(&b, `{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"%s"}`, done, strings.Repeat("x", 400))
	if done >= 3 {
		b.WriteString(`,{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"42","annotations":[]}]}`)
	} else {
		for i := range calls {
			fmt.Fprintf(&b, `,{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"search","arguments":"{\"query\":\"revenue\"}","status":"completed"}`, done+i, done+i)
		}
	}
	b.WriteString(`],"usage":{"input_tokens":900,"input_tokens_details":{"cached_tokens":0},"output_tokens":60,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":960}}`)
	return b.String()
}

type countingSink struct{ graded, calls, turns int }

func (s *countingSink) Append(r *rollout.Record) error {
	if r.Outcome == rollout.Graded && *r.Reward == 1 {
		s.graded++
	}
	s.calls += len(r.Calls)
	s.turns += r.Turns
	return nil
}

func runSampler(b *testing.B, w *benchWorld) {
	m, err := model.New(model.Config{Name: w.model, BaseURL: w.url + "/v1", APIKey: "benchmark", MaxConns: benchWorkers})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	var configs []tool.Config
	for _, name := range []string{"search", "list", "cat"} {
		configs = append(configs, tool.Config{Name: name, ServerURL: w.tool(name)})
	}
	list, err := tool.New(configs, tool.Options{HTTP: w.client})
	if err != nil {
		b.Fatal(err)
	}
	tools := map[string]sampler.Tool{}
	for _, t := range list {
		tools[t.Name()] = t
	}
	g, err := grader.New(grader.Kinds(), w.grader, grader.Env{HTTP: w.client})
	if err != nil {
		b.Fatal(err)
	}
	cfg := sampler.DefaultConfig()
	cfg.Concurrency = benchWorkers
	jobs := sampler.Plan(w.items, map[rollout.Split]int{rollout.Train: benchSamples}, nil)
	sink := &countingSink{}
	if _, err := sampler.Sample(context.Background(), nil, cfg, 1, jobs, sampler.Boundaries{Model: m, Tools: tools, Grader: g}, sink, nil); err != nil {
		b.Fatal(err)
	}
	if n := benchItems * benchSamples; w.model == "m" && (sink.graded != n || sink.calls != 3*n || sink.turns != n*16/5) {
		b.Fatalf("the load is wrong: %+v of %d rollouts", sink, n)
	}
}

// turn asks the model for the next turn and returns the calls it wants, or ""
// calls and the answer.
type turner func(w *benchWorld, trace string) func(it *rollout.Item, outputs map[string]string) (calls []rollout.ToolCall, text string, err error)

// runLoop is the loop people write: workers, a model call, the tools of the
// turn at once, until there is an answer.
func runLoop(b *testing.B, w *benchWorld, newTurn turner) {
	type job struct {
		item   *rollout.Item
		sample int
	}
	jobs := make(chan job)
	var wg sync.WaitGroup
	for range benchWorkers {
		wg.Go(func() {
			for j := range jobs {
				trace := sampler.TraceID(1, j.item.Split, j.item.ID, j.sample, 0)
				if err := loopRollout(w, j.item, trace, newTurn(w, trace)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for sample := range benchSamples {
		for i := range w.items {
			jobs <- job{&w.items[i], sample}
		}
	}
	close(jobs)
	wg.Wait()
}

func loopRollout(w *benchWorld, it *rollout.Item, trace string, turn func(*rollout.Item, map[string]string) ([]rollout.ToolCall, string, error)) error {
	var outputs map[string]string
	for {
		calls, text, err := turn(it, outputs)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			return w.finish(it, trace, text)
		}
		results := make([]string, len(calls))
		errs := make([]error, len(calls))
		var wg sync.WaitGroup
		for i, c := range calls {
			wg.Go(func() { results[i], errs[i] = bareTool(w, it, trace, c) })
		}
		wg.Wait()
		outputs = map[string]string{}
		for i, c := range calls {
			if errs[i] != nil {
				return errs[i]
			}
			outputs[c.ID] = results[i]
		}
	}
}

func post(client *http.Client, url, requestID string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Client-Request-Id", requestID)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func bareTool(w *benchWorld, it *rollout.Item, trace string, c rollout.ToolCall) (string, error) {
	var out struct {
		Output string `json:"output"`
	}
	err := post(w.client, w.tool(c.Name), trace, map[string]any{
		"type": "function_call", "id": c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Arguments, "trace_id": trace, "item": it.Row,
	}, &out)
	return out.Output, err
}

// bareTurn is the model call over net/http and encoding/json.
func bareTurn(w *benchWorld, trace string) func(*rollout.Item, map[string]string) ([]rollout.ToolCall, string, error) {
	var input []any
	var last []rollout.ToolCall
	turn := -1
	return func(it *rollout.Item, outputs map[string]string) ([]rollout.ToolCall, string, error) {
		if input == nil {
			for _, m := range it.Messages {
				input = append(input, map[string]string{"role": m.Role, "content": m.Content})
			}
		}
		for _, c := range last {
			input = append(input, map[string]string{"type": "function_call_output", "call_id": c.ID, "output": outputs[c.ID]})
		}
		var reply struct {
			Output []json.RawMessage `json:"output"`
		}
		turn++
		err := post(w.client, w.url+"/v1/responses", fmt.Sprintf("%s/%d", trace, turn), map[string]any{
			"model": w.model, "store": false, "include": []string{"reasoning.encrypted_content"}, "parallel_tool_calls": true, "tools": w.flat, "input": input,
		}, &reply)
		if err != nil {
			return nil, "", err
		}
		var text string
		last = nil
		for _, raw := range reply.Output {
			var item struct {
				Type, Name, Arguments string
				CallID                string `json:"call_id"`
				Content               []struct{ Text string }
			}
			if err := json.Unmarshal(raw, &item); err != nil {
				return nil, "", err
			}
			input = append(input, raw)
			switch item.Type {
			case "function_call":
				last = append(last, rollout.ToolCall{ID: item.CallID, Name: item.Name, Arguments: item.Arguments})
			case "message":
				text = item.Content[0].Text
			}
		}
		return last, text, nil
	}
}

// typedTurn is the model call as the SDK offers it.
func typedTurn(w *benchWorld, trace string) func(*rollout.Item, map[string]string) ([]rollout.ToolCall, string, error) {
	var input responses.ResponseInputParam
	var last []rollout.ToolCall
	turn := -1
	return func(it *rollout.Item, outputs map[string]string) ([]rollout.ToolCall, string, error) {
		if input == nil {
			for _, m := range it.Messages {
				input = append(input, responses.ResponseInputItemParamOfMessage(m.Content, responses.EasyInputMessageRole(m.Role)))
			}
		}
		for _, c := range last {
			out := responses.ResponseInputItemParamOfFunctionCallOutput(outputs[c.ID])
			out.OfFunctionCallOutput.CallID = openai.String(c.ID)
			input = append(input, out)
		}
		turn++
		reply, err := w.sdk.Responses.New(context.Background(), responses.ResponseNewParams{
			Model: shared.ResponsesModel(w.model), Store: openai.Bool(false), ParallelToolCalls: openai.Bool(true), Tools: w.tools,
			Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
			Input:   responses.ResponseNewParamsInputUnion{OfInputItemList: input},
		}, option.WithHeader("X-Client-Request-Id", fmt.Sprintf("%s/%d", trace, turn)))
		if err != nil {
			return nil, "", err
		}
		last = nil
		for _, item := range reply.Output {
			switch item.Type {
			case "function_call":
				c := item.AsFunctionCall()
				last = append(last, rollout.ToolCall{ID: c.CallID, Name: c.Name, Arguments: c.Arguments})
				input = append(input, responses.ResponseInputItemParamOfFunctionCall(c.Arguments, c.CallID, c.Name))
			case "reasoning":
				p := item.AsReasoning().ToParam()
				input = append(input, responses.ResponseInputItemUnionParam{OfReasoning: &p})
			}
		}
		return last, reply.OutputText(), nil
	}
}
