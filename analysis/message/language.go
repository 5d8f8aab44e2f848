// Package message holds the texts of findings, pictures and pages. Each text has an id. Its English
// words are in the code that uses it; each other language is one file of this package, such as
// zh.json, with a text for each id. The binary holds these files compressed in languages.zip.
// Names, numbers, methods, and what models, tools and graders wrote are not translated.
package message

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"gonogo/sampler/wording"
)

//go:embed languages.zip
var packed []byte

//go:embed untranslated.txt
var untranslated string

// Untranslated lists the texts that are known to lack a translation and are shown in English, each as
// the tag of the language and the id, such as "zh chart.failures.up".
func Untranslated() []string {
	return strings.FieldsFunc(untranslated, func(r rune) bool { return r == '\n' })
}

// Language is the language of texts. The zero Language is English.
type Language struct{ catalogue *catalogue }

// catalogue is one language other than English.
type catalogue struct {
	tag   string
	texts func() map[string]string // by id; they keep the verbs and the names in braces, in any order
	lacks func(id, english string)
}

// tagEnglish is the tag of English, the language in the code.
const tagEnglish = "en"

// languages lists the available languages: English, and one for each file.
var languages = func() []Language {
	list := []Language{{}}
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic(fmt.Sprintf("message: languages.zip: %v", err)) // a bug in the program
	}
	for _, f := range files.File {
		list = append(list,
			Language{&catalogue{
				tag: strings.TrimSuffix(f.Name, ".json"),
				texts: sync.OnceValue(func() (texts map[string]string) {
					raw, err := fs.ReadFile(files, f.Name)
					if err == nil {
						err = json.Unmarshal(raw, &texts)
					}
					if err != nil {
						panic(fmt.Sprintf("message: %s: %v", f.Name, err)) // a bug in the program
					}
					return texts
				}),
			}})
	}
	return list
}()

// Languages lists the languages, English first.
func Languages() []Language { return languages }

// Chinese is simplified Chinese.
var Chinese, _ = LanguageByTag("zh")

// NewLanguage returns a language from outside this package, with its tag and its texts by id.
func NewLanguage(tag string, texts map[string]string) Language {
	return Language{&catalogue{tag: tag, texts: func() map[string]string { return texts }}}
}

// Tags lists the tags of the languages: en, zh.
func Tags() []string {
	var tags []string
	for _, l := range Languages() {
		tags = append(tags, l.Tag())
	}
	return tags
}

// LanguageByTag returns the language with the tag; "" is English.
func LanguageByTag(tag string) (Language, error) {
	if tag == "" {
		return Language{}, nil
	}
	for _, l := range Languages() {
		if l.Tag() == tag {
			return l, nil
		}
	}
	return Language{}, fmt.Errorf("unknown language %q: use one of %s", tag, strings.Join(Tags(), ", "))
}

// Tag returns the language's BCP 47 tag, as used in HTML and PDF.
func (l Language) Tag() string {
	if l.catalogue == nil {
		return tagEnglish
	}
	return l.catalogue.tag
}

// Text returns the text of an id, or the English one if the language lacks it.
func (l Language) Text(id, english string) string {
	if l.catalogue == nil || english == "" {
		return english
	}
	text, ok := l.catalogue.texts()[id]
	if !ok {
		if l.catalogue.lacks != nil {
			l.catalogue.lacks(id, english)
		}
		return english
	}
	return text
}

// Say formats the text of an id with the verbs of package fmt. A translation may use the arguments
// in another order: %[2]s.
func (l Language) Say(id, english string, args ...any) string {
	return fmt.Sprintf(l.Text(id, english), args...)
}

// Count formats a number of things, named in the English singular: "1 item", "1,200 items". The text
// of a language is count.item, or count.item.one for a single thing if it has that text.
func (l Language) Count(n int, thing string) string {
	id, english := CountID(thing), "%s "+wording.Plural(n, thing)
	if n == 1 && l.catalogue != nil {
		if _, ok := l.catalogue.texts()[id+".one"]; ok {
			id += ".one"
		}
	}
	return l.Say(id, english, Whole(n))
}

// CountID returns the id of the text for counting a thing.
func CountID(thing string) string { return "count." + strings.ReplaceAll(thing, " ", "_") }

// OnMissing returns a copy of the language that calls report for each text that it lacks and that
// Untranslated does not list.
func (l Language) OnMissing(report func(id, english string)) Language {
	if l.catalogue == nil {
		return l
	}
	copied := *l.catalogue
	copied.lacks = func(id, english string) {
		if !slices.Contains(Untranslated(), l.Tag()+" "+id) {
			report(id, english)
		}
	}
	return Language{&copied}
}

// All returns the texts of the language by id; nil for English.
func (l Language) All() map[string]string {
	if l.catalogue == nil {
		return nil
	}
	return l.catalogue.texts()
}

// In returns a copy of a structure of texts in language l. It translates every string in fields,
// slices and map values, but not map keys, and sets fields of type Language to l. The id of each
// text is its path: report.audit.must.bottom.
func In[T any](l Language, path string, words T) T {
	if l.catalogue == nil {
		return words
	}
	return walk(path, reflect.ValueOf(words), l, l.Text).Interface().(T)
}

// Walk calls add with the id and the English words of each text in a structure, as In translates it.
func Walk(path string, words any, add func(id, english string)) {
	walk(path, reflect.ValueOf(words), Language{}, func(id, english string) string {
		add(id, english)
		return english
	})
}

func walk(path string, v reflect.Value, l Language, text func(id, english string) string) reflect.Value {
	switch {
	case v.Type() == reflect.TypeFor[Language]():
		return reflect.ValueOf(l)
	case v.Type().Name() == "Signs":
		path = "sign"
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(text(path, v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(walk(path+"."+snake(v.Type().Field(i).Name), v.Field(i), l, text))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(walk(fmt.Sprintf("%s.%d", path, i+1), v.Index(i), l, text))
		}
	case reflect.Map:
		out.Set(reflect.MakeMap(v.Type()))
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, walk(path+"."+snake(fmt.Sprint(k)), v.MapIndex(k), l, text))
		}
	}
	return out
}

// snake converts a name to its form in ids: FalseAcceptDoc to false_accept_doc, NO-GO to no_go.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('_')
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			r = '_'
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
