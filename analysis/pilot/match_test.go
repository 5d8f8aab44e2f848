package pilot

import (
	"fmt"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	m := NewMatcher([]Prompt{
		{ID: "q1", Sum: 11, Turn: "Add 1 and 2"},
		{ID: "q2", Sum: 12, Turn: "Add 1 and 23"},
		{ID: "q3", Sum: 13, Turn: " What is number 3?\n"},
		{ID: "twin-a", Sum: 14, Turn: "Say hello."},
		{ID: "twin-b", Sum: 14, Turn: "Say hello."},
		{ID: "row", Sum: 15},
		{ID: "bare"},
		{ID: "short", Sum: 16, Turn: "7"},
		{ID: "text", Sum: 18, Turn: "system\nBe brief.\nuser\nAdd 5 and 6\nassistant\n"},
		{ID: "umlaut", Sum: 17, Turn: "Größe"},
	})
	for _, test := range []struct {
		name    string
		asked   Asked
		item    string
		several bool
	}{
		{"by id, where the log shows no prompt", Asked{ID: "q1"}, "q1", false},
		{"by id, with the same prompt", Asked{ID: "q1", Sum: 11, Text: "Add 1 and 2"}, "q1", false},
		{"by id, where the prompt is rendered", Asked{ID: "q1", Sum: 99, Text: "<user>Add 1 and 2<assistant>"}, "q1", false},
		{"an id of the log's own numbering goes by its prompt", Asked{ID: "q1", Sum: 12, Text: "Add 1 and 23"}, "q2", false},
		{"an id of the log's own numbering, of another prompt", Asked{ID: "q1", Sum: 99, Text: "Tell me."}, "", false},
		{"by id, where the run has no rows", Asked{ID: "bare", Sum: 99, Text: "What?"}, "bare", false},
		{"by id, where the run's prompt is rendered", Asked{ID: "text", Sum: 99, Text: "Add 5 and 6"}, "text", false},
		{"an id of the log's own numbering, and a rendered run", Asked{ID: "text", Sum: 99, Text: "Tell me."}, "", false},
		{"by prompt", Asked{ID: "5f3a", Sum: 13, Text: "What is number 3?"}, "q3", false},
		{"by prompt, of a run without texts", Asked{ID: "5f3a", Sum: 15}, "row", false},
		{"two items have the prompt", Asked{ID: "5f3a", Sum: 14}, "", true},
		{"rendered", Asked{ID: "x", Sum: 99, Text: "system\nBe brief.\nuser\nWhat is number 3?\nassistant\n"}, "q3", false},
		{"rendered, of two items", Asked{ID: "x", Sum: 99, Text: "[INST] Say hello. [/INST]"}, "", true},
		{"not a part of a longer number", Asked{ID: "x", Sum: 99, Text: "user\nAdd 1 and 234\n"}, "", false},
		{"not the whole part of a decimal", Asked{ID: "x", Sum: 99, Text: "user\nAdd 1 and 2.5\n"}, "", false},
		{"the longest that ends there", Asked{ID: "x", Sum: 99, Text: "user\nAdd 1 and 23\n"}, "q2", false},
		{"the last one, after an example", Asked{ID: "x", Sum: 99, Text: "Add 1 and 2\nWhat is number 3?\n"}, "q3", false},
		{"a sentence's full stop is no decimal", Asked{ID: "x", Sum: 99, Text: "Add 1 and 2. Answer:"}, "q1", false},
		{"shorter than the index", Asked{ID: "x", Sum: 99, Text: "<u>7</u>"}, "short", false},
		{"letters beyond ASCII make words", Asked{ID: "x", Sum: 99, Text: "Größen"}, "", false},
		{"no text and no prompt", Asked{ID: "x"}, "", false},
	} {
		if item, several := m.Match(test.asked); item != test.item || several != test.several {
			t.Errorf("%s: %q, several %t, want %q, %t", test.name, item, several, test.item, test.several)
		}
	}
}

// All turns end alike: each is found by its length, without a comparison with every other.
func BenchmarkMatchRendered(b *testing.B) {
	turn := func(i int) string {
		return fmt.Sprintf("Number %d: %s Answer with one number.", i, strings.Repeat("x ", 300+i%100))
	}
	var items []Prompt
	for i := range 10_000 {
		items = append(items, Prompt{ID: fmt.Sprint(i), Sum: uint64(i + 1), Turn: turn(i)})
	}
	m := NewMatcher(items)
	for i := 0; b.Loop(); i++ {
		asked := Asked{ID: "x", Sum: 1 << 60, Text: "<|user|>" + turn(i%10_000) + "<|assistant|>"}
		if item, _ := m.Match(asked); item != fmt.Sprint(i%10_000) {
			b.Fatal(item)
		}
	}
}
