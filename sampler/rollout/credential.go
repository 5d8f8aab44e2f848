package rollout

import (
	"regexp"
	"strings"
	"unicode"
)

// minHeader is the length in bytes below which a header's value is not treated
// as a secret: replacing it wherever it occurs would spoil a text and hide
// nothing.
const minHeader = 4

// minOtherHeader is the same for headers whose names do not speak of
// credentials.
const minOtherHeader = 8

// harmlessHeaders hold nothing that opens a door.
var harmlessHeaders = map[string]bool{
	"accept": true, "accept-encoding": true, "accept-language": true, "cache-control": true, "connection": true,
	"content-type": true, "user-agent": true,
}

// credentialHeader finds names of headers that speak of credentials.
var credentialHeader = regexp.MustCompile(`auth|key|token|secret|password|cookie|credential|signature|session`)

// HeaderSecrets returns what is secret in the value of an HTTP header: the
// value, and of "Bearer x" also x alone. A harmless header, a short value and a
// plain word under a name that does not speak of credentials have none.
func HeaderSecrets(name, value string) []string {
	value = strings.TrimSpace(value)
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if harmlessHeaders[name] || len(value) < minHeader {
		return nil
	}
	if !credentialHeader.MatchString(name) && (len(value) < minOtherHeader || lettersOnly(value)) {
		return nil
	}
	found := []string{value}
	if _, rest, ok := strings.Cut(value, " "); ok && len(strings.TrimSpace(rest)) >= minHeader {
		found = append(found, strings.TrimSpace(rest))
	}
	return found
}

// lettersOnly reports whether text is a plain word, as "production" is.
func lettersOnly(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}
