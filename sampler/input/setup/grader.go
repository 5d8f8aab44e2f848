package setup

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/input/document"
)

// RowsFile and GraderFile are the names under which gonogo.yaml expects the rows and the grader.
const (
	RowsFile   = "promptfoo_rows.jsonl"
	GraderFile = "promptfoo_grader.py"
)

// checker is the grader without the files of Python that it calls.
//
//go:embed grader.py
var checker string

// module keeps the Python file that an assertion calls, FILE.py or FILE.py:NAME, and returns FILE.py:NAME.
func (p *promptfoo) module(name string) (string, error) {
	path, function, named := strings.Cut(name, ":")
	if !named {
		function = "get_assert"
	}
	source, err := p.file(path)
	if err != nil {
		return "", err
	}
	p.modules[path] = string(source)
	return path + ":" + function, nil
}

func (p *promptfoo) source() []byte {
	return bytes.Replace([]byte(checker), []byte("{}"), document.Marshal(p.modules), 1)
}

// rubric is the llm-rubric assertion of a test.
type rubric struct{ weight, others float64 } // others is the sum of the weights of the other assertions

// judgeOf returns the first model that is named.
func judgeOf(named ...any) string {
	for _, v := range named {
		if m, ok := v.(map[string]any); ok {
			v = m["id"]
		}
		if text, ok := v.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// graders returns the grader as YAML: the Python one, a judge, or both, weighted as in every test.
func (p *promptfoo) graders(tests int) (string, error) {
	python := fmt.Sprintf("{type: python, name: checks, file: %s}", GraderFile)
	if len(p.rubrics) == 0 {
		return python, nil
	}
	first := p.rubrics[0]
	alike := !slices.ContainsFunc(p.rubrics, func(r rubric) bool { return r != first })
	vendor, name, _ := strings.Cut(p.judge, ":")
	switch {
	case len(p.rubrics) != tests || !alike:
		return "", fmt.Errorf("%s: a judge grades either every row or none: give each test one llm-rubric of the same "+
			"weight, and others of the same total weight", p.path)
	case vendor != "openai" || name == "":
		return "", fmt.Errorf("%s: name the judge of the llm-rubric assertions under defaultTest.options.provider, as "+
			"openai:chat:MODEL", p.path)
	}
	if kind, model, typed := strings.Cut(name, ":"); typed && (kind == "chat" || kind == "responses") {
		name = model
	}
	p.setup.Notes = append(p.setup.Notes, "the judge of llm-rubric is asked in gonogo's words, not in promptfoo's")
	score := fmt.Sprintf(`{type: score_model, name: rubric, model: %s, range: [0, 1], input: [{role: user, content: %s}]}`,
		document.Quote(name), strconv.Quote("How well does the answer meet the criterion? Give a score from 0 (not at "+
			"all) to 1 (fully).\n\nCriterion: {{item.rubric}}\n\nAnswer: {{sample.output_text}}"))
	if first.others == 0 {
		return score, nil
	}
	return fmt.Sprintf("{type: multi, name: all, calculate_output: \"(checks * %g + rubric * %g) / %g\", graders: "+
		"{checks: %s, rubric: %s}}", first.others, first.weight, first.others+first.weight, python, score), nil
}
