package config

import (
	"fmt"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
)

// Help renders the table of keys for `gonogo help config`.
func Help() string {
	var b strings.Builder
	b.WriteString(`gonogo.yaml, which may also be JSON. Every key may be left out. Keys marked * are
binding: a run directory that was made with another value is refused. Paths
start from the file's folder. --set KEY=VALUE overrides a key.

`)
	for _, k := range Keys() {
		mark := " "
		if k.Binding {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s (%s)\n", mark, k.Path, k.kind())
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
		b.WriteString(ui.Wrap(text, "      ", 80))
		if entry := k.Items; entry != nil {
			for _, name := range entry.PropertyOrder {
				e := key{Schema: entry.Properties[name]}
				b.WriteString(ui.Wrap(fmt.Sprintf("- %s (%s): %s", name, e.kind(), e.Description), "        ", 80))
			}
		}
	}
	return b.String()
}

// kind words the type of a key's value and its bounds.
func (k key) kind() string {
	each := held(k.Schema)
	text := strings.TrimPrefix(words(k.Schema), "a ")
	switch {
	case k.Enum != nil:
		return "text: " + text
	case each.Minimum != nil && each.Maximum != nil:
		return fmt.Sprintf("%s from %g to %g", text, *each.Minimum, *each.Maximum)
	case each.Minimum != nil && each.Format == "":
		return fmt.Sprintf("%s, at least %g", text, *each.Minimum)
	case strings.HasPrefix(text, "made of"):
		return "text, " + text
	}
	return text
}
