package config

import (
	"fmt"
	"strings"

	"gonogo/report/plain"
)

// Help renders the table of keys for `gonogo help config`.
func Help() string {
	var b strings.Builder
	b.WriteString(`gonogo.yaml, which may also be JSON. Every key may be left out. Keys marked * are
binding: a run directory that was made with another value is refused. Paths
start from the file's folder. --set KEY=VALUE overrides a key.

`)
	for _, k := range Keys().Keys() {
		mark := " "
		if k.Binding {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s (%s)\n", mark, k.Path, k.Kind())
		text := k.Doc + "."
		switch {
		case k.Default != "":
			text += " Default: " + k.Default + "."
		case k.Fallback != "":
			text += " Default: " + k.Fallback + "."
		}
		if k.Example != "" {
			text += " Example: " + k.Example
		}
		b.WriteString(plain.Wrap(text, "      ", 80))
		for _, e := range k.Entries() {
			b.WriteString(plain.Wrap(fmt.Sprintf("- %s (%s): %s", e.Name, e.Kind, e.Doc), "        ", 80))
		}
	}
	return b.String()
}
