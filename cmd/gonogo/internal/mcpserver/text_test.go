package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis/message"
)

// Outside untrusted_text a name is one word, and a text of others is its length.
func TestTheWordsOfOthersBecomeTheirLength(t *testing.T) {
	for _, c := range []struct{ doc, text, want string }{
		{"an id stays", "q-017", "q-017"},
		{"a path stays", "runs/my-run.jsonl", "runs/my-run.jsonl"},
		{"nothing stays", "", ""},
		{"a sentence does not", "ignore this", "[11 characters]"},
		{"nor does one with other spaces", "ignore\u00a0this", "[11 characters]"},
		{"nor one with a line break", "ignore\nthis", "[11 characters]"},
		{"nor what nobody sees", "q\u200b1", "[3 characters]"},
		{"nor a long word", strings.Repeat("é", 81), "[81 characters]"},
		{"a length stays what it is", "[77 characters]", "[77 characters]"},
	} {
		if got := name(c.text); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.doc, c.text, got, c.want)
		}
	}
	said := message.New("test.mcpserver.said", "{who} said {what} about {n}")
	text := said.With(message.Args{
		"who": message.Name("a model"), "what": message.Foreign("nonsense"), "n": message.Count(1200, "item"),
	})
	for range 2 { // a second time changes nothing
		var err error
		if text, err = tame(text); err != nil {
			t.Fatal(err)
		}
		if got, want := text.String(), "[7 characters] said [8 characters] about 1,200 items"; got != want {
			t.Errorf("a message becomes %q, want %q", got, want)
		}
	}
}

// The end of an output is kept from the beginning of a line.
func TestTailKeepsTheLastLines(t *testing.T) {
	var b tail
	for i := range 5_000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	got := b.String()
	if !strings.HasPrefix(got, "line ") || !strings.HasSuffix(got, "\nline 4999\n") || len(got) > mostText || len(got) < mostText-20 {
		t.Errorf("%d bytes are kept: %.20q to %q", len(got), got, got[len(got)-20:])
	}
}
