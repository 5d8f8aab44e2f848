// Package disk serves the gonogo command; its API may change in any release.
//
// It writes the files of a run directory so that a kill or a full disk loses nothing:
// lines that are appended whole, files that are replaced in one step, locks that end with
// their process, and errors that name the file and say what to do.
package disk
