package main

import (
	"bytes"
	"maps"
	"os"
	"strings"
	"testing"
)

// A user at a terminal says what there is, and init gets the flags for it.
func TestInitAsksWhatYouHave(t *testing.T) {
	for name, c := range map[string]struct {
		answers string
		model   string // given by a flag
		flags   map[string]string
		said    string
		refused bool
	}{
		"rows and rewards, a file by its proposal": {"1\n\nmy_rewards.py\ntiny\n", "", map[string]string{"train": "train.jsonl", "reward": "my_rewards.py", "model": "tiny"}, "the file of training rows [train.jsonl]: ", false},
		"a script":                    {"2\ntrl.py\n", "", map[string]string{"from": "trl.py"}, "", false},
		"a job":                       {"3\njob.yaml\nrows.jsonl\n", "", map[string]string{"job": "job.yaml", "train": "rows.jsonl"}, "", false},
		"an agent":                    {"4\nr.jsonl\nr.py\npython3 a.py\nm\n", "", map[string]string{"train": "r.jsonl", "reward": "r.py", "agent": "python3 a.py", "model": "m"}, "", false},
		"rows with a model by a flag": {"1\nr.jsonl\nr.py\n", "m", map[string]string{"train": "r.jsonl", "reward": "r.py"}, "", false},
		"logs":                        {"5\n", "", map[string]string{}, "gonogo import LOG -o my-run", false},
		"a wrong number, first":       {"7\nx\n5\n", "", map[string]string{}, "1 to 5: 1 to 5: 1 to 5: ", false},
		"an empty answer, first":      {"2\n\n\nf.py\n", "", map[string]string{"from": "f.py"}, "its file: its file: its file: ", false},
		"no answer":                   {"1\n\n", "", map[string]string{"train": "train.jsonl"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("train.jsonl", nil, 0o666); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			flags := map[string]string{}
			going, err := askWhat(strings.NewReader(c.answers), &out, c.model, func(flag, value string) error {
				flags[flag] = value
				return nil
			})
			if (err != nil) != c.refused || !maps.Equal(flags, c.flags) || !strings.Contains(out.String(), c.said) || going != (len(c.flags) > 0 && !c.refused) {
				t.Errorf("%v, going on %v, flags %v\n%s", err, going, flags, out.String())
			}
		})
	}
}
