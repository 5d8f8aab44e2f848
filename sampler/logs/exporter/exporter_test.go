package exporter

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record makes a graded rollout with tool calls, one of each status that the
// model is shown.
func record(item string, sample int, reward float64) *rollout.Record {
	n := func(n int64) *int64 { return &n }
	return &rollout.Record{
		Item: item, Split: rollout.Train, Sample: sample, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward,
		Parts: map[string]float64{"exact": reward, "style": 0.5}, Category: "c", Family: "f", Answer: "NaN <b> \"4\"",
		Messages: []rollout.Message{
			{Role: "assistant", Reasoning: "hm", Content: "let me look", ToolCalls: []rollout.ToolCall{{ID: "c1", Name: "look", Arguments: `{"q":"x"}`}, {ID: "c2", Name: "book", Arguments: `{}`}}},
			{Role: "tool", ToolCallID: "c1", Name: "look", Content: "found"},
			{Role: "tool", ToolCallID: "c2", Name: "book", Content: "no seat"},
			{Role: "assistant", Content: "NaN <b> \"4\""},
		},
		Calls: []rollout.Call{
			{ID: "c1", Name: "look", Arguments: `{"q":"x"}`, Output: "found", OutputBytes: 5, Status: rollout.CallOK, Elapsed: rollout.Seconds(time.Second)},
			{ID: "c2", Name: "book", Arguments: `{}`, Output: "no seat", OutputBytes: 7, Status: rollout.CallError, Error: "no seat"},
		},
		Turns: 2, Usage: rollout.Usage{Input: n(100), Output: n(20), Reasoning: n(5), Cached: n(40)},
		TraceID: fmt.Sprintf("trace-%s-%d", item, sample), Started: time.Date(2026, 11, 20, 9, 0, sample, 250e6, time.UTC), Elapsed: rollout.Seconds(1500 * time.Millisecond),
	}
}

// without makes a rollout without a reward.
func without(item string, sample int, o rollout.Outcome, cause, kind string) *rollout.Record {
	return &rollout.Record{Item: item, Split: rollout.Train, Sample: sample, Source: rollout.Live, Outcome: o, Error: cause, Kind: kind}
}

// everyOutcome is a run's rollouts with each outcome there is.
func everyOutcome() []*rollout.Record {
	limited := record("q 2", 3, 0.25)
	limited.Outcome, limited.Error = rollout.StepLimit, "max_episode_steps"
	return []*rollout.Record{
		record("q/1", 1, 1), record("q/1", 0, 0), record("q 2", 0, -0.5), limited,
		without("q/1", 2, rollout.NoAnswer, "refusal", ""), without("q 2", 1, rollout.StepLimit, "steps", ""),
		without("q/1", 3, rollout.ModelAPI, "429: slow down", ""), without("q 2", 2, rollout.ToolFailed, "search: 503", ""), without("q/1", 4, rollout.GraderFailed, "judge: no JSON", "verdict"),
	}
}

// made writes a run directory.
func made(t testing.TB, records []*rollout.Record) *rollout.Run {
	t.Helper()
	dir := t.TempDir()
	items := []rollout.Item{}
	for _, id := range []string{"q/1", "q 2"} {
		it := rollout.Item{ID: id, Split: rollout.Train, Row: json.RawMessage(`{"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"2+2?"}],"reference_answer":"4"}`)}
		items = append(items, it)
	}
	w, err := rollout.Create(dir, rollout.Manifest{ID: "r1", Name: "demo", Model: "m", ToolVersion: "v1", Source: rollout.Live, Started: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}, items, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if err := w.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// written exports a run and returns the path.
func written(t testing.TB, f Format, run *rollout.Run) (string, *Run) {
	t.Helper()
	r, err := Open(context.Background(), run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "log.eval")
	if err := f.Write(context.Background(), path, r); err != nil {
		t.Fatal(err)
	}
	return path, r
}

// back imports a log that was written.
func back(t testing.TB, path string) (importer.Format, map[rollout.Key]*rollout.Record) {
	t.Helper()
	got := make(map[rollout.Key]*rollout.Record)
	f, err := importer.Import(context.Background(), importer.Formats(), "", importer.Paths(importer.Options{}, path), importer.Sink{
		Record: func(rec *rollout.Record) error {
			if got[rec.Key()] != nil {
				t.Errorf("%v came twice", rec.Key())
			}
			got[rec.Key()] = rec
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, got
}

// What is exported is imported again as the same record in every format, whatever chat formats have
// no words for: calls that were asked for and not made, statuses of calls, how a reply ended.
func TestExportIsReadBack(t *testing.T) {
	records := everyOutcome()
	for i, rec := range records {
		rec.Finish = append(rollout.Finishes(), "")[i%(len(rollout.Finishes())+1)]
	}
	notMade := record("q 2", 4, 0) // its last call exceeds the limit
	notMade.Outcome, notMade.Error, notMade.Reward, notMade.Parts = rollout.StepLimit, "max_tool_calls of 2 reached", nil, nil
	notMade.Messages[3].ToolCalls = []rollout.ToolCall{{ID: "c3", Name: "look", Arguments: `{"q": "<y>"}`}}
	bare := record("q 2", 5, 1) // calls alone, as an import may have them
	bare.Messages, bare.Calls[1].Output = nil, ""
	silent := record("q/1", 5, 0) // it ends with the result of a tool
	silent.Messages, silent.Answer, silent.Turns = silent.Messages[:3], "", 1
	odd := record("q/1", 6, 0.1) // what chat formats change
	odd.Messages = append(odd.Messages, rollout.Message{Role: "developer", Name: "ann", Content: "go on"}, rollout.Message{Role: "assistant", Refusal: "no", Reasoning: " hm"})
	odd.Extra = map[string]json.RawMessage{"row": json.RawMessage(`1`), "unscored": json.RawMessage(`true`)}
	odd.Grades, odd.Retries, odd.Usage = []float64{0.1, 0.2}, 2, rollout.Usage{Input: odd.Usage.Input}
	records = append(records, notMade, bare, silent, odd)
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			path, _ := written(t, f, made(t, records))
			as, got := back(t, path)
			if !strings.HasPrefix(as.Name, f.Name) || len(got) != len(records) { // verifiers-v1 reads verifiers
				t.Fatalf("read as %s, %d records of %d", as.Name, len(got), len(records))
			}
			for _, rec := range records {
				want := *rec
				want.Source = rollout.Import
				if is := got[want.Key()]; is == nil {
					t.Errorf("%v is not there; there are %v", want.Key(), slices.Collect(maps.Keys(got)))
				} else if diff := cmp.Diff(line(t, want), line(t, *is)); diff != "" {
					t.Errorf("%v (-want +got):\n%s", want.Key(), diff)
				}
			}
		})
	}
}

// line returns a record as a line of rollouts.jsonl holds it.
func line(t *testing.T, rec rollout.Record) (m map[string]any) {
	t.Helper()
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The split of a rollout is that of the run it was exported from.
func TestExportKeepsTheSplit(t *testing.T) {
	rec := record("q/1", 0, 1)
	rec.Split = rollout.Eval
	for _, f := range Formats() {
		path, _ := written(t, f, made(t, []*rollout.Record{rec}))
		if _, got := back(t, path); got[rec.Key()] == nil {
			t.Errorf("%s: read back as %v", f.Name, slices.Collect(maps.Keys(got)))
		}
	}
}

// The limits that records name have these types in Inspect (EvalSampleLimitType of
// inspect_ai/log/_log.py, 0.3.285).
func TestInspectLimits(t *testing.T) {
	for text, want := range map[string]struct {
		kind  string
		limit float64
	}{
		"message limit of 12": {"message", 12}, "token limit of 5000.5": {"token", 5000.5},
		"context limit of 8192": {"context", 8192}, "working limit of 30": {"working", 30},
		"time limit of 60": {"time", 60}, "turn limit of 4": {"turn", 4}, "cost limit of 1.5": {"cost", 1.5},
		"custom limit of 3": {"custom", 3}, "operator limit of 1": {"custom", 1},
		"max_steps of 24 reached": {"custom", 24}, "max_tool_calls of 3 reached": {"custom", 3},
		"max_turns_reached": {"turn", 0}, "max_turns": {"turn", 0}, "max_total_tokens": {"token", 0},
		"context_length": {"context", 0}, "agent_timeout": {"time", 0}, "TimeExceeded": {"time", 0},
		"exit_total_execution_time": {"time", 0}, "AgentTimeoutError: after 60 s": {"time", 60}, "exit_cost": {"cost", 0},
		"ContextWindowExceededError": {"context", 0}, "LimitsExceeded": {"custom", 0},
		"the runtime returned 7 pages": {"custom", 7}, "": {"custom", 0},
	} {
		if kind, limit := limitOf(text); kind != want.kind || limit != want.limit {
			t.Errorf("%q is a %s limit of %v, want %s of %v", text, kind, limit, want.kind, want.limit)
		}
	}
}

// The header of an Inspect log states what Inspect computes from the samples: the mean over items
// and its standard error, |a - b|/2 of two items. Failures do not count, and the model's own failure
// without a grade has the bottom of the reward range.
func TestInspectHeaderCountsItems(t *testing.T) {
	graded := func(item string, rewards ...float64) (records []*rollout.Record) {
		for sample, reward := range rewards {
			records = append(records, record(item, sample, reward))
			records[sample].Parts = nil
		}
		return records
	}
	for name, tt := range map[string]struct {
		records    []*rollout.Record
		floor      float64
		want       string
		reductions string
	}{
		// by recompute_metrics of inspect-ai 0.3.285: 0.5 and 0.5; the mean over rollouts is 0.8
		"four right, and one wrong with three failures": {
			records: append(graded("q/1", 1, 1, 1, 1),
				append(graded("q 2", 0), without("q 2", 1, rollout.ModelAPI, "503", ""), without("q 2", 2, rollout.ToolFailed, "503", ""), without("q 2", 3, rollout.GraderFailed, "503", ""))...),
			want:       `{"total_samples":8,"completed_samples":5,"scores":[{"name":"reward","scorer":"reward","reducer":"mean","scored_samples":2,"unscored_samples":0,"params":{},"metrics":{"mean":{"name":"mean","value":0.5,"params":{}},"stderr":{"name":"stderr","value":0.5,"params":{}}}}],"headline":{"scorer":"reward","score":"reward","metric":"mean","reducer":"mean"}}`,
			reductions: `[{"scorer":"reward","reducer":"mean","samples":[{"value":1,"sample_id":"q/1"},{"value":0,"sample_id":"q 2"}]}]`,
		},
		"an item without an answer at the bottom of the range": {
			records:    append(graded("q/1", 0.5, 1, 1.5), without("q 2", 0, rollout.NoAnswer, "empty", ""), without("q 2", 1, rollout.StepLimit, "max_steps of 8 reached", "")),
			floor:      -0.5,
			want:       `{"total_samples":5,"completed_samples":5,"scores":[{"name":"reward","scorer":"reward","reducer":"mean","scored_samples":2,"unscored_samples":0,"params":{},"metrics":{"mean":{"name":"mean","value":0.25,"params":{}},"stderr":{"name":"stderr","value":0.75,"params":{}}}}],"headline":{"scorer":"reward","score":"reward","metric":"mean","reducer":"mean"}}`,
			reductions: `[{"scorer":"reward","reducer":"mean","samples":[{"value":1,"sample_id":"q/1"},{"value":-0.5,"sample_id":"q 2"}]}]`,
		},
		"nothing but failures": {
			records:    []*rollout.Record{without("q 2", 0, rollout.ModelAPI, "503", "")},
			want:       `{"total_samples":1,"completed_samples":0,"scores":[{"name":"reward","scorer":"reward","reducer":"mean","scored_samples":0,"unscored_samples":0,"params":{},"metrics":{}}],"headline":{"scorer":"reward","score":"reward","metric":"mean","reducer":"mean"}}`,
			reductions: `[{"scorer":"reward","reducer":"mean","samples":[]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Open(context.Background(), made(t, tt.records), Options{Floor: tt.floor})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "log.eval")
			if err := inspect.Write(context.Background(), path, r); err != nil {
				t.Fatal(err)
			}
			z, err := zip.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			for member, want := range map[string]string{"header.json": tt.want, "reductions.json": tt.reductions} {
				text, err := fs.ReadFile(z, member)
				if err != nil {
					t.Fatal(err)
				}
				if member == "header.json" {
					var header struct{ Results json.RawMessage }
					if err := json.Unmarshal(text, &header); err != nil {
						t.Fatal(err)
					}
					text = header.Results
				}
				if got := strings.TrimSpace(string(text)); got != want {
					t.Errorf("%s has\n%s, want\n%s", member, got, want)
				}
			}
		})
	}
}

// Whatever a run holds, rewards and outcomes come back, and no failure as a
// number.
func TestDeepExportsKeepRewardsAndOutcomes(t *testing.T) {
	formats, n := Formats(), 0
	rapid.Check(t, func(rt *rapid.T) {
		if n++; n > 15 && os.Getenv("GONOGO_DEEP") == "" {
			return // each writes whole runs
		}
		var records []*rollout.Record
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9./ \\:üЖ中]{1,12}`), 1, 4, rapid.ID[string]).Draw(rt, "ids")
		for _, id := range ids {
			for sample := range rapid.IntRange(1, 4).Draw(rt, "samples") {
				if o := rapid.SampledFrom(rollout.Outcomes()).Draw(rt, "outcome"); o != rollout.Graded {
					records = append(records, without(id, sample, o, rapid.String().Draw(rt, "cause"), ""))
					continue
				}
				rec := record(id, sample, rapid.Float64Range(-2, 2).Draw(rt, "reward"))
				rec.Calls[0].Arguments = rapid.SampledFrom([]string{`{"a":1}`, "{", "[]", "null", ""}).Draw(rt, "arguments")
				rec.Messages[0].ToolCalls[0].Arguments = rec.Calls[0].Arguments
				records = append(records, rec)
			}
		}
		for _, f := range formats {
			path, _ := written(t, f, made(t, records))
			_, got := back(t, path)
			for _, want := range records {
				is := got[want.Key()]
				if is == nil || is.Outcome != want.Outcome || (is.Reward == nil) != (want.Reward == nil) || is.Reward != nil && *is.Reward != *want.Reward {
					rt.Fatalf("%s: %v is %+v, want %+v", f.Name, want.Key(), is, want)
				}
			}
		}
	})
}

// Readers of Inspect find each key where the format has it.
func TestInspectLog(t *testing.T) {
	path, _ := written(t, inspect, made(t, everyOutcome()))
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	member := func(name string) map[string]any {
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, f := range z.File {
		if f.Method != zip.Deflate {
			t.Errorf("%s is compressed by method %d", f.Name, f.Method)
		}
	}
	header := member("header.json")
	eval := header["eval"].(map[string]any)
	if header["version"] != 2.0 || header["status"] != "success" || eval["task"] != "demo" || eval["model"] != "m" || eval["dataset"].(map[string]any)["samples"] != 2.0 || eval["config"].(map[string]any)["epochs"] != 5.0 {
		t.Errorf("header is %v", header)
	}
	scores := header["results"].(map[string]any)["scores"].([]any)
	if first := scores[0].(map[string]any); first["name"] != "reward" || first["scored_samples"] != 2.0 || len(scores) != 3 { // two items
		t.Errorf("scores are %v", scores)
	}
	// three rollouts of 60 + 40 cached tokens and one at a limit; failures have none
	if sum := header["stats"].(map[string]any)["model_usage"].(map[string]any)["m"].(map[string]any); sum["input_tokens"] != 240.0 || sum["input_tokens_cache_read"] != 160.0 || sum["output_tokens"] != 80.0 {
		t.Errorf("the log's usage is %v", sum)
	}
	sample := member("samples/q/1_epoch_2.json")
	usage := sample["model_usage"].(map[string]any)["m"].(map[string]any)
	if usage["input_tokens"] != 60.0 || usage["input_tokens_cache_read"] != 40.0 || usage["total_tokens"] != 120.0 {
		t.Errorf("usage is %v: input_tokens exclude the cache", usage)
	}
	messages := sample["messages"].([]any)
	call := messages[2].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)
	if messages[0].(map[string]any)["role"] != "system" || call["function"] != "look" || call["arguments"].(map[string]any)["q"] != "x" {
		t.Errorf("messages are %v", messages)
	}
	if failed := messages[4].(map[string]any); failed["error"].(map[string]any)["message"] != "no seat" || failed["tool_call_id"] != "c2" {
		t.Errorf("the tool's answer is %v", failed)
	}
	if broken := member("samples/q/1_epoch_4.json"); broken["messages"] == nil || broken["error"].(map[string]any)["message"] != "model_api: 429: slow down" || len(broken["scores"].(map[string]any)) != 0 {
		t.Errorf("a failure is %v", broken)
	}
	if limited := member("samples/q 2_epoch_2.json"); limited["limit"].(map[string]any)["type"] != "custom" || limited["limit"].(map[string]any)["reason"] != "steps" {
		t.Errorf("a limit is %v", limited)
	}
}

// Some logs use the id of a call again in a later turn: how the one fared says
// nothing of the other.
func TestInspectCallsWithOneID(t *testing.T) {
	rec := record("q 2", 0, 1)
	rec.Messages = slices.Concat(rec.Messages[:3], rec.Messages)
	rec.Calls = slices.Concat(rec.Calls, rec.Calls)
	rec.Calls[1].Status, rec.Calls[1].Error, rec.Calls[2].Turn, rec.Calls[3].Turn = rollout.CallOK, "", 1, 1
	path, _ := written(t, inspect, made(t, []*rollout.Record{rec}))
	_, got := back(t, path)
	calls := got[rec.Key()].Calls
	if len(calls) != 4 || calls[1].Status != rollout.CallOK || calls[3].Status != rollout.CallError || !strings.HasSuffix(calls[3].Error, "no seat") {
		t.Errorf("calls are %+v", calls)
	}
}

// A rollout without any message, of an item without any, has an empty list of messages, without
// which Inspect refuses the log.
func TestInspectWithoutMessages(t *testing.T) {
	path, _ := written(t, inspect, made(t, []*rollout.Record{without("elsewhere", 0, rollout.ModelAPI, "503", "")}))
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := fs.ReadFile(z, "samples/elsewhere_epoch_1.json")
	if err != nil || !strings.Contains(string(text), `"messages":[],`) {
		t.Errorf("%v: the sample is %s", err, text)
	}
}

// An id that would lead out of the archive is not part of a member's name.
func TestInspectNamesOfMembers(t *testing.T) {
	path, r := written(t, inspect, made(t, []*rollout.Record{record("../../etc/x", 0, 1), record("q 2", 0, 0)}))
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.Contains(f.Name, "..") {
			t.Errorf("a member is called %s", f.Name)
		}
	}
	if notes := strings.Join(inspect.Loses(r), "\n"); !strings.Contains(notes, "the log numbers the items in order") {
		t.Errorf("notes are %s", notes)
	}
	if _, got := back(t, path); got[rollout.Key{Split: rollout.Train, Item: "../../etc/x"}] == nil {
		t.Errorf("read back as %v", slices.Collect(maps.Keys(got)))
	}
}

// Readers of verifiers find each key where its layout has it (verifiers/v1/trace.py of 0.4.0).
func TestVerifiersTraces(t *testing.T) {
	path, _ := written(t, verifiers, made(t, everyOutcome()))
	b, err := os.ReadFile(filepath.Join(path, "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	type episode struct {
		Task struct {
			Key  string
			Data map[string]any
		}
		OK     *bool
		Errors []any
		Traces []struct {
			OK    *bool
			Nodes []struct {
				Parent  *int
				Sampled bool
				Message struct {
					Role, Content, ReasoningContent string
					Calls                           []map[string]string `json:"tool_calls"`
				}
			}
			Calls   []map[string]any
			Rewards map[string]struct{ Score, Weight float64 }
			Metrics map[string]float64
			Stop    string `json:"stop_condition"`
			Errors  []struct{ Type, Message string }
		}
	}
	read := func(i int) (e episode) {
		if err := json.Unmarshal([]byte(lines[i]), &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := read(0)
	if got := first.Task; got.Key != "q/1" || got.Data["idx"] != 0.0 || got.Data["reference_answer"] != "4" || len(got.Data["prompt"].([]any)) != 2 {
		t.Errorf("the task is %v", got)
	}
	trace := first.Traces[0]
	if r := trace.Rewards["reward"]; r.Score != 1 || r.Weight != 1 || len(trace.Rewards) != 1 || trace.Metrics["style"] != 0.5 || !*first.OK || !*trace.OK || trace.Stop != "agent_completed" {
		t.Errorf("the trace is %+v", trace)
	}
	if n := trace.Nodes[2]; *n.Parent != 1 || !n.Sampled || n.Message.Calls[0]["arguments"] != `{"q":"x"}` || n.Message.Calls[0]["name"] != "look" {
		t.Errorf("a turn of the model is %+v", n)
	}
	if u := trace.Calls[0]["usage"].(map[string]any); u["prompt_tokens"] != 60.0 || u["cached_input_tokens"] != 40.0 || u["completion_tokens"] != 20.0 {
		t.Errorf("usage is %v: prompt_tokens exclude the cache", u)
	}
	failed, limited := read(6), read(5) // 429, and a step limit without a grade
	if f := failed.Traces[0]; *failed.OK || *f.OK || len(f.Rewards) != 0 || f.Errors[0].Type != "ProviderError" || f.Errors[0].Message != "model_api: 429: slow down" || f.Stop != "provider_error" {
		t.Errorf("a failure is %+v", f)
	}
	if l := limited.Traces[0]; !*l.OK || l.Rewards["reward"].Score != 0 || len(l.Rewards) != 1 || l.Stop != "max_turns" {
		t.Errorf("a limit is %+v", l)
	}
}

// The task of an item that was imported from verifiers is the one that verifiers wrote.
func TestVerifiersTaskOfVerifiers(t *testing.T) {
	run := made(t, []*rollout.Record{record("q/1", 0, 1)})
	for _, tt := range []struct{ row, want string }{
		{`{"task":{"idx":3,"prompt":"2+2?","answer":"4"}}`, `{"type":"Task","data":{"idx":3,"prompt":"2+2?","answer":"4"},"key":"q/1"}`},
		{`{"task":"arithmetic","answer":"4"}`, `{"type":"Task","data":{"idx":0,"id":"q/1","answer":"4","task":"arithmetic"},"key":"q/1"}`},
	} {
		_, r := written(t, verifiers, run)
		r.items["q/1"].Row, r.items["q/1"].Messages = json.RawMessage(tt.row), nil
		text, err := json.Marshal(r.traceTask("q/1"))
		if err != nil || string(text) != tt.want {
			t.Errorf("%s: %v, the task is %s, want %s", tt.row, err, text, tt.want)
		}
	}
}

// Attempts that were made again are left out, and what is lost is reported.
func TestExportTellsWhatIsLost(t *testing.T) {
	failed, again := without("q 2", 0, rollout.ToolFailed, "503", ""), record("q 2", 0, 1)
	again.Attempt, again.Grades, again.Retries = 1, []float64{1, 0}, 2
	run := made(t, []*rollout.Record{failed, again})
	for _, f := range Formats() {
		path, r := written(t, f, run)
		_, got := back(t, path)
		if len(got) != 1 || r.Rollouts() != 1 {
			t.Errorf("%s: %d rollouts", f.Name, len(got))
		}
		notes := strings.Join(f.Loses(r), "\n")
		for _, want := range []string{"1 earlier attempt of repeated rollouts is left out", "1 rollout has additional or earlier grades"} {
			if !strings.Contains(notes, want) {
				t.Errorf("%s: notes lack %q:\n%s", f.Name, want, notes)
			}
		}
	}
}

// A prompt with a picture is named as a loss, one of text parts alone is not.
func TestExportTellsOfPictures(t *testing.T) {
	for parts, want := range map[string]bool{
		`[{"type":"text","text":"2+2?"}]`: false,
		`[{"type":"text","text":"2+2?"},{"type":"image_url","image_url":{"url":"data:x"}}]`: true,
	} {
		_, r := written(t, inspect, made(t, []*rollout.Record{record("q/1", 0, 1)}))
		r.items["q/1"].Messages[1].Parts = json.RawMessage(parts)
		r.pictured = 0
		if r.count(record("q/1", 0, 1)); (r.pictured == 1) != want {
			t.Errorf("%s: counted %d times", parts, r.pictured)
		}
	}
}

// Losses of one rollout and of several are in the singular and the plural.
func TestLossOfOneRollout(t *testing.T) {
	one := &Run{superseded: 1, unscored: 1, failed: 1, timed: 1, badArguments: 1, regraded: 1, judged: 1, extra: 1, pictured: 1}
	for _, f := range Formats() {
		for _, note := range f.Loses(one) {
			for _, wrong := range []string{"1 rollouts", "1 rollout have", "1 rollout record ", " their ", " them ", "answer have", "grade have", "attempts", "[", "|"} {
				if strings.Contains(note, wrong) {
					t.Errorf("%s: %q contains %q", f.Name, note, wrong)
				}
			}
		}
	}
	took := "rollout[ records|s record] how long [its|their] tool calls took"
	for n, want := range map[int]string{1: "1 rollout records how long its tool calls took", 2: "2 rollouts record how long their tool calls took"} {
		if got := (loss{n, took}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
