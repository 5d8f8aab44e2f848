// Package pdf lays out pages: headings, paragraphs, tables and figures go in,
// a PDF comes out.
//
// It knows nothing of reports. What is drawn is kept as a list until Write, so
// that a page can name how many there are, fonts hold no more glyphs than are
// needed, and a test can ask where each mark stands. Texts may hold anything:
// what no font can draw becomes a visible box, and is counted.
package pdf
