package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

const conversation = `[
  {"role":"system","content":"policy"}, {"role":"user","content":"hello"},
  {"role":"assistant","content":null,"tool_calls":[
     {"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}},
     {"id":"c2","type":"function","function":{"name":"book","arguments":"{}"}}]},
  {"role":"tool","tool_call_id":"c2","name":"book","content":"Error: no seat\nleft"},
  {"role":"tool","tool_call_id":"c1","name":"look","content":"{\"seats\":0}"},
  {"role":"assistant","content":"sorry"}, {"role":"user","content":"try again"},
  {"role":"assistant","content":null,"tool_calls":[{"id":"","type":"function","function":{"name":"fly","arguments":"{"}}]},
  {"role":"tool","tool_call_id":"","name":"fly","content":"Unknown action fly"},
  {"role":"assistant","content":"bye ###STOP###"}]`

// entry makes one element of a results file.
func entry(task, trial, reward, traj string) string {
	return fmt.Sprintf(`{"task_id": %s, "reward": %s, "info": {"task": {"user_id": "u%s", "instruction": "fly"}, "source": "user"}, "traj": %s, "trial": %s}`,
		task, reward, strings.Trim(task, `"`), traj, trial)
}

const failed = `{"task_id": 2, "reward": 0.0, "info": {"error": "\nRateLimitError: 429\nmore", "traceback": "Traceback\n"}, "traj": [], "trial": 0}`

func results(entries ...string) string { return "[\n" + strings.Join(entries, ",\n") + "\n]\n" }

func TestTauBenchConversation(t *testing.T) {
	_, g, err := importText(t, "", results(entry("0", "3", "1", conversation)))
	if err != nil {
		t.Fatal(err)
	}
	r := g.records[0]
	if r.Item != "0" || r.Sample != 3 || r.Split != rollout.Train || r.Source != rollout.Import || r.Outcome != rollout.Graded || *r.Reward != 1 || r.Turns != 4 {
		t.Errorf("record is %+v", r)
	}
	if r.Usage.Input != nil || r.Usage.Output != nil {
		t.Error("usage is known, though the file does not tell it")
	}
	if len(r.Messages) != 9 || r.Messages[0].Content != "hello" {
		t.Errorf("%d messages, the first is %q; want all behind the system message", len(r.Messages), r.Messages[0].Content)
	}
	want := []rollout.Call{
		{Turn: 0, ID: "c1", Name: "look", Arguments: `{"a":1}`, Output: `{"seats":0}`, OutputBytes: 11, Status: rollout.CallOK},
		{Turn: 0, ID: "c2", Name: "book", Arguments: `{}`, Output: "Error: no seat\nleft", OutputBytes: 19, Status: rollout.CallError, Error: "Error: no seat"},
		{Turn: 2, Name: "fly", Arguments: `{`, Output: "Unknown action fly", OutputBytes: 18, Status: rollout.CallMalformed, Error: "Unknown action fly"},
	}
	if diff := cmp.Diff(want, r.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	it := g.items[0]
	if it.ID != "0" || it.File != "log.json" || len(it.Messages) != 2 || it.Messages[0].Content != "policy" || it.Messages[1].Content != "hello" {
		t.Errorf("item is %+v", it)
	}
	var row map[string]any
	if err := json.Unmarshal(it.Row, &row); err != nil || row["user_id"] != "u0" || row["instruction"] != "fly" {
		t.Errorf("row is %s (%v)", it.Row, err)
	}
}

func TestTauBenchOutcomes(t *testing.T) {
	talk := `[{"role":"user","content":"hi"}]`
	file := results(
		entry("0", "0", "0.0", talk),
		entry("0", "1", "NaN", talk),
		entry("1", "0", "null", talk),
		entry("1", "1", "0", "[]"),
		entry("1", "2", "-Infinity", "null"),
		failed,
		`{"task_id": 3, "reward": 1, "info": {"error": "boom"}, "traj": `+talk+`, "trial": 0}`,
		`{"task_id": 4, "reward": 0, "info": {"error": "", "traceback": "Traceback:\n  x\nValueError: bad\n"}, "traj": [], "trial": 0}`,
	)
	_, g, err := importText(t, "", file)
	if err != nil {
		t.Fatal(err)
	}
	var show []string
	for _, r := range g.records {
		reward := "-"
		if r.Reward != nil {
			reward = fmt.Sprint(*r.Reward)
		}
		show = append(show, fmt.Sprintf("%s/%d %s %s %s", r.Item, r.Sample, r.Outcome, reward, r.Error))
	}
	want := []string{
		"0/0 graded 0 ",
		"0/1 grader - reward is missing, null or NaN",
		"1/0 grader - reward is missing, null or NaN",
		"1/1 model_api - no trajectory and no error recorded",
		"1/2 grader - reward is missing, null or NaN",
		"2/0 model_api - RateLimitError: 429",
		"3/0 model_api - boom",
		"4/0 model_api - ValueError: bad",
	}
	if diff := cmp.Diff(want, show); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	var items []string
	for _, it := range g.items {
		items = append(items, it.ID)
	}
	if diff := cmp.Diff([]string{"0", "1", "3", "2", "4"}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	notes := strings.Join(g.notes, "\n")
	if !strings.Contains(notes, "4 entries ended in an exception") || !strings.Contains(notes, "3 entries have no reward") {
		t.Errorf("notes are:\n%s", notes)
	}
}

func TestTauBenchLongError(t *testing.T) {
	long := strings.Repeat("é", 400)
	_, g, err := importText(t, "", results(strings.Replace(failed, "RateLimitError", long, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := g.records[0].Error; len(got) > 500 || len(got) < 498 || !strings.HasPrefix(long, got) {
		t.Errorf("error has %d bytes: %q", len(got), got)
	}
}

func TestTauBenchIdentity(t *testing.T) {
	talk := `[{"role":"user","content":"hi"}]`
	t.Run("a string is an id too", func(t *testing.T) {
		_, g, err := importText(t, "", results(entry(`"t-7"`, "0", "1", talk)))
		if err != nil || g.records[0].Item != "t-7" {
			t.Errorf("records %+v, error %v", g.records, err)
		}
	})
	t.Run("without trials, appearances count", func(t *testing.T) {
		_, g, err := importText(t, "", results(entry("1", "null", "1", talk), entry("2", "null", "1", talk), entry("1", "null", "1", talk)))
		if err != nil || len(g.records) != 3 || g.records[2].Item != "1" || g.records[2].Sample != 1 {
			t.Errorf("records %+v, error %v", g.records, err)
		}
		if !strings.Contains(strings.Join(g.notes, "\n"), "numbers no trials") {
			t.Errorf("notes do not say how samples were numbered: %q", g.notes)
		}
	})
	t.Run("exact duplicates count once", func(t *testing.T) {
		_, g, err := importText(t, "", results(entry("1", "0", "1", talk), entry("1", "0", "1", talk)))
		if err != nil || len(g.records) != 1 || !strings.Contains(strings.Join(g.notes, "\n"), "1 exact duplicate") {
			t.Errorf("%d records, notes %q, error %v", len(g.records), g.notes, err)
		}
	})
}

func TestTauBenchRefuses(t *testing.T) {
	talk := `[{"role":"user","content":"hi"}]`
	ok := entry("0", "0", "1", talk)
	tests := []struct {
		name, file string
		want       []string // parts of the message
	}{
		{"a conflict, with both places", results(ok, entry("1", "0", "1", talk), entry("0", "0", "0", talk)), []string{"log.json:4: byte ", "entry 2: task 0, trial 0 differs from entry 0 (line 2, byte 2)"}},
		{"task ids 1 and \"1\"", results(entry("1", "0", "1", talk), entry(`"1"`, "1", "1", talk)), []string{"log.json:3: ", "entry 1: ", "entry 0"}},
		{"other tasks under the same id", results(ok, strings.Replace(entry("0", "1", "1", talk), "u0", "u9", 1)), []string{"log.json:3: ", "described differently"}},
		{"a task id that is no id", results(ok, entry("1.5", "0", "1", talk)), []string{"log.json:3: ", "task_id must be"}},
		{"a negative trial", results(entry("0", "-1", "1", talk)), []string{"log.json:2: ", "count from 0"}},
		{"some trials without a number", results(ok, entry("1", "null", "1", talk)), []string{"log.json:3: ", "number all of them or none"}},
		{"some trials with a number", results(entry("1", "null", "1", talk), ok), []string{"log.json:3: ", "number all of them or none"}},
		{"a reward in words", results(entry("0", "0", `"high"`, talk)), []string{"log.json:2: ", "reward must be a number"}},
		{"true and a number for rewards", results(entry("0", "0", "true", talk), entry("0", "1", "0.5", talk)), []string{"log.json:3: ", "some rewards are numbers, such as 0.5, and some are true or false"}},
		{"a reward without a trajectory", results(entry("0", "0", "1", "[]")), []string{"log.json:2: ", "without a trajectory"}},
		{"an entry of another shape", results(ok, `{"task_id":1}`), []string{"log.json:3: ", "entry 1: it is not an object with task_id and traj"}},
		{"a number among the entries", results(ok, `7`), []string{"log.json:3: ", "entry 1: "}},
		{"a file cut off within an entry", results(ok, entry("1", "0", "1", talk))[:len(ok)+30], []string{"log.json:3: ", "entry 1: the file ends within it"}},
		{"a file cut off behind an entry", "[" + ok, []string{"log.json:1: ", "cut off"}},
		{"a file cut off behind a comma", "[" + ok + ",\n", []string{"log.json:2: ", "cut off"}},
		{"broken JSON, where it breaks", results(ok, "{\"task_id\": NaN,\n \"traj\": [,]}"), []string{"log.json:4: ", "entry 1: broken JSON"}},
		{"broken JSON in the first entry", "[{\"task_id\": 1,\n \"traj\": ]}]", []string{"log.json:2: byte 25: ", "entry 0: broken JSON"}},
		{"no comma between entries", "[" + ok + "\n" + ok + "]", []string{"log.json:2: ", "broken JSON"}},
		{"text behind the array", results(ok) + "x", []string{"log.json:4: ", "more text"}},
		{"a second array", results(ok) + results(ok), []string{"log.json:4: ", "more text"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, _, err := importText(t, "", tt.file)
			if err == nil || f.Name != "tau-bench" || errors.Is(err, ErrUnrecognized) {
				t.Fatalf("format %q, error %v", f.Name, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}

// Bare words change the length of what the decoder sees, not the positions
// that errors tell.
func TestTauBenchPositionsBehindNaN(t *testing.T) {
	talk := `[{"role":"user","content":"NaN \" -Infinity"}]`
	entries := []string{entry("0", "0", "NaN", talk), entry("1", "0", "Infinity", talk), entry("2", "0", "-Infinity", talk), entry("3", "0", "NaN", talk)}
	bad := entry("4", "-1", "NaN", talk)
	file := "\uFEFF  " + results(append(entries, bad)...)
	_, g, err := importText(t, "", file)
	want := fmt.Sprintf("log.json:6: byte %d: entry 4", strings.Index(file, bad))
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
	if len(g.records) != 4 || g.records[0].Messages[0].Content != `NaN " -Infinity` {
		t.Errorf("records are %+v", g.records)
	}
}

func FuzzTauBench(f *testing.F) {
	f.Add(results(entry("0", "0", "1", conversation), failed))
	f.Add("\uFEFF" + results(entry("0", "0", "NaN", "[]"), entry(`"a"`, "null", "-Infinity", "null")))
	f.Add(`[{"task_id":1,"traj":[{"role":"assistant","tool_calls":[{},null]}]}]`)
	f.Add(`[{"task_id":1,"traj":[],"info":{"error":{}}},`)
	f.Fuzz(func(t *testing.T, file string) {
		_, g, err := importText(t, "tau-bench", file)
		if err != nil {
			if _, ok := errors.AsType[*rollout.LineError](err); !ok && !errors.Is(err, ErrUnrecognized) {
				t.Errorf("error without a line: %v", err)
			}
			return
		}
		seen := make(map[rollout.Key]bool)
		for _, r := range g.records {
			if seen[r.Key()] {
				t.Errorf("%v came twice", r.Key())
			}
			seen[r.Key()] = true
			if (r.Outcome == rollout.Graded) != (r.Reward != nil) {
				t.Errorf("outcome %s with reward %v", r.Outcome, r.Reward)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("record cannot be written: %v", err)
			}
		}
		for _, it := range g.items {
			if _, err := json.Marshal(it); err != nil {
				t.Errorf("item cannot be written: %v", err)
			}
		}
	})
}

// The real file: 50 tasks x 4 trials of a GPT-4o agent; the mean of "reward"
// over its 200 entries is 0.42 (python: sum(e["reward"] for e in data)/200).
func TestTauBenchRealFile(t *testing.T) {
	dir := os.Getenv("GONOGO_TESTDATA")
	if dir == "" {
		t.Skip("GONOGO_TESTDATA names no directory")
	}
	path := filepath.Join(dir, "tau_bench_airline_gpt4o.json")
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	run := filepath.Join(t.TempDir(), "run")
	w, err := rollout.Create(run, rollout.Manifest{Source: rollout.Import}, nil, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sink := Sink{
		Item:   func(it rollout.Item) error { return w.AddItems(it) },
		Record: w.Append,
	}
	if f, err := Import(context.Background(), Formats(), "", Paths(Options{}, path), sink); err != nil || f.Name != "tau-bench" {
		t.Fatalf("format %q, error %v", f.Name, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := rollout.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	samples, sum, calls := make(map[string]int), 0.0, 0
	in, err := r.Records(context.Background(), rollout.ReadOptions{}, func(rec *rollout.Record) error {
		reward, ok := rec.Score(0)
		if !ok {
			return fmt.Errorf("item %s, sample %d has no reward", rec.Item, rec.Sample)
		}
		samples[rec.Item]++
		sum += reward
		calls += len(rec.Calls)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for item, n := range samples {
		if n != 4 {
			t.Errorf("item %s has %d samples, want 4", item, n)
		}
	}
	if in.Records != 200 || len(samples) != 50 || len(r.Items) != 50 || math.Abs(sum/200-0.42) > 1e-12 {
		t.Errorf("%d records of %d items (%d in items.jsonl), mean %g; want 200, 50 and 0.42", in.Records, len(samples), len(r.Items), sum/200)
	}
	if calls != 1164 { // tool messages in the file, counted with python
		t.Errorf("%d tool calls, want 1164", calls)
	}
}
