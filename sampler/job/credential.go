package job

import (
	"net/url"
	"regexp"
	"strings"
)

// minSecret is the length below which a string is not treated as a secret:
// replacing it wherever it occurs would spoil a file and hide nothing.
const minSecret = 4

// credentialKeys are the names, in lower case and without separators, under
// which a body may hold a credential, as a key or as a URL's parameter.
var credentialKeys = map[string]bool{
	"apikey": true, "accesskey": true, "accesstoken": true, "token": true, "secret": true, "clientsecret": true,
	"password": true, "authorization": true, "bearer": true,
}

// urlKeys are names of URL parameters alone; function hosts put their keys
// under "code", storage their signatures under "sig".
var urlKeys = map[string]bool{"code": true, "key": true, "sig": true, "signature": true}

// plain brings a name to lower case without separators.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}

// credentialParameter reports whether a URL's parameter holds a credential:
// one of the names above, or one that ends like them, as subscription-key and
// x-functions-key do.
func credentialParameter(name string) bool {
	name = plain(name)
	if credentialKeys[name] || urlKeys[name] {
		return true
	}
	for _, end := range []string{"key", "token", "secret", "password", "signature", "credential"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// urlCredentials returns the credentials in a URL, escaped as they stand there.
func urlCredentials(text string) []string {
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var found []string
	if u.User != nil && u.User.String() != "" {
		found = append(found, u.User.String())
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && credentialParameter(name) {
			found = append(found, value)
		}
	}
	return found
}

// URLSecrets returns what is secret in a URL: user and password, and the
// values of parameters such as code, key, sig or token, both as written and
// unescaped.
func URLSecrets(text string) []string {
	var found []string
	add := func(s string) {
		if len(s) >= minSecret {
			found = append(found, s)
		}
	}
	for _, c := range urlCredentials(text) {
		add(c)
		if plain, err := url.QueryUnescape(c); err == nil && plain != c {
			add(plain)
		}
	}
	if u, err := url.Parse(text); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			add(password)
		}
	}
	return found
}

// MaskURL returns the URL with its credentials replaced by "**********".
func MaskURL(text string) string {
	if len(urlCredentials(text)) == 0 {
		return text
	}
	front, fragment, hash := strings.Cut(text, "#")
	front, query, asked := strings.Cut(front, "?")
	scheme, rest, _ := strings.Cut(front, "://")
	host, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = maskedValue + host[at:]
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && credentialParameter(name) {
			pairs[i] = name + "=" + maskedValue
		}
	}
	out := scheme + "://" + host
	for _, part := range []struct {
		there      bool
		mark, rest string
	}{{slash, "/", path}, {asked, "?", strings.Join(pairs, "&")}, {hash, "#", fragment}} {
		if part.there {
			out += part.mark + part.rest
		}
	}
	return out
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Expand replaces every ${NAME} in text by what env says and returns the
// names that env does not know, which stay as they are. Any other dollar sign
// is kept.
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
