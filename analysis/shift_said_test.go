package analysis

import (
	"testing"

	"gonogo/analysis/message"
)

func TestWhatTellsSplitsApartIsSaidInChinese(t *testing.T) {
	strict := message.Chinese.Lacking(func(english string) { t.Errorf("the catalogue lacks %q", english) })
	for _, c := range []struct{ about, on, feature, top, said, telling string }{
		{"a feature of texts", OnLastUser, "words", "words: median 51 in eval, 33.5 in train", "词数", "词数：eval 的中位数 51，train 的中位数 33.5"},
		{"a share", OnTools, "share of calls to words", "share of calls to words: 5.67 % of eval, 1e-05 % of train", "调用 words 的占比", "调用 words 的占比：eval 的 5.67 %，train 的 1e-05 %"},
		{"a field has a name of its own", OnFields, "words", "words = a: b: 5 % of eval, 1 % of train", "words", "words = a：b: 5 % of eval, 1 % of train"},
		{"a word", OnPrompt, "", `"turns": 5 % of eval, 1 % of train`, "", `"turns"：eval 的 5 %，train 的 1 %`},
		{"what is no such text", OnReward, "style", "nothing", "style", "nothing"},
	} {
		p := &ShiftPair{On: c.on, About: c.feature, Top: []string{c.top}}
		if got := p.Feature(message.Language{}); got != c.feature {
			t.Errorf("%s: %q in English", c.about, got)
		}
		if got := p.Telling(message.Language{}); got[0] != c.top {
			t.Errorf("%s: %q in English", c.about, got)
		}
		if got := p.Feature(strict); got != c.said {
			t.Errorf("%s: %q, want %q", c.about, got, c.said)
		}
		if got := p.Telling(strict)[0]; got != c.telling {
			t.Errorf("%s: %q, want %q", c.about, got, c.telling)
		}
	}
	for _, name := range features {
		(&ShiftPair{On: OnTools, About: name}).Feature(strict)
	}
}
