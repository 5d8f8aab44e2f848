package spelling

import (
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	names := []string{"samples", "eval_samples", "concurrency", "retries"}
	for mistyped, want := range map[string]string{
		"sample": "samples", "smaples": "samples", "concurency": "concurrency", "retires": "retries", "timeout": "", "x": "",
		strings.Repeat("x", 1<<20): "", // which takes no memory
	} {
		if got, ok := Suggest(mistyped, names); got != want || ok != (want != "") {
			t.Errorf("Suggest(%.20q) = %q, %v; want %q", mistyped, got, ok, want)
		}
	}
}

func TestSentences(t *testing.T) {
	names := []string{"samples", "items", "seed"}
	for got, want := range map[string]string{
		DidYouMean("sample", names): ", did you mean samples?",
		DidYouMean("queue", names):  "",
		Choices("sample", names):    ", did you mean samples? The choices are samples, items, seed",
		Choices("queue", names):     "; the choices are samples, items, seed",
		OrList(names):               "samples, items or seed",
		OrList(names[:1]):           "samples",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
