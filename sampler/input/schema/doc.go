// Package schema serves the gonogo command; its API may change in any release.
//
// It describes the documents of one kind, such as the configuration of a program, by a Go
// struct, and checks documents by it.
//
// In: a struct whose fields are the keys, described by their tags. Out: a [Table] of the
// keys, their JSON Schema (draft 2020-12) for editors, and all mistakes in a document, each
// with its place and what was probably meant. The schema cannot say how long a duration
// may be or that two numbers must ascend, and it wants a text in quotes and a duration's unit
// where the table takes 3 and 0; else both accept the same documents. google/jsonschema-go
// makes the schema and santhosh-tekuri/jsonschema checks by it.
//
// The name, type and order of a key are those of its field, and the json tag names it. A
// field with a doc tag is a key; a struct without one is a group of keys. The tags of a key:
//
//	doc      what it does, without a full stop
//	default  a YAML value
//	or       in words, what is taken where the key is absent and has no default
//	example  a YAML value
//	min, max the inclusive bounds of a number, or of each in a list or map
//	enum     the only values of a text, with commas between; [Options.Lists] has others
//	is       a form of text: duration, folder, name or url
//	word     the one value of a path that is none
//	mark     with commas between: binding (a run made with another value is not continued),
//	         file (a path), arguments (a list of texts that commas belong to), secret and
//	         variable (the texts of a map are hidden: headers, or variables of the
//	         environment), url (what an address holds of credentials is hidden), and hidden
//	         (no message shows the value)
package schema
