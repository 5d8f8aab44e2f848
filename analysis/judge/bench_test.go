package judge_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// BenchmarkAnalyze analyses rollouts with traces of 20 KB. The number of
// rollouts is 4,000, or GONOGO_BENCH_ROLLOUTS; 100000 makes a file of 2 GB.
func BenchmarkAnalyze(b *testing.B) {
	n := 4000
	if v, err := strconv.Atoi(os.Getenv("GONOGO_BENCH_ROLLOUTS")); err == nil {
		n = v
	}
	dir := b.TempDir()
	size := writeRollouts(b, filepath.Join(dir, "rollouts.jsonl"), n)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		run, err := rollout.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := judge.Analyze(b.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rollouts/s")
}

// writeRollouts writes n rollouts of 8 samples an item, each with three tool
// calls and about 20 KB of text, and returns the size of the file.
func writeRollouts(b *testing.B, path string, n int) int64 {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	src := rand.New(rand.NewPCG(1, 2))
	text := words(src, 6000)
	for i := range n {
		at := src.IntN(len(text) - 5200)
		output := text[at : at+5000]
		fmt.Fprintf(w, `{"item":"q%d","split":"train","sample":%d,"outcome":"graded","reward":%g,"answer":%q,"turns":4,"elapsed_s":%.2f,`,
			i/8, i%8, float64(src.IntN(5))/4, text[at:at+200], src.ExpFloat64())
		fmt.Fprintf(w, `"usage":{"input_tokens":%d,"output_tokens":%d},"messages":[`, 4000+src.IntN(999), 300+src.IntN(99))
		for turn := range 3 {
			fmt.Fprintf(w, `{"role":"assistant","content":"","tool_calls":[{"id":"c%d","type":"function","function":{"name":"cat","arguments":"{\"id\":%d}"}}]},{"role":"tool","tool_call_id":"c%d","content":%q},`, turn, at+turn, turn, output[:1600])
		}
		fmt.Fprintf(w, `{"role":"assistant","content":%q}],"calls":[`, text[at:at+200])
		for turn := range 3 {
			if turn > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"turn":%d,"id":"c%d","name":"cat","arguments":"{\"id\":%d}","output":%q,"status":"ok","elapsed_s":0.02}`, turn, turn, at+turn, output)
		}
		w.WriteString("]}\n")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func words(src *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		for range 2 + src.IntN(7) {
			b.WriteByte(byte('a' + src.IntN(26)))
		}
		b.WriteByte(" \n\""[src.IntN(20)/9])
	}
	return b.String()
}
