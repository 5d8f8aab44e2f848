package credential

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Mask is shown in place of a secret.
const Mask = "**********"

// scheme matches the start of a URL, of a web server or of a database.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// urlCredential is a part of a URL that must not be shown.
type urlCredential struct {
	start, end int
	name       string // of the parameter; "" for user and password
}

// urlCredentials finds the credentials in a URL: user and password, and the values of parameters
// with credential names, after the question mark or the hash sign. It scans the text itself, since
// a URL that cannot be parsed may hold a key, too.
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
			if InName(name) {
				found = append(found, urlCredential{end - len(value), end, name})
			}
		}
		start = end + 1
	}
	return found
}

// HasCredential reports whether a text is a URL that holds a credential.
func HasCredential(text string) bool { return len(urlCredentials(text)) > 0 }

// URLSecrets returns the secrets in a URL, both as written and unescaped: user and password, and
// the values of parameters with credential names, if credential.Is agrees.
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
		if Is(c.name, plain) {
			found = append(found, raw, plain)
		}
	}
	return distinct(found)
}

// userSecrets returns the pair of user and password, and the password; a user without a password is
// itself the key.
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

// distinct returns the texts in order, each once, without those that are too short to be found
// elsewhere.
func distinct(texts []string) []string {
	var out []string
	for _, text := range texts {
		if len(text) >= MinLength && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// MaskURL returns a URL with each credential, of any length, replaced by Mask. It keeps everything
// else, so that a reader recognizes the configured URL. For messages about a request, use BareURL.
func MaskURL(text string) string {
	var out strings.Builder
	done := 0
	for _, c := range urlCredentials(text) {
		out.WriteString(text[done:c.start])
		out.WriteString(Mask)
		done = c.end
	}
	out.WriteString(text[done:])
	return out.String()
}

// MaskURLs masks each URL of a comma-separated list, such as the addresses of a queue.
func MaskURLs(list string) string { return eachOf(list, MaskURL) }

// BareURL returns a URL without user, query and fragment: any of them may hold a secret whose
// name does not show it. It is for messages about a request, where host and path are enough.
func BareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(unreadable URL)"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment = nil, "", false, ""
	return u.String()
}

// BareURLs applies BareURL to each URL of a comma-separated list.
func BareURLs(list string) string { return eachOf(list, BareURL) }

func eachOf(list string, change func(string) string) string {
	all := strings.Split(list, ",")
	for i, one := range all {
		if one = strings.TrimSpace(one); scheme.MatchString(one) {
			all[i] = change(one)
		}
	}
	return strings.Join(all, ",")
}
