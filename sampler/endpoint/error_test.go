package endpoint

import (
	"errors"
	"strings"
	"testing"
)

// Only of a model can the name be wrong.
func TestWhatIsNotFound(t *testing.T) {
	for boundary, want := range map[string]string{
		Model: "the name of the model", Judge: "the name of the model", Grader: "check its URL", "grader style": "check its URL", Tool("search"): "check its URL", Session: "check its URL", Agent: "check its URL",
	} {
		e := &Error{Boundary: boundary, URL: "http://x", Err: &Failure{Status: 404, Fatal: true, Err: errors.New("no such page")}}
		if text := e.Error(); !strings.HasSuffix(text, want) {
			t.Errorf("%s: %q, want it to end with %q", boundary, text, want)
		}
	}
}
