package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/proxy"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// invoked is what an agent written for SageMaker gets: the keys of the documentation and those of the
// SDK's models.
type invoked struct {
	Prompt   string
	Instance map[string]json.RawMessage
	Metadata struct {
		JobArn, RolloutId string
		Job               string `json:"job_arn"`
		Trajectory        string `json:"trajectory_id"`
		Endpoint, Region  string
	}
	Camel map[string]float64 `json:"inferenceParams"`
	Snake map[string]float64 `json:"inference_params"`
}

// call makes a call at the job runtime, with the headers that the service documents.
func (in invoked) call(path, body string) (status int, kind, text string) {
	return in.callAs(in.Metadata.JobArn, in.Metadata.RolloutId, path, body)
}

func (in invoked) callAs(job, trajectory, path, body string) (status int, kind, text string) {
	req, err := http.NewRequest(http.MethodPost, in.Metadata.Endpoint+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("X-Amzn-SageMaker-Job-Arn", job)
	req.Header.Set("X-Amzn-SageMaker-Trajectory-Id", trajectory)
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/a-secret-signature")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, "", err.Error()
	}
	return resp.StatusCode, resp.Header.Get("X-Amzn-Errortype"), string(b)
}

const turn = `{"model":"default","messages":[{"role":"user","content":"What is 6 * 7?"}]}`

func (in invoked) sample() (int, string, string) { return in.call("/sample", turn) }

func (in invoked) complete(status string) (int, string, string) {
	return in.call("/complete-rollout", fmt.Sprintf(`{"TrajectoryId":%q,"Status":%q}`, in.Metadata.RolloutId, status))
}

func (in invoked) reward(list string) (int, string, string) {
	return in.call("/update-reward", fmt.Sprintf(`{"TrajectoryId":%q,"Rewards":%s}`, in.Metadata.RolloutId, list))
}

// modelServer answers every request with 42.
func modelServer(t *testing.T, how http.HandlerFunc) string {
	t.Helper()
	if how == nil {
		how = func(w http.ResponseWriter, r *http.Request) {
			var q struct {
				Model  string
				Stream bool
			}
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Model != "scripted-policy" {
				t.Errorf("the model is asked for %q, %v", q.Model, err)
			}
			if q.Stream {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"4"}}]}`+"\n\n"+
					`data: {"choices":[{"index":0,"delta":{"content":"2"},"finish_reason":"stop"}]}`+"\n\n"+
					`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}`+"\n\ndata: [DONE]\n\n")
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"42"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":5}}`)
		}
	}
	server := httptest.NewServer(how)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// amazon is an agent written for SageMaker, and what its rollouts become.
type amazon struct {
	graded  bool
	how     func(in invoked, w http.ResponseWriter)
	model   http.HandlerFunc
	timeout time.Duration
	quiet   time.Duration
	cfg     func(*sampler.Config)
	rows    []string
}

func (z amazon) run(t *testing.T) []*rollout.Record {
	t.Helper()
	var wrong []string
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in invoked
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			mu.Lock()
			wrong = append(wrong, err.Error())
			mu.Unlock()
		}
		z.how(in, w)
	}))
	defer server.Close()
	client := endpoint.HTTPClient(nil, 8)
	defer client.CloseIdleConnections()
	a, err := agent.NewSageMaker(agent.SageMakerConfig{URL: server.URL + "/invocations", HTTP: client, Graded: z.graded, Quiet: z.quiet})
	if err != nil {
		t.Fatal(err)
	}
	models, err := proxy.New(proxy.Config{BaseURL: modelServer(t, z.model), Model: "scripted-policy", API: "chat", HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	raw := json.RawMessage(`{"type":"agent"}`)
	if z.graded {
		raw = json.RawMessage(`{"type":"string_check","name":"exact","operation":"eq","input":"{{sample.output_text}}","reference":"42"}`)
	}
	g, err := grader.New(grader.Kinds(), raw, grader.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if z.rows == nil {
		z.rows = []string{`{"prompt":"What is 6 * 7?","messages":[{"role":"user","content":"What is 6 * 7?"}]}`}
	}
	var jobs []sampler.Rollout
	for i, row := range z.rows {
		jobs = append(jobs, sampler.Rollout{Item: &rollout.Item{ID: fmt.Sprintf("q%d", i), Split: rollout.Train, Row: json.RawMessage(row)}})
	}
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.Breaker, cfg.Retry.Max, cfg.Retry.Wait, cfg.AgentTimeout = 2, 0, 1, time.Millisecond, time.Minute
	if z.timeout > 0 {
		cfg.AgentTimeout = z.timeout
	}
	if z.cfg != nil {
		z.cfg(&cfg)
	}
	var got records
	_, err = sampler.Sample(t.Context(), sampler.SampleOptions{
		Config: cfg, Seed: 7, Rollouts: jobs, Boundaries: sampler.Boundaries{Agent: a, ModelProxy: models, Grader: g}, Sink: &got,
	})
	began := time.Now()
	if err := errors.Join(a.Close(), models.Close()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 4*time.Second { // a connection blocks
		t.Errorf("the servers ended after %v", took)
	}
	if err != nil || len(got) != len(jobs) {
		t.Fatalf("%d records of %d: %v", len(got), len(jobs), err)
	}
	for _, why := range wrong {
		t.Error(why)
	}
	return got
}

// What an agent reports becomes the rollout's reward, or the reason why it has none; never a zero that
// nobody reported.
func TestWhatASageMakerAgentReports(t *testing.T) {
	none := math.NaN()
	ok := func(w http.ResponseWriter) { fmt.Fprint(w, `{"ok":true}`) }
	fail := func(w http.ResponseWriter, body string) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, body)
	}
	for _, c := range []struct {
		why     string
		z       amazon
		outcome rollout.Outcome
		kind    string
		reward  float64
		says    string
		rewards string // agent_rewards in the record
	}{
		{"a turn, complete, a reward", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			in.reward("[0.25]")
			ok(w)
		}}, rollout.Graded, "", 0.25, "", "[0.25]"},
		{"a reward of zero is one", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			in.reward("[0]")
			ok(w)
		}}, rollout.Graded, "", 0, "", "[0]"},
		{"a reward for each turn", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.sample()
			in.complete("ready")
			in.reward("[0.25,0.5]")
			ok(w)
		}}, rollout.Graded, "", 0.75, "", "[0.25,0.5]"},
		{"an answer before the work is done", amazon{how: func(in invoked, w http.ResponseWriter) {
			fmt.Fprint(w, `{"status":"accepted"}`)
			go func() {
				time.Sleep(50 * time.Millisecond)
				in.sample()
				time.Sleep(50 * time.Millisecond)
				in.complete("ready")
				in.reward("[1]")
			}()
		}, quiet: 20 * time.Millisecond}, rollout.Graded, "", 1, "", "[1]"},
		{"the reward counts, whatever the answer", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			in.reward("[1]")
			fail(w, "cannot send the mail")
		}}, rollout.Graded, "", 1, "", "[1]"},
		{"failed, and the 0 that the SDK then reports", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("failed")
			if status, _, text := in.reward("[0.0]"); status != 200 {
				panic(text)
			}
			fail(w, `{"error":"KeyError: 'price'"}`)
		}}, rollout.ToolFailed, sampler.KindAgentError, none, "CompleteRollout with the status failed): it answered with status 500: KeyError: 'price'", ""},
		{"failed, and the cause in its answer", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("failed")
			fmt.Fprint(w, `{"status":"error","error":"the shop is closed","reward":0.0}`)
		}}, rollout.ToolFailed, sampler.KindAgentError, none, "failed): the shop is closed", ""},
		{"an exception without a report", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			fail(w, "Traceback")
		}}, rollout.ToolFailed, sampler.KindAgentCrashed, none, "after the model had answered it", ""},
		{"a server that refuses", amazon{how: func(_ invoked, w http.ResponseWriter) { w.WriteHeader(422) }}, rollout.ToolFailed, sampler.KindAgentStart, none, "status 422", ""},
		{"never complete", amazon{quiet: 50 * time.Millisecond, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			ok(w)
		}}, rollout.ToolFailed, sampler.KindAgentCrashed, none, "made no call for 50ms after that, and did not complete the rollout (CompleteRollout)", ""},
		{"no reward", amazon{quiet: 50 * time.Millisecond, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			ok(w)
		}}, rollout.ToolFailed, sampler.KindAgentCrashed, none, "completed the rollout but reported no reward (UpdateReward)", ""},
		{"accepted and forgotten", amazon{timeout: 300 * time.Millisecond, quiet: 10 * time.Millisecond, how: func(_ invoked, w http.ResponseWriter) {
			fmt.Fprint(w, `{"status":"accepted"}`)
		}}, rollout.ToolFailed, sampler.KindAgentHung, none, "within 300ms (agent.timeout) the agent did not complete the rollout", ""},
		{"an answer that never comes", amazon{timeout: 300 * time.Millisecond, how: func(in invoked, _ http.ResponseWriter) {
			in.sample()
			time.Sleep(600 * time.Millisecond)
		}}, rollout.ToolFailed, sampler.KindAgentHung, none, "within 300ms (agent.timeout) the agent did not complete", ""},
		{"a reward that is NaN", amazon{quiet: 50 * time.Millisecond, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			in.reward("[NaN]")
			ok(w)
		}}, rollout.ToolFailed, sampler.KindAgentCrashed, none, "reported no reward (UpdateReward); its last call was refused: a reward is NaN or infinite, which is not JSON", ""},
		{"a reward before the end", amazon{quiet: 50 * time.Millisecond, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.reward("[1]")
			ok(w)
		}}, rollout.ToolFailed, sampler.KindAgentCrashed, none, "from in-progress to reward-received: call CompleteRollout first", ""},
		{"another trajectory's id", amazon{quiet: 50 * time.Millisecond, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.Metadata.RolloutId = "roll-1"
			in.complete("ready")
			in.reward("[1]")
			ok(w)
		}}, rollout.ToolFailed, sampler.KindAgentCrashed, none, `meanwhile 2 calls named another trajectory, such as "roll-1"`, ""},
		{"another model's answer", amazon{how: func(in invoked, w http.ResponseWriter) {
			in.complete("ready")
			in.reward("[1]")
			ok(w)
		}}, rollout.ToolFailed, sampler.KindAgentError, none, "completed the rollout without one request to the model (Sample)", ""},
		{"a 0 for a model that failed", amazon{
			model: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
			how: func(in invoked, w http.ResponseWriter) {
				if status, kind, _ := in.sample(); status != 500 || kind != "InternalServiceError" {
					panic(fmt.Sprint(status, kind))
				}
				in.complete("ready")
				in.reward("[0]")
				ok(w)
			},
		}, rollout.ModelAPI, "", none, "status 503", "[0]"},
		{"a reward outside the range", amazon{
			how: func(in invoked, w http.ResponseWriter) {
				in.sample()
				in.complete("ready")
				in.reward("[-1.5]")
				ok(w)
			},
			cfg: func(c *sampler.Config) { c.RewardRange = &[2]float64{0, 1} },
		}, rollout.GraderFailed, sampler.KindRange, none, "-1.5, outside reward_range [0, 1]", "[-1.5]"},
		{"a limit of the run", amazon{
			how: func(in invoked, w http.ResponseWriter) {
				in.sample()
				if status, kind, text := in.call("/v1/chat/completions", turn); status != 400 || kind != "" || !strings.Contains(text, "limit_reached") {
					panic(text)
				}
				in.complete("ready")
				in.reward("[0.5]")
				ok(w)
			},
			cfg: func(c *sampler.Config) { c.MaxSteps = 1 },
		}, rollout.StepLimit, "", 0.5, "max_steps of 1 reached", "[0.5]"},
		{"the run's own grader", amazon{graded: true, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			ok(w)
		}}, rollout.Graded, "", 1, "", ""},
		{"the run's own grader, and the agent's reward is kept", amazon{graded: true, how: func(in invoked, w http.ResponseWriter) {
			in.sample()
			in.complete("ready")
			in.reward("[0.5]")
			ok(w)
		}}, rollout.Graded, "", 1, "", "[0.5]"},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := c.z.run(t)[0]
			reward := math.NaN()
			if r.Reward != nil {
				reward = *r.Reward
			}
			if r.Outcome != c.outcome || r.Kind != c.kind || !cmp.Equal(reward, c.reward, cmp.Comparer(sameNumber)) ||
				!strings.Contains(r.Error, c.says) || string(r.Extra["agent_rewards"]) != c.rewards {
				t.Errorf("outcome %s, kind %q, reward %v, reported %s: %s; want %s, %q, %v, %s: …%s…",
					r.Outcome, r.Kind, reward, r.Extra["agent_rewards"], r.Error, c.outcome, c.kind, c.reward, c.rewards, c.says)
			}
			if text := fmt.Sprint(r); strings.Contains(text, "a-secret-signature") {
				t.Errorf("the record has the agent's credentials: %s", text)
			}
		})
	}
}

func sameNumber(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Every refusal of the job runtime is one that the service documents, and the trajectory stays as it
// was.
func TestWhatTheJobRuntimeRefuses(t *testing.T) {
	type answer struct {
		status int
		kind   string
	}
	refused := func(why string, want answer, says string, status int, kind, text string) {
		t.Helper()
		if got := (answer{status, kind}); got != want || !strings.Contains(text, says) {
			t.Errorf("%s: %v %s; want %v …%s…", why, got, text, want, says)
		}
	}
	do := func(why string, want answer, says string) func(status int, kind, text string) {
		return func(status int, kind, text string) { t.Helper(); refused(why, want, says, status, kind, text) }
	}
	invalid, conflict, unknown := answer{400, "ValidationException"}, answer{409, "ConflictException"}, answer{404, "ResourceNotFoundException"}
	r := amazon{how: func(in invoked, w http.ResponseWriter) {
		id, job := in.Metadata.RolloutId, in.Metadata.JobArn
		report := func(path, body string) (int, string, string) {
			return in.call(path, strings.ReplaceAll(body, "ID", id))
		}
		do("a sample of no trajectory", invalid, "no trajectory")(in.callAs(job, "", "/sample", turn))
		do("a sample of another trajectory", unknown, "roll-1")(in.callAs(job, "roll-1", "/sample", turn))
		do("a sample of no job", invalid, "no job")(in.callAs("", id, "/sample", turn))
		do("a sample of another job", unknown, "there is no job")(in.callAs("arn:aws:sagemaker:us-east-1:123456789012:job/AgentRFT/x", id, "/sample", turn))
		do("a sample that is not JSON", invalid, "not a JSON object")(in.call("/sample", "hello"))
		do("a sample that is a list", invalid, "not a JSON object")(in.call("/sample", "[]"))
		do("another path", answer{404, "UnknownOperationException"}, "/v1/models")(in.call("/v1/models", ""))
		do("an error for OpenAI's clients", unknown, `"error":`)(in.callAs(job, "roll-1", "/v1/chat/completions", turn))
		do("a turn", answer{200, ""}, "42")(in.sample())
		do("a status that there is not", invalid, "must be ready or failed")(in.complete("done"))
		do("a report that is not JSON", invalid, "cannot be read")(in.call("/complete-rollout", "{"))
		do("a report that is too long", invalid, "too large")(in.call("/complete-rollout", `{"TrajectoryId":"`+strings.Repeat("x", 2<<20)+`"}`))
		do("a reward before the end", conflict, "call CompleteRollout first")(in.reward("[1]"))
		do("complete, by default ready", answer{200, ""}, "{}")(report("/complete-rollout", `{"TrajectoryId":"ID","ClientToken":"a"}`))
		do("the same call again", answer{200, ""}, "{}")(report("/complete-rollout", `{"TrajectoryId":"ID","ClientToken":"a"}`))
		do("complete twice", conflict, "Cannot transition trajectory "+id+" from ready to failed")(in.complete("failed"))
		do("a turn after the end", invalid, "not in valid status")(in.sample())
		do("no rewards", invalid, "Rewards is empty")(in.reward("[]"))
		do("null", invalid, "Rewards[0] is not a finite number")(in.reward("[null]"))
		do("a text", invalid, "cannot be read")(in.reward(`["1"]`))
		do("Infinity", invalid, "NaN or infinite")(in.reward("[-Infinity]"))
		do("a number that is no double", invalid, "cannot be read")(in.reward("[1e999]"))
		do("two rewards for a turn", invalid, "2 values for 1 turns")(in.reward("[1,1]"))
		do("a reward", answer{200, ""}, "{}")(report("/update-reward", `{"TrajectoryId":"ID","JobArn":"`+job+`","Rewards":[0.5],"ClientToken":"b"}`))
		do("the same call again", answer{200, ""}, "{}")(report("/update-reward", `{"TrajectoryId":"ID","Rewards":[0.5],"ClientToken":"b"}`))
		do("another reward", conflict, "from reward-received to reward-received")(in.reward("[1]"))
		fmt.Fprint(w, "{}")
	}}.run(t)[0]
	if r.Reward == nil || *r.Reward != 0.5 || r.Turns != 1 {
		t.Errorf("%s, reward %v, %d turns: %s", r.Outcome, r.Reward, r.Turns, r.Error)
	}
}

// A trajectory whose rollout has ended takes nothing more, and the calls of another rollout are not
// mistaken for it.
func TestACallAfterTheEndOfARollout(t *testing.T) {
	var first invoked
	recs := amazon{rows: []string{`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"user","content":"b"}]}`}, cfg: func(c *sampler.Config) { c.Concurrency = 1 }, how: func(in invoked, w http.ResponseWriter) {
		if first.Metadata.RolloutId != "" {
			if status, kind, _ := first.reward("[1]"); status != 409 || kind != "ConflictException" {
				t.Errorf("a reward after the end: %d %s", status, kind)
			}
			if status, kind, text := first.sample(); status != 400 || kind != "ValidationException" || !strings.Contains(text, "not in valid status") {
				t.Errorf("a turn after the end: %d %s %s", status, kind, text)
			}
		}
		first = in
		in.sample()
		in.complete("ready")
		in.reward("[0.5]")
		fmt.Fprint(w, "{}")
	}}.run(t)
	for _, r := range recs {
		if r.Reward == nil || *r.Reward != 0.5 {
			t.Errorf("%s: %s, %v", r.Item, r.Outcome, r.Error)
		}
	}
}

// The payload has the keys of the documentation and those of the SDK, and the operations answer as the
// model's server does, streamed or not.
func TestWhatASageMakerAgentGets(t *testing.T) {
	r := amazon{rows: []string{`{"prompt":{"q":[1,2]},"messages":[{"role":"user","content":"x"}],"reference_answer":"42"}`}, how: func(in invoked, w http.ResponseWriter) {
		m := in.Metadata
		if m.JobArn != m.Job || m.RolloutId != m.Trajectory || !strings.HasPrefix(m.JobArn, "arn:aws:sagemaker:us-west-2:000000000000:job/AgentRFT/") ||
			len(m.RolloutId) < 33 || !strings.HasPrefix(m.Endpoint, "http://127.0.0.1:") || m.Region != "us-west-2" {
			t.Errorf("metadata %+v", m)
		}
		if in.Prompt != `{"q":[1,2]}` || string(in.Instance["reference_answer"]) != `"42"` || in.Instance["messages"] != nil || string(in.Instance["prompt"]) != `"{\"q\":[1,2]}"` {
			t.Errorf("prompt %s, instance %s", in.Prompt, in.Instance)
		}
		if in.Camel["temperature"] != 1 || in.Camel["topP"] != 1 || in.Camel["maxTokens"] != 4096 || in.Snake["max_tokens"] != 4096 {
			t.Errorf("inference parameters %v, %v", in.Camel, in.Snake)
		}
		for _, path := range []string{"/sample", "/v1/chat/completions"} {
			if status, _, text := in.call(path, turn); status != 200 || !strings.Contains(text, `"content":"42"`) {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		for path, body := range map[string]string{"/sample-with-response-stream": turn, "/v1/chat/completions": strings.Replace(turn, "{", `{"stream":true,`, 1)} {
			if status, _, text := in.call(path, body); status != 200 || !strings.HasSuffix(text, "data: [DONE]\n\n") || strings.Contains(text, "usage") {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		in.complete("")
		in.reward("[1]")
		fmt.Fprint(w, "{}")
	}}.run(t)[0]
	if r.Turns != 4 || r.Usage.Output == nil || *r.Usage.Output != 20 || r.Answer != "42" {
		t.Errorf("%d turns, usage %+v, answer %q, %s", r.Turns, r.Usage, r.Answer, r.Error)
	}
}

// The prompt is a text, however a row holds it.
func TestThePromptOfARow(t *testing.T) {
	rows := []struct{ row, want string }{
		{`{"prompt":"a","messages":[{"role":"user","content":"b"}]}`, "a"},
		{`{"messages":[{"role":"user","content":"b"}]}`, "b"},
		{`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"b"}]}`, `[{"role":"system","content":"s"},{"role":"user","content":"b"}]`},
	}
	var lines, want, got []string
	for _, r := range rows {
		lines, want = append(lines, r.row), append(want, r.want)
	}
	var mu sync.Mutex
	amazon{rows: lines, how: func(in invoked, w http.ResponseWriter) {
		mu.Lock()
		got = append(got, in.Prompt)
		mu.Unlock()
		in.sample()
		in.complete("ready")
		in.reward("[1]")
		fmt.Fprint(w, "{}")
	}}.run(t)
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A rollout whose agent sends half a request, and one whose agent does not read the answer, end in time.
func TestASageMakerAgentThatBlocksItsConnection(t *testing.T) {
	for how, send := range map[string]func(in invoked) string{
		"half a request": func(in invoked) string {
			return "Content-Length: 1000\r\n\r\n{"
		},
		"an answer that is not read": func(in invoked) string {
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(turn), turn)
		},
	} {
		t.Run(how, func(t *testing.T) {
			var conn net.Conn
			r := amazon{
				timeout: 300 * time.Millisecond,
				model: func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}]}`, strings.Repeat("x", 12<<20))
				},
				how: func(in invoked, w http.ResponseWriter) {
					var err error
					if conn, err = net.Dial("tcp", strings.TrimPrefix(in.Metadata.Endpoint, "http://")); err != nil {
						t.Error(err)
						return
					}
					fmt.Fprintf(conn, "POST /sample HTTP/1.1\r\nHost: x\r\nX-Amzn-SageMaker-Job-Arn: %s\r\nX-Amzn-SageMaker-Trajectory-Id: %s\r\n%s",
						in.Metadata.JobArn, in.Metadata.RolloutId, send(in))
					fmt.Fprint(w, `{"status":"accepted"}`)
				},
			}.run(t)[0]
			if conn != nil {
				defer conn.Close()
			}
			if r.Kind != sampler.KindAgentHung {
				t.Errorf("%s, %s: %s", r.Outcome, r.Kind, r.Error)
			}
		})
	}
}

// A run that is interrupted leaves neither a request nor the server behind: TestMain looks for
// goroutines.
func TestAnInterruptedSageMakerRollout(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	client := endpoint.HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	a, err := agent.NewSageMaker(agent.SageMakerConfig{URL: server.URL, HTTP: client})
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-asked; stop() }()
	p := sampler.AgentRequest{Item: &rollout.Item{ID: "q", Row: json.RawMessage(`{}`)}, Model: &sampler.ModelAccess{BaseURL: "http://127.0.0.1:1/v1"}}
	if _, err := a.Run(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("the rollout ended with %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// An address that others could reach, and one that is taken, are refused.
func TestWhereTheJobRuntimeListens(t *testing.T) {
	for _, address := range []string{"0.0.0.0:9180", ":9180", "192.0.2.1:9180", "example.com:9180", "127.0.0.1", "127.0.0.1:"} {
		if _, err := agent.NewSageMaker(agent.SageMakerConfig{URL: "http://127.0.0.1:1", Listen: address}); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	a, err := agent.NewSageMaker(agent.SageMakerConfig{URL: "http://127.0.0.1:1", Listen: strings.TrimPrefix(taken.URL, "http://")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Run(t.Context(), sampler.AgentRequest{Item: &rollout.Item{}, Model: &sampler.ModelAccess{}})
	if f, ok := endpoint.AsFailure(err); !ok || !f.Fatal || !strings.Contains(err.Error(), "(agent.listen)") {
		t.Errorf("an address that is taken: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// The plain loop as an agent written for SageMaker.
func sageMaker(t *testing.T, s *site) *agent.SageMaker {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in invoked
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		client := &http.Client{Transport: trip(func(q *http.Request) (*http.Response, error) {
			q.Header.Set("X-Amzn-SageMaker-Job-Arn", in.Metadata.JobArn)
			q.Header.Set("X-Amzn-SageMaker-Trajectory-Id", in.Metadata.RolloutId)
			return s.client.Transport.RoundTrip(q)
		})}
		messages := json.RawMessage(in.Prompt)
		if !bytes.HasPrefix(messages, []byte("[")) {
			text, _ := json.Marshal(in.Prompt)
			messages = json.RawMessage(`[{"role":"user","content":` + string(text) + `}]`)
		}
		loop(client, agent.Request{
			Messages: messages, Item: in.Instance, TraceID: in.Metadata.RolloutId,
			Model: &agent.Model{BaseURL: in.Metadata.Endpoint + "/v1", Name: "default", API: "chat"},
		}, s.url+"/tools")
		in.complete("ready")
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	a, err := agent.NewSageMaker(agent.SageMakerConfig{URL: server.URL, HTTP: s.client, Graded: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}
