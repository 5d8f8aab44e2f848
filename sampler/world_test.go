package sampler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonogo/fixtures/pipe"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// world is a model, tools and a grader behind real HTTP whose connections stay
// inside a synctest bubble, so hours of waiting take no time.
type world struct {
	t     *testing.T
	model func(r modelRequest) reply // one turn
	tool  func(r toolRequest) reply
	grade func(r gradeRequest) reply
	cfg   sampler.Config
	rate  float64           // the grader's rate_limit; 0 = none
	judge func(n int) reply // a judge's answer to request n, which then grades; nil = none

	refuseDial map[string]bool         // hosts on which nothing listens
	vanished   func(host string) error // why none can be reached any more; nil = no host
	mu         sync.Mutex              // guards what follows
	seen       []string                // "model", "tool", "grade", in order of arrival
	traces     map[string]bool
	inFlight   int
	most       int
}

type modelRequest struct {
	ID      string // X-Client-Request-Id
	Trace   string
	Turn    int
	Item    string // text of the user's message
	Outputs []string
	Body    map[string]any
}

type toolRequest struct {
	Name, Arguments, Trace, CallID string
	Item                           json.RawMessage
}

type gradeRequest struct {
	Text, Trace string
	Sample      map[string]any
}

// reply is an answer; its zero status is 200.
type reply struct {
	status int
	header map[string]string
	body   string
	wait   time.Duration
	hangUp bool // break the connection instead of answering
}

// inWorld runs a test against a world in a bubble.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	inBubble(t, func(t *testing.T) {
		w := &world{t: t, cfg: sampler.DefaultConfig(), traces: map[string]bool{}, refuseDial: map[string]bool{}}
		w.model = func(modelRequest) reply { return says("42") }
		w.tool = func(r toolRequest) reply { return gives("output of " + r.Name) }
		w.grade = func(gradeRequest) reply { return reply{body: `{"score":1}`} }
		test(t, w)
	})
}

func (w *world) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", func(rw http.ResponseWriter, r *http.Request) {
		w.answer(rw, r, "model", func(body []byte) reply {
			req := modelRequest{ID: r.Header.Get("X-Client-Request-Id")}
			trace, turn, _ := strings.Cut(req.ID, "/")
			req.Trace = trace
			req.Turn, _ = strconv.Atoi(turn)
			w.trace(trace)
			var in struct {
				Input []struct {
					Role, Type, Output string
					Content            any
				}
			}
			w.decode(body, &in)
			w.decode(body, &req.Body)
			for _, i := range in.Input {
				if i.Role == "user" {
					req.Item, _ = i.Content.(string)
				}
				if i.Type == "function_call_output" {
					req.Outputs = append(req.Outputs, i.Output)
				}
			}
			return w.model(req)
		})
	})
	mux.HandleFunc("POST /tool/{name}", func(rw http.ResponseWriter, r *http.Request) {
		w.answer(rw, r, "tool", func(body []byte) reply {
			var in struct {
				Name, Arguments string
				TraceID         string `json:"trace_id"`
				CallID          string `json:"call_id"`
				Item            json.RawMessage
			}
			w.decode(body, &in)
			w.trace(in.TraceID)
			return w.tool(toolRequest{Name: in.Name, Arguments: in.Arguments, Trace: in.TraceID, CallID: in.CallID, Item: in.Item})
		})
	})
	var judged atomic.Int64
	mux.HandleFunc("POST /judge/responses", func(rw http.ResponseWriter, r *http.Request) {
		w.answer(rw, r, "judge", func([]byte) reply {
			return w.judge(int(judged.Add(1)) - 1)
		})
	})
	mux.HandleFunc("POST /grade", func(rw http.ResponseWriter, r *http.Request) {
		w.answer(rw, r, "grade", func(body []byte) reply {
			var in struct {
				Sample  map[string]any
				TraceID string `json:"trace_id"`
			}
			w.decode(body, &in)
			w.trace(in.TraceID)
			text, _ := in.Sample["output_text"].(string)
			return w.grade(gradeRequest{Text: text, Trace: in.TraceID, Sample: in.Sample})
		})
	})
	return mux
}

func (w *world) answer(rw http.ResponseWriter, r *http.Request, kind string, f func([]byte) reply) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client broke off
	}
	w.mu.Lock()
	w.seen = append(w.seen, kind)
	w.inFlight++
	w.most = max(w.most, w.inFlight)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.inFlight--
	}()
	a := f(body)
	if a.wait > 0 { // a timer of 0 in a bubble now and then crashes the runtime of Go 1.26.8 under -race
		select {
		case <-time.After(a.wait):
		case <-r.Context().Done():
			return
		}
	}
	if a.hangUp {
		panic(http.ErrAbortHandler)
	}
	rw.Header().Set("Content-Type", "application/json")
	for k, v := range a.header {
		rw.Header().Set(k, v)
	}
	if a.status != 0 {
		rw.WriteHeader(a.status)
	}
	_, _ = io.WriteString(rw, a.body)
}

func (w *world) decode(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		w.t.Errorf("a request is not JSON: %v: %s", err, body)
	}
}

func (w *world) trace(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.traces[id] = true
}

// traceIDs returns the trace ids that were seen.
func (w *world) traceIDs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.traces))
}

// busiest returns the most requests that were in flight at once.
func (w *world) busiest() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most
}

// count says how many requests of a kind have arrived.
func (w *world) count(kind string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.seen {
		if k == kind {
			n++
		}
	}
	return n
}

// serve starts the servers and returns the boundaries.
func (w *world) serve() sampler.Boundaries {
	w.t.Helper()
	l := pipe.Listen()
	server := &http.Server{Handler: w.mux()}
	go func() { _ = server.Serve(l) }()
	transport := endpoint.HTTPTransport(64)
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, _ := strings.Cut(addr, ":")
		if w.vanished != nil {
			if err := w.vanished(host); err != nil {
				return nil, &net.OpError{Op: "dial", Net: network, Err: err}
			}
		}
		if w.refuseDial[host] {
			return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("connect: connection refused")}
		}
		return l.Dial(ctx)
	}
	client := endpoint.HTTPClient(transport, 64)
	w.t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		synctest.Wait()
	})
	m, err := model.New(model.Config{Name: "m", BaseURL: "http://model.test/v1", APIKey: "planted-key-1", HTTP: client})
	w.check(err)
	list, err := tool.New([]tool.Config{
		{Name: "search", ServerURL: "http://tool.test/tool/search"}, {Name: "cat", ServerURL: "http://cat.test/tool/cat"},
	}, tool.Options{HTTP: client})
	w.check(err)
	limit := ""
	if w.rate > 0 {
		limit = fmt.Sprintf(`,"rate_limit":%v`, w.rate)
	}
	raw, env := `{"type":"endpoint","url":"http://grader.test/grade"`+limit+`}`, grader.Env{HTTP: client}
	if w.judge != nil {
		raw = `{"type":"score_model","model":"j","input":[{"role":"user","content":"rate"}]}`
		env.Judge, err = model.NewJudge(model.Config{BaseURL: "http://judge.test/judge", HTTP: client})
		w.check(err)
	}
	g, err := grader.New(grader.Kinds(), json.RawMessage(raw), env)
	w.check(err)
	b := sampler.Boundaries{Model: m, Tools: map[string]sampler.Tool{}, Grader: g}
	for _, t := range list {
		b.Tools[t.Name()] = t
	}
	return b
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// rollout makes one rollout.
func (w *world) rollout() (*rollout.Record, error) {
	items := makeItems(1)
	return sampler.Rehearse(w.t.Context(), w.cfg, 1, sampler.Rollout{Item: &items[0]}, w.serve())
}

// makeItems returns n items of the train split.
func makeItems(n int) []rollout.Item {
	items := make([]rollout.Item, n)
	for i := range items {
		items[i] = rollout.Item{
			ID: fmt.Sprintf("q%d", i), Split: rollout.Train, Category: "c", Family: "f",
			Row: json.RawMessage(fmt.Sprintf(`{"messages":[{"role":"user","content":"q%d"}],"answer":  "42"}`, i)),
		}
		if err := items[i].Decode(); err != nil {
			panic(err)
		}
	}
	return items
}

const usage = `"usage":{"input_tokens":10,"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"input_tokens_details":{"cached_tokens":1}}`

// says is a final answer.
func says(text string) reply {
	q, _ := json.Marshal(text)
	return reply{body: `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + string(q) + `}]}],` + usage + `}`}
}

// wants is a turn that calls tools, each given as "name" or "name arguments".
func wants(calls ...string) reply { return turn("", calls...) }

// turn is a turn that says something and calls tools.
func turn(text string, calls ...string) reply {
	var items []string
	if text != "" {
		items = append(items, fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}`, text))
	}
	for i, c := range calls {
		name, args, found := strings.Cut(c, " ")
		if !found {
			args = "{}"
		}
		q, _ := json.Marshal(args)
		items = append(items, fmt.Sprintf(`{"type":"function_call","call_id":"c%d","name":%q,"arguments":%s}`, i, name, q))
	}
	return reply{body: `{"status":"completed","output":[` + strings.Join(items, ",") + `],` + usage + `}`}
}

// gives is a tool's output.
func gives(text string) reply {
	q, _ := json.Marshal(text)
	return reply{body: `{"type":"function_call_output","output":` + string(q) + `}`}
}

func fails(status int) reply { return reply{status: status, body: `{"error":{"message":"broken"}}`} }

// script answers turn by turn; past its end it repeats the last.
func script(replies ...reply) func(modelRequest) reply {
	return func(r modelRequest) reply { return replies[min(r.Turn, len(replies)-1)] }
}

// inBubble runs a test in virtual time.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	defer oneProcessor()()
	synctest.Test(t, test)
}
