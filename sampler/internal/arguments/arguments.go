package arguments

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Tool is a tool that an item offers.
type Tool struct {
	Name   string
	Schema map[string]any // of its parameters; nil: it takes an empty object
}

// ToolsOf lists the tools of the item's row, without those whose parameters are not a JSON object.
func ToolsOf(it *rollout.Item) []Tool {
	type function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var list []struct {
		function
		Function function `json:"function"`
	}
	if jsontext.Unmarshal(it.Tools, &list) != nil {
		return nil
	}
	var tools []Tool
	for _, t := range list {
		f := t.Function
		if f.Name == "" {
			f = t.function
		}
		tool := Tool{Name: f.Name}
		if f.Name != "" && (len(f.Parameters) == 0 || jsontext.Unmarshal(f.Parameters, &tool.Schema) == nil) {
			tools = append(tools, tool)
		}
	}
	return tools
}

// WordsOf returns words to make strings of: those of the last user message, so that a search finds
// something.
func WordsOf(it *rollout.Item) []string {
	text := ""
	for _, m := range it.Messages {
		if m.Role == "user" {
			text = m.Content
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		words = []string{"rehearsal"}
	}
	return words[:min(len(words), 200)]
}

// Make makes JSON arguments that satisfy a schema, as far as these keywords go: type, enum,
// const, default, examples, properties, required, items, the bounds of numbers, strings and lists,
// and the first of anyOf, oneOf and allOf. Optional properties are left out half of the time.
func Make(schema map[string]any, words []string, rng *rand.Rand) string {
	m := maker{words, rng}
	made, ok := m.value(schema, 0).(map[string]any)
	if !ok {
		made = map[string]any{}
	}
	b, err := json.Marshal(made)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// deepest bounds how deep objects nest: schemas may refer to themselves.
const deepest = 8

type maker struct {
	words []string
	rng   *rand.Rand
}

func (m maker) value(s map[string]any, depth int) any {
	if v, ok := s["const"]; ok {
		return v
	}
	for _, key := range []string{"enum", "examples"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return list[m.rng.IntN(len(list))]
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			if first, ok := list[0].(map[string]any); ok {
				return m.value(first, depth)
			}
		}
	}
	switch kindOf(s) {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.list(s, depth)
	case "integer":
		lo, hi := span(s, 1, 10)
		lo, hi = math.Ceil(lo), math.Floor(hi)
		step := max(number(s["multipleOf"], 1), 1)
		return math.Ceil(lo/step)*step + step*float64(
			m.rng.IntN(1+int(min(1e6, max(0, hi-math.Ceil(lo/step)*step)/step))))
	case "number":
		lo, hi := span(s, 0, 1)
		return lo + (hi-lo)*m.rng.Float64()
	case "boolean":
		return m.rng.IntN(2) == 0
	case "null":
		return nil
	}
	return m.text(s)
}

// kindOf returns a schema's type; of several, the first that is not null.
func kindOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

func (m maker) object(s map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required := map[string]bool{}
	list, _ := s["required"].([]any)
	for _, name := range list {
		if text, ok := name.(string); ok {
			required[text] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[name].(map[string]any)
		if depth < deepest && (required[name] || m.rng.IntN(2) == 0) {
			out[name] = m.value(inner, depth+1)
		}
	}
	return out
}

func (m maker) list(s map[string]any, depth int) any {
	least, most := int(number(s["minItems"], 1)), int(number(s["maxItems"], 3))
	n := least
	if most > least {
		n += m.rng.IntN(min(most-least, 3) + 1)
	}
	inner, _ := s["items"].(map[string]any)
	out := []any{}
	for range min(n, 100) {
		if depth < deepest {
			out = append(out, m.value(inner, depth+1))
		}
	}
	return out
}

// text returns one to three adjacent words, within the schema's lengths.
func (m maker) text(s map[string]any) string {
	switch s["format"] {
	case "date":
		return "2024-0" + strconv.Itoa(1+m.rng.IntN(9)) + "-15"
	case "date-time":
		return "2024-0" + strconv.Itoa(1+m.rng.IntN(9)) + "-15T12:00:00Z"
	case "email":
		return "rehearsal@example.com"
	case "uri", "url":
		return "https://example.com/rehearsal"
	case "uuid":
		return "00000000-0000-4000-8000-000000000000"
	}
	i := m.rng.IntN(len(m.words))
	text := strings.Join(m.words[i:min(i+1+m.rng.IntN(3), len(m.words))], " ")
	for least := int(number(s["minLength"], 0)); len([]rune(text)) < min(least, 10_000); {
		text += " " + m.words[m.rng.IntN(len(m.words))]
	}
	if most := int(number(s["maxLength"], 1e6)); len([]rune(text)) > most {
		text = string([]rune(text)[:max(0, most)])
	}
	return text
}

// span returns the range of a number.
func span(s map[string]any, lo, hi float64) (low, high float64) {
	low, hasLow := bound(s, "minimum", "exclusiveMinimum", 1)
	high, hasHigh := bound(s, "maximum", "exclusiveMaximum", -1)
	switch {
	case hasLow && hasHigh:
	case hasLow:
		high = low + (hi - lo)
	case hasHigh:
		low = high - (hi - lo)
	default:
		low, high = lo, hi
	}
	return low, max(low, high)
}

// bound reads a bound of numbers; an exclusive one is moved inwards.
func bound(s map[string]any, closed, open string, inward float64) (x float64, ok bool) {
	if x, ok = s[closed].(float64); ok {
		return x, true
	}
	if x, ok = s[open].(float64); !ok {
		return 0, false
	}
	if kindOf(s) != "integer" {
		inward *= 1e-6 * max(1, math.Abs(x))
	}
	return x + inward, true
}

// number returns a count from a schema, limited to a size that fits an int.
func number(v any, otherwise float64) float64 {
	if x, ok := v.(float64); ok && x >= 0 {
		return min(x, 1e9)
	}
	return otherwise
}
