//go:build unix

package viewer

import "os"

// removeOpenFile unlinks a file that stays open, so a kill leaves nothing
// behind.
func removeOpenFile(f *os.File) { os.Remove(f.Name()) }
