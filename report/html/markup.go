package html

import (
	"encoding/json"
	"fmt"
	"strings"
)

// markup is HTML. Only put makes it of text, and what is converted to it in plain
// sight: pictures, style and script.
type markup string

// put fills markup in: what is not markup itself is escaped, for an element's text
// and for a value between double quotes alike. It is no place for text inside of
// style or script, or for the address of a link, which may be a script.
//
// Not html/template: it finds methods by name, and with that the linker keeps each
// exported method of each type, a fifth of the binary.
func put(format markup, values ...any) markup {
	safe := make([]any, len(values))
	for i, v := range values {
		if m, ok := v.(markup); ok {
			safe[i] = string(m)
		} else {
			safe[i] = escape(fmt.Sprint(v))
		}
	}
	return markup(fmt.Sprintf(string(format), safe...))
}

var escapes = strings.NewReplacer("\x00", "\uFFFD", "&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escape(text string) string { return escapes.Replace(text) }

// when is the markup where it is wanted.
func when(wanted bool, format markup, values ...any) markup {
	if !wanted {
		return ""
	}
	return put(format, values...)
}

// each is the markup of a list, one after the other.
func each[T any](list []T, one func(i int, x T) markup) markup {
	var b strings.Builder
	for i, x := range list {
		b.WriteString(string(one(i, x)))
	}
	return markup(b.String())
}

// many is each text of a list in the same markup.
func many[T any](list []T, format markup) markup {
	return each(list, func(_ int, x T) markup { return put(format, x) })
}

// jsonOf is data for a script: JSON whose <, > and & are escaped cannot end the
// element that holds it.
func jsonOf(v any) (markup, error) {
	text, err := json.Marshal(v)
	return markup(text), err
}
