package judge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
)

// TestTrapsOfReading: what goes wrong between the file and the numbers. The
// reader's own tests say more about each.
func TestTrapsOfReading(t *testing.T) {
	const good = "{\"item\":\"a\",\"sample\":0,\"reward\":1}\n{\"item\":\"b\",\"sample\":0,\"reward\":0}\n"
	tests := []struct {
		trap, text string
		mean       float64
		check      func(t *testing.T, r *analysis.Result)
	}{
		{"a NaN literal is a missing grade", good + `{"item":"c","sample":0,"reward":NaN}` + "\n", 0.5, func(t *testing.T, r *analysis.Result) {
			if len(r.Input.Bad) != 1 || r.Splits[rollout.Train].Missing.Grader != 1 {
				t.Errorf("bad lines %+v, missing %+v", r.Input.Bad, r.Splits[rollout.Train].Missing)
			}
		}},
		{"an Infinity literal is a missing grade", good + `{"item":"c","sample":0,"reward":-Infinity}` + "\n", 0.5, func(t *testing.T, r *analysis.Result) {
			if len(r.Input.Bad) != 1 || r.Splits[rollout.Train].Missing.Grader != 1 {
				t.Errorf("bad lines %+v, missing %+v", r.Input.Bad, r.Splits[rollout.Train].Missing)
			}
		}},
		{"a byte-order mark", "\uFEFF" + good, 0.5, nil},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), 0.5, nil},
		{"a torn last line is no rollout", good + `{"item":"c","sample":0,"rew`, 0.5, func(t *testing.T, r *analysis.Result) {
			if r.Input.Torn != 1 || r.Splits[rollout.Train].Items.Sampled != 2 {
				t.Errorf("torn %d, items %+v", r.Input.Torn, r.Splits[rollout.Train].Items)
			}
		}},
		{"a line twice counts once", good + `{"item":"a","sample":0,"reward":1}` + "\n", 0.5, func(t *testing.T, r *analysis.Result) {
			if r.Input.Duplicates != 1 || r.Splits[rollout.Train].Reward.N != 2 {
				t.Errorf("duplicates %d, n %d", r.Input.Duplicates, r.Splits[rollout.Train].Reward.N)
			}
		}},
		{"a reward of null is no zero", good + `{"item":"a","sample":1,"reward":null}` + "\n", 0.5, nil},
	}
	for _, test := range tests {
		t.Run(test.trap, func(t *testing.T) {
			r, err := analyzeText(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "mean", r.Splits[rollout.Train].Reward.Mean, test.mean)
			if test.check != nil {
				test.check(t, r)
			}
			encode(t, r) // JSON refuses what is not a number
		})
	}
	for trap, text := range map[string]string{
		"two rewards of one sample":  good + `{"item":"a","sample":0,"reward":0}` + "\n",
		"7 and \"7\" as ids":         "{\"item\":7,\"reward\":1}\n{\"item\":\"7\",\"reward\":0}\n",
		"a reward past all numbers":  good + `{"item":"c","reward":1e999}` + "\n",
		"a reward outside the range": good + `{"item":"c","reward":1e308}` + "\n",
	} {
		t.Run(trap, func(t *testing.T) {
			if r, err := analyzeText(t, text); err == nil {
				t.Errorf("read with the mean %v", *r.Splits[rollout.Train].Reward.Mean)
			}
		})
	}
}

// analyzeText analyses a file of rollouts as it stands, byte by byte.
func analyzeText(t *testing.T, text string) (*analysis.Result, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return judge.Analyze(t.Context(), run, rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
}
