//go:build unix

package endpoint

import (
	"net"
	"syscall"
)

// canTell says whether ended works here.
const canTell = true

// ended reports whether the server has closed an idle connection, or has sent unexpected data. A
// connection that is not a system's socket counts as closed.
func ended(c net.Conn) bool {
	conn, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	closed := true
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err != syscall.EAGAIN && err != syscall.EWOULDBLOCK
		return true
	})
	return err != nil || closed
}
