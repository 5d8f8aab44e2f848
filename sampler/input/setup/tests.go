package setup

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
)

// tests reads a list of tests, each here or in a file, or the name of a file of tests.
func (p *promptfoo) tests(n *document.Node) ([]testCase, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.Kind == document.Text:
		return p.testFile(n.Text)
	case n.Kind != document.List:
		p.refused["tests that are made by a generator"]++
		return nil, nil
	}
	var out []testCase
	for i, item := range n.Items {
		if item.Kind == document.Text {
			more, err := p.testFile(item.Text)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		var t testCase
		if err := p.decode(item, fmt.Sprintf("tests[%d]", i), &t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (p *promptfoo) testFile(name string) ([]testCase, error) {
	if slices.Contains(p.open, name) {
		return nil, fmt.Errorf("%s: tests: %s names itself as a file of tests", p.path, name)
	}
	p.open = append(p.open, name)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	body, err := p.data(name)
	if err != nil {
		return nil, fmt.Errorf("%s: tests: %w", p.path, err)
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		out, err := csvTests(body)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return out, err
	case ".jsonl":
		var out []testCase
		for line := range bytes.Lines(body) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var t testCase
			if err := jsontext.Unmarshal(line, &t); err != nil {
				return nil, fmt.Errorf("%s: test %d: %w", name, len(out)+1, err)
			}
			out = append(out, t)
		}
		return out, nil
	}
	n, err := document.Parse(name, body)
	if err != nil {
		return nil, err
	}
	if n.Kind != document.List {
		return nil, fmt.Errorf("%s: a list of tests is read, not %s", name, n.Kind)
	}
	return p.tests(n)
}

// csvTests reads a table: a column is a variable, or with the name __expected an assertion.
func csvTests(body []byte) ([]testCase, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("read the head of the table: %w", err)
	}
	var out []testCase
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		t := testCase{Vars: make(map[string]any)}
		for i, name := range head {
			switch {
			case !strings.HasPrefix(name, "__"):
				t.Vars[name] = cells[i]
			case strings.HasPrefix(name, "__expected") && strings.TrimSpace(cells[i]) != "":
				t.Assert = append(t.Assert, expected(strings.TrimSpace(cells[i])))
			case name == "__description", name == "__metric", name == "__threshold",
				strings.HasPrefix(name, "__metadata"), strings.HasPrefix(name, "__expected"):
			default:
				return nil, fmt.Errorf("the column %s has no counterpart", name)
			}
		}
		out = append(out, t)
	}
}

// written matches an assertion in a cell: its type, a threshold and its value.
var written = regexp.MustCompile(`^(not-)?([a-z][a-z-]*)(?:\(([0-9.]+)\))?(?::|$)`)

// expected reads a cell of a column __expected (promptfoo, src/csv.ts).
func expected(cell string) assertion {
	for short, kind := range map[string]string{
		"python:": "python", "javascript:": "javascript", "fn:": "javascript", "eval:": "javascript", "grade:": "llm-rubric",
		"file://": "javascript",
	} {
		if rest, ok := strings.CutPrefix(cell, short); ok {
			return assertion{Type: kind, Value: strings.TrimSpace(rest)}
		}
	}
	m := written.FindStringSubmatch(cell)
	if m == nil || m[2] != "llm-rubric" && m[2] != "similar" && !slices.Contains(checks, m[2]) {
		return assertion{Type: "equals", Value: cell}
	}
	a := assertion{Type: m[1] + m[2]}
	if rest := strings.TrimSpace(cell[len(m[0]):]); rest != "" {
		a.Value = rest
	}
	threshold, err := strconv.ParseFloat(m[3], 64)
	if err != nil && m[2] == "levenshtein" {
		threshold, err = 0.75, nil // promptfoo's default in a table; 5 elsewhere
	}
	if err == nil {
		a.Threshold = &threshold
	}
	return a
}

// variable matches a template of Nunjucks that is only a variable.
var variable = regexp.MustCompile(`\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)*)\s*-?\}\}`)

// render fills variables into a text. Whatever else a template may hold is an error: left as it is, the model
// would be asked something else.
func render(text string, vars map[string]any) (string, error) {
	var missing error
	out := variable.ReplaceAllStringFunc(text, func(found string) string {
		path := strings.Split(variable.FindStringSubmatch(found)[1], ".")
		var v any = vars
		for _, step := range path {
			switch at := v.(type) {
			case map[string]any:
				v = at[step]
			case []any:
				i, err := strconv.Atoi(step)
				if v = nil; err == nil && i < len(at) {
					v = at[i]
				}
			default:
				v = nil
			}
		}
		switch v := v.(type) {
		case nil:
			if missing == nil {
				missing = fmt.Errorf("the variable %s has no value", strings.Join(path, "."))
			}
			return ""
		case string:
			return v
		default:
			return string(document.Marshal(v))
		}
	})
	if missing != nil {
		return "", missing
	}
	rest := variable.ReplaceAllString(text, "")
	if i := strings.Index(rest, "{{"); i >= 0 {
		return "", fmt.Errorf("%.40q in a template is not filled in: only variables are, such as {{name}}", rest[i:])
	}
	if i := strings.Index(rest, "{%"); i >= 0 {
		return "", fmt.Errorf("%.40q in a template is not carried out: only variables are filled in, such as {{name}}", rest[i:])
	}
	return out, nil
}
