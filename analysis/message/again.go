package message

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Again says what was said in English before and kept: a text, a format with
// whatever was put into it, or a count of things. What was put into a format is
// said again in its turn. Only texts of the catalogue's list of what is kept are
// known, also several of them joined; any other is returned as it is.
func (l Language) Again(english string) string {
	if l.of == nil || english == "" {
		return english
	}
	if said, ok := l.of.kept[english]; ok {
		return said
	}
	if m := counted.FindStringSubmatch(english); m != nil {
		if format, ok := l.of.texts["%s "+m[2]+"s"]; ok {
			return fmt.Sprintf(format, m[1])
		}
	}
	for _, k := range l.of.formats() {
		if m := k.english.FindStringSubmatch(english); m != nil {
			return k.filled(l, m)
		}
	}
	if parts := strings.Split(english, join); len(parts) > 1 {
		for i := range parts {
			parts[i] = l.Again(parts[i])
		}
		return strings.Join(parts, l.Text(join))
	}
	return english
}

// join stands between texts that are kept as one.
const join = "; "

// counted is what Count writes in English; a percentage is none.
var counted = regexp.MustCompile(`^(-?[\d,]+) ([^\d%]+?)s?$`)

// keptFormat is a format that finds itself in English texts.
type keptFormat struct {
	english *regexp.Regexp
	group   map[int]int // of the expression, by argument
	said    string
}

// formatVerb is a verb of package fmt: its argument's number and its letter.
var formatVerb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*[\d.]*([a-zA-Z%])`)

// written is what a verb writes; any other verb writes a number.
var written = map[string]string{"s": "(.+?)", "q": `("(?:[^"\\]|\\.)*")`}

// finding makes of each format an expression for what it has written, the ones
// with most words of their own first.
func finding(texts map[string]string) []keptFormat {
	var formats []keptFormat
	own := make(map[*regexp.Regexp]int)
	for english, said := range texts {
		k := keptFormat{group: make(map[int]int), said: said}
		var b strings.Builder
		n, arg, end := 0, 0, 0
		for _, at := range formatVerb.FindAllStringSubmatchIndex(english, -1) {
			b.WriteString(regexp.QuoteMeta(english[end:at[0]]))
			end = at[1]
			verb := english[at[4]:at[5]]
			if verb == "%" {
				b.WriteString("%")
				continue
			}
			if arg++; at[2] >= 0 {
				arg, _ = strconv.Atoi(english[at[2]:at[3]])
			}
			if n++; k.group[arg] == 0 {
				k.group[arg] = n
			}
			b.WriteString(cmp.Or(written[verb], `(-?[\d.,]+(?:e[-+]\d+)?)`))
		}
		b.WriteString(regexp.QuoteMeta(english[end:]))
		if n == 0 {
			continue // a text without verbs is known as it is
		}
		k.english = regexp.MustCompile("(?s)^" + b.String() + "$")
		own[k.english] = len(formatVerb.ReplaceAllString(english, ""))
		formats = append(formats, k)
	}
	slices.SortFunc(formats, func(a, b keptFormat) int {
		return cmp.Or(own[b.english]-own[a.english], cmp.Compare(a.english.String(), b.english.String()))
	})
	return formats
}

// filled is the translation with what the expression found.
func (k keptFormat) filled(l Language, found []string) string {
	arg := 0
	return formatVerb.ReplaceAllStringFunc(k.said, func(verb string) string {
		m := formatVerb.FindStringSubmatch(verb)
		if m[2] == "%" {
			return "%"
		}
		if arg++; m[1] != "" {
			arg, _ = strconv.Atoi(m[1])
		}
		if m[2] == "s" {
			return l.Again(found[k.group[arg]])
		}
		return found[k.group[arg]]
	})
}
