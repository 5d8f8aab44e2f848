package metric

import "testing"

func FuzzScores(f *testing.F) {
	for _, p := range readGolden(f).Pairs {
		f.Add(p.Input, p.Reference)
	}
	f.Add("a\xff\xfeb", "\xc3")
	f.Add("yyyyy", "syzygy")
	f.Fuzz(func(t *testing.T, input, reference string) {
		if len(input)*len(reference) > 1e7 {
			t.Skip()
		}
		for _, m := range Metrics() {
			if s := m.Score(input, reference); !(s >= 0 && s <= 1) {
				t.Errorf("%s of %q and %q is %v", m.Name, input, reference, s)
			}
		}
	})
}
