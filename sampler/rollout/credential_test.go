package rollout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeaderSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		header, value string
		want          []string
	}{
		"a bearer token, with and without its scheme": {"Authorization", "Bearer abc-123", []string{"Bearer abc-123", "abc-123"}},
		"a key in its own header":                     {"api-key", "abcd", []string{"abcd"}},
		"a content type":                              {"Content-Type", "application/json", nil},
		"three letters, which any text holds":         {"X-Api-Key", "abc", nil},
		"an environment's name is a plain word":       {"X-Environment", "production", nil},
		"an opaque value under a name of its own":     {"X-Tenant", "t-4711-abcd", []string{"t-4711-abcd"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, HeaderSecrets(c.header, c.value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
