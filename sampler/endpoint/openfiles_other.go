//go:build !unix

package endpoint

// OpenFiles returns how many files and connections this process may have open at once; 0 if that is
// unknown.
func OpenFiles() int { return 0 }

// OutOfFiles reports whether a request was not made because this process, or this machine, has as
// many files open as it may.
func OutOfFiles(error) bool { return false }
