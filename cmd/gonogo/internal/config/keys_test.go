package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gonogo/sampler/input/document"
	"gonogo/sampler/input/schema"
)

// complaints reads YAML for one key alone into v and returns what is wrong.
func complaints(t *testing.T, k schema.Key, text string, v *values) Errors {
	t.Helper()
	node, err := document.Parse(k.Path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	root := document.Under(node, strings.Split(k.Path, ".")...)
	errs := mistakes(root, "x")
	if len(errs) == 0 {
		errs = decode(root, "x", v)
	}
	return errs
}

func TestEveryKeyIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys().Keys() {
		t.Run(k.Path, func(t *testing.T) {
			if seen[k.Path] {
				t.Error("stands in the table twice")
			}
			seen[k.Path] = true
			if k.Doc == "" || strings.HasSuffix(k.Doc, ".") {
				t.Errorf("doc %q is missing or ends with a full stop", k.Doc)
			}
			if (k.Default == "") == (k.Fallback == "") {
				t.Error("needs either a default or words for what holds without it")
			}
			if k.Default == "" && k.Example == "" {
				t.Error("has neither default nor example")
			}
			for _, text := range []string{k.Default, k.Example} {
				if text == "" {
					continue
				}
				var v values
				if errs := complaints(t, k, text, &v); len(errs) > 0 {
					t.Errorf("%s is refused: %v", text, errs)
				}
				if shown, ok := k.Value(&v); !ok || !json.Valid(shown) {
					t.Errorf("%s is not shown: %s", text, shown)
				}
			}
			var v values
			if errs := complaints(t, k, "[[1]]", &v); len(errs) == 0 {
				t.Error("a value of the wrong type is taken")
			}
		})
	}
}

// TestEveryFieldHasAKey holds the struct against the table: the address of
// every field is that of exactly one key.
func TestEveryFieldHasAKey(t *testing.T) {
	var v values
	at := map[uintptr]string{}
	for _, k := range Keys().Keys() {
		p := k.At(&v).Addr().Pointer()
		if other := at[p]; other != "" {
			t.Errorf("%s and %s lead to the same field", k.Path, other)
		}
		at[p] = k.Path
	}
	fields := 0
	var walk func(path string, s reflect.Value)
	walk = func(path string, s reflect.Value) {
		for i := range s.NumField() {
			f, name := s.Field(i), path+"."+s.Type().Field(i).Name
			if s.Type().Field(i).Tag.Get("json") == "-" {
				continue
			}
			if _, isKey := s.Type().Field(i).Tag.Lookup("doc"); f.Kind() == reflect.Struct && !isKey {
				walk(name, f)
				continue
			}
			fields++
			if at[f.Addr().Pointer()] == "" {
				t.Errorf("no key leads to %s", name)
			}
		}
	}
	walk("values", reflect.ValueOf(&v).Elem())
	if fields != len(at) {
		t.Errorf("%d fields, %d keys", fields, len(at))
	}
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Keys().JSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("gonogo.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("gonogo.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaAgreesWithTheReader(t *testing.T) {
	const neither, reader, schema = 0, 1, 2 // take it
	compiled := compiledSchema(t)
	for name, c := range map[string]struct {
		text string
		take int
	}{
		"nothing":                   {"{}", reader | schema},
		"a full file":               {"{name: a, job: j.json, items: 3, seed: 18446744073709551615, reward_range: [0, 2], model: {timeout: 1m30s, headers: {a: b}}, thresholds: {signal.informative.caution: 0.2}, report: {formats: [html]}}", reader | schema},
		"an empty group":            {"{model: }", reader | schema},
		"an unknown key":            {"{modle: {}}", neither},
		"an unknown key in a group": {"{model: {nam: x}}", neither},
		"a number below":            {"{sampling: {samples: 0}}", neither},
		"a number above":            {"{sampling: {concurrency: 5000}}", neither},
		"a fraction":                {"{items: 0.5}", neither},
		"text for a number":         {"{items: many}", neither},
		"a number for a flag":       {"{model: {parallel_tool_calls: 1}}", neither},
		"another word":              {"{target: aws}", neither},
		"no URL":                    {"{model: {base_url: localhost}}", neither},
		"a duration without unit":   {"{model: {timeout: 5}}", neither},
		"a negative duration":       {"{model: {timeout: -5s}}", neither},
		"an unknown threshold":      {"{thresholds: {luck: 1}}", neither},
		"an unknown format":         {"{report: {formats: [docx]}}", neither},
		"one end of a range":        {"{reward_range: [1]}", neither},
		"a negative seed":           {"{seed: -1}", neither},
		"a list for a group":        {"{data: []}", neither},
		"a probe and a detector":    {"{audit: {probes: [{name: a, expect: top, limit: 0.5, template: x}], detectors: [{name: b, regex: x, zero: true}]}}", reader | schema},
		"a probe without a name":    {"{audit: {probes: [{expect: top, template: x}]}}", neither},
		"a probe's name":            {"{audit: {probes: [{name: a/b, expect: top, template: x}]}}", neither},
		"what nothing expects":      {"{audit: {probes: [{name: a, expect: middle, template: x}]}}", neither},
		"a key of no probe":         {"{audit: {probes: [{name: a, expect: top, regex: x}]}}", neither},
		"a text for a limit":        {"{audit: {probes: [{name: a, expect: top, limit: high}]}}", neither},
		"a text for zero":           {"{audit: {detectors: [{name: a, regex: x, zero: sometimes}]}}", neither},
		"a list for a regex":        {"{audit: {detectors: [{name: a, regex: [x]}]}}", neither},
		"no list of detectors":      {"{audit: {detectors: {name: a, regex: x}}}", neither},
		"no unit for nothing":       {"{model: {timeout: 0}}", reader},
		"a number for a name":       {"{name: 3}", reader},
		"a path left empty":         {"{data: {train: }}", reader},
		"a duration of ages":        {"{model: {timeout: 99999999h}}", schema},
		"a range upside down":       {"{reward_range: [2, 1]}", schema},
		"past all numbers":          {"{sampling: {max_usd: 1e999}}", schema},
	} {
		t.Run(name, func(t *testing.T) {
			node, err := document.Parse("x", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(node.JSON()))
			if err != nil {
				t.Fatal(err)
			}
			_, ours := Decode("x", ".", []byte(c.text), noEnv)
			theirs := compiled.Validate(value)
			if (ours == nil) != (c.take&reader > 0) || (theirs == nil) != (c.take&schema > 0) {
				t.Errorf("reader: %v\nschema: %v", ours, theirs)
			}
		})
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

func noEnv(string) (string, bool) { return "", false }

func TestSchemaGolden(t *testing.T) {
	golden(t, "config.schema.json", Keys().JSON())
}

// golden compares with a file under testdata; -update rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make it with -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-update accepts it):\n%s", path, diff)
	}
}

func TestHelpNamesEveryKey(t *testing.T) {
	help := Help()
	for _, k := range Keys().Keys() {
		if !strings.Contains(help, " "+k.Path+" (") {
			t.Errorf("help lacks %s", k.Path)
		}
	}
	for line := range strings.SplitSeq(help, "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("a line of %d letters: %s", len([]rune(line)), line)
		}
	}
}
