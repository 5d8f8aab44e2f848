package peers

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// limits are the texts of limits in records, with the type that Inspect has for each
// (EvalSampleLimitType of inspect_ai/log/_log.py).
var limits = map[string]string{
	"message limit of 12": "message", "token limit of 5000": "token", "time limit of 60": "time",
	"working limit of 30": "working", "context limit of 8192": "context", "turn limit of 4": "turn",
	"cost limit of 1.5": "cost", "custom limit of 3": "custom", "max_steps of 8 reached": "custom",
	"max_tool_calls of 3 reached": "custom", "max_turns_reached": "turn", "max_total_tokens": "token",
	"AgentTimeoutError": "time", "exit_cost": "cost", "ContextWindowExceededError": "context",
}

// unequalRun imports a run whose items have unequal numbers of grades, with every outcome, every
// limit and sub-scores, and returns its folder.
func (p peer) unequalRun() string {
	p.Helper()
	var lines strings.Builder
	add := func(item string, sample int, rest string) {
		fmt.Fprintf(&lines, `{"item":%q,"split":"eval","sample":%d,"source":"live",%s}`+"\n", item, sample, rest)
	}
	for i := range 4 {
		add("easy", i, `"outcome":"graded","reward":1,"parts":{"style":0.5,"right":1},"answer":"five","turns":1,"messages":[{"role":"assistant","content":"five"}],"usage":{"input_tokens":20,"output_tokens":7,"cached_tokens":5}`)
	}
	add("hard", 0, `"outcome":"graded","reward":0.25,"parts":{"style":0.25},"answer":"six","turns":1,"finish":"length","messages":[{"role":"assistant","content":"six"}]`)
	add("hard", 1, `"outcome":"model_api","error":"503"`)
	add("hard", 2, `"outcome":"tool","error":"search: 503"`)
	add("hard", 3, `"outcome":"grader","error":"no verdict","error_kind":"verdict","answer":"six","turns":1,"messages":[{"role":"assistant","content":"six"}]`)
	add("hard", 4, `"outcome":"no_answer","error":"the answer is empty"`)
	add("hard", 5, `"outcome":"prompt_too_long","error":"maximum context length is 10 tokens"`)
	for i, text := range slices.Sorted(maps.Keys(limits)) {
		reward := ""
		if i%2 == 0 {
			reward = `,"reward":0.5`
		}
		add("limited", i, fmt.Sprintf(`"outcome":"step_limit","error":%q%s,"turns":1,"calls":[],"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{\"q\": 1}"}}]}]`, text, reward))
	}
	dir := p.TempDir()
	file, run := filepath.Join(dir, "lines.jsonl"), filepath.Join(dir, "run")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		p.Fatal(err)
	}
	p.gonogo(0, "import", file, "-o", run)
	return run
}

// sameRecords compares the rollouts of a split with those of an import, but for the fields that no
// log holds (see docs/import.md).
func (p peer) sameRecords(run string, split rollout.Split, logs ...string) {
	p.Helper()
	want := p.records(run)
	got, said := p.imported(logs...)
	n := 0
	for k, r := range want {
		if k.Split != split {
			continue
		}
		n++
		is := got[k]
		if is == nil {
			p.Fatalf("%v is not read back:\n%s", k, said)
		}
		a, b := plainRecord(r), plainRecord(is)
		for _, field := range slices.Sorted(maps.Keys(a)) {
			if !reflect.DeepEqual(a[field], b[field]) {
				p.Errorf("%v: %s is %v, want %v", k, field, b[field], a[field])
			}
		}
		for field := range b {
			if _, has := a[field]; !has {
				p.Errorf("%v: %s is %v, want none", k, field, b[field])
			}
		}
	}
	if n == 0 || len(got) != n {
		p.Errorf("%d rollouts are read back, want %d", len(got), n)
	}
}

// plainRecord returns a record as JSON without the fields that no log holds.
func plainRecord(r *rollout.Record) (m map[string]any) {
	kept := *r
	kept.Attempt, kept.Source = 0, ""
	text, err := json.Marshal(kept)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		panic(err)
	}
	return m
}

// nearly reports whether two values of JSON differ by the rounding of numbers alone.
func nearly(a, b any) bool {
	switch a := a.(type) {
	case float64:
		f, ok := b.(float64)
		return ok && near(a, f)
	case []any:
		list, ok := b.([]any)
		return ok && slices.EqualFunc(a, list, nearly)
	case map[string]any:
		object, ok := b.(map[string]any)
		if !ok || len(a) != len(object) {
			return false
		}
		for key, value := range a {
			if other, has := object[key]; !has || !nearly(value, other) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// The header of an exported log states what Inspect computes from its samples, each limit has
// Inspect's own type, and the log is imported as the same records, also after Inspect wrote it.
func TestInspectComputesOurResults(t *testing.T) {
	p := meet(t, "inspect")
	dir := t.TempDir()
	world := filepath.Join(dir, "world")
	p.gonogo(3, "demo", "--world", "broken", "-o", world, "--seed", "7", "--no-audit", "--samples", "4", "--set", "items=12")
	unequal := p.unequalRun()
	runs := map[string]struct {
		run   string
		split rollout.Split
	}{
		filepath.Join(dir, "world.eval"): {world, rollout.Train}, filepath.Join(dir, "unequal.eval"): {unequal, rollout.Eval},
	}
	for log, r := range runs {
		p.gonogo(0, "export", r.run, "--format", "inspect", "--split", string(r.split), "-o", log)
	}
	type results struct {
		Results    map[string]any
		Reductions map[string]map[string]any
	}
	read := decode[map[string]struct {
		Stated, Computed results
		Limits           map[string]string
		Again            string
	}](p, p.python("recompute.py", append([]string{dir}, slices.Sorted(maps.Keys(runs))...)...))
	for log, r := range runs {
		theirs := read[log]
		if a, b := any(theirs.Stated.Results), any(theirs.Computed.Results); !nearly(a, b) {
			t.Errorf("%s states %v, Inspect computes %v", log, a, b)
		}
		for name, scores := range theirs.Computed.Reductions {
			ours := theirs.Stated.Reductions[name]
			if len(ours) != len(scores) || len(scores) == 0 {
				t.Errorf("%s: %d items are reduced by %s, by Inspect %d", log, len(ours), name, len(scores))
			}
			for id, score := range scores {
				if !nearly(ours[id], score) {
					t.Errorf("%s: %s of item %s is %v, by Inspect %v", log, name, id, ours[id], score)
				}
			}
		}
		p.sameRecords(r.run, r.split, log)
		p.sameRecords(r.run, r.split, theirs.Again)
	}
	for k, r := range p.records(unequal) {
		if r.Outcome != rollout.StepLimit {
			continue
		}
		if got := read[filepath.Join(dir, "unequal.eval")].Limits[fmt.Sprintf("%s %d", k.Item, k.Sample+1)]; got != limits[r.Error] {
			t.Errorf("%q has the type %q, want %q", r.Error, got, limits[r.Error])
		}
	}
}

// What gonogo exports is read by verifiers' own loader, and imported as the same records, also after
// verifiers wrote it.
func TestVerifiersReadsOurExport(t *testing.T) {
	p := meet(t, "verifiers")
	dir := t.TempDir()
	world := filepath.Join(dir, "world")
	p.gonogo(3, "demo", "--world", "broken", "-o", world, "--seed", "7", "--no-audit", "--samples", "4", "--set", "items=12")
	for name, r := range map[string]struct {
		run   string
		split rollout.Split
	}{"world": {world, rollout.Train}, "unequal": {p.unequalRun(), rollout.Eval}} {
		out, again := filepath.Join(dir, "out-"+name), filepath.Join(dir, "again-"+name, "traces.jsonl")
		p.gonogo(0, "export", r.run, "--format", "verifiers", "--split", string(r.split), "-o", out)
		if err := os.Mkdir(filepath.Dir(again), 0o700); err != nil {
			t.Fatal(err)
		}
		traces := filepath.Join(out, "traces.jsonl")
		theirs := decode[struct {
			Mean   float64
			Traces []struct {
				verified
				Reward    *float64
				Turns     int
				Truncated bool
				Stop      string
			}
		}](p, p.python("rewrite.py", traces, again))
		ours := p.ordered(r.run, r.split)
		if len(theirs.Traces) != len(ours) {
			t.Fatalf("%s: verifiers reads %d traces of %d rollouts", name, len(theirs.Traces), len(ours))
		}
		sum, n := 0.0, 0
		for i, rec := range ours {
			s := theirs.Traces[i]
			score, scored := rec.Score(0)
			if scored {
				sum, n = sum+score, n+1
			}
			if s.Task != rec.Item || s.OK != scored || (s.Reward != nil) != scored || scored && *s.Reward != score {
				t.Errorf("%s: %s is %+v, want %v, scored %v", name, rec.Item, s, score, scored)
			}
			if (len(s.Errors) > 0) == scored || rec.Outcome == rollout.ModelAPI && s.Errors[0] != "ProviderError" {
				t.Errorf("%s: %s has the errors %v of outcome %s", name, rec.Item, s.Errors, rec.Outcome)
			}
			asked, turns := 0, 0
			for _, m := range rec.Messages {
				asked += len(m.ToolCalls)
				if m.Role == "assistant" {
					turns++
				}
			}
			if len(s.Tools) != asked || s.Turns != turns || rec.Usage.Output != nil && s.OutputTokens != *rec.Usage.Output {
				t.Errorf("%s: %s has %d calls in %d turns and %d tokens, want %d in %d: %+v", name, rec.Item, len(s.Tools), s.Turns, s.OutputTokens, asked, turns, rec.Usage)
			}
			for part, score := range rec.Parts {
				if got := s.Metrics[part]; got == nil || *got != score {
					t.Errorf("%s: metric %s of %s is %v, want %v", name, part, rec.Item, got, score)
				}
			}
			if rec.Finish == rollout.FinishLength && !s.Truncated {
				t.Errorf("%s: %s was cut off, and is not truncated", name, rec.Item)
			}
		}
		if !near(theirs.Mean, sum/float64(n)) {
			t.Errorf("%s: the mean is %v, want %v", name, theirs.Mean, sum/float64(n))
		}
		p.sameRecords(r.run, r.split, traces)
		p.sameRecords(r.run, r.split, again)
	}
}

func (p peer) ordered(dir string, split rollout.Split) []*rollout.Record {
	p.Helper()
	all := p.records(dir)
	list := slices.DeleteFunc(slices.Collect(maps.Values(all)), func(r *rollout.Record) bool { return r.Split != split })
	slices.SortFunc(list, func(a, b *rollout.Record) int { return a.Line - b.Line })
	return list
}
