// Package document serves the gonogo command; its API may change in any release.
//
// It reads YAML and JSON documents with the place of every value.
//
// In: a document of at most [MaxBytes], which may be hostile. Out: its values as a tree of
// [Node], anchors, aliases and merges unfolded within bounds, each with line and column;
// their JSON, in the order of the source and with numbers as written; or [Errors] with
// the places of all mistakes. goccy/go-yaml does the parsing.
package document
