package metric

import (
	"strings"
	"testing"
)

func TestWhatIsAffordable(t *testing.T) {
	page := strings.Repeat("é ", 5000)
	for _, m := range Metrics() {
		if m.Steps == nil {
			continue
		}
		for _, c := range []struct {
			why              string
			input, reference string
			affordable       bool
		}{
			{"two books of about the same length", strings.Repeat(page, 20), strings.Repeat(page, 19), true},
			{"a page within a book", strings.Repeat(page, 8), page, true},
			{"a chapter within a library", strings.Repeat(page, 100), strings.Repeat(page, 10), false},
			{"nothing", strings.Repeat(page, 100), "", true},
		} {
			if steps := m.Steps(c.input, c.reference); (steps <= Affordable) != c.affordable {
				t.Errorf("%s, %s: %d steps, affordable should be %v", m.Name, c.why, steps, c.affordable)
			}
		}
	}
}
