package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonogo/sampler/input/document"
)

// plantedKeys are the credentials of echoJob and echoConfig; each holds "planted".
var plantedKeys = []string{
	"sk-planted-env-01", "planted-gate-02", "planted-modelurl-03", "planted-toolurl-04", "planted-toolheader-05",
	"planted-toolbody-06", "planted-user:planted-pass-07", "planted-pass-07", "planted-grader-08", "planted-graderurl-09",
}

const echoConfig = `
job: job.json
data: {train: train.jsonl}
seed: 1
model: {name: m, base_url: "ADDRESS/v1?api-token=planted-modelurl-03", api: chat, api_key_env: ECHO_KEY, headers: {X-Gate: "${ECHO_GATE}"}}
sampling: {samples: 2, retries: 1, retry_wait: 1ms, retry_for: 300ms}
`

const echoJob = `{"tools":[
  {"name":"look","server_url":"ADDRESS/look?subscription-key=planted-toolurl-04","headers":{"Authorization":"Bearer planted-toolheader-05"},"x_api_key":"planted-toolbody-06"},
  {"name":"find","server_url":"http://planted-user:planted-pass-07@HOST/find"}],
 "grader":{"type":"endpoint","name":"g","url":"ADDRESS/grade?sig=planted-graderurl-09","headers":{"X-Key":"planted-grader-08"}},
 "max_episode_steps":6}`

// echo is all that a request brought. The n-th begins with another part of it,
// many times over, so that a message that is cut is cut inside of a key.
func echo(r *http.Request, n int) string {
	user, password, _ := r.BasicAuth()
	parts := []string{r.URL.RawQuery, user + ":" + password}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		parts = append(parts, r.Header.Get(name))
	}
	body, _ := io.ReadAll(r.Body)
	first := parts[n%len(parts)]
	return strings.Repeat(first+" ", 60) + strings.Join(parts, " ") + " " + r.Host + r.URL.String() + " " + string(body)
}

// echoServer plays model, tools and grader, which all say again what they were
// sent, keys included. status is what the path answers, 200 where none is set.
func echoServer(t *testing.T, status map[string]int) *httptest.Server {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := echo(r, int(asked.Add(1)))
		answer := map[string]any{"output": sent, "score": 0.5, "note": sent}
		if r.URL.Path == "/v1/chat/completions" {
			message := map[string]any{"role": "assistant", "content": sent}
			if !strings.Contains(sent, `"tool_call_id"`) {
				call := func(name string) map[string]any {
					return map[string]any{"id": "call-" + name, "type": "function", "function": map[string]any{"name": name, "arguments": string(document.Marshal(map[string]string{"q": sent}))}}
				}
				message["tool_calls"] = []any{call("look"), call("find")}
			}
			answer = map[string]any{"id": "c", "object": "chat.completion", "model": "m", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}}}
		}
		w.Header().Set("Content-Type", "application/json")
		if code := status[r.URL.Path]; code != 0 {
			w.WriteHeader(code)
			answer = map[string]any{"error": map[string]any{"code": "no", "message": sent}}
		}
		_, _ = w.Write(document.Marshal(answer)) // the client may be gone
	}))
	t.Cleanup(server.Close)
	return server
}

// Endpoints that say again what they were sent put no key into a file or on
// the terminal.
func TestLongNoKeyThatIsEchoedIsShown(t *testing.T) {
	long(t)
	t.Setenv("ECHO_KEY", "sk-planted-env-01")
	t.Setenv("ECHO_GATE", "planted-gate-02")
	for why, status := range map[string]map[string]int{
		"all answer":                    {},
		"tools refuse":                  {"/look": 400, "/find": 422},
		"tools fail":                    {"/look": 500},
		"a tool refuses the key":        {"/find": 401},
		"the grader refuses one":        {"/grade": 400},
		"the grader fails":              {"/grade": 503},
		"the grader refuses the key":    {"/grade": 403},
		"the model refuses the request": {"/v1/chat/completions": 400},
		"the model fails":               {"/v1/chat/completions": 500},
		"the model refuses the key":     {"/v1/chat/completions": 401},
		"the model wants a pause":       {"/v1/chat/completions": 429},
	} {
		t.Run(why, func(t *testing.T) {
			server := echoServer(t, status)
			dir := t.TempDir()
			write := func(name, text string) {
				t.Helper()
				text = strings.NewReplacer("ADDRESS", server.URL, "HOST", strings.TrimPrefix(server.URL, "http://")).Replace(text)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("job.json", echoJob)
			var rows strings.Builder
			items, config := 12, echoConfig
			for _, code := range status {
				if code >= 429 {
					items = 3 // an endpoint in trouble is asked less and less often
				}
				if code == 429 {
					config = strings.Replace(config, "retries: 1", "retries: 0", 1)
				}
			}
			write("gonogo.yaml", config)
			for i := range items {
				fmt.Fprintf(&rows, `{"id":"i%d","messages":[{"role":"user","content":"?"}]}`+"\n", i)
			}
			write("train.jsonl", rows.String())
			var shown bytes.Buffer
			command := "sample" // pictures cost most of the time: they are drawn once
			if len(status) == 0 {
				command = "run"
			}
			for _, args := range [][]string{
				{"check"},
				{"run", "--rehearse"},
				{"sample", "-o", filepath.Join(dir, "run")},
				{"run", "--rehearse", "--despite-problems"},
				{command, "--despite-problems", "-o", filepath.Join(dir, "run")},
			} {
				args = append(append([]string{"gonogo"}, args...), "-c", filepath.Join(dir, "gonogo.yaml"))
				code := run(t.Context(), args, strings.NewReader(""), &shown, &shown)
				fmt.Fprintf(&shown, "%s exits with %d\n", args[1], code)
			}
			wantNoKey(t, "the terminal", shown.Bytes())
			files, masks := 0, 0
			err := filepath.WalkDir(filepath.Join(dir, "run"), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				files++
				text, err := os.ReadFile(path)
				wantNoKey(t, d.Name(), text)
				if d.Name() == "rollouts.jsonl" {
					masks = bytes.Count(text, []byte("**********"))
				}
				return err
			})
			refused := bytes.Contains(shown.Bytes(), []byte(command+" exits with 2"))
			if err != nil || files == 0 || masks == 0 && !refused {
				t.Errorf("%d files in the run, %d masks in the rollouts: %v\n%s", files, masks, err, shown.Bytes())
			}
		})
	}
}

// wantNoKey reports a key, a half one included, and one in base64.
func wantNoKey(t *testing.T, where string, text []byte) {
	t.Helper()
	needles := []string{"planted"}
	for _, key := range plantedKeys {
		needles = append(needles, base64.RawStdEncoding.EncodeToString([]byte(key)))
	}
	for _, needle := range needles {
		if i := bytes.Index(text, []byte(needle)); i >= 0 {
			t.Errorf("%s shows %q: …%s…", where, needle, text[max(0, i-200):min(len(text), i+60)])
		}
	}
}
