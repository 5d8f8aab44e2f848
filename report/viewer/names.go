package viewer

import (
	"strconv"
	"sync"
	"unicode/utf8"

	"gonogo/sampler/rollout"
)

// names displays names and texts: as they are, or redacted, a name as its kind and a number that
// stays the same for this process, a text as its length.
type names struct {
	redact bool

	mu    sync.Mutex // guards the fields below
	alias map[[2]string]string
	back  map[[2]string]string
	count map[string]int
}

func newNames(redact bool) *names {
	return &names{
		redact: redact, alias: make(map[[2]string]string), back: make(map[[2]string]string),
		count: make(map[string]int),
	}
}

// display returns how a name of a kind is shown. An empty name stays empty.
func (n *names) display(kind, name string) string {
	if !n.redact || name == "" {
		return name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	key := [2]string{kind, name}
	a, ok := n.alias[key]
	if !ok {
		n.count[kind]++
		a = kind + " " + strconv.Itoa(n.count[kind])
		n.alias[key], n.back[[2]string{kind, a}] = a, name
	}
	return a
}

// from returns the name behind what is shown.
func (n *names) from(kind, shown string) string {
	if !n.redact {
		return shown
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.back[[2]string{kind, shown}]
}

// text returns how a text is shown.
func (n *names) text(s string) string {
	if !n.redact || s == "" {
		return s
	}
	count := utf8.RuneCountInString(s)
	if count == 1 {
		return "[1 character]"
	}
	return "[" + strconv.Itoa(count) + " characters]"
}

// role returns how the role of a message is shown: a standard role as it is, any other as a name.
func (n *names) role(role string) string {
	switch role {
	case "system", "developer", "user", "assistant", "tool", "function":
		return role
	}
	return n.display("role", role)
}

func (n *names) list(kind string, all []string) []string {
	out := make([]string, 0, len(all))
	for _, s := range all {
		if s != "" {
			out = append(out, n.display(kind, s))
		}
	}
	return out
}

// labels returns how labels are shown: raters are names, and notes are texts.
func (n *names) labels(all []rollout.Label) []shownLabel {
	out := make([]shownLabel, 0, len(all))
	for _, l := range all {
		out = append(out, shownLabel{
			Rater: n.display("rater", l.Rater), Mark: l.Mark, Score: l.Score, Note: n.text(l.Note),
		})
	}
	return out
}

type shownLabel struct {
	Rater string   `json:"rater"`
	Mark  string   `json:"mark,omitempty"`
	Score *float64 `json:"score,omitempty"`
	Note  string   `json:"note,omitempty"`
}
