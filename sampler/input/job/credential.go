package job

import (
	"regexp"
	"slices"
	"strings"
)

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Expand replaces every ${NAME} in text by its value in env. It returns the names that env does not
// have, which stay unchanged. Any other dollar sign is kept.
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

// LikeKey reports whether a text that could name a variable looks like a key instead: it begins
// like the keys of services, mixes upper case, lower case and digits, or has a long run of letters
// that contains digits.
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
