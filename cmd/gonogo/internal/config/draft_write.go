package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

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
