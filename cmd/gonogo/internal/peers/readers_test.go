package peers

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// DuckDB, polars and pandas find the counts and the means that gonogo analyze reports.
func TestReadersFindTheSameMeans(t *testing.T) {
	p := meet(t, "readers")
	run := p.madeRun(400, 40, 2)
	for _, name := range []string{"duckdb", "polars", "pandas"} {
		p.sameMeans(name, run, p.meansBy(name, run))
	}
}

// The same file of 100,000 rollouts of 20 KB is read by gonogo analyze, which does all of its
// statistics, and by DuckDB and polars for the means alone, in turns; and one of 2 KB by gonogo
// analyze and by pandas. docs/performance.md has the table that this prints.
func TestDeepReadersSideBySide(t *testing.T) {
	p := meet(t, "readers")
	if os.Getenv("GONOGO_DEEP") == "" {
		t.Skip("it takes minutes and gigabytes: make bench")
	}
	const turns = 5
	for _, c := range []struct {
		what       string
		evals, kib int
		rivals     []string
	}{
		{"20 KB, without an eval split", 0, 20, []string{"duckdb", "polars"}},
		{"20 KB, 1,250 items in an eval split", 1250, 20, []string{"duckdb", "polars"}},
		{"2 KB, 1,250 items in an eval split", 1250, 2, []string{"duckdb", "polars", "pandas"}},
	} {
		run := p.madeRun(12_500, c.evals, c.kib)
		taken := make(map[string][]cost)
		for range turns {
			began := time.Now()
			cmd := exec.CommandContext(t.Context(), program, "analyze", run, "--json")
			if out, err := cmd.Output(); len(out) == 0 { // a verdict may have any exit code
				t.Fatal(err)
			}
			taken["gonogo"] = append(taken["gonogo"], costOf(cmd, began))
			for _, name := range c.rivals {
				began = time.Now()
				cmd = p.command("python", filepath.Join(p.scripts, "means.py"), name, filepath.Join(run, rollout.RolloutsFile))
				p.output(cmd)
				taken[name] = append(taken[name], costOf(cmd, began))
			}
		}
		for _, name := range append([]string{"gonogo"}, c.rivals...) {
			ratios := make([]float64, turns)
			for i := range ratios {
				ratios[i] = taken["gonogo"][i].wall / taken[name][i].wall
			}
			list := taken[name]
			t.Logf("| %s | %s | %.1f s | %.1f s | %.0f MB | %.2f (%.2f to %.2f) |", c.what, name,
				median(list, cost.seconds), median(list, cost.used), median(list, cost.resident),
				median(ratios, func(x float64) float64 { return x }), slices.Min(ratios), slices.Max(ratios))
		}
		if err := os.RemoveAll(run); err != nil {
			t.Fatal(err)
		}
	}
}

// meansBy returns what a package reads from a run: items, graded rollouts and the mean of each split.
func (p peer) meansBy(name, run string) map[rollout.Split][3]float64 {
	p.Helper()
	return decode[map[rollout.Split][3]float64](p, p.python("means.py", name, filepath.Join(run, rollout.RolloutsFile)))
}

// sameMeans compares what a package read with what gonogo analyze reports.
func (p peer) sameMeans(by, run string, theirs map[rollout.Split][3]float64) {
	p.Helper()
	out, _ := p.gonogo(anyVerdict, "analyze", run, "--json")
	result := decode[struct {
		Splits map[rollout.Split]struct {
			Items  struct{ Measured int }
			Reward struct{ Mean float64 }
		}
	}](p, []byte(out))
	for name, s := range result.Splits {
		got, items := theirs[name], float64(s.Items.Measured)
		if want := s.Reward.Mean; got[0] != items || got[1] != 8*items || math.Abs(got[2]-want) > 1e-12 {
			p.Errorf("%s: %v of %s, want %g items with 8 rollouts and the mean %v", name, got, by, items, want)
		}
	}
	if len(theirs) != len(result.Splits) {
		p.Errorf("%s finds %d splits, want %d", by, len(theirs), len(result.Splits))
	}
}

// madeRun writes a run of items with 8 rollouts each, the last evals of them in the eval split, with
// so many KB of messages and tool outputs in each rollout.
func (p peer) madeRun(items, evals, kib int) string {
	p.Helper()
	dir := p.TempDir()
	src := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 30_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", src.IntN(1_000_000))
	}
	text := func(bytes int) string {
		n := bytes / 7
		at := src.IntN(len(words) - n)
		return strings.Join(words[at:at+n], " ")
	}
	write := func(name string, lines func(w *bufio.Writer)) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			p.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		lines(w)
		if err := w.Flush(); err != nil {
			p.Fatal(err)
		}
		if err := f.Close(); err != nil {
			p.Fatal(err)
		}
	}
	split := func(item int) string {
		if item >= items-evals {
			return "eval"
		}
		return "train"
	}
	write(rollout.ItemsFile, func(w *bufio.Writer) {
		for i := range items {
			fmt.Fprintf(w, `{"id":"q%d","split":%q,"prompt":[{"role":"user","content":%q}],"reference":%q}`+"\n", i, split(i), text(600), text(14))
		}
	})
	write(rollout.RolloutsFile, func(w *bufio.Writer) {
		for i := range items * 8 {
			fmt.Fprintf(w, `{"item":"q%d","split":%q,"sample":%d,"outcome":"graded","reward":%g,"answer":%q,"turns":4,"elapsed_s":%.2f,"usage":{"input_tokens":%d,"output_tokens":%d},"messages":[`,
				i/8, split(i/8), i%8, float64(src.IntN(5))/4, text(200), src.ExpFloat64(), 4000+src.IntN(999), 300+src.IntN(99))
			var calls []string
			for turn := range 3 {
				output := text(kib * 250)
				fmt.Fprintf(w, `{"role":"assistant","content":"","tool_calls":[{"id":"c%d","type":"function","function":{"name":"cat","arguments":"{\"id\":%d}"}}]},{"role":"tool","tool_call_id":"c%d","content":%q},`, turn, i, turn, output[:kib*80])
				calls = append(calls, fmt.Sprintf(`{"turn":%d,"id":"c%d","name":"cat","arguments":"{\"id\":%d}","output":%q,"status":"ok","elapsed_s":0.02}`, turn, turn, i, output))
			}
			fmt.Fprintf(w, `{"role":"assistant","content":%q}],"calls":[%s]}`+"\n", text(200), strings.Join(calls, ","))
		}
	})
	return dir
}
