// Package curate chooses the rows of a training file: a run, its audit and the file go
// in, and out comes for each row whether it is kept, with every ground for dropping it.
package curate
