//go:build !unix

package viewer

import "os"

// removeOpenFile does nothing: on this system an open file keeps its name.
func removeOpenFile(*os.File) {}
