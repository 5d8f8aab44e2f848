// Package lettering draws the text of pictures. In: a text and a style. Out: its drawable part, cut
// or wrapped to a width, drawn in the Liberation fonts and fallback fonts.
package lettering
