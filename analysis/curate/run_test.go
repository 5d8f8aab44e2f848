package curate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// folder is a run directory in the making.
type folder struct {
	rollouts, probes, labels []string
	grader                   *rollout.GraderInfo
}

func (f *folder) probe(name string, expect rollout.Expectation, item string, rest string) {
	f.probes = append(f.probes, fmt.Sprintf(`{"item":%q,"split":"train","source":"probe","outcome":"graded","answer":"payload of %s",%s,"probe":{"name":%q,"expect":%q%s}}`,
		item, item, strings.SplitN(rest, "|", 2)[0], name, expect, after(rest)))
}

// after is what a row of probe says of the probe itself.
func after(rest string) string {
	if _, more, ok := strings.Cut(rest, "|"); ok {
		return "," + more
	}
	return ""
}

func (f *folder) open(t *testing.T) *rollout.Run {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, lines []string) {
		if len(lines) > 0 {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("rollouts.jsonl", f.rollouts)
	write("probes.jsonl", f.probes)
	write("labels.jsonl", f.labels)
	manifest, err := json.Marshal(rollout.Manifest{Schema: rollout.ManifestSchema, Source: rollout.Live, Grader: f.grader})
	if err != nil {
		t.Fatal(err)
	}
	write("run.json", []string{string(manifest)})
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func item(id string, split rollout.Split, question string, fields map[string]any) rollout.Item {
	row := map[string]any{"messages": []map[string]string{{"role": "system", "content": "Answer with one number."}, {"role": "user", "content": question}}}
	for name, value := range fields {
		row[name] = value
	}
	b, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	it := rollout.Item{ID: id, Split: split, Row: b}
	if err := it.Decode(); err != nil {
		panic(err)
	}
	return it
}

func sentence(rng *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		for range 2 + rng.IntN(3) {
			b.WriteByte("bcdfghklmnprstvw"[rng.IntN(16)])
			b.WriteByte("aeiou"[rng.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String()) + "?"
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 4)) }

// audited adds a small audit that finds nothing.
func (f *folder) audited(reference float64) *folder {
	for i := range 20 {
		item := fmt.Sprint("q", i)
		f.probe("empty", rollout.Bottom, item, `"reward":0|"limit":0`)
		f.probe("reference", rollout.Top, item, fmt.Sprintf(`"reward":%g|"limit":0.99`, reference))
		f.probe("case", rollout.Top, item, `"reward":1|"limit":0.99`)
	}
	for i := range 100 {
		f.probe("regrade", rollout.Same, fmt.Sprint("q", i), `"reward":0,"grades":[0,0]|"base":{"sample":0,"reward":0}`)
	}
	return f
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not estimated, want %g", what, want)
	} else if math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s = %.12g, want %.12g", what, *got, want)
	}
}
