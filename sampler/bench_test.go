package sampler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// The benchmark's load: 1,600 rollouts of 3 tool calls each. Four of five make
// two calls at once, and so 3 model turns; the fifth makes them one by one: 3.2
// model turns on average.
const (
	benchItems   = 200
	benchSamples = 8
)

// loop is a way to make the load's rollouts.
type loop struct {
	name string
	run  func(*testing.B, *benchWorld)
}

func theSampler(b *testing.B, w *benchWorld) { runSampler(b, w, &countingSink{}) }

// keptSampler writes a run directory, as gonogo does.
func keptSampler(b *testing.B, w *benchWorld) {
	out, err := rollout.Create(filepath.Join(b.TempDir(), "run"), rollout.Manifest{}, w.items, rollout.WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	runSampler(b, w, &countingSink{to: out})
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
}

func bareLoop(b *testing.B, w *benchWorld)  { runLoop(b, w, bareTurn) }
func typedLoop(b *testing.B, w *benchWorld) { runLoop(b, w, typedTurn) }

// The sampler may use this much of the bare loop's CPU. Each is run that often.
const (
	mostCPU = 1.5
	rounds  = 5
)

// BenchmarkRollouts compares the sampler with a loop over bare net/http and one
// over the SDK's typed call, all with pooled connections, against one loopback
// server in a process of its own. All keep each rollout's whole trace in a file.
// Each round runs all three, one after the other; the figures are medians, and
// medians of the ratios within a round. CPU is that of this process, the client
// alone. It fails when the sampler needs more than mostCPU times the bare loop's.
func BenchmarkRollouts(b *testing.B) {
	for _, load := range []struct {
		latency time.Duration
		workers int
	}{{0, 64}, {50 * time.Millisecond, 64}, {50 * time.Millisecond, 256}} {
		b.Run(fmt.Sprintf("latency=%v/concurrency=%d", load.latency, load.workers), func(b *testing.B) {
			w := newBenchWorld(b, benchDelay{Wait: load.latency}, load.workers, benchSamples)
			compareLoops(b, w, []loop{{"bare", keptLoop(bareLoop)}, {"sampler", keptSampler}, {"typed", keptLoop(typedLoop)}})
		})
	}
}

// keptLoop is a loop that keeps its rollouts in a file.
func keptLoop(run func(*testing.B, *benchWorld)) func(*testing.B, *benchWorld) {
	return func(b *testing.B, w *benchWorld) {
		out, err := os.Create(filepath.Join(b.TempDir(), "rollouts.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		w.kept = out
		run(b, w)
		w.kept = nil
		if err := out.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// compareLoops reports each loop's CPU and wall time, and that of the others
// over the first one's.
func compareLoops(b *testing.B, w *benchWorld, loops []loop) {
	cpu, wall := make([][]float64, len(loops)), make([][]float64, len(loops))
	for _, l := range loops { // connections, and what is compiled or cached once
		before := connectionsOpened(b, w.url)
		l.run(b, w)
		if l.name == "sampler" {
			b.ReportMetric(float64(connectionsOpened(b, w.url)-before)/float64(w.workers), "connections/concurrency")
		}
		w.client.CloseIdleConnections()
	}
	for b.Loop() {
		for range rounds {
			for i, l := range loops {
				runtime.GC() // no one pays for another's garbage
				used, begun := cpuTime(b), time.Now()
				l.run(b, w)
				wall[i] = append(wall[i], time.Since(begun).Seconds())
				cpu[i] = append(cpu[i], (cpuTime(b) - used).Seconds())
			}
		}
	}
	rollouts := float64(len(w.items) * w.samples)
	for i, l := range loops {
		b.ReportMetric(median(cpu[i])/rollouts*1e6, l.name+"-cpu-µs/rollout")
		b.ReportMetric(median(wall[i]), l.name+"-s")
		if i > 0 {
			of := median(ratios(cpu[i], cpu[0]))
			b.ReportMetric(of, l.name+"-cpu/"+loops[0].name)
			if l.name == "sampler" && of > mostCPU {
				b.Errorf("the sampler uses %.2f times the CPU of the bare loop, more than %v", of, mostCPU)
			}
			b.ReportMetric(median(ratios(wall[i], wall[0])), l.name+"-wall/"+loops[0].name)
		}
	}
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

func median(all []float64) float64 {
	s := slices.Sorted(slices.Values(all))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

type benchWorld struct {
	url     string
	model   string
	workers int                                                // rollouts in flight
	samples int                                                // of each item
	tool    func(name string) string                           // URL of a tool
	finish  func(it *rollout.Item, trace, answer string) error // what is done with an answer
	grader  json.RawMessage
	items   []rollout.Item
	client  *http.Client
	sdk     responses.ResponseService
	tools   []responses.ToolUnionParam
	flat    []json.RawMessage // the tools as bare JSON
	once    sync.Once
	head    []byte // of bare requests
	keeping sync.Mutex
	kept    *os.File // where the other loops keep their rollouts; nil = nowhere
}

func newBenchWorld(b *testing.B, delay benchDelay, workers, samples int) *benchWorld {
	b.Helper()
	url := startBenchServer(b, delay)
	w := newLoops(b, url, "m", workers, samples)
	w.tool = func(string) string { return url + "/tool" }
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
			Name: name, Description: param.NewOpt(strings.Repeat("does something ", 10)), Parameters: parameters, Strict: param.NewOpt(true),
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
func newLoops(b *testing.B, url, model string, workers, samples int) *benchWorld {
	w := &benchWorld{url: url, model: model, workers: workers, samples: samples, client: endpoint.HTTPClient(nil, 2*workers)}
	b.Cleanup(w.client.CloseIdleConnections)
	w.sdk = responses.NewResponseService(option.WithBaseURL(url+"/v1/"), option.WithAPIKey("benchmark"), option.WithHTTPClient(w.client), option.WithMaxRetries(0))
	return w
}

type countingSink struct {
	to                   sampler.Sink // nil = nowhere
	graded, calls, turns int
}

func (s *countingSink) Append(r *rollout.Record) error {
	if r.Outcome == rollout.Graded && *r.Reward == 1 {
		s.graded++
	}
	s.calls += len(r.Calls)
	s.turns += r.Turns
	if s.to == nil {
		return nil
	}
	return s.to.Append(r)
}

// runSampler makes the load's rollouts with the sampler into a sink.
func runSampler(b *testing.B, w *benchWorld, sink sampler.Sink) {
	m, err := model.New(model.Config{Name: w.model, BaseURL: w.url + "/v1", APIKey: "benchmark", MaxConns: w.workers})
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
	cfg.Concurrency = w.workers
	jobs := sampler.Plan(w.items, map[rollout.Split]int{rollout.Train: w.samples}, nil)
	if _, err := sampler.Sample(context.Background(), sampler.SampleOptions{
		Config: cfg, Seed: 1, Rollouts: jobs, Boundaries: sampler.Boundaries{Model: m, Tools: tools, Grader: g},
		Sink: sink,
	}); err != nil {
		b.Fatal(err)
	}
	counted, ok := sink.(*countingSink)
	if n := benchItems * w.samples; ok && w.model == "m" && (counted.graded != n || counted.calls != 3*n || counted.turns != n*16/5) {
		b.Fatalf("the load is wrong: %+v of %d rollouts", counted, n)
	}
}

// conversation is one rollout with the model: next asks for a turn, which is the
// calls it wants, or none and the answer; said is all that was said, as JSON.
type conversation struct {
	next func(it *rollout.Item, outputs map[string]string) (calls []rollout.ToolCall, text string, err error)
	said func() json.RawMessage
}

type opener func(w *benchWorld, trace string) conversation

// runLoop is the loop people write: workers, a model call, the tools of the
// turn at once, until there is an answer.
func runLoop(b *testing.B, w *benchWorld, open opener) {
	type job struct {
		item   *rollout.Item
		sample int
	}
	jobs := make(chan job)
	var wg sync.WaitGroup
	for range w.workers {
		wg.Go(func() {
			for j := range jobs {
				trace := sampler.TraceID(1, j.item.Split, j.item.ID, j.sample, 0)
				if err := loopRollout(w, j.item, j.sample, trace, open(w, trace)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for sample := range w.samples {
		for i := range w.items {
			jobs <- job{&w.items[i], sample}
		}
	}
	close(jobs)
	wg.Wait()
}

func loopRollout(w *benchWorld, it *rollout.Item, sample int, trace string, with conversation) error {
	var outputs map[string]string
	for {
		calls, text, err := with.next(it, outputs)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			if err := w.finish(it, trace, text); err != nil {
				return err
			}
			return w.keep(benchRecord{it.ID, sample, 1, text, with.said()})
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

// benchRecord is what the other loops keep of a rollout.
type benchRecord struct {
	ID     string          `json:"id"`
	Sample int             `json:"sample"`
	Reward float64         `json:"reward"`
	Answer string          `json:"answer"`
	Trace  json.RawMessage `json:"trace"`
}

func (w *benchWorld) keep(r benchRecord) error {
	if w.kept == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w.keeping.Lock()
	defer w.keeping.Unlock()
	_, err = w.kept.Write(append(line, '\n'))
	return err
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func post(client *http.Client, url, requestID string, body []byte, into any) error {
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
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
	text := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(text)
	text.Reset()
	if _, err := text.ReadFrom(resp.Body); err != nil {
		return err
	}
	return json.Unmarshal(text.Bytes(), into)
}

func bareTool(w *benchWorld, it *rollout.Item, trace string, c rollout.ToolCall) (string, error) {
	var out struct {
		Output string `json:"output"`
	}
	body := fmt.Appendf(nil, `{"type":"function_call","id":%q,"call_id":%q,"name":%q,"trace_id":%q,"arguments":`, c.ID, c.ID, c.Name, trace)
	body = append(jsontext.AppendQuoted(body, c.Arguments), `,"item":`...)
	body = append(append(body, it.Row...), '}')
	err := post(w.client, w.tool(c.Name), trace, body, &out)
	return out.Output, err
}

// bareTurn is the model call over net/http by who wants it quick: a request is the one
// before with what came since appended, and an answer's items are sent back as they are.
func bareTurn(w *benchWorld, trace string) conversation {
	var body []byte
	var last []rollout.ToolCall
	turn := -1
	said := func() json.RawMessage { return slices.Concat([]byte("["), body[len(w.bareHead()):], []byte("]")) }
	next := func(it *rollout.Item, outputs map[string]string) ([]rollout.ToolCall, string, error) {
		if body == nil {
			body = append(make([]byte, 0, 16<<10), w.bareHead()...)
			for i, m := range it.Messages {
				if i > 0 {
					body = append(body, ',')
				}
				body = jsontext.AppendQuoted(fmt.Appendf(body, `{"role":%q,"content":`, m.Role), m.Content)
				body = append(body, '}')
			}
		}
		for _, c := range last {
			body = fmt.Appendf(body, `,{"type":"function_call_output","call_id":%q,"output":`, c.ID)
			body = append(jsontext.AppendQuoted(body, outputs[c.ID]), '}')
		}
		var reply struct {
			Output []json.RawMessage `json:"output"`
		}
		turn++
		n := len(body)
		body = append(body, "]}"...)
		err := post(w.client, w.url+"/v1/responses", fmt.Sprintf("%s/%d", trace, turn), body, &reply)
		body = body[:n]
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
			body = append(append(body, ','), raw...)
			switch item.Type {
			case "function_call":
				last = append(last, rollout.ToolCall{ID: item.CallID, Name: item.Name, Arguments: item.Arguments})
			case "message":
				text = item.Content[0].Text
			}
		}
		return last, text, nil
	}
	return conversation{next, said}
}

// bareHead is what every request begins with.
func (w *benchWorld) bareHead() []byte {
	w.once.Do(func() {
		tools, _ := json.Marshal(w.flat)
		w.head = fmt.Appendf(nil, `{"model":%q,"store":false,"include":["reasoning.encrypted_content"],"parallel_tool_calls":true,"tools":%s,"input":[`, w.model, tools)
	})
	return w.head
}

// typedTurn is the model call as the SDK offers it.
func typedTurn(w *benchWorld, trace string) conversation {
	var input responses.ResponseInputParam
	var last []rollout.ToolCall
	turn := -1
	said := func() json.RawMessage {
		all, _ := json.Marshal(input) // it was sent, so it is JSON
		return all
	}
	next := func(it *rollout.Item, outputs map[string]string) ([]rollout.ToolCall, string, error) {
		if input == nil {
			for _, m := range it.Messages {
				input = append(input, responses.ResponseInputItemParamOfMessage(m.Content, responses.EasyInputMessageRole(m.Role)))
			}
		}
		for _, c := range last {
			out := responses.ResponseInputItemParamOfFunctionCallOutput(outputs[c.ID])
			out.OfFunctionCallOutput.CallID = param.NewOpt(c.ID)
			input = append(input, out)
		}
		turn++
		reply, err := w.sdk.New(context.Background(), responses.ResponseNewParams{
			Model: shared.ResponsesModel(w.model), Store: param.NewOpt(false), ParallelToolCalls: param.NewOpt(true), Tools: w.tools,
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
	return conversation{next, said}
}
