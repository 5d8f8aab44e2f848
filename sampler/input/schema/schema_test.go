package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"gonogo/sampler/input/document"
	"gonogo/sampler/limit"
)

// settings are a small configuration.
type settings struct {
	Name   string            `json:"name,omitzero" or:"none" example:"a" doc:"title"`
	Sheet  string            `json:"sheet,omitzero" or:"none" mark:"file" word:"none" example:"a.json" doc:"a file"`
	Served map[string]string `json:"served,omitzero" or:"none" mark:"url" example:"{a: b}" doc:"addresses"`
	Model  struct {
		API     string            `json:"api,omitzero" default:"chat" enum:"chat,responses" mark:"binding" doc:"which API to use"`
		URL     string            `json:"url,omitzero" or:"none" is:"url" mark:"url" example:"http://localhost" doc:"where it answers"`
		Headers map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{a: b}" doc:"sent along"`
		Command []string          `json:"command,omitzero" or:"none" mark:"arguments" example:"[a]" doc:"a program"`
		Timeout limit.Duration    `json:"timeout" default:"10m" doc:"longest wait"`
		Tries   int               `json:"tries" default:"3" min:"1" max:"9" doc:"most requests, {at most}"`
	} `json:"model,omitzero"`
	Formats []string           `json:"formats,omitzero" or:"all" example:"[html]" doc:"what is written"`
	Limits  map[string]float64 `json:"limits,omitzero" or:"none" min:"0" example:"{rate: 1}" doc:"what is asked for"`
	Probes  []probe            `json:"probes,omitzero" or:"none" example:"[{name: a}]" doc:"what is tried"`
}

type probe struct {
	Name string  `json:"name" is:"name" doc:"its name"`
	Top  float64 `json:"top,omitzero" doc:"what it earns"`
}

func table() *Table {
	return For[settings](Options{
		Title: "settings", Lists: map[string][]string{"formats": {"html", "pdf"}, "limits": {"rate", "size"}},
		Moved: map[string]func(string) error{"limits": func(name string) error {
			if name == "speed" {
				return errors.New("speed is now called rate")
			}
			return nil
		}},
		Words: strings.NewReplacer("{at most}", "at most"), MaskURL: func(string) string { return "***" }, Listed: "; see the list",
	})
}

func TestMistakesHaveTheirPlaceAndWhatWasMeant(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                             "",
		"name: 3\nmodel: \n":             "",
		"model: {timeout: 0}":            "",
		"formats: [html, html]":          "",
		"nam: a":                         `f:1:1: unknown key "nam", did you mean "name"?`,
		"model:\n  timout: 5s":           `f:2:3: unknown key "model.timout", did you mean "model.timeout"?`,
		"tries: 1":                       `f:1:1: unknown key "tries", did you mean model.tries?`,
		"model.tries: 1":                 `f:1:1: unknown key "model.tries": write tries below model`,
		"quite another: 1":               `f:1:1: unknown key "quite another"; see the list`,
		"model: {api: chatt}":            `f:1:14: model.api: must be chat or responses, got "chatt", did you mean chat?`,
		"model: {tries: 0}":              "f:1:16: model.tries: must be 1 or more, got 0",
		"model: {tries: 10}":             "f:1:16: model.tries: must be 9 or less, got 10",
		"model: {tries: 1.5}":            "f:1:16: model.tries: must be a whole number, got 1.5",
		"model: {timeout: 5}":            "f:1:18: model.timeout: must be a duration with its unit, such as 500ms, 30s or 5m, got 5",
		"model: {url: ftp://u:p@h/}":     "f:1:14: model.url: must be a http:// or https:// URL, got something else",
		"model: []":                      "f:1:8: model: is a group of keys such as model.api, got a list",
		"name: ''":                       "f:1:7: name: is empty: leave the key out instead",
		"formats: [docx]":                `f:1:11: formats[0]: there is no "docx"`,
		"limits: {rat: 1}":               `f:1:10: limits: there is no "rat", did you mean rate?`,
		"limits: {speed: 1}":             "f:1:10: limits: speed is now called rate",
		"limits: {rate: -1}":             "f:1:16: limits.rate: must be 0 or more, got -1",
		"served: {'http://u:p@h': 1}":    "", // a number in the place of a text
		"served: {'http://u:p@h': []}":   "f:1:26: served.***: must be text, got a list",
		"probes: [{top: 1}]":             "f:1:10: probes[0]: the entry has no name",
		"probes: [{name: A}]":            `f:1:17: probes[0].name: must be made of a-z, 0-9, _, . and -, got "A"`,
		"probes: [{name: a, colour: 1}]": `f:1:20: unknown key "probes[0].colour"; the keys are name, top`,
		"limits: {rate: 1e999}":          "f:1:16: limits.rate: must be a number, got 1e999",
	} {
		node, err := document.Parse("f", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := ""
		if err := table().Check(node, "f").OrNil(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
		var v settings
		if err := json.Unmarshal(node.JSON(), &v); got == "" && err != nil {
			t.Errorf("%s: accepted, and not read: %v", text, err)
		}
		value, err := validator.UnmarshalJSON(bytes.NewReader(node.JSON())) // as Check has settled it
		if err != nil {
			t.Fatal(err)
		}
		if err := table().compile().Validate(value); (err == nil) != (want == "") && !strings.Contains(text, "1e999") {
			t.Errorf("%s: the schema says %v", text, err)
		}
	}
}

func TestOfManyMistakesSomeAreListed(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "key%d: 1\n", i)
	}
	node, err := document.Parse("f", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	errs := table().Check(node, "f")
	if last := errs[len(errs)-1].Error(); len(errs) != mostMistakes+1 || last != "f: more than 100 mistakes; only 100 are listed" {
		t.Errorf("%d mistakes, the last: %s", len(errs), last)
	}
}

func TestKeysSayWhatTheirTagsDo(t *testing.T) {
	var paths []string
	for _, k := range table().Keys() {
		paths = append(paths, k.Path)
	}
	if want := []string{"name", "sheet", "served", "model.api", "model.url", "model.headers", "model.command", "model.timeout", "model.tries", "formats", "limits", "probes"}; !reflect.DeepEqual(paths, want) {
		t.Error(cmp.Diff(want, paths))
	}
	for path, want := range map[string]string{
		"model.api": "text: chat or responses", "model.tries": "whole number from 1 to 9", "limits": "map from name to number", "probes": "list of maps",
		"model.timeout": "duration with its unit, such as 500ms, 30s or 5m",
	} {
		if k, ok := table().Key(path); !ok || k.Kind() != want {
			t.Errorf("%s is %s, want %s", path, k.Kind(), want)
		}
	}
	k, _ := table().Key("model.tries")
	if k.Doc != "most requests, at most" || k.Default != "3" || k.Binding {
		t.Errorf("%+v", k)
	}
	k, _ = table().Key("probes")
	if diff := cmp.Diff([]Entry{{"name", "text, made of a-z, 0-9, _, . and -", "its name"}, {"top", "number", "what it earns"}}, k.Entries()); diff != "" {
		t.Error(diff)
	}
	k, _ = table().Key("model.api")
	if !k.Binding || !reflect.DeepEqual(k.Names(), []string{"chat", "responses"}) || k.Entries() != nil {
		t.Errorf("%+v", k)
	}
}

func TestAKeyFindsItsValue(t *testing.T) {
	var v settings
	v.Model.Timeout.Duration = time.Minute
	for path, want := range map[string]string{"model.timeout": `"1m"`, "model.tries": "0", "name": "", "limits": "", "formats": ""} {
		k, _ := table().Key(path)
		text, ok := k.Value(&v)
		if ok != (want != "") || ok && string(text) != want {
			t.Errorf("%s is %s, %v; want %s", path, text, ok, want)
		}
	}
}

func TestArguments(t *testing.T) {
	here := func(name string) string {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(document.Marshal(path))
	}
	for _, c := range []struct{ path, value, want string }{
		{"name", "3", `"3"`},
		{"sheet", "a.json", here("a.json")},
		{"sheet", "none", `"none"`},
		{"model.tries", "5", "5"},
		{"model.timeout", "5s", `"5s"`},
		{"formats", "html, pdf", `["html","pdf"]`},
		{"formats", "[html]", `["html"]`},
		{"limits.rate", "0.5", "0.5"},
		{"model.headers.a", "5", `"5"`},
		{"model.command", "[a, 'b,c']", `["a","b,c"]`},
	} {
		k, inner, err := table().Find(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if node, err := k.Argument("--set", inner, c.value); err != nil || string(node.JSON()) != c.want {
			t.Errorf("%s=%s: %v, %v; want %s", c.path, c.value, node, err, c.want)
		}
	}
	for path, want := range map[string]string{
		"model": "is a group of keys such as model.api", "nam": `unknown key, did you mean "name"?`, "model.timout": `unknown key, did you mean "model.timeout"?`,
	} {
		if _, _, err := table().Find(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestReplaceHidden(t *testing.T) {
	var v settings
	v.Name, v.Model.URL = "open", "http://u:p@h"
	v.Model.Headers = map[string]string{"key": "secret"}
	v.Served = map[string]string{"from": "to"}
	headers := v.Model.Headers
	ReplaceHidden(&v, func(mark, name, text string) string { return mark + ":" + name + ":" + text })
	var want settings
	want.Name, want.Model.URL = "open", "url::http://u:p@h"
	want.Model.Headers = map[string]string{"key": "secret:key:secret"}
	want.Served = map[string]string{"url::from": "url:from:to"}
	if diff := cmp.Diff(want, v); diff != "" || headers["key"] != "secret" {
		t.Error(diff, headers)
	}
}
