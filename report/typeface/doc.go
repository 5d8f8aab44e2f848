// Package typeface knows fonts: texts go in, what can be drawn of them, how
// wide it is and the outlines to embed come out.
//
// The Liberation fonts, which gonum/plot carries, draw Latin, Greek and
// Cyrillic. For Chinese, Japanese and Korean a font of the machine is taken:
// Find reads the one that is named, or looks in the usual places. Any
// TrueType or OpenType font will do, and any collection of them: Embed makes a
// small TrueType font of just the glyphs that a document needs, whatever kind
// of outlines they come from.
package typeface
