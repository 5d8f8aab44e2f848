// Package config is gonogo.yaml.
//
// In: a YAML or JSON document, KEY=VALUE pairs over it, and the environment. Out: a
// [Config] whose defaults are filled in and whose mistakes are all listed with file,
// line and column; and what is made of the same table of keys: help, JSON Schema,
// the document that gonogo init writes, and what a manifest keeps.
package config
