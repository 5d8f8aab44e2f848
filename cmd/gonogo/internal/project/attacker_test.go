package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/audit"
)

// second loads the attacker with a second grader.
func second(t *testing.T, definition string) (*Project, error) {
	t.Helper()
	p := tinyProject(t)
	file := filepath.Join(t.TempDir(), "second.json")
	if err := os.WriteFile(file, []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Config.Audit.Attacker = audit.AttackerSettings{Model: "bold", Grader: file}
	p.Config.RewardRange = &[2]float64{-1, 3}
	var err error
	p.Audit.Attacker, err = loadAttacker(p)
	return p, err
}

func TestTheSecretsOfASecondGraderAreMasked(t *testing.T) {
	t.Setenv("SECOND_KEY", "sesame-4712")
	p, err := second(t, `{"type": "endpoint", "name": "second", "url": "http://127.0.0.1:1/grade?token=sesame-4711",
		"headers": {"Authorization": "Bearer ${SECOND_KEY}"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Redact.String("sesame-4711 and sesame-4712"); strings.Contains(text, "sesame") {
		t.Errorf("shown is %q", text)
	}
	want := Endpoint{"audit.attacker.grader", "http://127.0.0.1:1/grade?token=sesame-4711"}
	if !slices.Contains(p.GradingEndpoints(), want) {
		t.Errorf("the endpoints of grading are %v", p.GradingEndpoints())
	}
	if a := p.Audit.Attacker; a.Range != [2]float64{-1, 3} || *a.Most != 1 {
		t.Errorf("a grader that declares no range has %v and is right above %v, want the run's", a.Range, *a.Most)
	}
}

func TestASecondGraderGradesByItself(t *testing.T) {
	for why, definition := range map[string]string{
		"compares the outputs": `{"type": "trl", "name": "g", "functions": ["reward"], "group": 2, "source": "def reward(completions, **kw):\n    return [0.0] * len(completions)\n"}`,
		"reads {{session.url}": `{"type": "endpoint", "name": "g", "url": "http://127.0.0.1:1/{{session.url}}"}`,
	} {
		if _, err := second(t, definition); err == nil || !strings.Contains(err.Error(), "audit.attacker.grader") ||
			!strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}
