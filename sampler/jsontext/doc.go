// Package jsontext serves the gonogo command; its API may change in any release.
//
// It reads and writes JSON texts without making values of all that they hold.
//
// In: JSON texts, as servers, tools and logs write them. Out: their members, elements and
// literals as they are written, values decoded with exact keys, and text as literals.
// Standard library only.
package jsontext
