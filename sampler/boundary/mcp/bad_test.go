package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
)

func TestAServerThatKnowsOldVersionsAlone(t *testing.T) {
	if tools := open(t, mcp.Options{}, program("files", "old")); tools["a"] == nil {
		t.Error(tools)
	}
}

// What is wrong with a server is said at the start, with its name and what to do.
func TestServersThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		how, says string
	}{
		{"garbage", `the MCP server files: it wrote "Server is listening …" on standard output, where only messages of the protocol belong`},
		{"mute", "the MCP server files: it did not answer within 400ms of its start"},
		{"ends", "the MCP server files: it ended: exit status 3; it printed: started as ends"},
		{"twins", `the MCP server files lists two tools named "a"`},
		{"dotted", `the tool "files.read" of the MCP server files: a model's API accepts names of 1 to 64 characters from A-Z, a-z, 0-9, _ and -: rename it with rename, or exclude it with only`},
		{"schemaless", `the inputSchema of its tool "a" is not a JSON object: "text"`},
		{"listed", `the inputSchema of its tool "a" is not a JSON object`},
		{"string", `the inputSchema of its tool "a" is not an object schema: its type is string`},
		{"nameless", "tool 1 of its list has no name"},
		{"endless", "its list of tools does not end"},
		{"broken", "files"},
	} {
		t.Run(c.how, func(t *testing.T) {
			opts := mcp.Options{Start: 20 * time.Second}
			var waiting []string
			if c.how == "mute" {
				opts.Start = 400 * time.Millisecond
				opts.Slow = func(text string) { waiting = append(waiting, text) }
			}
			all, err := mcp.New(t.Context(), []mcp.Config{program("files", c.how)}, opts)
			t.Cleanup(all.Close)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want …%s…", err, c.says)
			}
			if c.how == "mute" && (len(waiting) != 1 || !strings.HasPrefix(waiting[0], "waiting for the MCP server files (") || !strings.HasSuffix(waiting[0], "), for at most 400ms")) {
				t.Errorf("while it was mute, these were said: %q", waiting)
			}
			if l := all.Listings(); len(l) != 1 || l[0].Err == nil {
				t.Errorf("%+v", l)
			}
		})
	}
}

func TestConfigurationsThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		says string
		cfg  mcp.Config
	}{
		{"needs either a command or a url", mcp.Config{Name: "a"}},
		{"either a command or a url", mcp.Config{Name: "a", Command: []string{"x"}, URL: "http://x"}},
		{"headers but no url", mcp.Config{Name: "a", Command: []string{"x"}, Headers: map[string]string{"k": "v"}}},
		{"env but no command", mcp.Config{Name: "a", URL: "http://x", Env: map[string]string{"k": "v"}}},
		{"is not an http or https URL", mcp.Config{Name: "a", URL: "ftp://x"}},
		{"reads {{session.port}}", mcp.Config{Name: "a", URL: "http://x:{{session.port}}"}},
		{"/nowhere/server", mcp.Config{Name: "a", Command: []string{"/nowhere/server"}}},
		{`only: the MCP server a has no tool "ecco"; it has big, `, func() mcp.Config { c := program("a", "serve"); c.Only = []string{"ecco"}; return c }()},
		{`rename: the MCP server a has no tool "ecco"`, func() mcp.Config {
			c := program("a", "serve")
			c.Rename = map[string]string{"ecco": "e"}
			return c
		}()},
		{`two tools of the MCP server a are called "echo"`, func() mcp.Config {
			c := program("a", "serve")
			c.Rename = map[string]string{"two": "echo"}
			return c
		}()},
	} {
		all, err := mcp.New(t.Context(), []mcp.Config{c.cfg}, mcp.Options{})
		all.Close()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want …%s…", err, c.says)
		}
	}
}

func TestTwoServersWithOneName(t *testing.T) {
	a, b := program("a", "serve"), program("b", "serve")
	a.Only, b.Only = []string{"echo"}, []string{"echo"}
	all, err := mcp.New(t.Context(), []mcp.Config{a, b}, mcp.Options{})
	all.Close()
	if err == nil || !strings.Contains(err.Error(), `the MCP servers a and b both have a tool "echo": give one of them a prefix`) {
		t.Error(err)
	}
	b.Prefix = "b_"
	if tools := open(t, mcp.Options{}, a, b); tools["echo"].Server() != "a" || tools["b_echo"].Server() != "b" {
		t.Error(tools)
	}
}

func TestAServerThatRefusesUs(t *testing.T) {
	cfg := served(t, "files", nil)
	cfg.Headers = map[string]string{"Authorization": "Bearer planted-wrong"}
	client := endpoint.HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	all, err := mcp.New(t.Context(), []mcp.Config{cfg}, mcp.Options{HTTP: client})
	all.Close()
	if f, ok := endpoint.AsFailure(err); !ok || f.Status != http.StatusUnauthorized || !f.Fatal || strings.Contains(err.Error(), "planted-wrong") {
		t.Errorf("%v", err)
	}
}

// A server that does not run is named with the cause, which the SDK keeps to itself, and counts as one
// that takes no connections.
func TestAServerThatDoesNotRun(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for url, want := range map[string]string{
		gone.URL:                          "connection refused",
		"http://no-such-host.invalid/mcp": "no-such-host.invalid",
	} {
		client := endpoint.HTTPClient(nil, 1)
		all, err := mcp.New(t.Context(), []mcp.Config{{Name: "files", URL: url}}, mcp.Options{HTTP: client})
		all.Close()
		client.CloseIdleConnections()
		if f, ok := endpoint.AsFailure(err); !ok || f.Class() != limit.Absent || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "rejected by transport") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// A server that ended is started again for the next try; but one that a rollout
// has to itself took the rollout's state with it.
func TestAServerThatDiesDuringACall(t *testing.T) {
	for _, per := range []bool{false, true} {
		cfg := program("files", "serve")
		cfg.PerRollout = per
		tools := open(t, mcp.Options{}, cfg)
		count := func() (sampler.Result, error) {
			return tools["count"].Call(t.Context(), sampler.Call{Arguments: "{}", TraceID: "trace_1"})
		}
		if got, err := count(); err != nil || got.Output != "1" {
			t.Fatalf("%+v, %v", got, err)
		}
		_, err := tools["crash"].Call(t.Context(), sampler.Call{Arguments: "{}", TraceID: "trace_1"})
		if f, ok := endpoint.AsFailure(err); !ok || f.Temporary == per || !strings.Contains(err.Error(), "exit status 7; it printed: Traceback: out of luck") {
			t.Errorf("a server for each rollout %v: %v", per, err)
		}
		got, err := count()
		if !per && (err != nil || got.Output != "1") {
			t.Errorf("after it was started again: %+v, %v", got, err)
		}
		if f, ok := endpoint.AsFailure(err); per && (!ok || f.Temporary || !strings.Contains(err.Error(), "the rollout's own server is gone")) {
			t.Errorf("a rollout that lost its state: %+v, %v", got, err)
		}
	}
}

// A session that the server has forgotten is made again.
func TestASessionThatTheServerForgot(t *testing.T) {
	cfg := served(t, "files", nil)
	forget := false
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forget && r.Header.Get("Mcp-Session-Id") != "" {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		req, _ := http.NewRequestWithContext(r.Context(), r.Method, cfg.URL, r.Body)
		req.Header = r.Header
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			w.Header()[k] = v
		}
		w.WriteHeader(resp.StatusCode)
		buf := make([]byte, 4096)
		for {
			n, err := resp.Body.Read(buf)
			_, _ = w.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}))
	defer front.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	own := cfg
	own.URL = front.URL
	tools := open(t, mcp.Options{}, own)
	forget = true
	_, err := tools["echo"].Call(t.Context(), sampler.Call{Arguments: "{}"})
	if f, ok := endpoint.AsFailure(err); !ok || !f.Temporary || f.Fatal || f.Status != http.StatusNotFound {
		t.Errorf("a forgotten session: %v", err)
	}
	forget = false
	if got, err := tools["echo"].Call(t.Context(), sampler.Call{Arguments: "{}"}); err != nil || got.Output != "{}" {
		t.Errorf("the next: %+v, %v", got, err)
	}
}

// A program sees no key that is not its own. What it answers is shown as it is: the run
// knows which values no model may read.
func TestProgramsSeeWhatIsTheirs(t *testing.T) {
	t.Setenv("GONOGO_TEST_MODEL_KEY", "planted-model-key")
	cfg := program("files", "serve")
	cfg.Env["FILES_TOKEN"] = "planted-token"
	tools := open(t, mcp.Options{Without: []string{"GONOGO_TEST_MODEL_KEY"}}, cfg)
	for name, want := range map[string]string{"GONOGO_TEST_MODEL_KEY": "", "FILES_TOKEN": "planted-token", behaviour: "serve"} {
		got, err := tools["env"].Call(t.Context(), sampler.Call{Arguments: `{"text":"` + name + `"}`})
		if err != nil || got.Output != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Nothing that a server starts outlives it.
func TestNothingIsLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked for in /proc")
	}
	for _, per := range []bool{false, true} {
		cfg := program("files", "serve")
		cfg.PerRollout = per
		all, err := mcp.New(t.Context(), []mcp.Config{cfg}, mcp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range all.Tools() {
			if tool.Name() != "spawn" {
				continue
			}
			if _, err := tool.Call(t.Context(), sampler.Call{Arguments: "{}", TraceID: "trace_1"}); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(time.Minute); running(t, spawned()) < 2; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the two processes were not started")
				}
			}
			tool.Release("trace_1")
			if left := remaining(t, spawned()); per && left > 0 {
				t.Errorf("%d processes are left when the rollout is over", left)
			}
		}
		all.Close()
		if left := remaining(t, spawned()); left > 0 {
			t.Errorf("a server for each rollout %v: %d processes are left", per, left)
		}
	}
}

// A start that is broken off leaves nothing, either.
func TestAStartThatIsBrokenOff(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	all, err := mcp.New(ctx, []mcp.Config{program("files", "mute")}, mcp.Options{})
	all.Close()
	if err == nil {
		t.Error("no error")
	}
}

// spawned is in the command line of what the tool spawn starts: of this test's
// servers alone.
func spawned() string { return "sleep\x004343." + strconv.Itoa(os.Getpid()) }

// remaining counts them once those that were killed had a second to die.
func remaining(t *testing.T, what string) (n int) {
	t.Helper()
	for range 50 {
		if n = running(t, what); n == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return n
}

// running counts the processes with that in their command line.
func running(t *testing.T, what string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && strings.Contains(string(b), what) {
			n++
		}
	}
	return n
}
