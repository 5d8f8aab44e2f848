package config

import (
	"strings"
	"testing"
)

// A misplaced header or a URL with a password was shown by the error about it.
func TestErrorsAboutHeadersAndURLsDoNotShowThem(t *testing.T) {
	for _, line := range []string{"model: {base_url: 'htp://user:planted-word@h'}", "model: {headers: 'Bearer planted-word'}", "judge: {headers: [planted-word]}"} {
		_, err := Decode("gonogo.yaml", ".", []byte(line), func(string) (string, bool) { return "", false })
		if err == nil || strings.Contains(err.Error(), "planted-word") {
			t.Errorf("%s: error is %v, want one without the value", line, err)
		}
	}
}
