// Package compressed reads files that may be compressed.
//
// In: the bytes of a file. Out: the bytes that were compressed, or the bytes as they are if the file
// is not compressed. The content decides, not the name. Compressions that are not read, and files
// that unpack to far more than they hold, are errors that say what to do.
package compressed
