package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/archive"
	"gonogo/sampler/rollout"
)

// oddAnswers is a model's server in a test: reply answers a request, whose body is read,
// with a status and a body.
type oddAnswers struct {
	reply func(asked map[string]any) (status int, body any)
	get   map[string]any // what it answers to GET, by path
}

func (s oddAnswers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body := http.StatusOK, any(map[string]any{"object": "list", "data": []any{map[string]any{"id": "m", "object": "model"}}})
	if r.Method == http.MethodPost {
		var asked map[string]any
		text, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(text, &asked)
		status, body = s.reply(asked)
	} else if s.get[r.URL.Path] != nil {
		body = s.get[r.URL.Path]
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if text, is := body.(string); is {
		_, _ = io.WriteString(w, text)
		return
	}
	_ = json.NewEncoder(w).Encode(body)
}

// oddProject is a directory with rows, a grader that wants the row's answer, and a model at a server.
type oddProject struct {
	t   *testing.T
	dir string
}

func newOddProject(t *testing.T, server oddAnswers, model string, rows ...string) oddProject {
	t.Helper()
	t.Chdir(t.TempDir())
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	p := oddProject{t, "."}
	p.write("train.jsonl", strings.Join(rows, "\n")+"\n")
	p.write("gonogo.yaml", fmt.Sprintf(`
job: {grader: {type: string_check, name: eq, operation: eq, input: "{{sample.output_text}}", reference: "{{item.answer}}"}}
target: none
data: {train: train.jsonl}
model: {name: m, base_url: "%s/v1", api_key_env: none, %s}
sampling: {samples: 4, retries: 1, retry_wait: 10ms, breaker: 0}
`, s.URL, model))
	return p
}

func (p oddProject) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// gonogo runs a command and returns all that it prints.
func (p oddProject) gonogo(args ...string) string {
	p.t.Helper()
	var out bytes.Buffer
	run(p.t.Context(), append([]string{"gonogo"}, args...), strings.NewReader(""), &out, &out)
	return out.String()
}

// judge makes a run and reads what it came to.
func (p oddProject) judge(args ...string) (*analysis.Result, string) {
	p.t.Helper()
	said := p.gonogo(append([]string{"run", "-o", "run", "--yes", "--no-audit", "--seed", "1", "--set", "report.formats=[markdown]"}, args...)...)
	r, err := archive.ReadResult("run")
	if err != nil || r == nil || r.Splits[rollout.Train] == nil {
		p.t.Fatalf("%v\n%s", err, said)
	}
	return r, said
}

func sums(n int) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf(`{"id":"q%d","answer":"%d","messages":[{"role":"user","content":"What is %d + 1?"}]}`, i, i+1, i))
	}
	return rows
}

// lastSum is the answer to the last question of a request.
func lastSum(asked map[string]any) string {
	turns, _ := asked["messages"].([]any)
	if turns == nil {
		turns, _ = asked["input"].([]any)
	}
	var n int
	last, _ := turns[len(turns)-1].(map[string]any)
	_, _ = fmt.Sscanf(fmt.Sprint(last["content"]), "What is %d", &n)
	return fmt.Sprint(n + 1)
}

func completion(message string, finish string, tokens int) string {
	return fmt.Sprintf(`{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":20,"completion_tokens":%d}}`, message, finish, tokens)
}

// The second of two keys in different cases won.
func TestAnAnswersKeysAreExact(t *testing.T) {
	for api, bodies := range map[string][]string{
		"chat": {
			`{"choices":[{"message":{"content":"SUM","Content":"wrong"},"finish_reason":"stop"}]}`,
			`{"choices":[{"message":{"CONTENT":"wrong","content":"SUM"},"finish_reason":"stop"}],"Choices":[]}`,
		},
		"responses": {
			`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"SUM","Text":"wrong"}]}],"Output":[]}`,
			`{"Status":"failed","status":"completed","output":[{"Type":"x","type":"message","Content":[],"content":[{"TEXT":"wrong","type":"output_text","text":"SUM"}]}]}`,
		},
	} {
		for i, body := range bodies {
			t.Run(fmt.Sprint(api, i), func(t *testing.T) {
				p := newOddProject(t, oddAnswers{reply: func(asked map[string]any) (int, any) {
					return 200, strings.ReplaceAll(body, "SUM", lastSum(asked))
				}}, "api: "+api, sums(10)...)
				r, said := p.judge()
				if mean := r.Splits[rollout.Train].Reward.Mean; mean == nil || *mean != 1 {
					t.Errorf("the mean is not 1:\n%s", said)
				}
			})
		}
	}
}

// A prompt for which the server has no room is missing data, and its remedy is the server's
// context: it was the model's zero, and the advice was to raise max_output_tokens.
func TestAPromptThatDoesNotFitIsMissing(t *testing.T) {
	for api, says := range map[string]struct {
		status int
		body   string
	}{
		"chat":      {400, `{"error":{"code":400,"message":"request (2345 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":2345,"n_ctx":2048}}`},
		"responses": {500, `{"error":{"message":"The decoder prompt (length 2345) is longer than the maximum model length of 2048.","type":"InternalServerError","code":500}}`},
	} {
		t.Run(api, func(t *testing.T) {
			var asked atomic.Int64
			p := newOddProject(t, oddAnswers{reply: func(request map[string]any) (int, any) {
				if sum := lastSum(request); sum != "1" && sum != "2" {
					return 200, answer(api, sum, 3)
				}
				asked.Add(1)
				return says.status, says.body
			}}, "api: "+api, sums(8)...)
			r, said := p.judge()
			train := r.Splits[rollout.Train]
			if train.Missing.PromptTooLong != 8 || train.Missing.Total() != 8 || train.Reward.N != 24 || *train.Reward.Mean != 1 {
				t.Errorf("%+v, %d rewards with the mean %v\n%s", train.Missing, train.Reward.N, *train.Reward.Mean, said)
			}
			if n := asked.Load(); n != 8 {
				t.Errorf("it was asked %d times for 8 rollouts", n)
			}
			if !strings.Contains(p.gonogo("analyze", "run", "--all"), "Raise the server's context") {
				t.Errorf("the remedy is not the server's context:\n%s", said)
			}
		})
	}
}

// answer is a whole answer of either API.
func answer(api, text string, tokens int) string {
	if api == "chat" {
		return completion(fmt.Sprintf(`{"role":"assistant","content":%q}`, text), "stop", tokens)
	}
	return fmt.Sprintf(`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":%q}]}],"usage":{"input_tokens":20,"output_tokens":%d}}`, text, tokens)
}

// llama.cpp's Responses API says completed of an answer that the limit cut off.
func TestAnAnswerAtItsLimitIsCutOff(t *testing.T) {
	cut := `{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{\"q\": \"half"}}]}`
	for name, c := range map[string]struct {
		api  string
		body func(asked map[string]any) any
	}{
		"responses":   {"responses", func(asked map[string]any) any { return answer("responses", lastSum(asked), 12) }},
		"chat":        {"chat", func(asked map[string]any) any { return answer("chat", lastSum(asked), 12) }},
		"a tool call": {"chat", func(map[string]any) any { return completion(cut, "tool_calls", 12) }},
		"an item that says so": {"responses", func(asked map[string]any) any {
			return strings.Replace(answer("responses", lastSum(asked), 5), `"type":"message"`, `"type":"message","status":"incomplete"`, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOddProject(t, oddAnswers{reply: func(asked map[string]any) (int, any) {
				if lastSum(asked) == "1" { // it ends by itself
					return 200, answer(c.api, "1", 11)
				}
				return 200, c.body(asked)
			}}, "max_output_tokens: 12, api: "+c.api, sums(8)...)
			r, said := p.judge()
			if e := r.Splits[rollout.Train].Ends; e.Length != 28 || e.Stop != 4 || *r.Splits[rollout.Train].Reward.Mean != 0.125 {
				t.Errorf("%+v\n%s", e, said)
			}
			if n := len(r.Splits[rollout.Train].Tools.ByTool); n != 0 {
				t.Errorf("a call that was cut off counts as one of %d tools", n)
			}
		})
	}
}

// An assistant's turn without a type was refused, and every rollout lost.
func TestAnAssistantsTurnHasAType(t *testing.T) {
	row := func(content string) []string {
		return []string{strings.Replace(sums(1)[0], `"messages":[`, `"messages":[{"role":"user","content":"What is 1 + 1?"},{"role":"assistant","content":`+content+`},`, 1)}
	}
	refuses := func(asked map[string]any) bool {
		for _, turn := range asked["input"].([]any) {
			if turn := turn.(map[string]any); turn["role"] == "assistant" && turn["type"] != "message" {
				return true
			}
		}
		return false
	}
	const words = `{"error":{"code":400,"message":"Cannot determine type of 'item'","type":"invalid_request_error"}}`
	for _, content := range []string{`"2"`, `[{"type":"text","text":"2"}]`} {
		p := newOddProject(t, oddAnswers{reply: func(asked map[string]any) (int, any) {
			if refuses(asked) {
				return 400, words
			}
			return 200, answer("responses", lastSum(asked), 3)
		}}, "api: responses", row(content)...)
		if r, said := p.judge(); r.Splits[rollout.Train].Reward.N != 4 {
			t.Errorf("%s: the rollouts are lost:\n%s", content, said)
		}
	}
	p := newOddProject(t, oddAnswers{reply: func(map[string]any) (int, any) { return 400, words }}, "api: responses", row(`"2"`)...)
	if r, said := p.judge(); len(r.Splits[rollout.Train].Failures) != 1 || !strings.Contains(r.Splits[rollout.Train].Failures[0].Error, "try model.api: chat") {
		t.Errorf("there is no hint at the other API:\n%s", said)
	}
}

// props is what llama.cpp says of itself.
func props(context int) map[string]any {
	return map[string]any{"/props": map[string]any{"default_generation_settings": map[string]any{
		"n_ctx": context, "params": map[string]any{"temperature": 0.800000011920929, "top_k": 40, "top_p": 0.95, "min_p": 0.05, "presence_penalty": 0, "repeat_penalty": 1, "samplers": []string{"min_p"}},
	}}}
}

// Nothing said what replies were drawn with, and a plan left out what had been sent.
func TestTheSettingsOfSamplingAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		get        map[string]any
		model      string
		check, all string            // what they say
		cautions   bool              // of the settings
		plan       map[string]string // by trainer
	}{
		"nothing sent, and nothing known": {
			nil, "api: chat", "nothing is sent; the server's own settings apply, and it does not report them", "The server chose the temperature and does not report it", true,
			map[string]string{"trl": "No temperature was measured", "verl": "No temperature was measured", "prime-rl": "No temperature was measured", "azure": "No temperature was measured"},
		},
		"the temperature alone, and nothing known of the rest": {
			nil, "api: chat, temperature: 0.7", "temperature 0.7 sent; the server's own settings apply for top_p, top_k, min_p, and it does not report them", "replies were drawn with temperature 0.7; not sent: top_p, top_k, min_p; the server used its own values", false,
			map[string]string{"trl": "Not sent: top_p, top_k, min_p.", "verl": "Not sent: top_p, top_k, min_p.", "prime-rl": "Not sent: top_p, top_k, min_p."},
		},
		"what the server says": {
			props(2048), "api: chat, temperature: 0.7", "temperature 0.7 sent; the server's own: min_p 0.05, top_k 40, top_p 0.95; 2048 tokens of context", "replies were drawn with min_p 0.05, temperature 0.7, top_k 40, top_p 0.95", false,
			map[string]string{"trl": "top_k: 40", "verl": "verl has no key for min_p", "prime-rl": "[orchestrator.train.sampling.extra_body]\n# the default that the server reports"},
		},
		"what was sent": {
			nil, "api: responses, temperature: 0.7, top_p: 0.8, extra: {min_p: 0.1, repetition_penalty: 1.1, presence_penalty: 0.5}", "min_p 0.1, presence_penalty 0.5, repetition_penalty 1.1, temperature 0.7, top_p 0.8 sent", "replies were drawn with min_p 0.1, presence_penalty 0.5, repetition_penalty 1.1, temperature 0.7, top_p 0.8", false,
			map[string]string{"trl": "top_p: 0.8", "verl": "top_p: 0.8", "prime-rl": "top_p = 0.8", "openai": "has no key for"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got atomic.Value
			p := newOddProject(t, oddAnswers{get: c.get, reply: func(asked map[string]any) (int, any) {
				got.Store(asked)
				return 200, answer(strings.Fields(strings.ReplaceAll(c.model, ",", " "))[1], lastSum(asked), 3)
			}}, c.model, sums(8)...)
			if said := p.gonogo("check"); !strings.Contains(said, c.check) {
				t.Errorf("check does not say %q:\n%s", c.check, said)
			}
			_, said := p.judge()
			if all := p.gonogo("analyze", "run", "--all"); !strings.Contains(strings.Join(strings.Fields(all), " "), c.all) {
				t.Errorf("the report does not say %q:\n%s\n%s", c.all, all, said)
			}
			for trainer, want := range c.plan {
				if plan := p.gonogo("plan", "run", "--for", trainer); !strings.Contains(plan, want) {
					t.Errorf("the plan for %s does not say %q:\n%s", trainer, want, plan)
				}
			}
			asked := got.Load().(map[string]any)
			if strings.Contains(c.model, "min_p: 0.1") && (asked["min_p"] != 0.1 || asked["repetition_penalty"] != 1.1) {
				t.Errorf("model.extra is not in the request: %v", asked)
			}
		})
	}
}

// check knows of a prompt that cannot fit before a rollout is lost.
func TestCheckKnowsAPromptThatCannotFit(t *testing.T) {
	rows := sums(6)
	rows[2] = strings.Replace(rows[2], `"messages":[`, `"messages":[{"role":"system","content":"`+strings.Repeat("word ", 101)+`"},`, 1)
	for _, get := range []map[string]any{props(100), {"/v1/models": map[string]any{"data": []any{map[string]any{"id": "m", "max_model_len": 100}}}}} {
		p := newOddProject(t, oddAnswers{get: get}, "api: chat", rows...)
		if said := p.gonogo("check"); !strings.Contains(said, "1 item: the prompt does not fit the 100 tokens of context") || !strings.Contains(said, "train.jsonl:3") {
			t.Errorf("check says\n%s", said)
		}
	}
}
