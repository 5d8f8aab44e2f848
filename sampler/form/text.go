package form

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is a run of tokens that answers have in common, read away from what they say.
type node struct {
	kids  map[string]*node
	count int // answers that have it
	last  int // the answer that was counted last
	rank  int // sum over answers of how many places they say it at behind this one
}

func (n *node) add(tokens []token, answer, rank int) {
	for _, t := range tokens {
		kid := n.kids[t.text]
		if kid == nil {
			kid = &node{kids: map[string]*node{}, last: -1}
			n.kids[t.text] = kid
		}
		if kid.last != answer {
			kid.last, kid.rank = answer, kid.rank+rank
			kid.count++
		}
		n = kid
	}
}

// next is the token that most answers go on with, of all with that many the first in the
// alphabet.
func (n *node) next() (text string, kid *node) {
	for _, t := range slices.Sorted(maps.Keys(n.kids)) {
		if kid == nil || n.kids[t].count > kid.count {
			text, kid = t, n.kids[t]
		}
	}
	return text, kid
}

// run follows the tokens for as long as nine in ten answers go on alike.
func (n *node) run() (texts []string) {
	for text, kid := n.next(); kid != nil && 10*kid.count >= 9*n.count; text, kid = n.next() {
		texts, n = append(texts, text), kid
	}
	return texts
}

// around finds the text around places in answers that at least half of total share.
func around(examples []Example, places [][]span, total int) (Form, bool) {
	root := &node{kids: map[string]*node{}}
	for i, e := range examples {
		for rank, s := range places[i] {
			root.add(leftOf(e.Answer, s.from), i, rank)
		}
	}
	type chain struct {
		texts       []string
		count, rank int
	}
	var best chain
	for _, first := range slices.Sorted(maps.Keys(root.kids)) {
		kid := root.kids[first]
		if c := (chain{append([]string{first}, kid.run()...), kid.count, kid.rank}); 2*c.count >= total &&
			setsOff(c.texts) {
			if best.texts == nil || cmp.Or(cmp.Compare(c.count, best.count), best.rank-c.rank,
				len(c.texts)-len(best.texts)) > 0 {
				best = c
			}
		}
	}
	if best.texts == nil {
		return Form{}, false
	}
	var befores, gaps []string
	var in []Example
	var at []span
	for i, e := range examples {
		for _, s := range places[i] {
			left := leftOf(e.Answer, s.from)
			if !begins(left, best.texts) {
				continue
			}
			from, to := left[len(best.texts)-1].at, len(strings.TrimRightFunc(e.Answer[:s.from], unicode.IsSpace))
			befores, gaps = append(befores, e.Answer[from:to]), append(gaps, e.Answer[to:s.from])
			in, at = append(in, e), append(at, s)
			break
		}
	}
	f := Form{before: usual(befores)}
	f.fold = slices.ContainsFunc(befores, func(s string) bool { return plain(s) != plain(f.before) })
	line, anchored := f.before, slices.Contains(best.texts, lineStart)
	f.before = withoutSentence(line, anchored)
	f.after = afterOf(in, at, false)
	f.Template = f.before + usual(gaps) + Variable + afterOf(in, at, anchored && f.before == line)
	return f, true
}

// afterOf is the text that follows the places in answers: the whole of it, or without the end
// of a sentence, which an answer may lack.
func afterOf(examples []Example, at []span, whole bool) string {
	root := &node{kids: map[string]*node{}, count: len(examples)}
	for i, e := range examples {
		root.add(rightOf(e.Answer, at[i].to), i, 0)
	}
	texts := root.run()
	for !whole && len(texts) > 0 && strings.ContainsAny(texts[len(texts)-1], ".,;!? ") {
		texts = texts[:len(texts)-1] // of the sentence, not of the form
	}
	if len(texts) == 0 {
		return ""
	}
	var afters []string
	for i, e := range examples {
		if right := rightOf(e.Answer, at[i].to); begins(right, texts) {
			afters = append(afters, e.Answer[at[i].to:right[len(texts)-1].at])
		}
	}
	after := usual(afters)
	if i := strings.IndexAny(after, " \t"); i > 0 && !whole {
		after = after[:i] // the sentence goes on behind a closing mark
	}
	return after
}

// withoutSentence drops the words of a sentence that end in a mark, such as "so \boxed{", or
// within a line in a label that has a capital: "gives ANSWER:".
func withoutSentence(before string, anchored bool) string {
	trimmed := strings.TrimSpace(before)
	mark := strings.IndexAny(trimmed, "\\<{[*#$`|")
	if mark >= 0 && trimmed[mark:] == "$" {
		mark = -1 // a formula within a sentence
	}
	label := strings.IndexAny(trimmed, ":=\n")
	switch {
	case mark > 0 && (label < 0 || mark < label):
		return trimmed[mark:]
	case anchored:
		return before
	}
	words := strings.Fields(trimmed)
	isUpper := func(word string) bool { return strings.ContainsFunc(word[:1], unicode.IsUpper) }
	if i := slices.IndexFunc(words, isUpper); i > 0 && isUpper(words[len(words)-1]) {
		return strings.Join(words[i:], " ")
	}
	return trimmed
}

func begins(tokens []token, texts []string) bool {
	return len(tokens) >= len(texts) &&
		slices.EqualFunc(tokens[:len(texts)], texts, func(t token, s string) bool { return t.text == s })
}

// usual is the most frequent text, the shortest of several.
func usual(list []string) string {
	counts := map[string]int{}
	for _, s := range list {
		counts[s]++
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), len(b)-len(a), cmp.Compare(b, a))
	})
}

// setsOff reports whether tokens to the left of a place, the nearest first, set it off: a
// whole line, a label with a colon, marks such as #### and **. A word of a sentence, an
// equals sign or a single quote does not.
func setsOff(texts []string) bool {
	marks, anchored := 0, slices.Contains(texts, lineStart)
	word := false
	for _, t := range texts {
		word = word || t != lineStart && strings.ContainsFunc(t, isWord)
	}
	for _, t := range texts {
		if t == lineStart || strings.ContainsFunc(t, isWord) || t == " " {
			break
		}
		marks++
	}
	switch {
	case word && anchored:
		return true
	case word && marks > 0:
		return strings.ContainsAny(texts[0], ":=>{[(#`*|→\"")
	}
	return marks >= 2 || marks > 0 && anchored && texts[0] != "-"
}

// token is a word, a mark or a run of spaces, in lower case, and where it is: to the left of
// a place where it begins, to the right where it ends.
type token struct {
	text     string
	at, size int // size is that of the text in the answer
}

// lineStart is the token before the first of a line.
const lineStart = "\n"

// mostTokens bounds what is looked at to each side of a place.
const mostTokens = 16

// leftOf reads an answer from a place to the left, to the start of its line: of the last line
// with text, where the place begins a line, unless that ends a sentence. A line before it that
// is nothing but an opening mark, such as a tag or a fence, is read too.
func leftOf(answer string, from int) (tokens []token) {
	text := strings.TrimRightFunc(answer[:from], unicode.IsSpace)
	if strings.Contains(answer[len(text):from], "\n") && strings.ContainsAny(text[max(0, len(text)-1):], ".,;!?") {
		return nil
	}
	for text != "" && len(tokens) < mostTokens {
		start := strings.LastIndex(text, "\n") + 1
		line := tokensOf(text[start:], start)
		for _, t := range slices.Backward(line) {
			tokens = append(tokens, token{t.text, t.at - t.size, t.size})
		}
		tokens = append(tokens, token{text: lineStart, at: start})
		text = strings.TrimRightFunc(text[:start], unicode.IsSpace)
		if before := text[strings.LastIndex(text, "\n")+1:]; !opens(before) {
			break
		}
	}
	return tokens[:min(len(tokens), mostTokens)]
}

// rightOf reads an answer from a place to the end of its line, or of the next one where that
// is nothing but a closing mark.
func rightOf(answer string, to int) (tokens []token) {
	text, at := answer[to:], to
	for {
		line, rest, more := strings.Cut(text, "\n")
		tokens = append(tokens, tokensOf(line, at)...)
		next, _, _ := strings.Cut(rest, "\n")
		if at += len(line) + 1; !more || len(tokens) >= mostTokens || !closes(next) {
			break
		}
		tokens, text = append(tokens, token{text: lineStart, at: at}), rest
	}
	if len(tokens) > 0 && tokens[len(tokens)-1].text == " " {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens[:min(len(tokens), mostTokens)]
}

// opens and closes report a line that is nothing but a mark around what follows or precedes.
func opens(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || line == "$$" || line == `\[` || len(line) > 2 && line[0] == '<' &&
		line[1] != '/' && strings.HasSuffix(line, ">") && !strings.Contains(line, "</")
}

func closes(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || line == "$$" || line == `\]` || strings.HasPrefix(line, "</")
}

// tokensOf splits a line that begins at a place in its text into tokens with their ends.
func tokensOf(line string, at int) (tokens []token) {
	kind := func(r rune) int {
		switch {
		case isWord(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	last := 0
	for i, r := range line {
		_, size := utf8.DecodeRuneInString(line[i:]) // 1 of a broken byte
		if n := len(tokens) - 1; n >= 0 && kind(r) > 0 && kind(r) == last {
			if last == 1 {
				tokens[n].text += strings.ToLower(string(r))
			}
			tokens[n].at, tokens[n].size = at+i+size, tokens[n].size+size
			continue
		}
		last = kind(r)
		text := strings.ToLower(string(r))
		if last == 2 {
			text = " "
		}
		tokens = append(tokens, token{text, at + i + size, size})
	}
	return tokens
}
