//go:build unix

package endpoint

import (
	"net"
	"syscall"
)

// canTell says whether ended knows.
const canTell = true

// ended reports whether an idle connection was closed by the server, or has brought what
// no one asked for. One of another kind than those of a system counts as closed.
func ended(c net.Conn) bool {
	at, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := at.SyscallConn()
	if err != nil {
		return true
	}
	gone := true
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		gone = err != syscall.EAGAIN && err != syscall.EWOULDBLOCK
		return true
	})
	return err != nil || gone
}
