package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// yaml writes the draft: every key with its doc, those that are not set
// commented out at the value they have, or at an example.
func (d *draft) yaml() []byte {
	var b bytes.Buffer
	b.WriteString(`# gonogo.yaml: what "gonogo run" measures, and how. Written by "gonogo init".
# Lines that are commented out stand at their defaults. Paths start from this
# file's folder. Secrets come from the environment: ${NAME} in headers.
# "gonogo help config" explains every key; (binding) marks those that a run,
# once begun, cannot change.
`)
	group := ""
	for _, k := range keys() {
		prefix, leaf, grouped := strings.Cut(k.Path, ".")
		if !grouped {
			prefix, leaf = "", prefix
		}
		indent := ""
		if grouped {
			indent = "  "
		}
		b.WriteByte('\n')
		if grouped && prefix != group {
			fmt.Fprintf(&b, "%s:\n", prefix)
		}
		group = prefix
		b.WriteString(wrapText(d.comment(k), indent+"# ", 90))
		for _, note := range d.notes[k.Path] {
			b.WriteString(wrapText("> "+note, indent+"# ", 90))
		}
		if i := slices.IndexFunc(d.set, func(s setting) bool { return s.path == k.Path }); i >= 0 {
			fmt.Fprintf(&b, "%s%s: %s\n", indent, leaf, d.set[i].yaml)
			continue
		}
		fmt.Fprintf(&b, "%s# %s: %s\n", indent, leaf, d.shown(k))
	}
	return b.Bytes()
}

// comment is the key's doc line.
func (d *draft) comment(k key) string {
	text := k.Doc
	if k.Fallback != "" {
		text += ". Left out: " + k.Fallback
	}
	if k.Enum != nil {
		text += ". One of " + strings.Join(k.Enum, ", ")
	}
	if k.Binding {
		text += " (binding)"
	}
	return text
}

// shown is the value behind a key that is commented out.
func (d *draft) shown(k key) string {
	if k.Path == "items" && len(d.notes["items"]) > 0 {
		return fmt.Sprint(firstItems)
	}
	value, ok := k.show(&d.config.values)
	if !ok {
		return k.Example
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return quoteYAML(text)
	}
	return strings.ReplaceAll(string(value), ",", ", ")
}

var plainYAML = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./: -]*[A-Za-z0-9_/]$`)

// quoteYAML writes text as YAML, in quotes where it could be read as anything
// else.
func quoteYAML(text string) string {
	if plainYAML.MatchString(text) {
		if n, err := parseYAML("", []byte("a: "+text)); err == nil && n.get("a") != nil && n.get("a").kind == yamlString && n.get("a").text == text {
			return text
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(fmt.Sprintf("gonogo: quote %q: %v", text, err)) // a string always encodes
	}
	return strings.TrimSpace(b.String())
}
