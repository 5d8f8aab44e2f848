package failure

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nothing lists the texts of an error field that mean that there was no error.
var nothing = []string{
	"", "none", "null", "nil", "nan", "<na>", "n/a", "na", "undefined", "unset", "false", "no",
	"no error", "no errors", "no_error", "ok", "okay", "success", "succeeded", "successful", "-", "[]", "{}",
}

// None reports whether the text of an error field means that there was no error: tables and logs
// then hold an empty cell, None, null, NaN, 0, False or the like.
func None(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if slices.Contains(nothing, strings.TrimRight(text, ".!")) {
		return true
	}
	if denied := denial.FindStringSubmatch(text); denied != nil &&
		!fails(denied[1], append([]string{"fail"}, failureWords...)) {
		return true
	}
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && f == 0
}

// denial matches a sentence that says that there was no error, and captures what precedes the
// denial.
var denial = regexp.MustCompile(
	`^([a-z ,;]*)\b(?:no|without|zero|0|not)(?: any| an| a)? (?:errors?|exceptions?|failures?|problems?|issues?)` +
		`(?: (?:occurred|found|raised|thrown|detected|reported|encountered|recorded|was|were|has|have|at all)[a-z ]*)?[.!]*$`)

// value is the value of a field: JSON, or the text of a cell.
type value struct {
	text string            // of a value that is neither an object nor a list
	many []json.RawMessage // elements, or members in the order of their names
	keys []string          // the names of members
	raw  string

	quoted bool // a JSON string
}

func read(raw []byte) (v value) {
	raw = bytes.TrimSpace(raw)
	v.raw = string(raw)
	if len(raw) == 0 {
		return v
	}
	var members map[string]json.RawMessage
	switch raw[0] {
	case '{':
		if json.Unmarshal(raw, &members) == nil {
			v.keys = slices.Sorted(maps.Keys(members))
			v.many = []json.RawMessage{}
			for _, key := range v.keys {
				v.many = append(v.many, members[key])
			}
			return v
		}
	case '[':
		if v.many = nil; json.Unmarshal(raw, &v.many) == nil {
			return v
		}
	case '"':
		if v.quoted = json.Unmarshal(raw, &v.text) == nil; v.quoted {
			return v
		}
	}
	v.text, v.many = v.raw, nil
	return v
}

// none reports whether the value says that nothing failed.
func (v value) none() bool {
	if v.many == nil {
		return None(v.text)
	}
	for _, raw := range v.many {
		if !read(raw).none() {
			return false
		}
	}
	return true
}

func (v value) truth() bool {
	switch strings.ToLower(strings.TrimSpace(v.text)) {
	case "true", "yes", "y", "t":
		return true
	}
	return false
}

func (v value) falsehood() bool {
	switch strings.ToLower(strings.TrimSpace(v.text)) {
	case "false", "no", "n", "f":
		return v.many == nil
	}
	return false
}

func (v value) number() (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(v.text), 64)
	return f, err == nil && v.many == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// cause returns the text of a value that means a failure: its message, the names of its true flags,
// or all of it. It is "" if the value is only true.
func (v value) cause() string {
	if v.many == nil {
		if v.truth() {
			return ""
		}
		return strings.TrimSpace(v.text)
	}
	var raised []string
	for i, key := range v.keys {
		if v.many[i] != nil && read(v.many[i]).raw == "true" {
			raised = append(raised, key)
		}
	}
	if len(raised) > 0 {
		return strings.Join(raised, ", ")
	}
	return v.raw
}
