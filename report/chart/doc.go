// Package chart draws: a Result goes in, pictures come out.
//
// Each chart is one file with one Draw; Charts lists them in the order they
// are shown. Render adds what a plot of gonum has no place for (a title that
// states the finding, a line that says how it was measured, a legend row) and
// gives a Figure, which draws itself on any canvas: PNG, SVG or a page of a
// document. The same Result gives the same bytes.
package chart
