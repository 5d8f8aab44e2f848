package credential

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
)

// MinLength is the number of bytes below which nothing is treated as a
// secret that must be found again in other texts: masking shorter ones
// wherever they occur would garble ordinary words and hide nothing.
const MinLength = 6

// SureLength is the number of bytes from which a value is too long to be an ordinary
// word. Longer values from the environment are blanked even in what a model or a grader
// reads.
const SureLength = 16

// harmlessHeaders hold nothing that opens a door.
var harmlessHeaders = map[string]bool{
	"accept": true, "accept-encoding": true, "accept-language": true, "cache-control": true, "connection": true,
	"content-type": true, "user-agent": true,
}

// credentialWords are the words of a name that are about a credential. A name
// with one that is true holds a secret even when the value is a plain word;
// the others name plain things too, as code, access and session do.
var credentialWords = map[string]bool{
	"password": true, "passwords": true, "passwd": true, "pwd": true, "passphrase": true, "passcode": true,
	"secret": true, "secrets": true, "token": true, "bearer": true, "jwt": true, "credential": true,
	"credentials":   true,
	"authorization": true, "cookie": true, "cookies": true,
	"key": false, "auth": false, "oauth": false, "authentication": false, "access": false, "code": false,
	"session": false, "sig": false, "signature": false, "signatures": false,
}

// qualifiers say of a vague word that a credential is meant. They come before
// it, also written as one with it, as in api_key and apikey.
var qualifiers = []string{
	"access", "account", "admin", "api", "app", "auth", "bearer", "client", "function", "functions", "host", "id",
	"master",
	"oauth", "private", "proxy", "refresh", "secret", "service", "session", "shared", "storage", "subscription", "user",
}

// aspects are last words of names that describe a credential but are not one:
// token_type, auth_mode, api_key_env.
var aspects = map[string]bool{
	"type": true, "mode": true, "method": true, "scheme": true, "kind": true, "format": true, "level": true,
	"algorithm": true,
	"name":      true, "field": true, "column": true, "env": true, "variable": true, "url": true, "uri": true,
	"endpoint": true,
	"limit":    true, "budget": true, "count": true, "length": true, "ttl": true, "timeout": true,
}

// InName reports whether a name of a header, of a key in a JSON body or of a
// URL's parameter suggests a credential: api-key, x_api_key, accessToken and
// subscription-key do, monkey, max_tokens and author do not.
func InName(name string) bool {
	credential, _ := speaks(name)
	return credential
}

// speaks reports whether a name is about a credential, and whether so plainly
// that any value is one.
func speaks(name string) (credential, plainly bool) {
	words := nameWords(name)
	if len(words) == 0 || aspects[words[len(words)-1]] {
		return false, false
	}
	whole := strings.Join(words, "")
	if whole == "pass" || strings.HasSuffix(whole, "apikeys") || strings.HasSuffix(whole, "sessid") ||
		strings.HasSuffix(whole, "sessionid") {
		return true, true
	}
	credential, plainly = credentialWord(whole)
	for i, word := range words {
		is, surely := credentialWord(word)
		credential = credential || is
		plainly = plainly || surely || is && i > 0 && slices.Contains(qualifiers, words[i-1])
	}
	return credential, plainly
}

// credentialWord looks a word up, also behind a qualifier.
func credentialWord(word string) (credential, plainly bool) {
	if plainly, ok := credentialWords[word]; ok {
		return true, plainly
	}
	for _, q := range qualifiers {
		if rest, ok := strings.CutPrefix(word, q); ok {
			if _, ok := credentialWords[rest]; ok {
				return true, true
			}
		}
	}
	return false, false
}

// nameWords splits a name at everything that is not a letter and where camel case
// begins a word, and brings the words to lower case.
func nameWords(name string) []string {
	runes := []rune(name)
	var words []string
	start := 0
	end := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(string(runes[start:i])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			end(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])): // accessToken, APIKey
			end(i)
			start = i
		}
	}
	end(len(runes))
	return words
}

// Is reports whether the value that is under a name, of a header, a key in a body
// or a URL's parameter, must be masked wherever else it occurs. It must be long enough to
// be found, and not a plain word under a name such as code or access.
func Is(name, value string) bool {
	credential, plainly := speaks(name)
	return credential && len(value) >= MinLength && (plainly || !plainWord(value))
}

// InHeader returns what is secret in the value of an HTTP header: the value, and of
// "Bearer x" also x alone, of "Basic x" also the password encoded in it. A harmless
// header and a short value have no secrets, and under a name that does not suggest
// credentials only a value that looks like a key is one: a version, a region or a tenant
// is what a tool may answer with.
func InHeader(name, value string) []string {
	value = strings.TrimSpace(value)
	if harmlessHeaders[strings.ReplaceAll(strings.ToLower(name), "_", "-")] {
		return nil
	}
	if !Is(name, value) && (InName(name) || !likeKey(value)) {
		return nil
	}
	found := []string{value}
	scheme, rest, _ := strings.Cut(value, " ")
	rest = strings.TrimSpace(rest)
	found = append(found, rest)
	if strings.EqualFold(scheme, "basic") {
		if pair, err := base64.StdEncoding.DecodeString(rest); err == nil {
			_, password, _ := strings.Cut(string(pair), ":")
			found = append(found, string(pair), password)
		}
	}
	return slices.DeleteFunc(found, func(s string) bool { return len(s) < MinLength })
}

// likeKey reports whether text holds a run of at least SureLength letters and digits, some
// of each, as keys do. Versions, dates, regions, host names and UUIDs do not.
func likeKey(text string) bool {
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		if len(run) >= SureLength && strings.ContainsFunc(run, unicode.IsLetter) &&
			strings.ContainsFunc(run, unicode.IsDigit) {
			return true
		}
	}
	return false
}

// plainWord reports whether text is a word as prose has it: not many letters,
// all but the first in lower case.
func plainWord(text string) bool {
	const longest = 16
	return text != "" && len(text) <= longest && lettersOnly(text) && text[1:] == strings.ToLower(text[1:])
}

// lettersOnly reports whether text is letters alone, as "production" is.
func lettersOnly(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}
