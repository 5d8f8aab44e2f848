//go:build unix

package viewer

import "os"

// removeOpenFile takes away the name of a file that stays open: a kill leaves nothing.
func removeOpenFile(f *os.File) { os.Remove(f.Name()) }
