package console

import (
	"fmt"
	"io"

	"gonogo/report/plain"
	"gonogo/sampler/input/schema"
)

// WriteKeys writes the keys of a configuration with their documentation; keys that a run is bound
// to have an asterisk.
func WriteKeys(w io.Writer, t *schema.Table) {
	for _, k := range t.Keys() {
		mark := " "
		if k.Binding {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s (%s)\n", mark, k.Path, k.Kind())
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
		fmt.Fprint(w, plain.Wrap(text, "      ", 80))
		for _, e := range k.Entries() {
			fmt.Fprint(w, plain.Wrap(fmt.Sprintf("- %s (%s): %s", e.Name, e.Kind, e.Doc), "        ", 80))
		}
	}
}
