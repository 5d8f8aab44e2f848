package rollout

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/credential"
	"gonogo/sampler/wording"
)

// Redactor masks secrets in what is written. Secrets shorter than credential.MinLength are ignored.
// A secret is also found as JSON spells it (even inside a string that is itself JSON), URL-escaped
// and in base64. The nil Redactor masks nothing. It is safe for concurrent use.
type Redactor struct {
	spellings [][]byte // longest first
	telling   [][]byte // those that contain no other: without any of these there is no secret
	replacer  *strings.Replacer
}

// NewRedactor returns a Redactor for the secrets. Longer ones are masked first, so that one that
// contains another is masked completely.
func NewRedactor(secrets ...string) *Redactor {
	seen := make(map[string]bool)
	var all []string
	for _, secret := range secrets {
		if len(secret) < credential.MinLength {
			continue
		}
		for _, s := range spellings(secret) {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	r := new(Redactor)
	pairs := make([]string, 0, 2*len(all))
	for _, s := range all {
		r.spellings = append(r.spellings, []byte(s))
		pairs = append(pairs, s, credential.Mask)
		if !slices.ContainsFunc(all, func(other string) bool { return other != s && strings.Contains(s, other) }) {
			r.telling = append(r.telling, []byte(s))
		}
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// spellings returns the spellings of a secret in files.
func spellings(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for _, enc := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding,
	} {
		all = append(all, enc.EncodeToString([]byte(secret)))
	}
	for _, html := range []bool{true, false} {
		once := jsonSpelling(secret, html)
		all = append(all, once, jsonSpelling(once, html), strings.ReplaceAll(once, "/", `\/`))
	}
	return all
}

func jsonSpelling(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}

// String returns s with every secret masked.
func (r *Redactor) String(s string) string {
	if r == nil || len(r.spellings) == 0 {
		return s
	}
	return r.replacer.Replace(r.halves(s))
}

// bytes returns b with every secret masked; b itself if there is none.
func (r *Redactor) bytes(b []byte) []byte {
	if !r.hit(b) {
		return b
	}
	return []byte(r.String(string(b)))
}

func (r *Redactor) hit(b []byte) bool {
	if r == nil || len(r.spellings) == 0 {
		return false
	}
	if slices.ContainsFunc(r.telling, func(s []byte) bool { return bytes.Contains(b, s) }) {
		return true
	}
	return bytes.Contains(b, []byte(wording.Ellipsis)) && r.halves(string(b)) != string(b)
}

// halves masks the beginnings of secrets that a cut left: messages are shortened when they are
// made, which may be before they are masked.
func (r *Redactor) halves(text string) string {
	if !strings.Contains(text, wording.Ellipsis) {
		return text
	}
	parts := strings.Split(text, wording.Ellipsis)
	for i, part := range parts[:len(parts)-1] {
		if n := r.half(part); n > 0 {
			parts[i] = part[:len(part)-n] + credential.Mask
		}
	}
	return strings.Join(parts, wording.Ellipsis)
}

// half returns how many bytes at the end of text are the beginning of a secret, or a whole one;
// fewer than credential.MinLength count as coincidence.
func (r *Redactor) half(text string) int {
	longest := 0
	for _, s := range r.spellings {
		for n := min(len(s), len(text)); n >= credential.MinLength && n > longest; n-- {
			if end := text[len(text)-n:]; end[0] == s[0] && end == string(s[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// JSON masks secrets in a JSON text and keeps it valid: it masks only inside strings, and not in a
// string that is a word of our own files, such as the key "reward".
func (r *Redactor) JSON(b []byte) []byte {
	if !r.hit(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if b[i] != '"' {
			out = append(out, b[i])
			i++
			continue
		}
		s := jsontext.Scanner{Source: b, At: i}
		if s.Literal() != nil {
			return r.bytes(b)
		}
		out = append(out, r.literal(b[i:s.At])...)
		i = s.At
	}
	return out
}

// literal masks one checked JSON string. It works on the decoded text, so that no escape is cut in
// two.
func (r *Redactor) literal(lit []byte) []byte {
	if vocabulary()[string(lit[1:len(lit)-1])] {
		return lit
	}
	text := jsontext.Text(lit)
	masked := r.String(text)
	if masked == text {
		return lit
	}
	out, err := json.Marshal(masked)
	if err != nil {
		panic("rollout: a string that is not JSON: " + err.Error())
	}
	return out
}
