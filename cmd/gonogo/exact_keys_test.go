package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foldedKeys are the files that decode with encoding/json itself, which takes a key in any
// case. Each says why no server, tool, grader or log can make use of that.
var foldedKeys = map[string]string{
	"sampler/jsontext/exact.go":               "decodes exactly",
	"sampler/boundary/python/exchange.go":     "our own Python program writes it",
	"sampler/boundary/python/interpreter.go":  "our own Python program writes it",
	"sampler/boundary/python/worker.go":       "our own Python program writes it",
	"sampler/boundary/mcp/http.go":            "our own request",
	"sampler/boundary/mcp/stdio.go":           "tokens",
	"sampler/input/job/secret.go":             "no struct",
	"sampler/boundary/grader/info.go":         "no struct",
	"sampler/boundary/grader/reward.go":       "a definition of our own, whose other keys are refused",
	"sampler/input/dataset/row.go":            "no struct",
	"sampler/internal/failure/value.go":       "no struct",
	"sampler/form/object.go":                  "no struct",
	"sampler/logs/importer/tau2.go":           "no struct",
	"sampler/logs/importer/array.go":          "tokens, and no struct",
	"sampler/logs/importer/elements.go":       "takes tokens, as array.go does",
	"sampler/logs/exporter/inspect_sample.go": "tokens",
	"cmd/gonogo/internal/config/config.go":    "defaults of our own",
	"cmd/gonogo/internal/config/check.go":     "gonogo.yaml, whose other keys are refused",
	"cmd/gonogo/internal/config/values.go":    "gonogo.yaml, whose other keys are refused",
	"cmd/gonogo/internal/config/draft.go":     "no struct",
	"analysis/encode.go":                      "a result of our own",
	"analysis/archive/result.go":              "a result of our own",
	"analysis/compare/manifest.go":            "no struct",
	"analysis/finding.go":                     "a result of our own",
	"analysis/pilot/decode.go":                "a pilot of our own",
	"analysis/pilot/forecast.go":              "figures of our own",
	"cmd/gonogo/internal/mcpserver/text.go":   "a result of our own",
	"cmd/gonogo/internal/training/pilot.go":   "a pilot of our own",
	"analysis/price/price.go":                 "prices of our own",
	"analysis/history/read.go":                "nights of our own",
	"analysis/message/language.go":            "our own translations",
	"analysis/message/spell.go":               "our own translations",
	"analysis/shift/conflict.go":              "no struct",
	"report/reporttest/results.go":            "results for tests",
}

// Keys of what others write are read as they are spelled: with jsontext.Unmarshal.
func TestKeysOfOthersAreReadExactly(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	for _, room := range []string{"sampler", "analysis", "report", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if strings.Contains(string(text), "json.Unmarshal(") || strings.Contains(string(text), "json.NewDecoder(") {
				found[filepath.ToSlash(name)] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range found {
		if foldedKeys[name] == "" {
			t.Errorf("%s decodes with encoding/json, which takes a key in any case: use jsontext.Unmarshal", name)
		}
	}
	for name := range foldedKeys {
		if !found[name] {
			t.Errorf("%s no longer decodes with encoding/json: take it off the list", name)
		}
	}
}
