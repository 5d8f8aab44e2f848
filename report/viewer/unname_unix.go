//go:build unix

package viewer

import "os"

// unname takes away the name of a file that stays open: a kill leaves nothing.
func unname(f *os.File) { os.Remove(f.Name()) }
