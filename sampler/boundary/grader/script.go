package grader

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler"
)

//go:embed script.py
var scriptBody string

// Scripter writes a program that grades outputs again without gonogo.
type Scripter interface {
	// Script returns a Python program that grades outputs, prints their rewards next to the recorded
	// ones, and fails if they differ. about says what it is, in one line.
	Script(outputs []sampler.Output, recorded []float64, about string) (string, error)
}

// scripted is an output in a script.
type scripted struct {
	Item   string  `json:"item"`
	Given  any     `json:"given"`
	Reward float64 `json:"reward"`
}

// Script implements Scripter with the adapter that the grader itself uses.
func (g *Reward) Script(outputs []sampler.Output, recorded []float64, about string) (string, error) {
	cases := make([]scripted, len(outputs))
	for i, out := range outputs {
		cases[i] = scripted{out.Item.ID, forAdapter(out), recorded[i]}
	}
	return script(g.source, g.extra.Modules, g.extra.Adapter, g.extra.Options, cases, about)
}

// Script implements Scripter.
func (g *Python) Script(outputs []sampler.Output, recorded []float64, about string) (string, error) {
	cases := make([]scripted, len(outputs))
	for i, out := range outputs {
		row := out.Item.Row
		if len(row) == 0 {
			row = json.RawMessage(`{}`)
		}
		cases[i] = scripted{out.Item.ID, map[string]any{"sample": NewSample(out, g.tools).JSON(), "item": row}, recorded[i]}
	}
	return script(g.source, nil, "", nil, cases, about)
}

// script joins the program. JSON texts are Python texts, too.
func script(source string, modules map[string]string, adapter string, options json.RawMessage, cases []scripted,
	about string,
) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# Run it with the interpreter of the grader: python3 FILE\n", strings.ReplaceAll(about, "\n", " "))
	b.WriteString("import importlib.util\nimport json\nimport sys\nimport types\n\n")
	if len(options) == 0 {
		options = json.RawMessage("{}")
	}
	if modules == nil {
		modules = map[string]string{}
	}
	for _, constant := range []struct {
		name  string
		value any
	}{{"SOURCE", source}, {"ADAPTER", adapter}, {"TEXT", about}, {"MODULES", modules}, {"OPTIONS", options}, {"CASES", cases}} {
		value, err := json.Marshal(constant.value)
		if err != nil {
			return "", err
		}
		if _, text := constant.value.(string); !text {
			if value, err = json.Marshal(string(value)); err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s = json.loads(%s)\n", constant.name, value)
			continue
		}
		fmt.Fprintf(&b, "%s = %s\n", constant.name, value)
	}
	return b.String() + "\n\n" + scriptBody, nil
}
