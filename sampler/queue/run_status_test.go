package queue_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// A run that nobody makes any more had the rate of all the time since it ended, and its
// tokens lacked those of a judge.
func TestAFinishedRunKeepsItsRate(t *testing.T) {
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		pause time.Duration // before its second half
		rate  float64
		told  string
	}{
		{"made at once", 0, 12, "while it ran"},
		{"resumed the next day", 24 * time.Hour, 12, "its last 50s"},
	} {
		var lines strings.Builder
		for i := range 20 { // one every 5 s
			at := begin.Add(time.Duration(i) * 5 * time.Second)
			if i >= 10 {
				at = at.Add(test.pause)
			}
			fmt.Fprintf(&lines, `{"item":"q%d","reward":1,"turns":1,"usage":{"input_tokens":70,"output_tokens":30},"judge_calls":1,"judge":{"input_tokens":40,"output_tokens":10},"started_at":%q,"elapsed_s":5}`+"\n", i, at.Format(time.RFC3339))
		}
		dir := t.TempDir()
		for file, text := range map[string]string{
			rollout.ManifestFile: fmt.Sprintf(`{"schema":%q,"id":"r","source":"live","started_at":%q,"planned":{"samples":{"train":2},"items":{"train":20}}}`, rollout.ManifestSchema, begin.Format(time.RFC3339)),
			rollout.RolloutsFile: lines.String(),
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		run, err := rollout.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := queue.ReadRun(context.Background(), dir, run, func(*rollout.Record) (float64, bool) { return 0, false })
		if err != nil || math.Abs(s.PerMinute-test.rate) > 1e-9 || s.Told != test.told || s.Tokens != 20*150 || s.ETA != nil {
			t.Errorf("%s: %v/min %s, %d tokens, %v left, error %v", test.name, s.PerMinute, s.Told, s.Tokens, s.ETA, err)
		}
	}
}
