package credential

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// MinLength is the number of bytes below which nothing counts as a secret to be found in other
// texts: masking shorter ones wherever they occur would garble ordinary words and hide nothing.
const MinLength = 6

// SureLength is the number of bytes from which a value is too long to be an ordinary word. Values
// of the environment that are at least this long are blanked even in what a model or a grader
// reads.
const SureLength = 16

// harmlessHeaders are headers that never hold a credential.
var harmlessHeaders = map[string]bool{
	"accept": true, "accept-encoding": true, "accept-language": true, "cache-control": true, "connection": true,
	"content-type": true, "user-agent": true,
}

// credentialWords are the words in names of credentials. A name with a word that is true holds a
// secret even if its value is a plain word; the others, such as code, access and session, are also
// used for plain values.
var credentialWords = map[string]bool{
	"password": true, "passwords": true, "passwd": true, "pwd": true, "passphrase": true, "passcode": true,
	"secret": true, "secrets": true, "token": true, "bearer": true, "jwt": true, "credential": true,
	"credentials":   true,
	"authorization": true, "cookie": true, "cookies": true,
	"key": false, "auth": false, "oauth": false, "authentication": false, "access": false, "code": false,
	"session": false, "sig": false, "signature": false, "signatures": false,
}

// qualifiers show that a vague word means a credential. They come before it, also joined to it, as
// in api_key and apikey.
var qualifiers = []string{
	"access", "account", "admin", "api", "app", "auth", "bearer", "client", "function", "functions", "host", "id",
	"master",
	"oauth", "private", "proxy", "refresh", "secret", "service", "session", "shared", "storage", "subscription", "user",
}

// aspects are last words of names that describe a credential but are not one: token_type,
// auth_mode, api_key_env.
var aspects = map[string]bool{
	"type": true, "mode": true, "method": true, "scheme": true, "kind": true, "format": true, "level": true,
	"algorithm": true,
	"name":      true, "field": true, "column": true, "env": true, "variable": true, "url": true, "uri": true,
	"endpoint": true,
	"limit":    true, "budget": true, "count": true, "length": true, "ttl": true, "timeout": true,
}

// InName reports whether the name of a header, of a key in a JSON body or of a URL parameter
// suggests a credential: api-key, x_api_key, accessToken and subscription-key do; monkey,
// max_tokens and author do not.
func InName(name string) bool {
	credential, _ := speaks(name)
	return credential
}

// speaks reports whether a name suggests a credential, and whether so clearly that any value is
// one.
func speaks(name string) (credential, plainly bool) {
	words := nameWords(name)
	if len(words) == 0 || aspects[words[len(words)-1]] {
		return false, false
	}
	joined := strings.Join(words, "")
	if joined == "pass" || strings.HasSuffix(joined, "apikeys") || strings.HasSuffix(joined, "sessid") ||
		strings.HasSuffix(joined, "sessionid") {
		return true, true
	}
	credential, plainly = credentialWord(joined)
	for i, word := range words {
		ok, surely := credentialWord(word)
		credential = credential || ok
		plainly = plainly || surely || ok && i > 0 && slices.Contains(qualifiers, words[i-1])
	}
	return credential, plainly
}

// credentialWord looks a word up, also after a qualifier.
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

// nameWords splits a name at everything that is not a letter and where camel case starts a word,
// and converts the words to lower case.
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

// Is reports whether the value under a name (of a header, a key in a body or a URL parameter) must
// be masked wherever else it occurs. It must be long enough to be found, and not a plain word under
// a name such as code or access.
func Is(name, value string) bool {
	credential, plainly := speaks(name)
	return credential && len(value) >= MinLength && (plainly || !plainWord(value))
}

// InHeader returns the secrets in the value of an HTTP header: the value, and of "Bearer x" also x
// alone, of "Basic x" also the password encoded in it. A harmless header and a short value have no
// secrets. Under a name that does not suggest credentials, only a value that looks like a key is
// one: a version, a region or a tenant may also occur in a tool's answer.
func InHeader(name, value string) []string {
	value = strings.TrimSpace(value)
	if harmlessHeaders[strings.ReplaceAll(strings.ToLower(name), "_", "-")] {
		return nil
	}
	if !Is(name, value) && (InName(name) || !LikeKey(value)) {
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

// placeholder matches {{session.NAME}}, which is replaced by a value of each rollout's session.
var placeholder = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// Literal replaces each secret that contains a placeholder, such as "Bearer {{session.token}}", by
// those parts of its text that look like keys. A placeholder is no secret, and neither are the words
// around it.
func Literal(secrets []string) []string {
	var out []string
	for _, secret := range secrets {
		if !placeholder.MatchString(secret) {
			out = append(out, secret)
			continue
		}
		for _, part := range placeholder.Split(secret, -1) {
			if part = strings.TrimSpace(part); LikeKey(part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// LikeKey reports whether text has a run of at least SureLength letters and digits, both of them,
// as keys do. Versions, dates, regions, host names and UUIDs do not.
func LikeKey(text string) bool {
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

// plainWord reports whether text looks like a word of prose: at most 16 bytes, letters only, all
// but the first in lower case.
func plainWord(text string) bool {
	const longest = 16
	return text != "" && len(text) <= longest && lettersOnly(text) && text[1:] == strings.ToLower(text[1:])
}

// lettersOnly reports whether text consists of letters, as "production" does.
func lettersOnly(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}
