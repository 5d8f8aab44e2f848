package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/logs/exporter"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// notExported are the fields of a record that no log holds, as docs/import.md says: an export is
// of the last attempts, and what is read from it is imported. The rest describe the file that a
// record was read from.
var notExported = []string{"Attempt", "Source", "Probe", "Line", "Asked", "Said", "Replaces"}

// itemNotExported are the fields of an item that name the data file, which no log holds, or are
// decoded from the row, which is compared.
var itemNotExported = []string{"File", "Line", "Messages", "Tools", "Row"}

// TestExportsAreReadBack exports the rollouts of a built-in world, with every outcome that there is,
// in every format that gonogo both writes and reads. What is imported again is the same, field by
// field.
func TestExportsAreReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	runDemo(t, "--world", "broken", "--no-audit", "-o", run, "--seed", "7", "--set", "items=12", "--samples", "4")
	addOutcomes(t, run)
	items, want := recordsOf(t, run)
	for _, f := range exporter.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, split := range []rollout.Split{rollout.Train, rollout.Eval} {
				log, back := filepath.Join(dir, f.Name+string(split)), filepath.Join(dir, f.Name+string(split)+"-back")
				if f.Name == "inspect" {
					log += ".eval"
				}
				for _, args := range [][]string{
					{"export", run, "--format", f.Name, "--split", string(split), "-o", log},
					{"import", log, "-o", back},
				} {
					if _, said, code := inProcess(t, "", args...); code != 0 {
						t.Fatalf("gonogo %s: exit code %d\n%s", strings.Join(args, " "), code, said)
					}
				}
				gotItems, got := recordsOf(t, back)
				lost := make(map[string]string)
				for k, r := range want {
					if k.Split == split {
						compareFields(lost, k, r, got[k], notExported)
						delete(got, k)
					}
				}
				for id, it := range items {
					if it.Split != split {
						continue
					}
					compareFields(lost, id, it, gotItems[id], itemNotExported)
					if is := gotItems[id]; is != nil && !sameJSON(it.Row, is.Row) {
						lost["Item.Row"] = fmt.Sprintf("%v: %s instead of %s", id, is.Row, it.Row)
					}
				}
				for _, field := range slices.Sorted(maps.Keys(lost)) {
					t.Errorf("%s: %s is not read back: %s", split, field, lost[field])
				}
				if len(got) > 0 {
					t.Errorf("%s: %d rollouts are read back that the run does not have", split, len(got))
				}
			}
		})
	}
}

// addOutcomes adds a rollout for each outcome and each way in which a reply ends, with the fields
// that the world's own rollouts leave empty.
func addOutcomes(t *testing.T, dir string) {
	t.Helper()
	_, all := recordsOf(t, dir)
	keys := slices.SortedFunc(maps.Keys(all), func(a, b rollout.Key) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	next := make(map[string]int)
	for k := range all {
		next[string(k.Split)+k.Item] = max(next[string(k.Split)+k.Item], k.Sample+1)
	}
	count := func(n int64) *int64 { return &n }
	for i, o := range slices.Concat(rollout.Outcomes(), rollout.Outcomes()) {
		for n, finish := range append(rollout.Finishes(), "") {
			k := keys[(7*i+3*n)%len(keys)]
			rec := *all[k]
			rec.Sample = next[string(k.Split)+k.Item]
			next[string(k.Split)+k.Item]++
			rec.Outcome, rec.Finish, rec.Error, rec.Kind, rec.Grades = o, finish, "", "", nil
			rec.TraceID, rec.Served = fmt.Sprintf("t-%d-%d", i, n), "served"
			if o != rollout.Graded {
				rec.Reward, rec.Error = nil, []string{
					"message limit of 12", "token limit of 5000.5", "max_steps of 8 reached", "deadline <1>", "503: \"down\"", "exit_cost",
				}[n]
			}
			reward := float64(n) / 4
			switch { // a grade of each kind, and a grade of a rollout at a limit
			case o == rollout.Graded, o == rollout.StepLimit && i >= len(rollout.Outcomes()):
				rec.Reward, rec.Grades = &reward, []float64{reward, reward / 2}
				rec.Parts = map[string]float64{"reward": 0.25, "style": reward, "a b": 1}
			case o == rollout.GraderFailed:
				rec.Kind, rec.Parts = rollout.KindUngraded, nil
			}
			switch n {
			case 0: // nothing but calls and an answer, as an import has it
				rec.Messages, rec.Answer = nil, "bare <answer>"
				rec.Calls = []rollout.Call{{ID: "x", Name: "look", Arguments: `{"q": "a<b"}`, Output: "", Status: rollout.CallOK}}
			case 1: // what chat formats have no words for
				rec.Messages = slices.Concat(rec.Messages, []rollout.Message{
					{Role: "developer", Content: "go on"},
					{Role: "user", Content: "really?", Name: "ann"},
					{
						Role: "assistant", Refusal: "no", Reasoning: " hm\n", ToolCalls: []rollout.ToolCall{
							{ID: "n1", Name: "look", Arguments: `{"q": 1}`}, {ID: "n1", Name: "look", Arguments: "{"},
						},
					},
					{Role: "tool", ToolCallID: "n1", Name: "look", Content: ""},
					{Role: "user", Content: "see", Parts: json.RawMessage(`[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:x"}}]`)},
				})
			case 2:
				rec.Usage = rollout.Usage{Input: count(9), Cached: count(4)}
				rec.Judge, rec.JudgeCalls, rec.Retries, rec.Blanked, rec.Clipped = rollout.Usage{Output: count(3)}, 2, 1, 1, true
				rec.Planted, rec.Leaks = true, []rollout.Leak{{Canary: "other", At: "model"}}
				rec.Extra = map[string]json.RawMessage{"mine": json.RawMessage(`{"a":[1]}`)}
			case 3:
				rec.Usage = rollout.Usage{Input: count(90), Output: count(7), Reasoning: count(2), Cached: count(40)}
				rec.Category, rec.Family = "c", "f"
			case 4:
				rec.Messages, rec.Calls, rec.Turns, rec.Answer, rec.Usage = nil, nil, 0, "", rollout.Usage{}
				rec.Started, rec.Elapsed = time.Time{}, 0
			}
			line, err := json.Marshal(rec)
			if err != nil {
				t.Fatal(err)
			}
			if err := disk.AppendLine(filepath.Join(dir, rollout.RolloutsFile), line); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// recordsOf returns the items and the last attempts of a run.
func recordsOf(t *testing.T, dir string) (map[rollout.Key]*rollout.Item, map[rollout.Key]*rollout.Record) {
	t.Helper()
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	items, records := make(map[rollout.Key]*rollout.Item), make(map[rollout.Key]*rollout.Record)
	for i, it := range run.Items {
		items[rollout.Key{Split: it.Split, Item: it.ID}] = &run.Items[i]
	}
	if _, err := run.Records(context.Background(), rollout.ReadOptions{}, func(r *rollout.Record) error {
		if was := records[r.Key()]; was == nil || was.Attempt <= r.Attempt {
			kept := *r
			records[r.Key()] = &kept
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return items, records
}

// compareFields adds the fields that differ, with the first example of each.
func compareFields[T any](lost map[string]string, k rollout.Key, want, got *T, except []string) {
	if got == nil {
		lost["all of it"] = fmt.Sprint(k)
		return
	}
	a, b := reflect.ValueOf(want).Elem(), reflect.ValueOf(got).Elem()
	for i := range a.NumField() {
		field := a.Type().Field(i).Name
		if slices.Contains(except, field) || lost[field] != "" {
			continue
		}
		x, errX := json.Marshal(a.Field(i).Interface())
		y, errY := json.Marshal(b.Field(i).Interface())
		if empty := func(b []byte) bool { return slices.Contains([]string{"null", "[]", "{}"}, string(b)) }; empty(x) && empty(y) {
			continue
		}
		if errX != nil || errY != nil || string(x) != string(y) {
			lost[field] = fmt.Sprintf("%v: %.600s instead of %.600s", k, y, x)
		}
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}
