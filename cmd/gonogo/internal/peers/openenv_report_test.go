package peers

import (
	"path/filepath"
	"strings"
	"testing"
)

// OpenEnv's own ValidationReport reads the report of three worlds, and its policy gives each the verdict
// that it has.
func TestOpenEnvReadsTheReport(t *testing.T) {
	p := meet(t, "openenv-report")
	dir := t.TempDir()
	var files []string
	for _, world := range []string{"healthy", "dead", "hackable"} {
		run, out := filepath.Join(dir, world), filepath.Join(dir, world+"-report")
		p.gonogo(anyVerdict, "demo", "--world", world, "-o", run)
		p.gonogo(anyVerdict, "report", run, "--format", "openenv", "-o", out)
		files = append(files, filepath.Join(out, "openenv.json"))
	}
	for line := range strings.Lines(string(p.python("validate.py", files...))) {
		got := decode[struct {
			File, Ours, Theirs string
			Checks             map[string]string
		}](p, []byte(line))
		if got.Ours != got.Theirs || len(got.Checks) != 7 {
			t.Errorf("%s: %s, and OpenEnv says %s: %v", got.File, got.Ours, got.Theirs, got.Checks)
		}
	}
	recorded := read(t, filepath.Join("..", "..", "..", "..", "report", "testdata", "openenv-0.10.0.json"))
	if printed := p.python("validate.py"); string(printed) != string(recorded) {
		t.Errorf("its schema is\n%s", printed)
	}
}
