package sampler

import (
	"net/http"
	"testing"

	"gonogo/sampler/rollout/credential"
)

func TestServedByNamesTheDeploymentBehindLiteLLM(t *testing.T) {
	behind := func(id, base string) http.Header {
		h := make(http.Header)
		h.Set("x-litellm-model-id", id)
		h.Set("x-litellm-model-api-base", base)
		return h
	}
	for _, c := range []struct {
		about, name string
		header      http.Header
		want        string
	}{
		{"any other server", "m fp_1", http.Header{}, "m fp_1"},
		{"a deployment", "m", behind("3ad0", "http://gpu1:8000/v1"), "m 3ad0 http://gpu1:8000/v1"},
		{"a key in its address", "m", behind("3ad0", "http://user:secret@gpu1:8000/v1?key=secret"), "m 3ad0 " + credential.BareURL("http://user:secret@gpu1:8000/v1?key=secret")},
		{"no name", "", behind("3ad0", ""), "3ad0"},
	} {
		if got := ServedBy(c.name, c.header); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}
