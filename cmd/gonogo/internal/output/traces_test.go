package output

import (
	"os"
	"path/filepath"
	"testing"
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
