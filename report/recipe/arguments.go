package recipe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/analysis/message"
	"gonogo/sampler/jsontext"
)

// style is how a program takes a setting on its command line.
type style func(path []string, value any) []string

// assigned is key=value, with a dot between the parts of a key.
func assigned(path []string, value any) []string {
	return []string{strings.Join(path, ".") + "=" + bare(value)}
}

// flagged is --key value; a value that is true is the flag alone, and one of a list follows the
// others.
func flagged(path []string, value any) []string {
	args := []string{"--" + strings.Join(path, ".")}
	switch v := value.(type) {
	case bool:
		if !v {
			return nil
		}
	case []float64:
		for _, x := range v {
			args = append(args, bare(x))
		}
	default:
		args = append(args, bare(value))
	}
	return args
}

// bare returns a value as an argument: texts without quotation marks, everything else as JSON.
func bare(value any) string {
	var text string
	if raw, ok := value.(json.RawMessage); ok && jsontext.Unmarshal(raw, &text) == nil {
		return text
	}
	if text, ok := value.(string); ok {
		return text
	}
	return valueText(value)
}

// script returns a writer of a bash script: the settings with their reasons as a list of arguments,
// and the command that takes them. Arguments of the script are added, and win.
func script(command string, of style) func(head []string, lines []line) []byte {
	return func(head []string, lines []line) []byte {
		var b bytes.Buffer
		for _, text := range head {
			comment(&b, "", text)
		}
		b.WriteString("\nsettings=(\n")
		for _, l := range lines {
			args := of(l.path, l.value)
			if len(args) == 0 {
				continue
			}
			comment(&b, "  ", l.why)
			fmt.Fprintf(&b, "  %s\n", oneLine(message.Shell(args...)))
		}
		fmt.Fprintf(&b, ")\n%s \"${settings[@]}\" \"$@\"\n", command)
		return b.Bytes()
	}
}
