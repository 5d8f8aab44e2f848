// Package typeface reads fonts. In: texts. Out: which of their runes can be drawn, their
// widths, and the outlines to embed.
//
// The Liberation fonts, which gonum/plot includes, cover Latin, Greek and Cyrillic. For
// Chinese, Japanese and Korean a system font is used: Find reads the one that is named,
// or looks in the usual places. It takes TrueType and OpenType fonts and collections of
// them: Embed makes a small TrueType font with only the glyphs that a document needs,
// whatever kind of outlines they come from.
package typeface
