package recipe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonogo/report/plain"
)

// width is the maximum width of comments, in bytes.
const width = 100

// comment writes a text as comment lines.
func comment(b *bytes.Buffer, indent, text string) {
	if text != "" {
		b.WriteString(plain.Wrap(oneLine(text), indent+"# ", width))
	}
}

// valueText returns a value as JSON, which is also YAML and, without objects, TOML.
func valueText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("gonogo: encode %T: %v", v, err)) // values are numbers, texts or decoded JSON
	}
	return strings.TrimSpace(b.String())
}

// writeYAML writes the lines as nested mappings. Keys of one mapping must be neighbours.
func writeYAML(head []string, lines []line) []byte {
	var b bytes.Buffer
	for _, text := range head {
		comment(&b, "", text)
	}
	var open []string
	for _, l := range lines {
		same := 0
		for same < len(open) && same < len(l.path)-1 && open[same] == l.path[same] {
			same++
		}
		if same == 0 {
			b.WriteByte('\n')
		}
		open = l.path[:len(l.path)-1]
		for depth := same; depth < len(open); depth++ {
			fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", depth), open[depth])
		}
		indent := strings.Repeat("  ", len(open))
		comment(&b, indent, l.why)
		key := l.path[len(l.path)-1]
		if key == "n" { // YAML 1.1 reads n as false
			key = `"n"`
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, key, valueText(l.value))
	}
	return b.Bytes()
}

// writeTOML writes the lines as tables. A name that ends in [] is an array with one table.
func writeTOML(head []string, lines []line) []byte {
	var b bytes.Buffer
	for _, text := range head {
		comment(&b, "", text)
	}
	var open []string
	for _, l := range lines {
		if table := l.path[:len(l.path)-1]; !slices.Equal(table, open) {
			open = table
			name := strings.Join(table, ".")
			if list, ok := strings.CutSuffix(name, "[]"); ok {
				fmt.Fprintf(&b, "\n[[%s]]\n", list)
			} else {
				fmt.Fprintf(&b, "\n[%s]\n", name)
			}
		} else if len(table) == 0 {
			b.WriteByte('\n')
		}
		comment(&b, "", l.why)
		fmt.Fprintf(&b, "%s = %s\n", l.path[len(l.path)-1], valueText(l.value))
	}
	return b.Bytes()
}
