// Package jsontext serves the gonogo command; its API may change in any release.
//
// It reads and writes JSON texts without decoding everything in them.
//
// In: JSON texts from servers, tools and logs. Out: their members, elements and literals as
// written, values decoded with exact keys, and texts as JSON strings. It uses only the standard
// library.
package jsontext
