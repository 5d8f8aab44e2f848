package grader_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

const (
	exact  = `{"type":"string_check","input":"{{sample.output_text}}","reference":"{{item.answer}}","operation":"eq"}`
	named  = `{"type":"string_check","input":"{{sample.output_text}}","reference":"{{item.answer}}","operation":"ilike"}`
	judged = `{"type":"score_model","model":"judge-1","range":[0,10],"input":[{"role":"user","content":"{{sample.output_text}}"}]}`
	label  = `{"type":"label_model","model":"judge-2","labels":["a","b"],"passing_labels":["a"],"input":[{"role":"user","content":"{{sample.output_text}}"}]}`
)

// multiOf is a multi grader as a job has it.
func multiOf(calculate string, graders ...string) string {
	var list []string
	for i := 0; i < len(graders); i += 2 {
		list = append(list, fmt.Sprintf("%q:%s", graders[i], graders[i+1]))
	}
	return fmt.Sprintf(`{"type":"multi","name":"m","pass_threshold":0.5,"graders":{%s},"calculate_output":%q}`, strings.Join(list, ","), calculate)
}

// backend is the servers behind a multi grader: an endpoint at /grade and a
// judge below /v1. Each model and each path gives its answers in turn; the
// last answer stays.
type backend struct {
	*httptest.Server
	mu      sync.Mutex // guards what follows
	answers map[string][]func(http.ResponseWriter)
	asked   map[string]int
}

func serve(t *testing.T) (*backend, grader.Env) {
	t.Helper()
	b := &backend{answers: map[string][]func(http.ResponseWriter){}, asked: map[string]int{}}
	b.Server = httptest.NewServer(http.HandlerFunc(b.answer))
	t.Cleanup(b.Close)
	client := endpoint.HTTPClient(nil, 4)
	t.Cleanup(client.CloseIdleConnections)
	j, err := model.NewJudge(model.Config{BaseURL: b.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return b, grader.Env{HTTP: client, Judge: j}
}

func (b *backend) endpoint(path string) string {
	return `{"type":"endpoint","url":"` + b.URL + path + `"}`
}

// tell sets the answers of a path or a judge's model.
func (b *backend) tell(who string, answers ...func(http.ResponseWriter)) { b.answers[who] = answers }

func (b *backend) answer(w http.ResponseWriter, r *http.Request) {
	who := r.URL.Path
	if strings.HasPrefix(who, "/v1/") {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		who = body.Model
	}
	b.mu.Lock()
	n := b.asked[who]
	b.asked[who]++
	list := b.answers[who]
	b.mu.Unlock()
	list[min(n, len(list)-1)](w)
}

func says(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestMulti(t *testing.T) {
	b, env := serve(t)
	b.tell("/grade", says(200, `{"score":0.25}`))
	b.tell("judge-1", says(200, answers(`{"steps":[],"result":12}`)))
	b.tell("judge-2", says(200, answers(`{"steps":[],"result":"a"}`)))
	got, err := open(t, multiOf("exact * (0.7 + 0.3*tone/10) + label*ours", "exact", exact, "tone", judged, "label", label, "ours", b.endpoint("/grade")), env).
		Grade(t.Context(), output("Paris"))
	if err != nil {
		t.Fatal(err)
	}
	six, eight := int64(6), int64(8)
	want := sampler.Grade{
		Reward: 1.25, Parts: map[string]float64{"exact": 1, "tone": 10, "label": 1, "ours": 0.25}, Clipped: true, JudgeCalls: 2,
		Usage: rollout.Usage{Input: &six, Output: &eight},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("grade (-want +got):\n%s", d)
	}
}

func TestMultiRefuses(t *testing.T) {
	for _, c := range []struct{ why, raw, says string }{
		{"no graders", `{"type":"multi","calculate_output":"1"}`, "graders is missing"},
		{"graders as a list", `{"type":"multi","graders":[` + exact + `],"calculate_output":"1"}`, "graders"},
		{"no formula", `{"type":"multi","graders":{"a":` + exact + `}}`, "calculate_output is missing"},
		{"a formula of another kind", `{"type":"multi","graders":{"a":` + exact + `},"calculate_output":1}`, "calculate_output"},
		{"a mistyped name, with its place", multiOf("0.5*exct + 0.5*tone", "exact", exact, "tone", exact), `calculate_output: column 5: unknown name "exct"; the names are exact, tone`},
		{"a name that no formula can hold", multiOf("1", "a-b", exact), `"a-b" cannot be used in a formula`},
		{"a multi grader within", multiOf("a", "a", multiOf("b", "b", exact)), "graders.a: a multi grader cannot be part of another"},
		{"a part of no kind", multiOf("a", "a", `{"type":"pyhton"}`), `graders.a: grader type "pyhton"`},
		{"a part without a type", multiOf("a", "a", `{}`), "graders.a: the grader has no type"},
		{"a part that is none", multiOf("a", "a", `7`), "graders.a: read the grader"},
		{"a broken part", multiOf("a", "a", `{"type":"endpoint"}`), "graders.a: endpoint grader: url"},
		{"a judge without an endpoint", multiOf("a", "a", judged), "graders.a: score_model grader: no judge"},
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), grader.Env{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
}

// TestAFailedPartLeavesTheWholeWithoutAGrade: no formula sees it, not even one
// in which it has no weight.
func TestAFailedPartLeavesTheWholeWithoutAGrade(t *testing.T) {
	score, down := says(200, `{"score":1}`), says(503, `{"error":"down"}`)
	busy := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(429)
	}
	rates, refuses := says(200, answers(`{"steps":[],"result":5}`)), says(200, answers("no"))
	for _, c := range []struct {
		why          string
		one, other   func(http.ResponseWriter)
		judge        func(http.ResponseWriter)
		says, kind   string
		temporary    bool
		calls, usage int
	}{
		{"an endpoint that is down", score, down, rates, "part other: ", "", true, 1, 3},
		{"an endpoint without a score", says(200, `{"score":NaN}`), score, rates, "part one: ", sampler.KindNotANumber, true, 1, 3},
		{"an endpoint that reports an error", says(200, `{"score":1,"error":"x"}`), score, rates, "part one: ", sampler.KindReported, true, 1, 3},
		{"a judge without a number", score, score, refuses, "part tone: ", sampler.KindParse, false, 1, 3},
		{"what no try mends comes first", down, score, refuses, "part tone: the judge's answer has no number as \"result\": no; no grade of one either", sampler.KindParse, false, 1, 3},
		{"a wrong key before that", says(401, ""), score, refuses, "part one: ", "", false, 1, 3},
		{"a retired judge before what is refused once", says(400, ""), score, says(404, `{"error":"gone"}`), "part tone: ", "", false, 0, 0},
		{"the longest wait of several", down, busy, rates, "part other: ", "", true, 1, 3},
		{"all of them", down, down, says(503, "x"), "no grade of other, tone either", "", true, 0, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			b, env := serve(t)
			b.tell("/one", c.one)
			b.tell("/other", c.other)
			b.tell("judge-1", c.judge)
			g := open(t, multiOf("one + 0*other + 0*tone", "one", b.endpoint("/one"), "other", b.endpoint("/other"), "tone", judged), env)
			got, err := g.Grade(t.Context(), output("Paris"))
			if err == nil || !strings.Contains(err.Error(), c.says) || kindOf(err) != c.kind {
				t.Fatalf("error of kind %q: %v; want %q, %q", kindOf(err), err, c.kind, c.says)
			}
			if f, ok := endpoint.AsFailure(err); ok != (c.kind != sampler.KindParse) || ok && f.Temporary != c.temporary {
				t.Errorf("failure %+v; want temporary %v", f, c.temporary)
			}
			if got.Reward != 0 || got.Parts != nil || got.JudgeCalls != c.calls || (got.Usage.Input != nil) != (c.usage > 0) {
				t.Errorf("grade %+v beside the error; want %d judge calls", got, c.calls)
			}
			for _, who := range []string{"/one", "/other", "judge-1"} {
				if b.asked[who] != 1 {
					t.Errorf("%s was asked %d times, want once", who, b.asked[who])
				}
			}
		})
	}
}

func TestAFormulaWithoutAValueIsAFailure(t *testing.T) {
	g := open(t, multiOf("tone / exact", "exact", exact, "tone", named), grader.Env{})
	_, err := g.Grade(t.Context(), output("It is Paris"))
	if kindOf(err) != sampler.KindFormula || !strings.Contains(err.Error(), "column 6: 1 / 0 is not a finite number, with exact = 0, tone = 1") {
		t.Errorf("error of kind %q: %v", kindOf(err), err)
	}
	if _, ok := endpoint.AsFailure(err); ok {
		t.Error("the same formula is tried again")
	}
}

// TestAnotherTryAsksForTheRestAlone grades through the sampler, which repeats
// what fails for the moment.
func TestAnotherTryAsksForTheRestAlone(t *testing.T) {
	b, env := serve(t)
	b.tell("/flaky", says(503, ""), says(200, `{"score":"x"}`), says(200, `{"score":0.5}`))
	b.tell("/steady", says(200, `{"score":1}`))
	b.tell("judge-1", says(200, answers(`{"steps":[],"result":11}`)))
	b.tell("judge-2", says(500, ""), says(200, answers(`{"steps":[],"result":"a"}`)))
	g := open(t, multiOf("min(flaky, steady, tone, label)", "flaky", b.endpoint("/flaky"), "steady", b.endpoint("/steady"), "tone", judged, "label", label), env)
	cfg := sampler.DefaultConfig()
	cfg.Retry.Wait = 1 // a nanosecond
	var got *rollout.Record
	tasks := func(yield func(sampler.Task, error) bool) {
		yield(sampler.Task{Item: output("").Item, Record: &rollout.Record{Item: "q", Split: rollout.Train, Answer: "Paris", TraceID: "trace_x", Outcome: rollout.Graded}, Times: 1}, nil)
	}
	if _, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
		Config: cfg, Tasks: tasks, Total: 1, Grader: g, Sink: sink(func(r *rollout.Record) { got = r }),
	}); err != nil {
		t.Fatal(err)
	}
	if got.Outcome != rollout.Graded || *got.Reward != 0.5 || !got.Clipped || got.JudgeCalls != 2 || got.Judge.Input == nil || *got.Judge.Input != 6 || got.Retries != 3 {
		t.Errorf("record %+v", got)
	}
	if d := cmp.Diff(map[string]int{"/flaky": 3, "/steady": 1, "judge-1": 1, "judge-2": 2}, b.asked); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]float64{"flaky": 0.5, "steady": 1, "tone": 10, "label": 1}, got.Parts); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
}

type sink func(*rollout.Record)

func (s sink) Append(r *rollout.Record) error {
	s(r)
	return nil
}

func TestAPartThatAsksNobodyFailsBeforeAnyRequest(t *testing.T) {
	b, env := serve(t)
	b.tell("judge-1", says(200, answers(`{"steps":[],"result":1}`)))
	broken := strings.Replace(exact, "item.answer", "item.anwser", 1)
	_, err := open(t, multiOf("a*tone", "tone", judged, "a", broken), env).Grade(t.Context(), output("Paris"))
	if kindOf(err) != sampler.KindVariable || !strings.Contains(err.Error(), "part a: ") || len(b.asked) != 0 {
		t.Errorf("error of kind %q: %v, after requests %v", kindOf(err), err, b.asked)
	}
}

func TestPartsThatAskAreAskedAtOnce(t *testing.T) {
	b, env := serve(t)
	var all sync.WaitGroup
	all.Add(2)
	asked := make(chan struct{})
	go func() {
		all.Wait()
		close(asked)
	}()
	together := func(body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			all.Done()
			select { // neither answers before both are asked
			case <-asked:
				says(200, body)(w)
			case <-time.After(time.Minute):
				t.Error("only one part was asked")
				says(500, "")(w)
			}
		}
	}
	b.tell("/grade", together(`{"score":1}`))
	b.tell("judge-1", together(answers(`{"steps":[],"result":1}`)))
	if got, err := open(t, multiOf("a*tone", "tone", judged, "a", b.endpoint("/grade")), env).Grade(t.Context(), output("Paris")); err != nil || got.Reward != 1 {
		t.Errorf("grade %+v, error %v", got, err)
	}
}

func TestUsageThatOneJudgeDoesNotTellIsNotTold(t *testing.T) {
	b, env := serve(t)
	b.tell("judge-1", says(200, answers(`{"steps":[],"result":1}`)))
	b.tell("judge-2", says(200, `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{\"result\":\"a\"}"}]}]}`))
	got, err := open(t, multiOf("tone*label", "tone", judged, "label", label), env).Grade(t.Context(), output("Paris"))
	if err != nil || got.JudgeCalls != 2 || got.Usage != (rollout.Usage{}) {
		t.Errorf("grade %+v, error %v", got, err)
	}
}
