package output

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/report/table"
)

func TestTheWayFromAReportToItsRollouts(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("my run", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("javascript:alert(1)", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ run, out, file, link string }{
		{"my run", "my run/report", "my run/rollouts.jsonl", "../rollouts.jsonl"},
		{"my run", "elsewhere/it", "my run/rollouts.jsonl", "../../my%20run/rollouts.jsonl"},
		{"javascript:alert(1)", ".", "javascript:alert(1)", "javascript%3Aalert%281%29"},
	} {
		file, link := Traces(test.run, filepath.FromSlash(test.out))
		if filepath.ToSlash(file) != test.file || link != test.link {
			t.Errorf("%s reported to %s: %s by %s, want %s by %s", test.run, test.out, file, link, test.file, test.link)
		}
	}
}

// A report without texts took a rollout that was made again for a run that was written to
// while it was read.
func TestARolloutMadeAgainIsReportedOnce(t *testing.T) {
	dir := t.TempDir()
	lines := `{"item":"q1","sample":0,"reward":0.5}
{"item":"q1","sample":1,"reward":1}
{"item":"q1","sample":0,"attempt":1,"reward":0.25}
`
	if err := os.WriteFile(filepath.Join(dir, "rollouts.jsonl"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	whole := rolloutsOf(context.Background(), &project.Invocation{}, dir, &analysis.Result{RewardRange: [2]float64{0, 1}})
	for name, all := range map[string]table.Rollouts{"whole": whole, "without texts": withoutTexts(whole)} {
		s, err := table.NewSurvey(all, false, func(collect.Counted) {})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := s.WriteCSV(&out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if rows := strings.Split(strings.TrimSpace(out.String()), "\n"); len(rows) != 3 || !strings.HasPrefix(rows[1], "train,q1,1,0,0,") || !strings.HasPrefix(rows[2], "train,q1,0,0,1,") {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
}
