package setup_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/input/setup"
)

// row is what the tests read of a written row.
type row struct {
	ID        string
	Messages  []struct{ Role, Content string }
	Rubric    string
	Reference string `json:"reference_answer"`
	Assert    []map[string]any
}

func rows(t *testing.T, s *setup.Setup) (out []row) {
	t.Helper()
	for line := range bytes.Lines(s.Files[setup.RowsFile]) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// written writes files in a folder and returns the path of the configuration.
func written(t *testing.T, config string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "promptfooconfig.yaml")
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The grader gives what promptfoo 0.123.1 gave to the same outputs: testdata/scores.json is from its results.json.
func TestTheGraderGivesPromptfoosScores(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	s, err := setup.Read(t.Context(), filepath.Join("testdata", "promptfooconfig.yaml"), "python3")
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join("testdata", "scores.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Output string
		Score  float64
	}
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	call := "\nimport sys\nfor line, want in zip(open(sys.argv[1]), json.load(open(sys.argv[2]))):\n" +
		"    print(repr(grade({'output_text': want['output']}, json.loads(line))))\n"
	rowsFile := filepath.Join(t.TempDir(), setup.RowsFile)
	if err := os.WriteFile(rowsFile, s.Files[setup.RowsFile], 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", string(s.Files[setup.GraderFile])+call, rowsFile, filepath.Join("testdata", "scores.json"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Fields(string(out))
	if len(got) != len(want) || len(got) != len(rows(t, s)) {
		t.Fatalf("%d scores of %d rows, promptfoo has %d\n%s", len(got), len(rows(t, s)), len(want), out)
	}
	for i, w := range want {
		var score float64
		if err := json.Unmarshal([]byte(got[i]), &score); err != nil || math.Abs(score-w.Score) > 1e-12 {
			t.Errorf("row %d: the score of %q is %s, by promptfoo %v", i+1, w.Output, got[i], w.Score)
		}
	}
}

func TestWhatIsTakenOver(t *testing.T) {
	files := map[string]string{
		"chat.json":   `[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{ item.question }}"}]`,
		"tests.csv":   "question,__expected,__expected2,__metadata:from\nWhat is 6*7?,42,\"levenshtein: 43\",a book\n\"Say, a\",\"contains-any: a, b\",,\n",
		"tests.jsonl": `{"vars": {"question": "one"}, "assert": [{"type": "equals", "value": "1"}]}` + "\n" + `{"vars": {"question": "two"}, "assert": [{"type": "icontains", "value": "2"}, {"type": "not-contains", "value": "3"}]}` + "\n",
		"long.txt":    "a long text\n",
		"cases.yaml":  "- vars: {question: 'file://long.txt'}\n  assert: [{type: regex, value: x}]\n",
	}
	for name, c := range map[string]struct {
		config     string
		model      string
		set        map[string]string
		ids, asked []string
		references []string
		notes      string
	}{
		"a chat with settings": {
			"prompts: [file://chat.json]\nproviders: [{id: 'openai:chat:gpt-5-mini', config: {temperature: 0.7, max_tokens: 100, apiBaseUrl: 'http://127.0.0.1:8000/v1'}}]\n" +
				"tests:\n - vars: {item: {question: why}}\n   assert: [{type: equals, value: because}]\n",
			"gpt-5-mini",
			map[string]string{"model.temperature": "0.7", "model.max_output_tokens": "100", "model.base_url": "http://127.0.0.1:8000/v1"},
			[]string{"test-1"},
			[]string{"why"},
			[]string{"because"},
			"",
		},
		"a table": {
			"prompts: ['Q: {{question}}', 'other']\nproviders: openai:responses:o\ntests: file://tests.csv\n",
			"o",
			map[string]string{"model.api": "responses"},
			[]string{"test-1", "test-2"},
			[]string{"Q: What is 6*7?", "Q: Say, a"},
			[]string{"", ""},
			"the first prompt is taken, 1 other is left out",
		},
		"lines and a list in files": {
			"prompts: '{{question}}'\nproviders: [openai:m, anthropic:x, openai:n]\ntests: [file://tests.jsonl, file://cases.yaml]\n",
			"m",
			map[string]string{},
			[]string{"test-1", "test-2", "test-3"},
			[]string{"one", "two", "a long text"},
			[]string{"1", "2", ""},
			"the first provider is taken, 2 others are left out",
		},
		"combinations of variables": {
			"prompts: ['{{a}} {{b}}']\nproviders: [openai:m]\ndefaultTest: {vars: {b: [x, y]}, assert: [{type: contains, value: '{{a}}'}]}\ntests: [{vars: {a: [p, q]}}]\n",
			"m",
			map[string]string{},
			[]string{"test-1", "test-1-2", "test-1-3", "test-1-4"},
			[]string{"p x", "p y", "q x", "q y"},
			[]string{"p", "p", "q", "q"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := setup.Read(t.Context(), written(t, c.config, files), "python3")
			if err != nil {
				t.Fatal(err)
			}
			var ids, asked, references []string
			for _, r := range rows(t, s) {
				ids, asked, references = append(ids, r.ID), append(asked, r.Messages[len(r.Messages)-1].Content), append(references, r.Reference)
			}
			if diff := cmp.Diff([][]string{c.ids, c.asked, c.references}, [][]string{ids, asked, references}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if s.Model != c.model || !maps.Equal(s.Set, c.set) || strings.Join(s.Notes, "; ") != c.notes {
				t.Errorf("model %q, %v, notes %q", s.Model, s.Set, s.Notes)
			}
		})
	}
}

func TestJudgedTests(t *testing.T) {
	const head = "prompts: ['{{a}}']\nproviders: [openai:m]\ndefaultTest: {options: {provider: 'openai:chat:judge'}}\n"
	for name, c := range map[string]struct{ tests, grader, refused string }{
		"alone": {
			"tests: [{vars: {a: x}, assert: [{type: llm-rubric, value: 'polite to {{a}}'}]}]\n",
			`{type: score_model, name: rubric, model: judge,`, "",
		},
		"with checks, by weight": {
			"tests: [{vars: {a: x}, assert: [{type: llm-rubric, value: 'polite to {{a}}', weight: 3}, {type: equals, value: 1}, {type: is-json}]}]\n",
			`calculate_output: "(checks * 2 + rubric * 3) / 5"`, "",
		},
		"in some tests": {
			"tests: [{vars: {a: x}, assert: [{type: llm-rubric, value: p}]}, {vars: {a: x}, assert: [{type: equals, value: 1}]}]\n",
			"", "a judge grades either every row or none",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := setup.Read(t.Context(), written(t, head+c.tests, nil), "python3")
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(t, s)[0].Rubric; !strings.Contains(s.Grader, c.grader) || got != "polite to x" {
				t.Errorf("grader %s, rubric %q", s.Grader, got)
			}
		})
	}
}

// What would make another reward or another question is refused by name.
func TestWhatIsRefused(t *testing.T) {
	const head = "prompts: ['{{a}}']\nproviders: [openai:m]\n"
	many := "[" + strings.Repeat("x, ", 100) + "x]"
	for name, c := range map[string]struct{ config, say string }{
		"an assertion in another language":  {head + "tests: [{vars: {a: x}, assert: [{type: javascript, value: 'true'}, {type: similar, value: y}]}, {vars: {a: x}, assert: [{type: javascript, value: 'true'}]}]", "assertions of type javascript (2); assertions of type similar (1)"},
		"a schema":                          {head + "tests: [{vars: {a: x}, assert: [{type: is-json, value: {type: object}}]}]", "is-json assertions with a transform, a config or a schema (1)"},
		"a test without any":                {head + "tests: [{vars: {a: x}}]", "tests without an assertion that counts (1)"},
		"a changed output":                  {head + "tests: [{vars: {a: x}, options: {transform: output.trim()}, assert: [{type: equals, value: 1}]}]", "the option transform (1)"},
		"a filter":                          {"prompts: ['{{ a | upper }}']\nproviders: [openai:m]\ntests: [{vars: {a: x}, assert: [{type: equals, value: 1}]}]", `test 1: "{{ a | upper }}" in a template is not filled in`},
		"a block":                           {"prompts: ['{% if a %}x{% endif %}']\nproviders: [openai:m]\ntests: [{vars: {a: x}, assert: [{type: equals, value: 1}]}]", "is not carried out"},
		"no value":                          {head + "tests: [{vars: {b: x}, assert: [{type: equals, value: 1}]}]", "test 1: the variable a has no value"},
		"no tests":                          {head, "has no tests"},
		"a generator":                       {head + "tests: {path: 'file://make.py:tests'}", "tests that are made by a generator (1)"},
		"scenarios":                         {head + "scenarios: []\ntests: [{vars: {a: x}, assert: [{type: equals, value: 1}]}]", "scenarios"},
		"a program as prompt":               {"prompts: [file://p.py]\nproviders: [openai:m]\ntests: []", "the prompt file://p.py is a program"},
		"a file that is away":               {head + "tests: file://away.csv", "away.csv"},
		"another tool's":                    {"model: x\n", "is of neither promptfoo (prompts and providers) nor verl"},
		"half a file":                       {head + "tests: [{vars: {a: x", "promptfooconfig.yaml:3"},
		"a type that is wrong":              {head + "tests: [{vars: [a], assert: []}]", "promptfooconfig.yaml:3:9: tests[0]: vars has another type, array"},
		"a judge unnamed":                   {head + "tests: [{vars: {a: x}, assert: [{type: llm-rubric, value: y}]}]", "name the judge"},
		"tests that name themselves":        {head + "tests: file://promptfooconfig.yaml", "a list of tests is read"},
		"a file of tests that names itself": {head + "tests: file://self.yaml", "file://self.yaml names itself as a file of tests"},
		"too many combinations":             {head + "tests: [{vars: {a: &v " + many + ", b: *v, c: *v, d: *v}, assert: [{type: equals, value: 1}]}]", "test 1: the combinations of its variables make more than 100000 rows"},
		"a provider that changes outputs":   {"prompts: ['{{a}}']\nproviders: [{id: openai:m, transform: output.trim()}]\ntests: [{vars: {a: x}, assert: [{type: equals, value: 1}]}]", "a provider's transform (1)"},
		"quotes in a list":                  {head + `tests: [{vars: {a: x}, assert: [{type: contains-any, value: '"a, b", c'}]}]`, "quotes in the text of contains-any"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := setup.Read(t.Context(), written(t, c.config, map[string]string{"self.yaml": "- file://self.yaml\n"}), "python3")
			if err == nil || !strings.Contains(err.Error(), c.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %v, want %q", err, c.say)
			}
		})
	}
}
