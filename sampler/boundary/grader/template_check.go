package grader

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/boundary/grader/internal/metric"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// CheckItem reports, before sampling, the first item variable that the row does not have, and the
// fields that it has.
func (t Template) CheckItem(it *rollout.Item) error {
	for _, p := range t.parts {
		if p.path == nil || p.path[0].key != "item" {
			continue
		}
		if _, ok := walk(it.Row, p.path[1:]); !ok {
			return absent(it.Row, p)
		}
	}
	return nil
}

// Reads lists the keys of sample that the template reads.
func (t Template) Reads() []string {
	var keys []string
	for _, p := range t.parts {
		switch {
		case len(p.path) == 0 || p.path[0].key != "sample":
		case len(p.path) == 1:
			keys = append(keys, sampleKeys...)
		default:
			keys = append(keys, p.path[1].key)
		}
	}
	return union(keys)
}

// checkItem checks a row for several templates.
func checkItem(it *rollout.Item, templates ...Template) error {
	for _, t := range templates {
		if err := t.CheckItem(it); err != nil {
			return err
		}
	}
	return nil
}

// reads lists the keys of sample that any of the templates reads.
func reads(templates ...Template) []string {
	var keys []string
	for _, t := range templates {
		keys = append(keys, t.Reads()...)
	}
	return union(keys)
}

// references returns the reference among two compared templates: the one that does not read sample
// while the other one does. A grader may name them either way round.
func references(a, b Template) []Template {
	aFixed, bFixed := len(a.Reads()) == 0, len(b.Reads()) == 0
	switch {
	case aFixed && !bFixed:
		return []Template{a}
	case bFixed && !aFixed:
		return []Template{b}
	}
	return nil
}

// union merges lists of names. The result is sorted, with each name once.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// absent returns the error of a variable that the row does not have. It shows the value at the last
// existing step of the path, and suggests the field that was probably meant.
func absent(row json.RawMessage, p part) error {
	path, depth := p.path[1:], 0
	for depth < len(path) {
		if _, ok := walk(row, path[:depth+1]); !ok {
			break
		}
		depth++
	}
	last, _ := walk(row, path[:depth])
	where, what := "its fields are ", "the row"
	if depth > 0 {
		what = pathText(p.path[:depth+1])
		where = what + " has the fields "
	}
	text := "the row has no {{" + p.text + "}}"
	var object map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case jsontext.Unmarshal(last, &object) == nil && object != nil:
		fields := slices.Sorted(maps.Keys(object))
		return fmt.Errorf("%s; %s%s%s", text, where, shown(fields), meant(path[min(depth, len(path)-1)].key, fields))
	case jsontext.Unmarshal(last, &list) == nil && list != nil:
		return fmt.Errorf("%s; %s is a list of %d", text, what, len(list))
	case len(last) == 0:
		return fmt.Errorf("%s; the row is empty", text)
	}
	return fmt.Errorf("%s; %s is %s", text, what, brief(string(bytes.TrimSpace(last))))
}

// pathText returns a path as written in a template.
func pathText(path []step) string {
	var b strings.Builder
	for i, st := range path {
		switch {
		case st.key == "":
			b.WriteString("[" + strconv.Itoa(st.index) + "]")
		case i > 0:
			b.WriteString("." + st.key)
		default:
			b.WriteString(st.key)
		}
	}
	return b.String()
}

// shown joins the names of fields, at most 30.
func shown(fields []string) string {
	const most = 30
	switch {
	case len(fields) == 0:
		return "none"
	case len(fields) > most:
		return strings.Join(fields[:most], ", ") + fmt.Sprintf(" and %d more", len(fields)-most)
	}
	return strings.Join(fields, ", ")
}

// meant returns "did you mean …?" with the name most similar to a mistyped one; "" if none is
// similar. It ignores names of less than half the length: FuzzyMatch finds them in nearly anything.
func meant(mistyped string, names []string) string {
	best, name := 0.6, ""
	for _, n := range names {
		if score := metric.FuzzyMatch(mistyped, n); score > best && 2*len(n) >= len(mistyped) {
			best, name = score, n
		}
	}
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", name)
}
