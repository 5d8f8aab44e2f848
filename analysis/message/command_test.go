package message

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// TestWordIsOneWordForAShell has bash read every argument back, where
// there is one.
func TestWordIsOneWordForAShell(t *testing.T) {
	bash, none := exec.LookPath("bash")
	for what, c := range map[string][2]string{
		"a usual id":                {"empty/train/item-017/0", "empty/train/item-017/0"},
		"a space":                   {"a b", "'a b'"},
		"a quote":                   {"it's", `'it'\''s'`},
		"a command":                 {"$(rm -rf ~);`id`", "'$(rm -rf ~);`id`'"},
		"nothing":                   {"", "''"},
		"an escape sequence":        {"a\x1b[2J'b\\", `$'a\x1b[2J\'b\\'`},
		"a line end":                {"a\nb", `$'a\x0ab'`},
		"many spaces":               {"a   b", `$'a \x20 b'`},
		"a direction mark in bytes": {"\u202ea", `$'\xe2\x80\xaea'`},
	} {
		if got := Shell(c[0]); got != c[1] {
			t.Errorf("%s: Shell(%q) = %s, want %s", what, c[0], got, c[1])
		}
		if none != nil {
			continue
		}
		back, err := exec.Command(bash, "-c", "printf %s "+Shell(c[0])).CombinedOutput()
		if err != nil || string(back) != c[0] {
			t.Errorf("%s: bash reads %s as %q (%v)", what, Shell(c[0]), back, err)
		}
	}
}

func TestACommandNamesItsRun(t *testing.T) {
	for what, c := range map[string]struct {
		place Place
		argv  []string
		want  string
	}{
		"no run":                          {Place{}, []string{"gonogo", "audit", Run, "--labels", "FILE"}, "gonogo audit RUN --labels FILE"},
		"a run":                           {Place{Dir: "my run"}, []string{"gonogo", "audit", Run}, "gonogo audit 'my run'"},
		"the next one, with its settings": {Place{Dir: "runs/a/", Config: "b.yaml"}, []string{"gonogo", "grade", Run, "-o", NextRun}, "gonogo grade runs/a/ -c b.yaml -o runs/a-2"},
		"the next one to where one is":    {Place{Dir: "."}, []string{"gonogo", "grade", Run, "-o", NextRun}, "gonogo grade . -o ../RUN-2"},
		"its configuration's file":        {Place{Dir: "a", ConfigFile: "c.yaml"}, []string{"gonogo", "burst", Run}, "gonogo burst a -c c.yaml"},
		"the file of its grader":          {Place{Dir: "a", ConfigFile: "c.yaml", GraderFile: "g.yaml"}, []string{"gonogo", "audit", Run}, "gonogo audit a -c c.yaml --grader g.yaml"},
		"one that asks for neither":       {Place{Dir: "a", ConfigFile: "c.yaml", GraderFile: "g.yaml"}, []string{"gonogo", "view", Run}, "gonogo view a"},
		"another configuration":           {Place{Dir: "a", Config: "b.yaml", ConfigFile: "c.yaml"}, []string{"gonogo", "run", "-o", NextRun}, "gonogo run -c b.yaml -o a-2"},
		"a part of it":                    {Place{Dir: "a"}, []string{"gonogo", "audit", Run + "/variants/x"}, "gonogo audit a/variants/x"},
		"a word that begins alike":        {Place{Dir: "a"}, []string{"gonogo", "audit", "RUNS"}, "gonogo audit RUNS"},
	} {
		said := New("message.test.command", "Try {command}.").With(Args{"command": Command(c.argv...)})
		raw, err := json.Marshal(said)
		var stored Text
		if err == nil {
			err = json.Unmarshal(raw, &stored)
		}
		if got := stored.At(c.place).String(); err != nil || got != "Try "+c.want+"." {
			t.Errorf("%s: %s says %q (%v), want %s", what, raw, got, err, c.want)
		}
	}
}

func TestAnIDIsPlainToSee(t *testing.T) {
	for id, want := range map[string]string{"q1": "q1", "a b": "a b", "a\nb": `"a\nb"`, "a\u202eb": `"a\u202eb"`, "\xff": `"\xff"`} {
		if got := PlainID(id); got != want {
			t.Errorf("PlainID(%q) = %s, want %s", id, got, want)
		}
	}
}
