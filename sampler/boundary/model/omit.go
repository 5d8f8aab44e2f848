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

// omitted names the optional parameters that are left out.
type omitted struct {
	include, parallel bool
	limit             bool // max_completion_tokens is sent under its old name, max_tokens
}

// omissions are the parameters that we send by our own choice and that the
// server has refused: they are left out for the rest of the run.
type omissions struct {
	include  atomic.Bool // encrypted reasoning
	parallel atomic.Bool // parallel_tool_calls, when it is not configured
	limit    atomic.Bool // max_completion_tokens
}

func (o *omissions) load() omitted {
	return omitted{include: o.include.Load(), parallel: o.parallel.Load(), limit: o.limit.Load()}
}

// remember notes what a request that succeeded went without. A refusal alone
// is not believed: its text may only look as if it were about the parameter.
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

// about returns what to leave out of the repeat of a request that was refused;
// ok is false when the refusal is not about what was sent by our own choice.
func (o omitted) about(r *refused) (omitted, bool) {
	if r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity {
		return o, false
	}
	switch {
	case !o.include && (r.names("include", includeNamed) || r.param == "" && encrypted.MatchString(r.text)):
		o.include = true
	case !o.parallel && r.names("parallel_tool_calls", parallelNamed):
		o.parallel = true
	case !o.limit && limitNamed.MatchString(r.text): // a value that is too large has it as its param, too
		o.limit = true
	default:
		return o, false
	}
	return o, true
}

// names reports whether a refusal is about a parameter: by the error's param
// when it has one, else by the words that servers put around its name.
func (r *refused) names(param string, named *regexp.Regexp) bool {
	if r.param != "" {
		return r.param == param || strings.HasPrefix(r.param, param+"[") || strings.HasPrefix(r.param, param+".")
	}
	return named.MatchString(r.text)
}

// The words: "Unsupported parameter: 'x'", "unknown field \"x\"", pydantic's
// "loc": ["body", "x"] with either quotes, "x: Extra inputs are not permitted",
// Azure's "Unrecognized request argument supplied: x", Gemini's "Unknown name
// \"x\"", and LiteLLM's "does not support parameters: ['y', 'x']". The bare word
// will not do: texts about a tool's schema or a prompt hold it too.
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

// paramOf reads the "param" of an OpenAI-style error; LiteLLM writes "None" where
// it has none.
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
