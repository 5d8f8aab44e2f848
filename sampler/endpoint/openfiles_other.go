//go:build !unix

package endpoint

// OpenFiles returns how many files and connections this process may have open at once; 0 if that is
// unknown.
func OpenFiles() int { return 0 }

// outOfFiles is OutOfFiles for errors of this process.
func outOfFiles(error) bool { return false }
