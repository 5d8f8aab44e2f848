//go:build unix

package endpoint

import (
	"errors"
	"net"
	"strings"
	"syscall"
)

// OpenFiles returns how many files and connections this process may have open at once; 0 if that is
// unknown.
func OpenFiles() int {
	const most = 1 << 20
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), most)) //nolint:unconvert // signed on some systems
}

// outOfFiles is OutOfFiles for errors of this process.
func outOfFiles(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok { // it keeps the text of its cause alone
		return strings.Contains(dns.Err, syscall.EMFILE.Error()) || strings.Contains(dns.Err, syscall.ENFILE.Error())
	}
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
