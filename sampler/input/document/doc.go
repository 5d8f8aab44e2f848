// Package document serves the gonogo command; its API may change in any release.
//
// It reads YAML and JSON documents with the position of every value.
//
// In: a document of at most [MaxBytes], which may be hostile. Out: its values as a tree of [Node],
// with anchors, aliases and merges expanded within bounds, each with line and column; their JSON,
// in the order of the source and with numbers as written; or [Errors] with the positions of all
// mistakes. goccy/go-yaml does the parsing.
package document
