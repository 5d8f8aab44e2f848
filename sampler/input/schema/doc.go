// Package schema serves the gonogo command; its API may change in any release.
//
// It describes documents of one kind, such as the configuration of a program, by a Go struct, and
// checks documents against it.
//
// In: a struct whose fields are the keys, described by their tags. Out: a [Table] of the keys,
// their JSON Schema (draft 2020-12) for editors, and all mistakes in a document, each with its
// position and what was probably meant. The schema cannot limit the length of a duration or require
// two numbers to ascend. Where the table accepts 3 for a text and 0 for a duration, the schema
// requires quotes and a unit. Otherwise both accept the same documents. google/jsonschema-go
// generates the schema, and santhosh-tekuri/jsonschema validates against it.
//
// Name, type and order of a key are those of its field; the name is that of the json tag. A field
// with a doc tag is a key; a struct without one is a group of keys. The tags of a key:
//
//	doc      what it does, without a full stop
//	default  a YAML value
//	or       in words, what applies if the key is absent and has no default
//	example  a YAML value
//	min, max the inclusive bounds of a number, or of each number in a list or map
//	enum     the only values of a text, separated by commas; [Options.Lists] can supply them instead
//	is       a form of text: duration, folder, name or url
//	word     the only value of a path that is not a path
//	mark     separated by commas: binding (a run made with another value is not continued),
//	         file (a path), arguments (a list whose texts may contain commas), secret and
//	         variable (the texts of a map are hidden: headers, or variables of the
//	         environment), url (the credentials in an address are hidden), and hidden
//	         (no message shows the value)
package schema
