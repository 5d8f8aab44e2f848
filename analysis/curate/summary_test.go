package curate_test

import (
	"strings"
	"testing"
)

func TestTheSummaryNamesWhatMoreSamplesWouldTell(t *testing.T) {
	f := sampledFile()
	f.row("dead", sentence(f.rng, 14), "x")
	f.rewards("dead", repeat(0, 500)...)
	f.row("a\nb", sentence(f.rng, 14), "x")
	f.rewards("a\nb", repeat(0, 8)...)
	f.row("new", sentence(f.rng, 14), "x")
	got := f.curate(t).Summary()
	for _, want := range []string{"1 dropped", "Dropped, each row under its surest reason\n  dead  1", `more samples`, `"a\nb" (`, "1 row never sampled (--measured-only drops them): new\n", "Nothing was written"} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary does not say %q:\n%s", want, got)
		}
	}
}
