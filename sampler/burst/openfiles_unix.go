//go:build unix

package burst

import "syscall"

// openFiles returns how many connections this process may open in addition to its other files; 0 is
// unknown.
func openFiles() int {
	const others, most = 64, 1 << 20
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	if n := uint64(l.Cur); n < most { //nolint:unconvert // signed on some systems
		return max(2, int(n)-others)
	}
	return most
}
