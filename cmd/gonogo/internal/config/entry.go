package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

// entryKey is one key of the maps that a list of the configuration holds. Its
// value is a text unless Kind says otherwise.
type entryKey struct {
	Name, Doc string
	Kind      yamlKind // yamlNumber, yamlBool, or yamlMap or yamlList, of texts; "" is a text
	Required  bool
	Enum      []string // the only values of a text
	Pattern   string   // what a text must match
	Want      string   // the pattern in words

	hidden bool // errors do not show the value: it may hold a secret
}

// words names the type of value for readers.
func (e entryKey) words() string {
	switch {
	case e.Enum != nil:
		return ui.OrList(e.Enum)
	case e.Kind == yamlNumber:
		return "a number"
	case e.Kind == yamlBool:
		return "true or false"
	case e.Kind == yamlMap:
		return "a map from name to text"
	case e.Kind == yamlList:
		return "a list of texts"
	}
	return "text"
}

// nameEntry is the key that names a probe or a detector.
var nameEntry = entryKey{
	Name: "name", Doc: "what it is called in the report", Required: true,
	Pattern: `^[a-z0-9][a-z0-9_.-]*$`, Want: "made of a-z, 0-9, _, . and -",
}

// docEntry is the key for a sentence about a probe or a detector.
var docEntry = entryKey{Name: "doc", Doc: "one sentence for whoever reads the report"}

// probeEntry lists the keys of an entry of audit.probes.
func probeEntry() []entryKey {
	var expectations []string
	for _, e := range rollout.Expectations() {
		expectations = append(expectations, string(e))
	}
	return []entryKey{
		nameEntry, docEntry,
		{Name: "expect", Doc: "what a sound grader does with the payload: scores it at the bottom, at the top, as it scored the recorded answer, or nothing in particular", Required: true, Enum: expectations},
		{Name: "limit", Kind: yamlNumber, Doc: "the share of the reward range that a payload may earn at most (bottom, default 0) or must earn at least (top, default 0.99)"},
		{Name: "template", Doc: "the payload, with {{reference}}, {{item.field}} and {{sample.output_text}} in it"},
		{Name: "pattern", Doc: "instead of a template: a regular expression for what is replaced in a recorded answer"},
		{Name: "replace", Doc: "the replacement; ${1} is the first group"},
	}
}

// detectorEntry lists the keys of an entry of audit.detectors.
func detectorEntry() []entryKey {
	return []entryKey{
		nameEntry, docEntry,
		{Name: "regex", Doc: "marks rollouts in which anything that the model wrote matches this regular expression"},
		{Name: "python", Doc: "source of a function grade(sample, item), as a python grader has it, that returns 1 for a hack and 0 for an honest rollout"},
		{Name: "judge", Doc: "a question to a model about the output, which is shown to it; it answers hack or honest"},
		{Name: "model", Doc: "the model that judge asks"},
		{Name: "zero", Kind: yamlBool, Doc: "whether marked rollouts count at the bottom of the reward range"},
	}
}

// entry reads one map of a list and tells each mistake where it stands.
func (d decoder) entry(n *yamlNode) map[string]any {
	out := make(map[string]any)
	for _, f := range n.fields {
		at := &yamlNode{line: f.line, column: f.column}
		i := slices.IndexFunc(d.key.Entry, func(e entryKey) bool { return e.Name == f.key })
		if i < 0 {
			d.fail(at, "unknown key %q%s; the keys are %s", f.key, ui.DidYouMean(f.key, d.entryNames()), strings.Join(d.entryNames(), ", "))
			continue
		}
		if f.value.kind == yamlNull {
			continue
		}
		if value, ok := d.entryValue(d.key.Entry[i], f.value); ok {
			out[f.key] = value
		}
	}
	for _, e := range d.key.Entry {
		if n.get(e.Name) == nil && e.Required {
			d.fail(n, "the entry has no %s", e.Name)
		}
	}
	return out
}

func (d decoder) entryNames() []string {
	var names []string
	for _, e := range d.key.Entry {
		names = append(names, e.Name)
	}
	return names
}

func (d decoder) entryValue(e entryKey, n *yamlNode) (any, bool) {
	name := e.Name
	shown := n.show()
	if e.hidden && n.kind == yamlString {
		shown = "something else"
	}
	switch {
	case e.Kind == yamlMap && n.kind == yamlMap:
		return d.entryTexts(e, n)
	case e.Kind == yamlList && n.kind == yamlList:
		return d.entryList(e, n)
	case e.Kind == yamlBool && n.kind == yamlBool:
		return n.text == "true", true
	case e.Kind == yamlNumber:
		f, err := strconv.ParseFloat(n.text, 64)
		if n.kind == yamlNumber && err == nil {
			return f, true
		}
		fallthrough
	case e.Kind == yamlBool, e.Kind == yamlMap, e.Kind == yamlList, n.kind != yamlString && n.kind != yamlNumber && n.kind != yamlBool:
		d.fail(n, "%s must be %s, got %s", name, e.words(), shown)
	case e.Enum != nil && !slices.Contains(e.Enum, n.text):
		d.fail(n, "%s must be %s, got %s%s", name, ui.OrList(e.Enum), n.show(), ui.DidYouMean(n.text, e.Enum))
	case e.Pattern != "" && (n.kind != yamlString || !regexp.MustCompile(e.Pattern).MatchString(n.text)):
		d.fail(n, "%s must be %s, got %s", name, e.Want, shown)
	default:
		return n.text, true
	}
	return nil, false
}

// entryTexts reads a map of texts within an entry.
func (d decoder) entryTexts(e entryKey, n *yamlNode) (any, bool) {
	all := map[string]string{}
	for _, f := range n.fields {
		if f.value.kind != yamlString {
			d.fail(f.value, "%s.%s must be text, got %s", e.Name, f.key, f.value.show())
			return nil, false
		}
		all[f.key] = f.value.text
	}
	return all, true
}

// entryList reads a list of texts within an entry.
func (d decoder) entryList(e entryKey, n *yamlNode) (any, bool) {
	all := []string{}
	for _, item := range n.items {
		if item.kind != yamlString && item.kind != yamlNumber {
			d.fail(item, "%s must hold texts, got %s", e.Name, item.show())
			return nil, false
		}
		all = append(all, item.text)
	}
	return all, true
}

// entrySchema is the JSON Schema of the maps of a list.
func entrySchema(entry []entryKey) map[string]any {
	properties := make(map[string]any)
	var required []string
	for _, e := range entry {
		s := map[string]any{"description": e.Doc, "type": []string{"string", "number", "boolean", "null"}}
		switch {
		case e.Enum != nil:
			s = map[string]any{"description": e.Doc, "enum": e.Enum}
		case e.Kind == yamlNumber:
			s["type"] = []string{"number", "null"}
		case e.Kind == yamlBool:
			s["type"] = []string{"boolean", "null"}
		case e.Kind == yamlMap:
			s["type"], s["additionalProperties"] = []string{"object", "null"}, map[string]any{"type": "string"}
		case e.Kind == yamlList:
			s["type"], s["items"] = []string{"array", "null"}, map[string]any{"type": []string{"string", "number"}}
		case e.Pattern != "":
			s["type"], s["pattern"] = "string", e.Pattern
		}
		properties[e.Name] = s
		if e.Required {
			required = append(required, e.Name)
		}
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}
