// Package automaton reports whether texts match a regular expression: the same answers as package
// regexp, several times faster for a long expression and many texts.
package automaton
