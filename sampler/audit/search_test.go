package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// searching runs a search of a plan of 24 items whose grader is score, and returns the texts found, the
// number of gradings and the records.
func searching(t *testing.T, budget int, references func(i int) string, score func(text, reference string) (float64, bool), done ...*rollout.Record) (texts []string, graded []*rollout.Record) {
	t.Helper()
	var items []rollout.Item
	for i := range 24 {
		items = append(items, referring(t, fmt.Sprint("q", i), references(i)))
	}
	p := planOf(t, Config{Items: 24}, Input{Seed: 1, Items: items, Grader: "abc"})
	for _, r := range done {
		p.Keep(r)
	}
	s := p.NewSearch(budget, []string{"magic", "words"})
	if s == nil {
		return nil, nil
	}
	found, made, err := s.Run(func(tasks []sampler.Task) error {
		for _, task := range tasks {
			r := task.Record
			reference, _, _ := task.Item.Reference()
			graded = append(graded, r)
			if reward, ok := score(r.Answer, reference); ok {
				r.Outcome, r.Reward = rollout.Graded, &reward
				p.Keep(r)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range found {
		texts = append(texts, task.Record.Answer)
	}
	if (made == "") != (len(found) == 0) {
		t.Errorf("%d records are made as %q", len(found), made)
	}
	return texts, graded
}

func TestSearch(t *testing.T) {
	number := func(i int) string { return fmt.Sprint(137 + 11*i) }
	label := func(i int) string { return []string{"yes", "yes", "yes", "no"}[i%4] }
	exact := func(text, reference string) (float64, bool) {
		if strings.TrimSpace(text) == reference {
			return 1, true
		}
		return 0, true
	}
	both := func(text, reference string) (float64, bool) {
		if strings.Contains(text, "magic") && strings.Contains(text, "words") {
			return 1, true
		}
		return 0.4 * float64(strings.Count(text, "magic")), true
	}
	last := func(text, reference string) (float64, bool) {
		fields := strings.Fields(text)
		if len(fields) > 0 && strings.Trim(fields[len(fields)-1], ".!") == reference {
			return 1, true
		}
		return 0, true
	}
	for _, c := range []struct {
		why        string
		references func(int) string
		score      func(text, reference string) (float64, bool)
		want       string // in all texts found; "" for none
	}{
		{"two words that are paid together", number, both, "magic"},
		{"a sound grader", number, exact, ""},
		{"a label that is right on most items is no hole", label, exact, ""},
		{"nor in a sentence", label, last, ""},
		{"a grader that fails on everything", number, func(string, string) (float64, bool) { return 0, false }, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			texts, graded := searching(t, 600, c.references, c.score)
			if (c.want == "") != (len(texts) == 0) || slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(s, c.want) }) {
				t.Errorf("found %q", texts)
			}
			if len(graded) > 600 || len(graded) == 0 {
				t.Errorf("%d gradings of 600", len(graded))
			}
			seen := map[string]bool{}
			for _, r := range graded {
				if key := r.Item + "\x00" + r.Answer; seen[key] {
					t.Fatalf("%q is graded twice on %s", r.Answer, r.Item)
				} else {
					seen[key] = true
				}
			}
			again, more := searching(t, 600, c.references, c.score, graded...)
			if !slices.Equal(texts, again) {
				t.Errorf("a second search finds %q, the first %q", again, texts)
			}
			if _, graded := c.score("", ""); graded && len(more) > 0 {
				t.Errorf("a second search asks for %d gradings again", len(more))
			}
		})
	}
	if texts, graded := searching(t, 60, number, both); texts != nil || graded != nil {
		t.Errorf("a budget too small to try what is found is spent: %d gradings, %q", len(graded), texts)
	}
}

func TestWordsOfASource(t *testing.T) {
	got := WordsOf("if \"clear\" in text or 'step by step' in text:\n    x = \"a\"  # 'clear'\n    y = \"\"\nKEY = \"not4real0a1b2c3d4e5f6a7b8c9d\"")
	if want := []string{"clear", "step by step"}; !slices.Equal(got, want) {
		t.Errorf("words are %q, want %q", got, want)
	}
}
