//go:build !unix

package viewer

import "os"

// unname does nothing: here an open file keeps its name until it is closed.
func unname(*os.File) {}
