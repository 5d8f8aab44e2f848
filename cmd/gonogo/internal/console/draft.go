package console

import (
	"bytes"
	"fmt"
	"strings"

	"gonogo/report/plain"
	"gonogo/sampler/input/schema"
)

// Draft is a configuration under construction, with comments.
type Draft struct {
	Keys      *schema.Table
	Set       map[string]string       // YAML of the keys to write, by path
	Notes     map[string][]string     // findings about keys, by path
	Decisions map[string]string       // what a user should know to decide a key, by path
	Shown     func(schema.Key) string // YAML shown for a key that is commented out
}

// Short returns the text, below head, of the keys that a user decides and of those that are set,
// each followed by a comment.
func (d *Draft) Short(head string) []byte { return d.text(head, false) }

// Full returns the text, below head, of all keys, each below its documentation.
func (d *Draft) Full(head string) []byte { return d.text(head, true) }

func (d *Draft) text(head string, full bool) []byte {
	b := bytes.NewBufferString(head)
	last := ""
	for _, k := range d.Keys.Keys() {
		about, decide := d.Decisions[k.Path]
		value, set := d.Set[k.Path]
		if !full && !decide && !set {
			continue
		}
		group, leaf, grouped := strings.Cut(k.Path, ".")
		indent := "  "
		if !grouped {
			group, leaf, indent = "", group, ""
		}
		if full || group != last {
			b.WriteByte('\n')
		}
		if grouped && group != last {
			b.WriteString(group + ":\n")
		}
		last = group
		line := fmt.Sprintf("%s%s: %s", indent, leaf, value)
		if !set {
			line = fmt.Sprintf("%s# %s: %s", indent, leaf, d.Shown(k))
		}
		mark := ""
		switch {
		case full:
			b.WriteString(plain.Wrap(keyComment(k), indent+"# ", 90))
			mark = "> "
		case decide:
			line += "  # " + about
		default:
			line += "  # " + strings.Join(d.Notes[k.Path], "; ")
		}
		if full || decide {
			for _, note := range d.Notes[k.Path] {
				b.WriteString(plain.Wrap(mark+note, indent+"# ", 90))
			}
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

// keyComment documents a key in a configuration.
func keyComment(k schema.Key) string {
	text := k.Doc
	if k.Fallback != "" {
		text += ". Left out: " + k.Fallback
	}
	if names := k.Names(); names != nil {
		text += ". One of " + strings.Join(names, ", ")
	}
	if k.Binding {
		text += " (binding)"
	}
	return text
}
