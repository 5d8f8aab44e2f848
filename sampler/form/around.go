package form

import (
	"regexp"
	"slices"
	"strings"
)

// thought matches reasoning at the start of an answer, up to what follows it.
var thought = regexp.MustCompile(`(?is)^\s*<(` + strings.Join(thinkingTags, "|") + `)>.*</(?:` +
	strings.Join(thinkingTags, "|") + `)>(\s*)$`)

// endOfThought matches the end of reasoning before the form.
var endOfThought = regexp.MustCompile(`(?i)^</(?:` + strings.Join(thinkingTags, "|") + `)>\s*`)

// surroundings returns what nine in ten answers have around the form: reasoning in tags that begins
// the answer, shortened, and lines below that of the answer, such as "Confidence: 0.9", as most
// answers have them. Lines that state the answer's reference again are not constant.
func (f *Form) surroundings(examples []Example, places []span) (opening, below string) {
	core := f.before[len(endOfThought.FindString(f.before)):]
	tags, gaps, lines, stated := map[string]int{}, []string{}, map[string][]string{}, 0
	for i, e := range examples {
		head := e.Answer[:places[i].from]
		if m := thought.FindStringSubmatch(head[:max(0, strings.LastIndex(head, core))]); m != nil {
			tags[strings.ToLower(m[1])]++
			gaps = append(gaps, m[2])
		}
		_, rest, _ := strings.Cut(e.Answer[places[i].to:], "\n")
		if e.Reference != "" && len(spans(rest, e.Reference)) > 0 {
			stated++
		}
		if labels := labelsOf(rest); labels != nil {
			key := strings.Join(labels, "\n")
			lines[key] = append(lines[key], strings.TrimRight(rest, " \t\r\n"))
		}
	}
	most := func(n int) bool { return 10*n >= 9*len(examples) }
	for tag, n := range tags {
		if most(n) {
			f.thinks, f.before = tag, core
			if opening = "<" + tag + ">" + someThought + "</" + tag + ">"; core != "" { // else the gap follows the form
				opening += usual(gaps)
			}
		}
	}
	for key, texts := range lines {
		if most(len(texts)) && 10*stated <= len(examples) {
			f.labels, below = strings.Split(key, "\n"), "\n"+usual(texts)
		}
	}
	return opening, below
}

// someThought stands for the reasoning of an answer.
const someThought = "Let me think."

const (
	mostLines   = 3   // most lines below that of the answer
	longestLine = 200 // bytes
)

// labelsOf returns the labels of lines, up to a colon or an equals sign, in lower case, and of others
// the whole line; nil if there are no lines, too many, or one that is too long or holds a variable.
func labelsOf(text string) (labels []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(labels) == mostLines || len(line) > longestLine || strings.Contains(line, "{{") {
			return nil
		}
		if i := strings.IndexAny(line, ":="); i > 0 {
			line = line[:i+1]
		}
		labels = append(labels, strings.ToLower(plain(line)))
	}
	return labels
}

// endsWith reports whether the last lines of an answer have the labels.
func endsWith(answer string, labels []string) bool {
	lines := slices.DeleteFunc(strings.Split(answer, "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
	return len(lines) > len(labels) && slices.Equal(labelsOf(strings.Join(lines[len(lines)-len(labels):], "\n")), labels)
}
