package pilot

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prompt is an item of the base run as a log may show it.
type Prompt struct {
	ID   string
	Sum  uint64 // identity of its prompt (prompt.Identity); 0 if unknown
	Turn string // its last user turn; "" if unknown
}

// Asked is what a log shows of an item.
type Asked struct {
	ID   string
	Sum  uint64 // identity of its prompt; 0 if the log does not show it
	Text string // the last message of its prompt, which is all of it in a log of rendered texts
}

// Matcher finds the items of a base run in a log.
type Matcher struct {
	ids   map[string]Prompt
	sums  map[uint64][]string
	turns map[string][]string
	// ends holds the lengths of the turns, descending, by their last bytes: at most tail of them. tails
	// are the lengths of its keys.
	ends  map[string][]int
	tails []int
}

const tail = 16

// NewMatcher returns a matcher for the items. Memory grows with their number, not with their texts.
func NewMatcher(items []Prompt) *Matcher {
	m := &Matcher{
		ids: make(map[string]Prompt), sums: make(map[uint64][]string), turns: make(map[string][]string),
		ends: make(map[string][]int),
	}
	for _, p := range items {
		p.Turn = strings.TrimSpace(p.Turn)
		m.ids[p.ID] = p
		if p.Sum != 0 {
			m.sums[p.Sum] = append(m.sums[p.Sum], p.ID)
		}
		if p.Turn == "" {
			continue
		}
		m.turns[p.Turn] = append(m.turns[p.Turn], p.ID)
		end := p.Turn[len(p.Turn)-min(tail, len(p.Turn)):]
		if !slices.Contains(m.tails, len(end)) {
			m.tails = append(m.tails, len(end))
		}
		if !slices.Contains(m.ends[end], len(p.Turn)) {
			m.ends[end] = append(m.ends[end], len(p.Turn))
		}
	}
	for _, lengths := range m.ends {
		slices.SortFunc(lengths, func(a, b int) int { return cmp.Compare(b, a) })
	}
	return m
}

// Match returns the item of the base run that the log shows: the one with its id, unless both show
// their prompts and these differ; else the one with its prompt; else the one whose last user turn
// its text contains. several reports that more than one item matches equally well; item is then "".
func (m *Matcher) Match(a Asked) (item string, several bool) {
	if p, ok := m.ids[a.ID]; ok && !m.contradicts(p, a) {
		return p.ID, false
	}
	same := m.sums[a.Sum]
	if a.Sum == 0 || len(same) == 0 {
		same = m.contained(a.Text)
	}
	switch len(same) {
	case 0:
		return "", false
	case 1:
		return same[0], false
	}
	return "", true
}

// contradicts reports whether the log shows another prompt than the item's under its id, as where both
// number their rows. One of the two may be rendered text that contains the other.
func (m *Matcher) contradicts(p Prompt, a Asked) bool {
	if p.Sum == 0 || a.Sum == 0 || p.Sum == a.Sum || p.Turn == "" {
		return false
	}
	text := strings.TrimSpace(a.Text)
	return (text == "" || !strings.Contains(p.Turn, text)) && !slices.Contains(m.contained(text), p.ID)
}

// contained returns the items whose turn the text contains. Of several turns the last one counts, as
// examples come before the question, and of those that end together the longest.
func (m *Matcher) contained(text string) []string {
	for end := len(text); end > 0; end-- {
		if !endsAt(text, end) {
			continue
		}
		longest := 0
		for _, n := range m.tails {
			if end < n {
				continue
			}
			for _, length := range m.ends[text[end-n:end]] {
				if length <= longest || length > end {
					continue
				}
				if _, ok := m.turns[text[end-length:end]]; ok && startsAt(text, end-length) {
					longest = length
				}
			}
		}
		if longest > 0 {
			return m.turns[text[end-longest:end]]
		}
	}
	return nil
}

// endsAt reports whether a turn may end at the byte: not within a word or a number, of which 1.5 is
// one.
func endsAt(text string, end int) bool {
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	next, size := utf8.DecodeRuneInString(text[end:])
	if !inWord(last) {
		return true
	}
	after, _ := utf8.DecodeRuneInString(text[end+size:])
	return !inWord(next) && !((next == '.' || next == ',') && unicode.IsDigit(after))
}

func startsAt(text string, start int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	return !inWord(before) || !inWord(first)
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
