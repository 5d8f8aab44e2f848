package reporttest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestResultsKeepToTheSchema(t *testing.T) {
	for _, name := range Names() {
		if name == "large" {
			continue // it differs in the number of its items alone
		}
		var b bytes.Buffer
		if err := Load(t, name).Encode(&b); err != nil {
			t.Fatal(err)
		}
		if err := Check("result", b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestComparisonsKeepToTheSchema(t *testing.T) {
	for _, name := range Comparisons() {
		if name == "hostile" {
			continue // its outcomes are none
		}
		var b bytes.Buffer
		if err := Compared(t, name).Encode(&b); err != nil {
			t.Fatal(err)
		}
		if err := Check("comparison", b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema refuses what a reader of result.json could stumble over.
func TestTheSchemaRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := Load(t, "go").Encode(&b); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(map[string]any){
		"another version":       func(r map[string]any) { r["schema"] = "gonogo/result/1" },
		"another verdict":       func(r map[string]any) { r["verdict"].(map[string]any)["answer"] = "MAYBE" },
		"a number as a text":    func(r map[string]any) { r["ceiling"] = "1" },
		"a missing section":     func(r map[string]any) { delete(r, "splits") },
		"another split":         func(r map[string]any) { r["splits"].(map[string]any)["test"] = r["splits"].(map[string]any)["train"] },
		"a status that is none": func(r map[string]any) { r["findings"].([]any)[0].(map[string]any)["status"] = "maybe" },
		"a key untold of":       func(r map[string]any) { r["surprise"] = 1 },
	} {
		var r map[string]any
		if err := json.Unmarshal(b.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		change(r)
		changed, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check("result", changed); err == nil || strings.Contains(err.Error(), "of docs") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
