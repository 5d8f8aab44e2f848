//go:build unix

package viewer

import "os"

// removeOpenFile unlinks a file that stays open, so that a killed process leaves nothing behind.
func removeOpenFile(f *os.File) { os.Remove(f.Name()) }
