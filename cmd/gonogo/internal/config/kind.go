package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/ui"
)

// kind is a type of value: how it is read and how it is shown.
type kind struct {
	name   string // for readers
	schema map[string]any
}

// kindOf returns the kind of what a key's at points to. A new type of field
// needs a case here, in decode and in show; the test over keys() says so.
func kindOf(target any) kind {
	duration := map[string]any{"type": "string", "pattern": durationPattern}
	switch target.(type) {
	case *string:
		return kind{"text", map[string]any{"type": "string"}}
	case *int, *int64, **int:
		return kind{"whole number", map[string]any{"type": "integer"}}
	case **uint64:
		return kind{"whole number", map[string]any{"type": "integer", "minimum": 0}}
	case *float64, **float64:
		return kind{"number", map[string]any{"type": "number"}}
	case **bool:
		return kind{"true or false", map[string]any{"type": "boolean"}}
	case *time.Duration:
		return kind{"duration, such as 30s or 5m", duration}
	case **[2]float64:
		return kind{"list of two numbers", map[string]any{"type": "array", "items": map[string]any{"type": "number"}, "minItems": 2, "maxItems": 2}}
	case *[]string:
		return kind{"list of names", map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}
	case *map[string]string:
		return kind{"map from text to text", map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}}
	case *map[string]float64:
		return kind{"map from name to number", map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "number"}}}
	case *[]MapValue:
		return kind{"list of maps", map[string]any{"type": "array", "items": map[string]any{"type": "object"}}}
	case *jobSource:
		return kind{"path or map", map[string]any{"type": []string{"string", "object"}}}
	}
	panic(fmt.Sprintf("gonogo: no kind for %T", target))
}

// decoder reads one value for one key and collects what is wrong.
type decoder struct {
	key  key
	fail func(n *yamlNode, format string, args ...any)
}

// decode puts the node's value where the key wants it.
func (d decoder) decode(n *yamlNode, v *values) {
	switch to := d.key.at(v).(type) {
	case *string:
		if s, ok := d.text(n); ok {
			*to = s
		}
	case *int:
		if i, ok := d.whole(n); ok {
			*to = int(i)
		}
	case *int64:
		if i, ok := d.whole(n); ok {
			*to = i
		}
	case **int:
		if i, ok := d.whole(n); ok {
			small := int(i)
			*to = &small
		}
	case **uint64:
		u, err := strconv.ParseUint(n.text, 10, 64)
		if n.kind != yamlNumber || err != nil {
			d.want(n, "a whole number from 0 to %d", uint64(math.MaxUint64))
			return
		}
		*to = &u
	case *float64:
		if f, ok := d.number(n); ok {
			*to = f
		}
	case **float64:
		if f, ok := d.number(n); ok {
			*to = &f
		}
	case **bool:
		if n.kind != yamlBool {
			d.want(n, "true or false")
			return
		}
		b := n.text == "true"
		*to = &b
	case *time.Duration:
		d.duration(n, to)
	case **[2]float64:
		d.interval(n, to)
	case *[]string:
		d.list(n, to)
	case *map[string]string:
		d.texts(n, to)
	case *map[string]float64:
		d.numbers(n, to)
	case *[]MapValue:
		d.maps(n, to)
	case *jobSource:
		d.job(n, to)
	}
}

func (d decoder) want(n *yamlNode, format string, args ...any) {
	d.fail(n, "must be %s, got %s", fmt.Sprintf(format, args...), d.shown(n))
}

// shown is the value as an error may show it: what is written where headers
// and URLs belong may hold a key.
func (d decoder) shown(n *yamlNode) string {
	if n.kind == yamlString && (strings.HasSuffix(d.key.Path, "headers") || strings.HasSuffix(d.key.Path, "base_url") || strings.HasSuffix(d.key.Path, "address_map") || strings.HasPrefix(d.key.Path, "session.st")) {
		return "something else"
	}
	return n.show()
}

// show words a value for an error.
func (n *yamlNode) show() string {
	switch n.kind {
	case yamlString:
		return fmt.Sprintf("%.60q", n.text)
	case yamlBool, yamlNumber:
		return n.text
	}
	return string(n.kind)
}

func (d decoder) text(n *yamlNode) (string, bool) {
	switch {
	case n.kind != yamlString && n.kind != yamlNumber && n.kind != yamlBool:
		d.want(n, "text")
	case len(d.key.Enum) > 0 && !slices.Contains(d.key.Enum, n.text):
		d.fail(n, "must be %s, got %s%s", ui.OrList(d.key.Enum), n.show(), ui.DidYouMean(n.text, d.key.Enum))
	case d.key.Pattern != "" && !regexp.MustCompile(d.key.Pattern).MatchString(n.text):
		d.want(n, "a http:// or https:// URL")
	case n.text == "":
		d.fail(n, "is empty: leave the key out instead")
	default:
		return n.text, true
	}
	return "", false
}

func (d decoder) number(n *yamlNode) (float64, bool) {
	f, err := strconv.ParseFloat(n.text, 64)
	if n.kind != yamlNumber || err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		d.want(n, "a number")
		return 0, false
	}
	return f, d.within(n, f)
}

func (d decoder) whole(n *yamlNode) (int64, bool) {
	i, err := strconv.ParseInt(n.text, 10, 64)
	if n.kind != yamlNumber || err != nil {
		d.want(n, "a whole number")
		return 0, false
	}
	return i, d.within(n, float64(i))
}

func (d decoder) within(n *yamlNode, f float64) bool {
	switch k := d.key; {
	case k.Min != nil && f < *k.Min:
		d.fail(n, "must be %g or more, got %s", *k.Min, n.text)
	case k.Max != nil && f > *k.Max:
		d.fail(n, "must be %g or less, got %s", *k.Max, n.text)
	default:
		return true
	}
	return false
}

func (d decoder) duration(n *yamlNode, to *time.Duration) {
	if n.kind == yamlNumber && n.text == "0" {
		*to = 0
		return
	}
	span, err := time.ParseDuration(n.text)
	if n.kind != yamlString || err != nil || span < 0 {
		d.want(n, "a duration with its unit, such as 500ms, 30s or 5m")
		return
	}
	*to = span
}

func (d decoder) interval(n *yamlNode, to **[2]float64) {
	if n.kind != yamlList {
		d.want(n, "a list of two numbers, such as [0, 1]")
		return
	}
	if len(n.items) != 2 {
		d.fail(n, "must be a list of two numbers, such as [0, 1], got %d", len(n.items))
		return
	}
	lo, okLo := d.number(n.items[0])
	hi, okHi := d.number(n.items[1])
	switch {
	case !okLo || !okHi:
	case lo >= hi:
		d.fail(n, "the first number must be below the second, got [%g, %g]", lo, hi)
	default:
		*to = &[2]float64{lo, hi}
	}
}

func (d decoder) named(n *yamlNode, name string) bool {
	if d.key.Names == nil || slices.Contains(d.key.Names, name) {
		return true
	}
	if d.key.moved != nil {
		if err := d.key.moved(name); err != nil {
			d.fail(n, "%v", err)
			return false
		}
	}
	d.fail(n, "there is no %q%s", name, ui.DidYouMean(name, d.key.Names))
	return false
}

func (d decoder) list(n *yamlNode, to *[]string) {
	if n.kind != yamlList {
		d.want(n, "a list, such as %s", d.key.Example)
		return
	}
	var all []string
	for _, item := range n.items {
		if s, ok := d.text(item); ok && d.named(item, s) && (d.key.Names == nil || !slices.Contains(all, s)) { // an argument may come twice
			all = append(all, s)
		}
	}
	*to = all
}

func (d decoder) texts(n *yamlNode, to *map[string]string) {
	if n.kind != yamlMap {
		d.want(n, "a map, such as %s", d.key.Example)
		return
	}
	all := maps.Clone(*to)
	if all == nil {
		all = map[string]string{}
	}
	for _, f := range n.fields {
		if s, ok := d.text(f.value); ok {
			all[f.key] = s
		}
	}
	*to = all
}

func (d decoder) numbers(n *yamlNode, to *map[string]float64) {
	if n.kind != yamlMap {
		d.want(n, "a map, such as %s", d.key.Example)
		return
	}
	all := maps.Clone(*to)
	if all == nil {
		all = map[string]float64{}
	}
	for _, f := range n.fields {
		at := &yamlNode{line: f.line, column: f.column}
		if number, ok := d.number(f.value); ok && d.named(at, f.key) {
			all[f.key] = number
		}
	}
	*to = all
}

func (d decoder) maps(n *yamlNode, to *[]MapValue) {
	if n.kind != yamlList {
		d.want(n, "a list of maps, such as %s", d.key.Example)
		return
	}
	var all []MapValue
	for _, item := range n.items {
		if item.kind != yamlMap {
			d.want(item, "a map")
			continue
		}
		all = append(all, MapValue{Body: Marshal(d.entry(item)), node: item})
	}
	*to = all
}

func (d decoder) job(n *yamlNode, to *jobSource) {
	switch n.kind {
	case yamlString:
		*to = jobSource{Path: n.text}
	case yamlMap:
		var b bytes.Buffer
		n.json(&b)
		*to = jobSource{Body: b.Bytes(), node: n}
	default:
		d.want(n, "a path or the %s itself", d.key.Path)
	}
}

// show returns the value that the key has in v as JSON; ok is false when it
// has none. Secrets are not masked.
func (k key) show(v *values) (text json.RawMessage, ok bool) {
	switch at := k.at(v).(type) {
	case *string:
		return Marshal(*at), *at != ""
	case **int:
		return Marshal(*at), *at != nil
	case **uint64:
		return Marshal(*at), *at != nil
	case **float64:
		return Marshal(*at), *at != nil
	case **bool:
		return Marshal(*at), *at != nil
	case **[2]float64:
		return Marshal(*at), *at != nil
	case *time.Duration:
		return Marshal(spanText(*at)), true
	case *[]string:
		return Marshal(*at), *at != nil
	case *[]MapValue:
		return Marshal(*at), len(*at) > 0
	case *map[string]string:
		return Marshal(*at), len(*at) > 0
	case *map[string]float64:
		return Marshal(*at), len(*at) > 0
	case *jobSource:
		if at.Path != "" {
			return Marshal(at.Path), true
		}
		return at.Body, at.Body != nil
	default:
		return Marshal(at), true
	}
}

// spanText writes a duration as a person would: 10m, not 10m0s.
func spanText(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Marshal is json.Marshal for values that cannot fail: decode lets no NaN in.
func Marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("gonogo: marshal %T: %v", v, err))
	}
	return text
}
