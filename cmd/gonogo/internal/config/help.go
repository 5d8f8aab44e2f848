package config

import (
	"strings"

	"gonogo/cmd/gonogo/internal/console"
)

// Help renders the table of keys for `gonogo help config`.
func Help() string {
	var b strings.Builder
	b.WriteString(`gonogo.yaml, which may also be JSON. Every key may be left out. Keys marked * are
binding: a run directory that was made with another value is refused. Paths
start from the file's folder. --set KEY=VALUE overrides a key.

`)
	console.WriteKeys(&b, Keys())
	return b.String()
}
