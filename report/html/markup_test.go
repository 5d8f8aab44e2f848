package html

import (
	"strings"
	"testing"
)

func TestTextIsNeverMarkup(t *testing.T) {
	const hostile = "</script><b a=\"1\" c='2'>&amp;\x00"
	const plain = "&lt;/script&gt;&lt;b a=&#34;1&#34; c=&#39;2&#39;&gt;&amp;amp;\uFFFD"
	type word string
	for _, v := range []any{hostile, word(hostile)} {
		if got, want := put(`<i title="%s">%s</i>`, v, v), markup(`<i title="`+plain+`">`+plain+`</i>`); got != want {
			t.Errorf("%T becomes %s, not %s", v, got, want)
		}
	}
	if got := put("%s %s", 7, put("<b>%s</b>", "<")); got != "7 <b>&lt;</b>" {
		t.Errorf("a number and markup become %s", got)
	}
	if got := many([]string{"<", "%s"}, "<li>%s</li>") + when(false, "<p>%s</p>", 1) + when(true, "<p>%s</p>", "%d"); got != "<li>&lt;</li><li>%s</li><p>%d</p>" {
		t.Errorf("a list becomes %s", got)
	}
	data, err := jsonOf(map[string]string{"a": hostile, "b": "<!--\u2028"})
	if err != nil || strings.ContainsAny(string(data), "<>&\x00\u2028") {
		t.Errorf("data for the script becomes %s (%v)", data, err)
	}
}

func TestALinkLeadsToAFileNearTheReport(t *testing.T) {
	for to, want := range map[string]markup{
		"../my%20run/rollouts.jsonl": `<a class="traces" href="../my%20run/rollouts.jsonl">&lt;</a>`,
		`a"b.jsonl`:                  `<a class="traces" href="a%22b.jsonl">&lt;</a>`,
		"":                           "&lt;",
		"javascript:alert(1)":        "&lt;",
		" JavaScript:alert(1)":       "&lt;",
		"java\nscript:alert(1)":      "&lt;",
		"\x01javascript:alert(1)":    "&lt;",
		"//example.com/x":            "&lt;",
		`/\example.com/x`:            `<a class="traces" href="/%5Cexample.com/x">&lt;</a>`,
		"https://example.com":        "&lt;",
		"data:text/html,x":           "&lt;",
	} {
		if got := link(to, "<"); got != want {
			t.Errorf("%q becomes %s, not %s", to, got, want)
		}
	}
}
