package reporttest

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var update = flag.Bool("update", false, "simulate the runs again and freeze what package analysis says of them")

// world is a simulated run.
type world struct {
	name       string
	verdict    analysis.Verdict
	items      map[rollout.Split]int
	samples    int
	settings   func(*analysis.Settings)
	difficulty func(r *rand.Rand) float64 // chance of each of a rollout's three steps
	reward     func(steps int) float64
	missing    float64
	own        float64
	manifest   func(*rollout.Manifest)
	id         func(i int) string
	tools      []string
	cause      string
	tail       string // appended to rollouts.jsonl
	audit      bool   // its grader was put to probes and people
}

func steps(k int) float64 { return float64(k) / 4 }

func worlds() []world {
	uniform := func(lo, hi float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return lo + (hi-lo)*r.Float64() }
	}
	both := map[rollout.Split]int{rollout.Train: 60, rollout.Eval: 30}
	return []world{
		{name: "go", verdict: analysis.Go, items: map[rollout.Split]int{rollout.Train: 120, rollout.Eval: 60}, samples: 8, difficulty: uniform(0.02, 1), own: 0.01},
		{name: "cautious", verdict: analysis.Go, items: both, samples: 8, difficulty: func(r *rand.Rand) float64 {
			if r.Float64() < 0.72 {
				return 1
			}
			return 0.3 + 0.4*r.Float64()
		}, missing: 0.03, own: 0.02},
		{name: "dead", verdict: analysis.NoGo, items: both, samples: 8, difficulty: uniform(0, 0.00001), settings: func(s *analysis.Settings) { s.BatchSize, s.Epochs = 8, 1 }},
		{name: "tiny", verdict: analysis.Undecided, items: map[rollout.Split]int{rollout.Train: 6}, samples: 3, difficulty: uniform(0.1, 0.9)},
		{name: "one_item", verdict: analysis.Undecided, items: map[rollout.Split]int{rollout.Train: 1}, samples: 1, difficulty: uniform(0.5, 0.6)},
		{name: "all_missing", verdict: analysis.NoGo, items: map[rollout.Split]int{rollout.Train: 30}, samples: 4, difficulty: uniform(0, 1), missing: 1},
		{
			name: "negative", verdict: analysis.Go, items: both, samples: 8, difficulty: uniform(0, 1), reward: func(k int) float64 { return float64(k)*0.875 - 1 },
			settings: func(s *analysis.Settings) { s.RewardRange = stat.Range{Lo: -1, Hi: 2.5} },
		},
		{
			name: "hostile", verdict: analysis.Go, items: both, samples: 8, difficulty: uniform(0, 1), missing: 0.04, own: 0.05,
			id: func(i int) string { return fmt.Sprintf(hostile[i%len(hostile)], i) }, tools: hostileTools, cause: hostile[0] + "\x1b[2J\r\n" + hostile[3],
			manifest: func(m *rollout.Manifest) {
				m.Name, m.Model = "</title><script>alert(1)</script> \x1b[31m报告", "model`|*_\u202e</style>"
				m.Choices = map[string]string{"a|b": "</script><img src=x onerror=alert(1)>"}
			}, tail: `{"item":"nan","reward":NaN}` + "\n" + `{"item":"torn","rew`,
		},
		{name: "audited", verdict: analysis.NoGo, items: both, samples: 8, difficulty: uniform(0, 1), missing: 0.02, audit: true},
		{name: "eval_only", verdict: analysis.Go, items: map[rollout.Split]int{rollout.Eval: 60}, samples: 4, difficulty: uniform(0, 1)},
		{name: "beyond", verdict: analysis.Go, items: both, samples: 4, difficulty: uniform(0, 1), settings: func(s *analysis.Settings) { s.GroupSize = 16 }},
	}
}

// hostile holds ids that have broken pictures and pages.
var hostile = []string{
	"</script><script>alert(%d)</script>", "`code` | pipe | *star* _%d_ [x](javascript:alert(1))", "中文标识符-%d-日本語", "👩‍👩‍👧 emoji %d 🎉",
	"esc \x1b[31mred\x1b[0m bell\a %d", "line\nbreak\ttab %d", "rtl \u202egnp.%d", "very-long-%d-" + long, "@someone #%d http://example.com www.example.com", "<img src=x onerror=alert(%d)>",
	"{{.Verdict}} %d", "\"quotes' & ampersand %d",
}

const long = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789"

var hostileTools = []string{"</script>", "搜索\x1b[2J", "a|b`c"}

func TestResults(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			if *update {
				freeze(t, w)
				return
			}
			if got := Load(t, w.name).Verdict; got != w.verdict {
				t.Errorf("verdict is %s, want %s", got, w.verdict)
			}
		})
	}
	if *update {
		return // what was embedded when this test was built is out of date
	}
	if got := len(Load(t, "large").Splits[rollout.Train].Classes.Items); got != 5000 {
		t.Errorf("large has %d items, want 5000", got)
	}
}

func freeze(t *testing.T, w world) {
	dir := t.TempDir()
	w.write(t, dir)
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := analysis.DefaultSettings()
	if w.settings != nil {
		w.settings(&s)
	}
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != w.verdict {
		t.Errorf("verdict is %s, want %s", r.Verdict, w.verdict)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("results", w.name+".json"), append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w world) write(t *testing.T, dir string) {
	rnd := rand.New(rand.NewPCG(7, uint64(len(w.name))))
	var records []*rollout.Record
	m := &rollout.Manifest{
		Schema: rollout.ManifestSchema, ID: "3f9c", Name: "support-agent-v3", ToolVersion: "1.2.0", Source: rollout.Live, Seed: 42, Model: "model-x",
		Planned: &rollout.Planned{Samples: map[rollout.Split]int{}, Items: map[rollout.Split]int{}, MaxCalls: 8},
		Started: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Ended: time.Date(2026, 11, 20, 9, 41, 7, 0, time.UTC),
		Choices: map[string]string{"grader input": "the last assistant message"},
	}
	for _, split := range rollout.Splits() {
		n := w.items[split]
		if n == 0 {
			continue
		}
		m.Data = append(m.Data, rollout.Data{Split: split, File: string(split) + ".jsonl", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Rows: n * 4, Items: n})
		m.Planned.Samples[split], m.Planned.Items[split] = w.samples, n
		for i := range n {
			p := w.difficulty(rnd)
			for k := range w.samples {
				records = append(records, w.record(rnd, split, i, k, p))
			}
		}
	}
	if w.manifest != nil {
		w.manifest(m)
	}
	if w.audit {
		writeLines(t, dir, rollout.ProbesFile, w.audited(rnd, m, records))
		writeLines(t, dir, rollout.LabelsFile, labels(rnd, records))
	}
	writeLines(t, dir, "rollouts.jsonl", records)
	writeLines(t, dir, "run.json", []*rollout.Manifest{m})
	if w.tail != "" {
		f, err := os.OpenFile(filepath.Join(dir, "rollouts.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(w.tail); err != nil {
			t.Fatal(err)
		}
	}
}

// record is one rollout: three steps of search, read and reckon, each of
// which succeeds with chance p and earns a part of the reward.
func (w world) record(rnd *rand.Rand, split rollout.Split, i, k int, p float64) *rollout.Record {
	rec := &rollout.Record{Item: fmt.Sprintf("%s-%03d", split, i), Split: split, Sample: k, Source: rollout.Live, Outcome: rollout.Graded}
	if w.id != nil {
		rec.Item = string(split) + " " + w.id(i)
	}
	tools := w.tools
	if tools == nil {
		tools = []string{"search", "list", "cat"}
	}
	calls := 1 + int(math.Round(rnd.ExpFloat64()*2))
	for c := range min(calls, 8) {
		rec.Calls = append(rec.Calls, rollout.Call{Turn: c, Name: tools[rnd.IntN(len(tools))], Arguments: fmt.Sprintf(`{"q":%d}`, rnd.IntN(50)), Status: rollout.CallOK, OutputBytes: 400 + rnd.IntN(3000), Elapsed: rollout.Seconds(time.Duration(20+rnd.IntN(60)) * time.Millisecond)})
	}
	rec.Turns = len(rec.Calls) + 1
	rec.Elapsed = rollout.Seconds(time.Duration(1+len(rec.Calls)) * time.Second)
	in, out := int64(900+300*len(rec.Calls)), int64(80+rnd.IntN(200))
	rec.Usage = rollout.Usage{Input: &in, Output: &out}
	if x := rnd.Float64(); x < w.missing {
		rec.Outcome = []rollout.Outcome{rollout.ModelAPI, rollout.ToolFailed, rollout.ToolFailed, rollout.GraderFailed}[rnd.IntN(4)]
		rec.Error = "503 service unavailable after 3 tries"
		if w.cause != "" {
			rec.Error = w.cause
		}
		return rec
	} else if x < w.missing+w.own {
		rec.Outcome, rec.Error = rollout.NoAnswer, "the answer was cut off"
		if rnd.IntN(2) == 0 {
			rec.Outcome, rec.Error = rollout.StepLimit, "8 tool calls used up"
		}
		return rec
	}
	done := 0
	for range 4 {
		if rnd.Float64() >= math.Pow(p, 0.6) {
			break
		}
		done++
	}
	reward := steps(done)
	if w.reward != nil {
		reward = w.reward(done)
	}
	rec.Reward = &reward
	rec.Answer = fmt.Sprint(rnd.IntN(1000))
	return rec
}
