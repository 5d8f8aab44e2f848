package chart

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis"
)

// A result that somebody edited by hand may lack any value: its pictures then show
// less, and never panic. Every value is left out once, and is null once.
func TestLongAnyValueOfAResultMayBeMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	files := []string{"../reporttest/results/audited.json", "../reporttest/results/beyond.json"}
	said := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var whole map[string]any
		if err := json.Unmarshal(b, &whole); err != nil {
			t.Fatal(err)
		}
		n, step := 0, 40 // one in 41 of the values, and those that once panicked
		if os.Getenv("GONOGO_DEEP") != "" {
			step = 0
		}
		without(whole, "", func(path string) {
			if n++; n%(1+step) != 0 && path != ".splits.train.signal[0].net.value" && path != ".splits.train.best_of[0].k" && !strings.HasPrefix(path, ".splits.train.what_if[0].caps[0].") {
				return
			}
			b, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			r := new(analysis.Result)
			if json.Unmarshal(b, r) != nil {
				return // it is refused
			}
			for _, c := range Charts() {
				func() {
					defer func() {
						if why := recover(); why != nil && !said[c.Name] {
							said[c.Name] = true
							t.Errorf("%s without %s: chart %s panics: %v", filepath.Base(file), path, c.Name, why)
						}
					}()
					if c.Only == nil || c.Only(r) {
						f := Render(c, r)
						f.Draw(draw.NewCanvas(new(recorder.Canvas), Width, f.Height))
					}
				}()
			}
		})
		t.Logf("%s: %d", filepath.Base(file), n)
	}
}

// without calls f with each value of an object, and of those within it, left out and null;
// of a list the first element alone is looked into.
func without(x any, path string, f func(path string)) {
	switch x := x.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			value := x[key]
			if path == "" && key != "splits" && key != "grader" && key != "burst" && key != "variants" && key != "shift" && key != "reward_range" {
				continue
			}
			delete(x, key)
			f(path + "." + key)
			x[key] = nil
			f(path + "." + key + " (null)")
			x[key] = value
			without(value, path+"."+key, f)
		}
	case []any:
		if len(x) > 0 {
			without(x[0], path+"[0]", f)
		}
	}
}
