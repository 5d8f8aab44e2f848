package job

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/rollout/credential"
)

// scheme is how a URL begins, of a web server or of a database.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// urlCredential is a part of a URL that must not be shown.
type urlCredential struct {
	start, end int
	name       string // the parameter's; "" for user and password
}

// urlCredentials finds the credentials in a URL: user and password, and the
// values of parameters whose names are about credentials, behind the question
// mark or the hash sign. It reads the text itself, since a URL that cannot be
// parsed may hold a key as well.
func urlCredentials(text string) []urlCredential {
	begin := len(scheme.FindString(text))
	if begin == 0 {
		return nil
	}
	var found []urlCredential
	host := len(text)
	if i := strings.IndexAny(text[begin:], "/?#"); i >= 0 {
		host = begin + i
	}
	if at := strings.LastIndexByte(text[begin:host], '@'); at > 0 {
		found = append(found, urlCredential{start: begin, end: begin + at})
	}
	for start := host; start < len(text); {
		end := len(text)
		if i := strings.IndexAny(text[start:], "?#&;"); i >= 0 {
			end = start + i
		}
		if name, value, _ := strings.Cut(text[start:end], "="); value != "" && start > host {
			if plain, err := url.QueryUnescape(name); err == nil {
				name = plain
			}
			if credential.InName(name) {
				found = append(found, urlCredential{end - len(value), end, name})
			}
		}
		start = end + 1
	}
	return found
}

// URLSecrets returns the secrets in a URL, both as written and unescaped: user and
// password, and the values of parameters with credential names, if credential.Is
// agrees.
func URLSecrets(text string) []string {
	var found []string
	for _, c := range urlCredentials(text) {
		raw := text[c.start:c.end]
		if c.name == "" {
			found = append(found, userSecrets(raw)...)
			continue
		}
		plain, err := url.QueryUnescape(raw)
		if err != nil {
			plain = raw
		}
		if credential.Is(c.name, plain) {
			found = append(found, raw, plain)
		}
	}
	return distinct(found)
}

// userSecrets returns the pair of user and password, and the password; a user
// without one is itself the key.
func userSecrets(pair string) []string {
	user, password, _ := strings.Cut(pair, ":")
	if password == "" {
		password = user
	}
	var found []string
	for _, raw := range []string{pair, password} {
		found = append(found, raw)
		if plain, err := url.PathUnescape(raw); err == nil {
			found = append(found, plain)
		}
	}
	return found
}

// distinct returns the texts in their order, each once, without those that are
// too short to be found again.
func distinct(texts []string) []string {
	var out []string
	for _, text := range texts {
		if len(text) >= credential.MinLength && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// MaskURL returns the URL with its credentials, of any length, replaced by
// "**********".
func MaskURL(text string) string {
	var out strings.Builder
	done := 0
	for _, c := range urlCredentials(text) {
		out.WriteString(text[done:c.start])
		out.WriteString(maskedValue)
		done = c.end
	}
	out.WriteString(text[done:])
	return out.String()
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Expand replaces every ${NAME} in text by its value in env and returns the names
// that env does not have, which stay as they are. Any other dollar sign is kept.
func Expand(text string, env func(string) (string, bool)) (out string, unknown []string) {
	out = variable.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-1]
		value, ok := env(name)
		if !ok {
			unknown = append(unknown, name)
			return ref
		}
		return value
	})
	return out, unknown
}

// LikeKey reports whether text that could name a variable looks like a key: it
// begins as keys of services do, mixes capitals, small letters and digits, or
// holds a long run of letters with digits in it.
func LikeKey(text string) bool {
	const digits = "0123456789"
	if strings.HasPrefix(text, "sk_") || strings.HasPrefix(text, "pk_") {
		return true
	}
	if !strings.ContainsAny(text, digits) {
		return false
	}
	if text != strings.ToUpper(text) && text != strings.ToLower(text) {
		return true
	}
	const long = 12
	return slices.ContainsFunc(strings.Split(text, "_"), func(run string) bool {
		return len(run) >= long && strings.ContainsAny(run, digits)
	})
}
