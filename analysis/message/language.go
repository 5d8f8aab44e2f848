// Package message holds what findings, pictures and pages are written in:
// English, as it stands in the code, and for every other language one catalogue
// from each English text to its translation. Names, numbers, methods, and what
// models, tools and graders said are not translated.
package message

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// Language is what texts are written in. The zero Language is English.
type Language struct{ of *catalogue }

// catalogue is one language besides English.
type catalogue struct {
	tag   string
	texts map[string]string // by English text; verbs and words in braces stay, in any order
	lacks func(english string)
}

// tagEnglish is the tag of the language in the code.
const tagEnglish = "en"

// Chinese is simplified Chinese.
var Chinese = Language{&catalogue{tag: "zh", texts: merged(chineseParts...)}}

// chineseParts are the parts of the Chinese catalogue.
var chineseParts = []map[string]string{
	chineseFindings, chineseFindingsGrader, chineseFindingsSplits, chineseFindingsTools, chineseFindingsPhrases, chineseFindingsDocs, chineseFindingsEnds,
	chineseGates, chineseMeasured,
	chineseTexts, chineseComparison, chineseComparisonPage, chineseComparisonCharts, chineseHistory, chineseCuration,
	chineseCharts, chineseChartsMore, chineseChartsAbout, chinesePage, chinesePageMore, chinesePageAudit,
}

// Languages lists the languages that there are.
func Languages() []Language { return []Language{{}, Chinese} }

// Tags lists the tags of the languages: en, zh.
func Tags() []string {
	var tags []string
	for _, l := range Languages() {
		tags = append(tags, l.Tag())
	}
	return tags
}

// Named returns the language of a tag; "" is English.
func Named(tag string) (Language, error) {
	if tag == "" {
		return Language{}, nil
	}
	for _, l := range Languages() {
		if l.Tag() == tag {
			return l, nil
		}
	}
	return Language{}, fmt.Errorf("there is no language %q; there are %s", tag, strings.Join(Tags(), " and "))
}

// Tag is the language's name as HTML and PDF have it (BCP 47).
func (l Language) Tag() string {
	if l.of == nil {
		return tagEnglish
	}
	return l.of.tag
}

// Text returns a text in the language; one that the catalogue lacks stays
// English.
func (l Language) Text(english string) string {
	if l.of == nil || english == "" {
		return english
	}
	said, ok := l.of.texts[english]
	if !ok {
		if l.of.lacks != nil {
			l.of.lacks(english)
		}
		return english
	}
	return said
}

// Say formats a text in the language, with the verbs of package fmt. A
// translation may take the arguments in another order: %[2]s.
func (l Language) Say(english string, args ...any) string {
	return fmt.Sprintf(l.Text(english), args...)
}

// Count counts things, named in the English singular: "1 item", "1,200 items".
// The catalogue has them as "%s items".
func (l Language) Count(n int, thing string) string {
	if l.of == nil && n == 1 {
		return "1 " + thing
	}
	return l.Say("%s "+thing+"s", Whole(n)) //nolint:govet // the catalogue has it
}

// Lacking is the language, telling of each text that its catalogue lacks.
func (l Language) Lacking(tell func(english string)) Language {
	if l.of == nil {
		return l
	}
	of := *l.of
	of.lacks = tell
	return Language{&of}
}

// merged puts the parts of a catalogue together; where two have the same text
// they agree, as the test says.
func merged(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// All returns a copy of the catalogue, by English text; nil for English.
func (l Language) All() map[string]string {
	if l.of == nil {
		return nil
	}
	return maps.Clone(l.of.texts)
}

// In returns a copy of a catalogue, a structure of texts, in the language: every
// string in its fields, slices and maps, but no key, and itself where it names
// its language. Where one English text
// stands for two things, the translation of "Type.Field: text" goes before that
// of the text, as in "auditWords.Gate: gate".
func In[T any](l Language, words T) T {
	if l.of == nil {
		return words
	}
	return l.in("", reflect.ValueOf(words)).Interface().(T)
}

func (l Language) in(field string, v reflect.Value) reflect.Value {
	if v.Type() == reflect.TypeFor[Language]() {
		return reflect.ValueOf(l)
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		english := v.String()
		said, ok := l.of.texts[field+": "+english]
		if !ok {
			said = l.Text(english)
		}
		out.SetString(said)
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(l.in(v.Type().Name()+"."+v.Type().Field(i).Name, v.Field(i)))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(l.in(field, v.Index(i)))
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(l.in(field, v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMap(v.Type()))
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, l.in(field, v.MapIndex(k)))
		}
	}
	return out
}
