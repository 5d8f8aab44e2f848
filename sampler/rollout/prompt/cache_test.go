package prompt

import (
	"fmt"
	"testing"
)

// A cache changes no identity, decodes a prompt once, and stays small.
func TestCache(t *testing.T) {
	c := NewCache()
	read := 0
	for i := range 3 * MostBeginnings {
		text := fmt.Sprintf("What is %d?", i%7)
		if i >= MostBeginnings {
			text = fmt.Sprintf("What is %d?", i)
		}
		want := Of(text, text)
		if got := c.Of(text, text); got != want {
			t.Fatalf("%q: %+v, want %+v", text, got, want)
		}
		if got := c.Read([]byte("["+text+"]"), func() Identity { read++; return want }); got != want {
			t.Fatalf("%q read: %+v, want %+v", text, got, want)
		}
		if i == MostBeginnings-1 && read != 7 {
			t.Errorf("7 prompts were decoded %d times", read)
		}
		if len(c.known) > MostBeginnings {
			t.Fatalf("%d prompts are remembered", len(c.known))
		}
	}
	var none *Cache
	if p := none.Of("a", "a"); p != Of("a", "a") {
		t.Errorf("without a cache: %+v", p)
	}
}
