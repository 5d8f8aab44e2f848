// Package lettering draws the texts of pictures: a text and a style go in, what
// can be drawn of it comes out, cut or broken to a width, and is drawn in the
// Liberation fonts with others behind them.
package lettering
