package form

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is a node of a trie of the tokens next to places, read outward from each place.
type node struct {
	children map[string]*node
	count    int // answers that contain it
	last     int // the last answer counted
	rank     int // sum over answers of the number of later places in the answer
}

func (n *node) add(tokens []token, answer, rank int) {
	for _, t := range tokens {
		child := n.children[t.text]
		if child == nil {
			child = &node{children: map[string]*node{}, last: -1}
			n.children[t.text] = child
		}
		if child.last != answer {
			child.last, child.rank = answer, child.rank+rank
			child.count++
		}
		n = child
	}
}

// next returns the token with which most answers continue; of several, the first in the
// alphabet.
func (n *node) next() (text string, child *node) {
	for _, t := range slices.Sorted(maps.Keys(n.children)) {
		if child == nil || n.children[t].count > child.count {
			text, child = t, n.children[t]
		}
	}
	return text, child
}

// run follows the tokens for as long as nine in ten answers continue with the same one.
func (n *node) run() (texts []string) {
	for text, child := n.next(); child != nil && 10*child.count >= 9*n.count; text, child = n.next() {
		texts, n = append(texts, text), child
	}
	return texts
}

// around finds the text around places in answers that at least half of total answers share.
func around(examples []Example, places [][]span, total int) (Form, bool) {
	root := &node{children: map[string]*node{}}
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
	for _, first := range slices.Sorted(maps.Keys(root.children)) {
		child := root.children[first]
		if c := (chain{append([]string{first}, child.run()...), child.count, child.rank}); 2*c.count >= total &&
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
	var matching []Example
	var found []span
	for i, e := range examples {
		for _, s := range places[i] {
			left := leftOf(e.Answer, s.from)
			if !begins(left, best.texts) {
				continue
			}
			from, to := left[len(best.texts)-1].offset, len(strings.TrimRightFunc(e.Answer[:s.from], unicode.IsSpace))
			befores, gaps = append(befores, e.Answer[from:to]), append(gaps, e.Answer[to:s.from])
			matching, found = append(matching, e), append(found, s)
			break
		}
	}
	f := Form{before: usual(befores)}
	f.fold = slices.ContainsFunc(befores, func(s string) bool { return plain(s) != plain(f.before) })
	line, anchored := f.before, slices.Contains(best.texts, lineStart)
	f.before = withoutSentence(line, anchored)
	f.after = afterOf(matching, found, false)
	opening, below := f.surroundings(matching, found)
	after := afterOf(matching, found, anchored && f.before == line)
	if strings.Contains(after, "\n") {
		f.labels, below = nil, "" // a closing mark
	}
	f.Template = opening + f.before + usual(gaps) + Variable + after + below
	if opening != "" && f.before == "" {
		f.before = "</" + f.thinks + ">"
	}
	return f, true
}

// afterOf returns the text that follows the places in answers. Unless keepSentence, it drops the
// end of a sentence, which other answers may lack.
func afterOf(examples []Example, places []span, keepSentence bool) string {
	root := &node{children: map[string]*node{}, count: len(examples)}
	for i, e := range examples {
		root.add(rightOf(e.Answer, places[i].to), i, 0)
	}
	texts := root.run()
	for !keepSentence && len(texts) > 0 && strings.ContainsAny(texts[len(texts)-1], ".,;!? ") {
		texts = texts[:len(texts)-1] // part of the sentence, not of the form
	}
	if len(texts) == 0 {
		return ""
	}
	var afters []string
	for i, e := range examples {
		if right := rightOf(e.Answer, places[i].to); begins(right, texts) {
			afters = append(afters, e.Answer[places[i].to:right[len(texts)-1].offset])
		}
	}
	after := usual(afters)
	if i := strings.IndexAny(after, " \t"); i > 0 && !keepSentence {
		after = after[:i] // the sentence continues after a closing mark
	}
	return after
}

// withoutSentence drops the words of a sentence before a mark, as in "so \boxed{", or within a
// line before a capitalized label, as in "gives ANSWER:".
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

// usual returns the most frequent text; of several, the shortest.
func usual(list []string) string {
	counts := map[string]int{}
	for _, s := range list {
		counts[s]++
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), len(b)-len(a), cmp.Compare(b, a))
	})
}

// setsOff reports whether the tokens to the left of a place, the nearest first, set it off: a
// whole line, a label with a colon, or marks such as #### and **. A word of a sentence, an
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

// token is a word, a mark or a run of spaces, in lower case. Its offset in the answer is that of
// its start for tokens to the left of a place, and of its end for those to the right.
type token struct {
	text         string
	offset, size int // size is its length in the answer
}

// lineStart is the token for the start of a line.
const lineStart = "\n"

// mostTokens bounds the tokens read on each side of a place.
const mostTokens = 16

// leftOf reads an answer from a place leftward to the start of its line. If the place begins a
// line, it reads the last line with text before it, unless that ends a sentence. It also reads
// preceding lines that are only an opening mark, such as a tag or a fence.
func leftOf(answer string, from int) (tokens []token) {
	text := strings.TrimRightFunc(answer[:from], unicode.IsSpace)
	if strings.Contains(answer[len(text):from], "\n") && strings.ContainsAny(text[max(0, len(text)-1):], ".,;!?") {
		return nil
	}
	for text != "" && len(tokens) < mostTokens {
		start := strings.LastIndex(text, "\n") + 1
		line := tokensOf(text[start:], start)
		for _, t := range slices.Backward(line) {
			tokens = append(tokens, token{t.text, t.offset - t.size, t.size})
		}
		tokens = append(tokens, token{text: lineStart, offset: start})
		text = strings.TrimRightFunc(text[:start], unicode.IsSpace)
		if before := text[strings.LastIndex(text, "\n")+1:]; !opens(before) {
			break
		}
	}
	return tokens[:min(len(tokens), mostTokens)]
}

// rightOf reads an answer from a place to the end of its line, including following lines that
// are only a closing mark.
func rightOf(answer string, to int) (tokens []token) {
	text, offset := answer[to:], to
	for {
		line, rest, more := strings.Cut(text, "\n")
		tokens = append(tokens, tokensOf(line, offset)...)
		next, _, _ := strings.Cut(rest, "\n")
		if offset += len(line) + 1; !more || len(tokens) >= mostTokens || !closes(next) {
			break
		}
		tokens, text = append(tokens, token{text: lineStart, offset: offset}), rest
	}
	if len(tokens) > 0 && tokens[len(tokens)-1].text == " " {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens[:min(len(tokens), mostTokens)]
}

// opens and closes report whether a line is only a mark that opens or closes a block.
func opens(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || line == "$$" || line == `\[` || len(line) > 2 && line[0] == '<' &&
		line[1] != '/' && strings.HasSuffix(line, ">") && !strings.Contains(line, "</")
}

func closes(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || line == "$$" || line == `\]` || strings.HasPrefix(line, "</")
}

// tokensOf splits a line into tokens with the offsets of their ends; offset is that of the line.
func tokensOf(line string, offset int) (tokens []token) {
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
		_, size := utf8.DecodeRuneInString(line[i:]) // 1 for an invalid byte
		if n := len(tokens) - 1; n >= 0 && kind(r) > 0 && kind(r) == last {
			if last == 1 {
				tokens[n].text += strings.ToLower(string(r))
			}
			tokens[n].offset, tokens[n].size = offset+i+size, tokens[n].size+size
			continue
		}
		last = kind(r)
		text := strings.ToLower(string(r))
		if last == 2 {
			text = " "
		}
		tokens = append(tokens, token{text, offset + i + size, size})
	}
	return tokens
}
