package mcpserver

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/report/plain"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
	"gonogo/sampler/wording"
)

// Limits of texts, in characters.
const (
	mostText    = 2_000  // of one untrusted_text
	mostRollout = 4_000  // of a rollout
	mostAnswer  = 60_000 // of all rollouts of a result
	mostName    = 80     // of a name outside untrusted_text
)

// call is one call of a tool.
type call struct {
	tool    string
	notes   bytes.Buffer // what the command would print to standard error
	secrets []string
	redact  *rollout.Redactor
}

// newCall knows the secrets of the environment.
func newCall(tool string) *call {
	c := &call{tool: tool}
	var found []string
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); credential.Is(name, value) {
			found = append(found, value)
		}
	}
	c.hide(found...)
	return c
}

// hide masks further secrets from now on.
func (c *call) hide(secrets ...string) {
	c.secrets = append(c.secrets, secrets...)
	c.redact = rollout.NewRedactor(c.secrets...)
}

// hideKeys masks the values of environment variables that a configuration names as keys.
func (c *call) hideKeys(names []string) {
	for _, name := range names {
		c.hide(os.Getenv(name))
	}
}

// untrusted returns texts for a field untrusted_text: without secrets, with everything invisible as
// escapes, and at most n characters.
func (c *call) untrusted(n int, parts ...string) string {
	var lines []string
	for _, part := range parts {
		for line := range strings.Lines(c.redact.String(strings.TrimSpace(part))) { // before a cut
			lines = append(lines, plain.Text(strings.TrimRight(line, "\r\n")))
		}
	}
	return wording.Clip(strings.Join(lines, "\n"), n)
}

// name returns a name that data, a job or a model chose: its length if it is no single word.
func name(s string) string {
	if utf8.RuneCountInString(s) > mostName || plain.Text(s) != s || strings.ContainsFunc(s, unicode.IsSpace) {
		return length(s)
	}
	return s
}

// lengthText is a length that replaces a text.
var lengthText = regexp.MustCompile(`^\[\d+ characters\]$`)

// length returns the length of a text in its place.
func length(s string) string {
	if lengthText.MatchString(s) {
		return s
	}
	return "[" + strconv.Itoa(utf8.RuneCountInString(s)) + " characters]"
}

func names(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = name(s)
	}
	return out
}

// ours are the keys whose texts this program wrote, in what it has just measured.
var ours = map[string]bool{"of": true, "sep": true, "method": true}

// tame returns a copy of data about a run that says nothing in the words of others: foreign texts
// become their lengths, and so do names that are no single word.
func tame[T any](v T) (tamed T, err error) {
	b, err := json.Marshal(v)
	if err == nil {
		b, err = tamedJSON(b)
	}
	if err == nil {
		err = json.Unmarshal(b, &tamed)
	}
	return tamed, err
}

// tameResult is tame for a result, which has a decoder of its own.
func tameResult(r *analysis.Result) (*analysis.Result, error) {
	bare, err := r.WithoutTexts()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := bare.Encode(&b); err != nil {
		return nil, err
	}
	tamed, err := tamedJSON(b.Bytes())
	if err != nil {
		return nil, err
	}
	return analysis.Decode(bytes.NewReader(tamed))
}

func tamedJSON(b []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	return json.Marshal(tamedValue("", doc))
}

func tamedValue(key string, v any) any {
	switch v := v.(type) {
	case string:
		switch {
		case ours[key]:
			return v
		case key == "foreign":
			return length(v)
		}
		return name(v)
	case []any:
		for i := range v {
			v[i] = tamedValue(key, v[i])
		}
	case map[string]any:
		for k, x := range v {
			if key != "english" {
				v[k] = tamedValue(k, x)
			}
		}
	}
	return v
}
