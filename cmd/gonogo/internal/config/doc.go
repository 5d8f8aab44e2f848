// Package config reads gonogo.yaml.
//
// In: a YAML or JSON document, KEY=VALUE pairs that override it, and the environment. Out: a
// [Config] with its defaults filled in, or all its mistakes with file, line and column. Help, the
// JSON Schema, the file that gonogo init writes and the copy in a manifest come from the same table
// of keys.
package config
