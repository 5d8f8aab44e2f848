//go:build !unix

package viewer

import "os"

// removeOpenFile does nothing: here an open file keeps its name until it is closed.
func removeOpenFile(*os.File) {}
