package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"

	"gonogo/sampler/jsontext"
)

// omitted says which optional parameters are left out.
type omitted struct {
	include, parallel bool
	limit             bool // max_completion_tokens is sent under its old name, max_tokens
}

// omissions holds the parameters that gonogo adds by itself and the server refused. They are left out
// for the rest of the run.
type omissions struct {
	include  atomic.Bool // encrypted reasoning
	parallel atomic.Bool // parallel_tool_calls, if it is not configured
	limit    atomic.Bool // max_completion_tokens
}

func (o *omissions) load() omitted {
	return omitted{include: o.include.Load(), parallel: o.parallel.Load(), limit: o.limit.Load()}
}

// remember records the parameters that a successful request left out. A refusal alone is not enough:
// its text may only seem to be about the parameter.
func (o *omissions) remember(without omitted) {
	if without.include && !o.include.Load() {
		o.include.Store(true)
	}
	if without.parallel && !o.parallel.Load() {
		o.parallel.Store(true)
	}
	if without.limit && !o.limit.Load() {
		o.limit.Store(true)
	}
}

// about returns what to leave out when a refused request is repeated. ok is false if the refusal is not
// about a parameter that gonogo added by itself.
func (o omitted) about(r *refused) (omitted, bool) {
	if r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity {
		return o, false
	}
	switch {
	case !o.include && (r.names("include", includeNamed) || r.param == "" && encrypted.MatchString(r.text)):
		o.include = true
	case !o.parallel && r.names("parallel_tool_calls", parallelNamed):
		o.parallel = true
	case !o.limit && limitNamed.MatchString(r.text): // not by param, which an error about its value has, too
		o.limit = true
	default:
		return o, false
	}
	return o, true
}

// names reports whether a refusal is about a parameter: by the error's param if it has one, otherwise
// by the words that servers put around the name.
func (r *refused) names(param string, named *regexp.Regexp) bool {
	if r.param != "" {
		return r.param == param || strings.HasPrefix(r.param, param+"[") || strings.HasPrefix(r.param, param+".")
	}
	return named.MatchString(r.text)
}

// The patterns match "Unsupported parameter: 'x'", "unknown field \"x\"", pydantic's
// "loc": ["body", "x"] with single or double quotes, "x: Extra inputs are not permitted", Azure's
// "Unrecognized request argument supplied: x", Gemini's "Unknown name \"x\"", and LiteLLM's "does not
// support parameters: ['y', 'x']". The name alone is not enough: texts about a tool's schema or a
// prompt may contain it, too.
var (
	includeNamed  = namedAs("include")
	parallelNamed = namedAs("parallel_tool_calls")
	limitNamed    = namedAs("max_completion_tokens")
	encrypted     = regexp.MustCompile(
		`(?i)reasoning\.encrypted_content|encrypted (reasoning|content) is not supported`)
)

func namedAs(name string) *regexp.Regexp {
	const quote = "[\\\\'\"`]*"
	const others = "([\\'\"`]+\\w+[\\'\"`]+,\\s*)*"
	return regexp.MustCompile(
		`(?i)\b(parameters?|params?|arguments?( supplied)?|fields?|keys?|unknown name)\b[\s:(\[{]*` +
			others + quote + name + `\b` +
			`|\bbody` + quote + `\s*,\s*` + quote + name + `\b` +
			`|(^|[\s'"` + "`" + `])` + name + quote +
			`:?\s+(extra inputs|is not (supported|permitted|allowed)|is unsupported|not supported)`)
}

// paramOf reads the "param" of an OpenAI-style error; "" if there is none. LiteLLM writes "None" then.
func paramOf(body []byte) string {
	var b struct {
		Error struct {
			Param json.RawMessage `json:"param"`
		} `json:"error"`
	}
	if jsontext.Unmarshal(body, &b) != nil || bytes.Equal(b.Error.Param, []byte("null")) {
		return ""
	}
	if param := jsontext.TextOrJSON(b.Error.Param); param != "None" {
		return param
	}
	return ""
}
