// Package pdf lays out pages. In: headings, paragraphs, tables and figures. Out: a PDF.
//
// Only Print knows reports. Drawing operations are kept in a list until Write, so that a page can
// show the total number of pages, fonts contain only the glyphs needed, and a test can ask where
// each mark is. Texts may contain anything: what no font can draw becomes a visible box, and
// Missing lists it.
package pdf
