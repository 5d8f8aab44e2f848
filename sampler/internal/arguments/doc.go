// Package arguments makes arguments for tools that no model called.
//
// In: an item and the JSON Schema of a tool that it offers. Out: JSON arguments that satisfy the
// schema, with words of the item's prompt as texts.
package arguments
