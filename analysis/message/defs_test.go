package message_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis/message"

	// All that say something make their messages known.
	_ "gonogo/analysis"
	_ "gonogo/analysis/compare"
	_ "gonogo/analysis/history"
	_ "gonogo/analysis/shift"
	_ "gonogo/analysis/stat"
	_ "gonogo/report"
	_ "gonogo/report/chart"
)

// extremes are arguments that a message may be given in any place.
func extremes() map[string]message.Arg {
	long := strings.Repeat("very long name ", 1000)
	few := message.New("message.test.inner", "{n} of {all}")
	return map[string]message.Arg{
		"none":           message.Number(0),
		"one":            message.Number(1),
		"many":           message.Number(1.5e12),
		"no thing":       message.Count(0, "item"),
		"one thing":      message.Count(1, "item"),
		"many things":    message.Count(16000, "rollout"),
		"a whole number": message.Int(1),
		"a share":        message.Share(1e-9),
		"a p-value":      message.PValue(0),
		"a change":       message.Change(-1),
		"a setting":      message.Setting(0),
		"not known":      message.Known(nil),
		"no share":       message.KnownShare(nil),
		"no name":        message.Name(""),
		"a long name":    message.Name(long),
		"verbs and such": message.Quote("100%s %!d(int) {n} {value} \x00"),
		"nothing said":   message.Said(message.Text{}),
		"no names":       message.Names([]string{}),
		"many names":     message.Names(slices.Repeat([]string{"search"}, 1000)),
		"a message":      message.Said(few.With(message.Args{"n": message.Int(1), "all": message.Count(1, "item")})),
		"its own":        {},
	}
}

func TestEveryMessageRendersWithExtremeArguments(t *testing.T) {
	defs := message.Defs()
	if len(defs) < 400 {
		t.Fatalf("%d messages are known: a package is missing", len(defs))
	}
	values := extremes()
	for _, d := range defs {
		if strings.Contains(d.English, "{{") {
			t.Errorf("%s has braces in braces", d.ID)
		}
		names := d.Placeholders()
		own := strings.Count(d.English, "{") - len(placeholder.FindAllString(d.English, -1)) // braces of JSON
		for _, l := range message.Languages() {
			for what, value := range values {
				args := message.Args{}
				for _, name := range names {
					args[name] = value
				}
				text := d.With(args)
				said := text.In(l)
				if what != "verbs and such" && (strings.Count(said, "{") != own || strings.Contains(said, "%!")) {
					t.Errorf("%s in %s with %s: %.200q", d.ID, l.Tag(), what, said)
				}
				if what == "a long name" && len(names) > 0 && !strings.Contains(strings.ToLower(said), "very long name") {
					t.Errorf("%s in %s leaves out what it was given", d.ID, l.Tag())
				}
				if bare := d.Text().In(l); strings.Count(bare, "{") != own {
					t.Errorf("%s in %s without arguments: %q", d.ID, l.Tag(), bare)
				}
				raw, err := json.Marshal(text)
				var stored message.Text
				if err == nil {
					err = json.Unmarshal(raw, &stored)
				}
				if err != nil || stored.In(l) != said {
					t.Errorf("%s with %s is stored as %.200s (%v)", d.ID, what, raw, err)
				}
			}
		}
	}
}

// placeholder is one in the words of any language.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func TestATranslationHasThePlaceholdersOfTheEnglish(t *testing.T) {
	for _, l := range message.Languages() {
		all := l.All()
		for _, d := range message.Defs() {
			said, ok := all[d.English]
			if !ok {
				continue // TestEveryConstantTextIsTranslated says which must be there
			}
			var names []string
			for _, m := range placeholder.FindAllStringSubmatch(said, -1) {
				names = append(names, strings.ToLower(m[1]))
			}
			slices.Sort(names)
			if names = slices.Compact(names); !slices.Equal(names, d.Placeholders()) {
				t.Errorf("%s in %s has %q, not %q", d.ID, l.Tag(), names, d.Placeholders())
			}
		}
	}
}
