package isolation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

var anItem = &rollout.Item{ID: "q1", Split: rollout.Train, Row: json.RawMessage(`{"messages": []}`)}

func newSession(id string) *sampler.RolloutSession {
	return &sampler.RolloutSession{ID: id, TraceID: "trace_1", Item: anItem, Sample: 3, Attempt: 1}
}

// A server that echoes its key shows it to no one, whatever it answers.
func TestAKeyThatAServerEchoesIsMasked(t *testing.T) {
	const key = "key-of-the-sessions"
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"said": "`+r.Header.Get("Authorization")+`"}`)
	}))
	defer server.Close()
	k, _ := keeper(t, isolation.Config{Start: server.URL, Stop: server.URL, Headers: map[string]string{"authorization": "Bearer " + key}})
	e := newSession("session_1")
	if err := starts(t.Context(), k, e); err != nil || strings.Contains(string(e.Values["said"]), key) {
		t.Errorf("values %s, %v", e.Values["said"], err)
	}
	status = http.StatusForbidden
	if err := k.Stop(t.Context(), e); err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "***") {
		t.Errorf("error %v", err)
	}
}

// A session that could not be stopped is not taken for one that was: the next try stops
// it, with a journal and without.
func TestAStopThatFailedIsMadeAgain(t *testing.T) {
	stops := filepath.Join(t.TempDir(), "stops")
	k, err := isolation.New(isolation.Config{Start: "true", Stop: "echo stop >> " + stops + `; test "$(wc -l < ` + stops + `)" = 2`, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	e := newSession("session_1")
	if err := starts(t.Context(), k, e); err != nil {
		t.Fatal(err)
	}
	if err := k.Stop(t.Context(), e); err == nil {
		t.Error("the first stop did not fail")
	}
	for range 2 { // the last has nothing to stop
		if err := k.Stop(t.Context(), e); err != nil {
			t.Error(err)
		}
	}
	if got := text(t, stops); got != "stop\nstop\n" {
		t.Errorf("stops: %q", got)
	}
}

// starts starts a session, when there is a place for it.
func starts(ctx context.Context, k *isolation.Keeper, e *sampler.RolloutSession) error {
	if err := k.Enter(ctx, e); err != nil {
		return err
	}
	return k.Start(ctx, e)
}

// keeper returns a keeper that writes down what it does in a new file.
func keeper(t *testing.T, cfg isolation.Config) (k *isolation.Keeper, journal string) {
	t.Helper()
	client := endpoint.HTTPClient(nil, 4)
	t.Cleanup(client.CloseIdleConnections)
	cfg.HTTP = client
	k, err := isolation.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	journal = filepath.Join(t.TempDir(), isolation.JournalFile)
	if left, err := k.Record(journal); err != nil || len(left) > 0 {
		t.Fatalf("%d left, error %v", len(left), err)
	}
	return k, journal
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHooksByURL(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		if r.URL.Path == "/start" {
			_, _ = io.WriteString(w, `{"id": "box 7", "tools_url": "http://localhost:1", "env": {"key": "planted-secret"}, "n": 5}`)
		}
	}))
	defer server.Close()
	k, journal := keeper(t, isolation.Config{
		Start: server.URL + "/start", Stop: server.URL + "/stop/{{session.n}}", Headers: map[string]string{"authorization": "Bearer abc"},
		Reads: []string{"tools_url", "env.key", "trace_id"},
	})
	e := newSession("session_1")
	if err := starts(t.Context(), k, e); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"{{session.tools_url}}/search": "http://localhost:1/search", "{{ session.env.key }}": "planted-secret", "{{session.id}}": "box 7",
		"{{session.trace_id}}": "trace_1", "{{session.canary}}": "canary_e159e6fa654e1fa34b210bbfb6469828", "{{session.env}}": `{"key": "planted-secret"}`, "{{item.x}}": "{{item.x}}",
	} {
		if got, err := e.Fill(in); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := e.Fill("{{session.env.other}}"); err == nil || !strings.Contains(err.Error(), "env.other") {
		t.Errorf("error %v does not name what is missing", err)
	}
	if got := text(t, journal); !strings.Contains(got, "session_1") || !strings.Contains(got, `"n":5`) || strings.Contains(got, "planted-secret") {
		t.Errorf("the journal holds what the stop reads, and no more:\n%s", got)
	}
	if err := k.Stop(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`/start Bearer abc {"id":"session_1","trace_id":"trace_1","canary":"canary_e159e6fa654e1fa34b210bbfb6469828","item_id":"q1","split":"train","sample":3,"attempt":1,"item":{"messages":[]}}`,
		`/stop/5 Bearer abc {"id":"session_1","trace_id":"trace_1","canary":"canary_e159e6fa654e1fa34b210bbfb6469828","item_id":"q1","split":"train","sample":3,"attempt":1,"item":{"messages":[]},"session":{"env":{"key":"planted-secret"},"id":"box 7","n":5,"tools_url":"http://localhost:1"}}`,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal of nothing is left: %v", err)
	}
}

func TestStartsThatFail(t *testing.T) {
	for _, c := range []struct {
		why        string
		status     int
		body, says string
		temporary  bool
		fatal      bool
	}{
		{"trouble of the server", 503, `{"error": "no room"}`, "no room", true, false},
		{"a refusal", 422, `no such image`, "no such image", false, false},
		{"a wrong key", 401, `{}`, "401", false, true},
		{"no object", 200, `[1]`, "neither a JSON object nor empty", true, false},
		{"a web page", 200, `<html>`, "neither a JSON object nor empty", true, false},
		{"null", 200, `null`, "neither a JSON object nor empty", true, false},
		{"without what tools read", 200, `{"other": 1}`, `no "tools_url"`, false, true},
		{"nothing, where something is read", 204, ``, `no "tools_url"`, false, true},
		{"too long", 200, `{"x": "` + strings.Repeat("x", 70_000) + `"}`, "longer than", true, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			stops := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/stop" {
					stops++
					w.WriteHeader(http.StatusNotFound) // which says that it is gone
					return
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			k, _ := keeper(t, isolation.Config{Start: server.URL + "/start", Stop: server.URL + "/stop", Reads: []string{"tools_url"}})
			e := newSession("session_1")
			f, ok := endpoint.AsFailure(starts(t.Context(), k, e))
			if !ok || f.Temporary != c.temporary || f.Fatal != c.fatal || !strings.Contains(f.Error(), c.says) {
				t.Errorf("%+v", f)
			}
			if err := k.Stop(t.Context(), e); err != nil || stops != 1 {
				t.Errorf("stopped %d times, error %v", stops, err)
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHooksByCommand(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	k, _ := keeper(t, isolation.Config{
		Start: fmt.Sprintf(`cat > %[1]s; echo "$GONOGO_SESSION $GONOGO_TRACE_ID $GONOGO_ITEM $GONOGO_SPLIT $GONOGO_SAMPLE $GONOGO_ATTEMPT $GONOGO_CANARY" >> %[1]s; sleep 300 & (sleep 300 &) ; echo '{"pid": '$!'}'`, out),
		Stop:  fmt.Sprintf(`echo "stop $GONOGO_SESSION" >> %s`, out),
		Reads: []string{"pid"},
	})
	begin := time.Now()
	e := newSession("session_abc1")
	if err := starts(t.Context(), k, e); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("what the start left running held it up: %v", took)
	}
	if n := len(living(t, e.ID)); n != 2 {
		t.Errorf("%d processes run in the session, want 2", n)
	}
	if err := k.Stop(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	want := `{"id":"session_abc1","trace_id":"trace_1","canary":"canary_e159e6fa654e1fa34b210bbfb6469828","item_id":"q1","split":"train","sample":3,"attempt":1,"item":{"messages":[]}}` +
		"session_abc1 trace_1 q1 train 3 1 canary_e159e6fa654e1fa34b210bbfb6469828\nstop session_abc1\n"
	if diff := cmp.Diff(want, text(t, out)); diff != "" {
		t.Error(diff)
	}
	if left := stillLiving(t, e.ID); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func TestCommandsThatFail(t *testing.T) {
	for _, c := range []struct {
		why, start, says string
		fatal            bool
	}{
		{"an exit code", `echo "no room" >&2; exit 3`, "ended with exit status 3; it printed: no room", false},
		{"no such command", `/no/such/thing`, "exit status 127", true},
		{"no end", `sleep 300 & sleep 300`, "did not end in time", false},
		{"a kill", `kill -9 $$`, "signal: killed", false},
		{"too much", `head -c 70000 /dev/zero`, "more than", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			k, _ := keeper(t, isolation.Config{Start: c.start})
			e := newSession("session_" + strings.ReplaceAll(c.why, " ", "_"))
			ctx := t.Context()
			if c.why == "no end" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
				defer cancel()
			}
			f, ok := endpoint.AsFailure(starts(ctx, k, e))
			if !ok || f.Fatal != c.fatal || !strings.Contains(f.Error(), c.says) {
				t.Errorf("%v", f)
			}
			if err := k.Stop(t.Context(), e); err != nil {
				t.Error(err)
			}
			if left := stillLiving(t, e.ID); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a killed call has left behind is stopped by the next one, by what its
// journal tells; a torn last line is one of a session that was not begun.
func TestWhatAKilledCallLeftIsStopped(t *testing.T) {
	var stopped []string
	refuse := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/start" {
			_, _ = io.WriteString(w, `{"box": 7, "secret": "s"}`)
			return
		}
		if refuse && strings.Contains(r.URL.Path, "stubborn") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		stopped = append(stopped, r.URL.Path)
	}))
	defer server.Close()
	cfg := isolation.Config{Start: server.URL + "/start", Stop: server.URL + "/stop/{{session.id}}/{{session.box}}"}
	killed, journal := keeper(t, cfg)
	for _, id := range []string{"session_done", "session_left", "session_stubborn"} {
		if err := starts(t.Context(), killed, newSession(id)); err != nil {
			t.Fatal(err)
		}
	}
	e := newSession("session_done")
	e.Values = map[string]json.RawMessage{"box": json.RawMessage("7")}
	if err := killed.Stop(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, []byte(text(t, journal)+`{"id":"session_to`), 0o600); err != nil {
		t.Fatal(err)
	}

	for round, want := range [][]string{{"session_left", "session_stubborn"}, {"session_stubborn"}, nil} {
		stopped = nil
		refuse = round == 0
		client := endpoint.HTTPClient(nil, 4)
		defer client.CloseIdleConnections()
		cfg.HTTP = client
		k, err := isolation.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		left, err := k.Record(journal)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range left {
			ids = append(ids, e.ID)
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("round %d: left (-want +got):\n%s", round, diff)
		}
		n, err := k.Recover(t.Context(), left)
		if refused := round == 0; (err != nil) != refused || n != len(stopped) {
			t.Errorf("round %d: %d stopped, error %v", round, n, err)
		}
		if round < 2 && !slices.Equal(stopped, []string{"/stop/" + want[0] + "/7"}) {
			t.Errorf("round %d: stopped %v", round, stopped)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal of nothing is left: %v", err)
	}
}

func TestPlacesAreGivenBack(t *testing.T) {
	k, _ := keeper(t, isolation.Config{Start: "true", Concurrency: 1})
	first, second := newSession("session_a"), newSession("session_b")
	if err := starts(t.Context(), k, first); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := starts(ctx, k, second); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a second one beside the only place: %v", err)
	}
	if err := errors.Join(k.Stop(t.Context(), second), k.Stop(t.Context(), first), starts(t.Context(), k, second), k.Stop(t.Context(), second), k.Close()); err != nil {
		t.Error(err)
	}
}

func TestConfigsRefused(t *testing.T) {
	for why, cfg := range map[string]isolation.Config{
		"no start":             {},
		"a URL without a stop": {Start: "http://x/start"},
		"half a URL":           {Start: "http://", Stop: "true"},
		"a broken header":      {Start: "true", Headers: map[string]string{"a": "b\nc"}},
		"fewer than no places": {Start: "true", Concurrency: -1},
	} {
		if _, err := isolation.New(cfg); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
}

// A missing temporary directory was reported by the name of a file that
// no one knows.
func TestACommandsScratchFileIsNotNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	t.Setenv("TMPDIR", dir)
	k, err := isolation.New(isolation.Config{Start: "true"})
	if err != nil {
		t.Fatal(err)
	}
	e := newSession("session_1")
	err = starts(t.Context(), k, e)
	if err == nil || !strings.Contains(err.Error(), "write in the temporary directory "+dir+" (TMPDIR): ") || strings.Contains(err.Error(), "gonogo-session-") {
		t.Errorf("error %v", err)
	}
}

// A start that answered all that is read is the right one: when it answers
// nothing later, that one answer was broken, and is asked for again.
func TestAStartThatWorkedAndThenAnswersNothingIsTriedAgain(t *testing.T) {
	answers := []string{`{"tools_url": "http://a"}`, ``, `{}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/start" {
			_, _ = io.WriteString(w, answers[0])
			answers = answers[1:]
		}
	}))
	defer server.Close()
	k, _ := keeper(t, isolation.Config{Start: server.URL + "/start", Stop: server.URL + "/stop", Reads: []string{"tools_url"}})
	defer k.Close()
	for i := range 3 {
		e := newSession(fmt.Sprint("session_", i))
		f, failed := endpoint.AsFailure(starts(t.Context(), k, e))
		if failed != (i > 0) || failed && (!f.Temporary || f.Fatal || f.Status != http.StatusOK || !strings.Contains(f.Error(), `no "tools_url"`)) {
			t.Errorf("start %d: %+v", i, f)
		}
		if err := k.Stop(t.Context(), e); err != nil {
			t.Error(err)
		}
	}
}
