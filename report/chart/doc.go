// Package chart draws charts. In: a Result. Out: pictures.
//
// Each chart is one file with one Draw; Charts lists them in display order. Render adds what a
// gonum plot has no place for (a title that states the finding, a line on how it was measured, a
// legend row) and returns a Figure, which draws itself on any canvas: PNG, SVG or a page of a
// document. The same Result gives the same bytes.
package chart
