package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/rollout"
)

// strained writes a configuration and a run of a job whose tool and grader
// answer so, and returns what gonogo burst finds.
func strained(t *testing.T, grader string, tool http.HandlerFunc, args ...string) (found struct {
	Burst    *analysis.Burst
	Findings []analysis.Finding
}, code int, stderr string,
) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/grade" {
			_, _ = w.Write([]byte(`{"score": 1}`))
			return
		}
		tool(w, r)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	grader = strings.ReplaceAll(grader, "SERVER", server.URL)
	config := `{"job": {"model": "m", "grader": ` + grader + `, "tools": [{"name": "search", "server_url": "` + server.URL + `/search", "headers": {"Authorization": "Bearer planted-key"}}]},
		"sampling": {"retry_wait": "1ms"}, "judge": {"base_url": "` + server.URL + `/v1"}}`
	path := filepath.Join(dir, "gonogo.yaml")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	writeRun(t, run)
	var stdout, errs bytes.Buffer
	code = runCommandLine(append([]string{"gonogo", "burst", run, "-c", path, "--json", "--rollouts", "8", "--set", "burst.repeats=4", "--set", "burst.least=8"}, args...), &stdout, &errs)
	if stdout.Len() > 0 {
		if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
			t.Fatalf("%v\n%s", err, stdout.String())
		}
		for _, name := range []string{rollout.BurstFile, rollout.CallsFile} {
			b, err := os.ReadFile(filepath.Join(run, name))
			if err != nil || bytes.Contains(b, []byte("planted-key")) {
				t.Errorf("%s: %v, or it holds a secret", name, err)
			}
		}
	}
	return found, code, errs.String()
}

func runCommandLine(args []string, stdout, stderr *bytes.Buffer) int {
	return run(context.Background(), args, strings.NewReader(""), stdout, stderr)
}

// writeRun writes a run of two items with two rollouts, each of one call.
func writeRun(t *testing.T, dir string) {
	t.Helper()
	items := []rollout.Item{{ID: "a", Split: rollout.Train, Row: json.RawMessage(`{"messages":[]}`)}, {ID: "b", Split: rollout.Train, Row: json.RawMessage(`{"messages":[]}`)}}
	w, err := rollout.Create(dir, rollout.Manifest{Source: rollout.Live}, items, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one := 1.0
	tokens := int64(1000)
	for _, it := range items {
		for j := range 2 {
			rec := &rollout.Record{
				Item: it.ID, Split: it.Split, Sample: j, Source: rollout.Live, Outcome: rollout.Graded, Reward: &one, Answer: "x",
				Calls:      []rollout.Call{{Name: "search", Arguments: `{"q":"x"}`, Status: rollout.CallOK}},
				JudgeCalls: 1, Judge: rollout.Usage{Input: &tokens, Output: &tokens},
			}
			if err := w.Append(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

const endpointGrader = `{"type": "endpoint", "url": "SERVER/grade"}`

// A tool that fails with many at once, and echoes its key, is reported and decides.
func TestABurstThatBreaksATool(t *testing.T) {
	var flight atomic.Int64
	found, code, _ := strained(t, endpointGrader, func(w http.ResponseWriter, r *http.Request) {
		defer flight.Add(-1)
		if flight.Add(1) > 0 {
			http.Error(w, `{"error":"full, says planted-key"}`, http.StatusServiceUnavailable)
		}
	}, "--yes")
	if code != exit.NoGo || found.Burst == nil || *found.Burst.Lost.Value != 1 || found.Findings[0].Status != analysis.Fail || found.Findings[0].Gate != "endpoint.burst" || found.Findings[0].ID != "endpoint.lost" {
		t.Errorf("exit code %d, found %+v", code, found)
	}
}

// A grader that is no endpoint is left out; what a model that grades would cost
// is reported and bounded before anything is asked.
func TestABurstAndItsGrader(t *testing.T) {
	sound := func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			CallID string `json:"call_id"`
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		_ = json.NewEncoder(w).Encode(map[string]string{"call_id": call.CallID, "output": "x"})
	}
	found, _, said := strained(t, `{"type": "string_check", "name": "c", "operation": "eq", "input": "{{sample.output_text}}", "reference": "x"}`, sound, "--set", "burst.safe=[search]")
	if len(found.Burst.Endpoints) != 1 || !strings.Contains(said, "note: the grader is not behind an endpoint") {
		t.Errorf("endpoints %+v, and it said\n%s", found.Burst, said)
	}
	judge := `{"type": "score_model", "name": "j", "model": "judge", "input": [{"role": "user", "content": "grade"}], "range": [0, 1]}`
	args := []string{"--set", "burst.safe=[search]", "--set", "prices.judge_input=1", "--set", "prices.judge_output=9"}
	found, code, said := strained(t, judge, sound, args...)
	if code != exit.Usage || found.Burst != nil || !strings.Contains(said, "8 requests to a model that grades are paid for: --yes") || !strings.Contains(said, "about $0.08") {
		t.Errorf("exit code %d, and it said\n%s", code, said)
	}
	_, code, said = strained(t, judge, sound, append(args, "--yes", "--max-usd", "0.05")...)
	if code != exit.Budget || !strings.Contains(said, "above sampling.max_usd of $0.05") {
		t.Errorf("exit code %d, and it said\n%s", code, said)
	}
}
