//go:build !unix

package endpoint

import "net"

// canTell says whether ended knows.
const canTell = false

// ended does not know.
func ended(net.Conn) bool { return true }
