// Package typeface reads fonts. In: texts. Out: which of their runes can be drawn, their widths,
// and the outlines to embed.
//
// The Liberation fonts, which gonum/plot includes, cover Latin, Greek and Cyrillic. For Chinese,
// Japanese and Korean a system font is used: Find reads a named one, or searches the usual places.
// It supports TrueType and OpenType fonts and collections of them. Embed makes a small TrueType
// font with only the glyphs that a document needs, from either kind of outlines.
package typeface
