// Package docs holds the pages for readers, and hands out the one that
// machines read as well: the JSON Schema of result.json. A test makes it from
// the types of package analysis and what is written beside them.
package docs

import _ "embed"

// ResultSchema is the JSON Schema (draft 2020-12) of result.json.
//
//go:embed result.schema.json
var ResultSchema []byte
