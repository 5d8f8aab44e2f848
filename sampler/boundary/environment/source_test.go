package environment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/environment"
	"gonogo/sampler/rollout"
)

// shop is a server of OpenEnv, as the client in testdata/site calls it: an item asks for a price, and
// submit ends the episode.
type shop struct {
	*httptest.Server
	most int // sessions at one time

	mu       sync.Mutex // guards the fields below
	sessions int
	refused  int // connections refused for want of a session
	steps    []string
}

func newShop(t *testing.T) *shop {
	s := &shop{most: 2}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case "/schema":
		fmt.Fprint(w, `{"action":{}}`)
	case "/metadata":
		fmt.Fprint(w, `{"description":"a shop"}`)
	case "/connect":
		if s.sessions >= s.most {
			s.refused++
			http.Error(w, "full (code: CAPACITY_REACHED)", http.StatusServiceUnavailable)
			return
		}
		s.sessions++
		fmt.Fprintf(w, `{"session":%d}`, s.sessions)
	case "/close":
		s.sessions--
		fmt.Fprint(w, `{}`)
	case "/reset":
		if strings.Contains(string(body), `"seed": 2`) {
			http.Error(w, "the reset is broken", http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"observation":{"question":%q}}`, "the price for "+string(body))
	case "/step":
		s.step(w, string(body))
	}
}

func (s *shop) step(w io.Writer, action string) {
	s.steps = append(s.steps, action)
	switch {
	case strings.Contains(action, "list_tools"):
		fmt.Fprint(w, `{"observation":{"tools":[{"name":"submit","description":"ends","input_schema":{"type":"object"}}]}}`)
	case strings.Contains(action, "raise"):
		w.(http.ResponseWriter).WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "the step is broken")
	case strings.Contains(action, "nan"):
		fmt.Fprint(w, `{"observation":{"text":"thanks"},"reward":"NaN","done":true}`)
	case strings.Contains(action, "none"):
		fmt.Fprint(w, `{"observation":{"text":"thanks"},"done":true}`)
	case strings.Contains(action, "wrong"):
		fmt.Fprint(w, `{"observation":{"text":"thanks"},"reward":0.25,"done":true}`)
	case strings.Contains(action, "again"):
		fmt.Fprint(w, `{"observation":{"text":"go on"},"reward":0.125}`)
	default:
		fmt.Fprint(w, `{"observation":{"text":"thanks"},"reward":1,"done":true}`)
	}
}

// newModel returns the address of a model that submits answer at each turn; nothing if it is "".
func newModel(t *testing.T, answer string) *sampler.ModelAccess {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message := `{"role":"assistant","content":"I leave"}`
		if answer != "" {
			message = fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",`+
				`"function":{"name":"submit","arguments":"{\"answer\":\"%s\"}"}}]}`, answer)
		}
		fmt.Fprintf(w, `{"choices":[{"message":%s,"finish_reason":"stop"}]}`, message)
	}))
	t.Cleanup(server.Close)
	return &sampler.ModelAccess{BaseURL: server.URL, Key: "k", Model: "m", API: "chat"}
}

func newSource(t *testing.T, site string, s environment.Settings) *environment.Source {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	folder, err := filepath.Abs(filepath.Join("testdata", site))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", folder)
	s.InFlight = 8
	source, err := environment.New(environment.Config{Settings: s, Python: python, Dir: t.TempDir(), Log: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(source.Close)
	return source
}

func item(n int) *rollout.Item {
	return &rollout.Item{ID: fmt.Sprintf("seed-%d", n), Split: rollout.Train, Row: json.RawMessage(`{"messages":[]}`)}
}

func TestItems(t *testing.T) {
	s := newShop(t)
	all, err := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3}).Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Split != rollout.Train || all[1].Split != rollout.Eval {
		t.Fatalf("splits %+v, want train and eval", all)
	}
	rows := strings.Split(strings.TrimSpace(string(all[0].Rows)), "\n")
	if len(rows) != 3 || !strings.Contains(rows[0], `"id":"seed-0"`) && !strings.Contains(rows[0], `"id": "seed-0"`) {
		t.Errorf("rows %q, want seeds 0 to 2", rows)
	}
	if !strings.Contains(rows[1], "price") || !strings.Contains(rows[2], "a shop") {
		t.Errorf("rows %q: want what the reset shows, and for the one that fails the description", rows)
	}
}

func TestRollouts(t *testing.T) {
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	for _, c := range []struct {
		name, answer string
		item         int
		maxCalls     int
		output       string
		limit        string
		failure      string // of the rollout
		rewards      []float64
		noGrade      string
		kind         string
	}{
		{name: "a submitted answer is what the environment pays", answer: "right", output: `submit({"answer":"right"})`, rewards: []float64{1}},
		{name: "a poor one earns what it gave", answer: "wrong", output: `submit({"answer":"wrong"})`, rewards: []float64{0.25}},
		{name: "a model that leaves has no answer", answer: "", output: ""},
		{name: "an episode that never ends stops at the limit", answer: "again", maxCalls: 2, output: `submit({"answer":"again"})`, limit: "max_tool_calls of 2", rewards: []float64{0.125}},
		{name: "a step that raises fails the rollout", answer: "raise", failure: "the environment reports: Server error: the step is broken"},
		{name: "a reset that raises fails the rollout", answer: "right", item: 2, failure: "the environment reports: Server error: the reset is broken"},
		{name: "a missing reward is no grade", answer: "none", output: `submit({"answer":"none"})`, noGrade: "the environment gave no reward in 2 steps", kind: sampler.KindReported},
		{name: "NaN is no grade", answer: "nan", output: `submit({"answer":"nan"})`, noGrade: "the environment gave nan, which is not a finite number", kind: sampler.KindNotANumber},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sampler.AgentRequest{Item: item(c.item), TraceID: c.name, Model: newModel(t, c.answer), MaxToolCalls: c.maxCalls}
			done, err := source.Run(t.Context(), p)
			if c.failure != "" {
				if err == nil || !strings.Contains(err.Error(), c.failure) {
					t.Fatalf("error %v, want %q", err, c.failure)
				}
				return
			}
			if err != nil || done.Output != c.output || done.Limit != c.limit {
				t.Fatalf("output %q, limit %q, error %v, want %q and %q", done.Output, done.Limit, err, c.output, c.limit)
			}
			if failed := done.NoReward; c.noGrade != "" {
				if failed == nil || failed.Kind != c.kind || failed.Error() != c.noGrade || done.Rewards != nil {
					t.Fatalf("rewards %v, failure %v, want %q of kind %s", done.Rewards, failed, c.noGrade, c.kind)
				}
				return
			}
			if !slices.Equal(done.Rewards, c.rewards) || done.NoReward != nil {
				t.Errorf("rewards %v, failure %v, want %v", done.Rewards, done.NoReward, c.rewards)
			}
		})
	}
}

// An output that was not just made is graded by another episode with the recorded calls.
func TestReplayedEpisode(t *testing.T) {
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	out := sampler.Output{Item: item(0), TraceID: "recorded", Text: "bye", Messages: []rollout.Message{
		{Role: "assistant", ToolCalls: []rollout.ToolCall{{ID: "c", Name: "submit", Arguments: `{"answer":"wrong"}`}}},
		{Role: "tool", Content: "thanks"},
	}}
	grade, err := source.Grade(t.Context(), out)
	if err != nil || grade.Reward != 0.25 {
		t.Errorf("reward %v, error %v, want 0.25", grade.Reward, err)
	}
	out.Messages = nil
	if grade, err = source.Grade(t.Context(), out); err != nil || grade.Reward != 0 {
		t.Errorf("a text alone submits nothing: reward %v, error %v, want 0", grade.Reward, err)
	}
}

// A proxy of the shell is not asked for the model, which is on loopback.
func TestProxyOfTheShell(t *testing.T) {
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	p := sampler.AgentRequest{Item: item(0), TraceID: "t", Model: newModel(t, "right")}
	if done, err := source.Run(t.Context(), p); err != nil || done.Output == "" {
		t.Errorf("output %q, error %v, want an answer", done.Output, err)
	}
	if got := source.Package(); got != "openenv 0.10.0" {
		t.Errorf("package %q, want openenv 0.10.0: the sources of a server are unknown", got)
	}
}

// A server's sessions are learned once: rollouts that wait do not ask for one again and again.
func TestSessionsOfTheServer(t *testing.T) {
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	model := newModel(t, "right")
	var all sync.WaitGroup
	for n := range 24 {
		all.Go(func() {
			p := sampler.AgentRequest{Item: item(0), TraceID: fmt.Sprint(n), Model: model}
			if _, err := source.Run(t.Context(), p); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions != 0 || s.refused > 48 {
		t.Errorf("%d sessions are open, and %d were refused: want 0, and at most 2 for each rollout", s.sessions, s.refused)
	}
}

func TestServerIsLost(t *testing.T) {
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	if err := source.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err := source.Run(t.Context(), sampler.AgentRequest{Item: item(0), TraceID: "t", Model: newModel(t, "right")})
	if err == nil || !strings.Contains(err.Error(), "the environment's server is lost") {
		t.Errorf("error %v, want that the server is lost", err)
	}
}

// A process that ends takes its rollout with it, and the next one gets another process.
func TestProcessEnds(t *testing.T) {
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	_, err := source.Run(t.Context(), sampler.AgentRequest{Item: item(0), TraceID: "t", Model: newModel(t, "exit")})
	if err == nil || !strings.Contains(err.Error(), "the environment's process ended during the rollout: exit status 3") {
		t.Fatalf("error %v, want that the process ended", err)
	}
	s.mu.Lock()
	s.sessions = 0 // a real server notices the broken connection
	s.mu.Unlock()
	done, err := source.Run(t.Context(), sampler.AgentRequest{Item: item(0), TraceID: "u", Model: newModel(t, "right")})
	if err != nil || done.Output == "" {
		t.Errorf("output %q, error %v, want an answer", done.Output, err)
	}
}

// A rollout that runs out of time is cancelled; the environment goes on unless it is stuck.
func TestRolloutTimesOut(t *testing.T) {
	s := newShop(t)
	source := newSource(t, "site", environment.Settings{OpenEnv: s.URL, Limit: 3})
	if err := source.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, sampler.ErrAgentTimeout)
	defer cancel()
	p := sampler.AgentRequest{Item: item(0), TraceID: "t", Model: newModel(t, "again"), Timeout: time.Second}
	if _, err := source.Run(ctx, p); err == nil || !strings.Contains(err.Error(), "gave no result within 1s") {
		t.Fatalf("error %v, want that it took too long", err)
	}
	for range 100 {
		s.mu.Lock()
		open := s.sessions
		s.mu.Unlock()
		if open == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the session of a rollout without time stays open")
}

func TestEnvironmentsThatCannotBeUsed(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, c := range []struct {
		name, site string
		settings   environment.Settings
		want       string
	}{
		{"the package is missing", "none", environment.Settings{Verifiers: "my-env"}, "verifiers is not installed for "},
		{"the package is old", "old", environment.Settings{OpenEnv: closed.URL}, "openenv 0.3.0 is installed for "},
		{"no server answers", "site", environment.Settings{OpenEnv: closed.URL}, "no OpenEnv server answers at " + closed.URL},
		{"a path is wrong", "site", environment.Settings{OpenEnv: "./gone.py:app"}, "there is no "},
		{"a module is wrong", "site", environment.Settings{OpenEnv: "gone:app"}, "gone cannot be imported by "},
		{"neither URL nor application", "site", environment.Settings{OpenEnv: "gone"}, "it must be the URL of a server, or MODULE:NAME"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newSource(t, c.site, c.settings).Items(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
}
