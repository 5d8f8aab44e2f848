package python

import (
	"strings"
	"sync"
)

// tailSize is the number of bytes kept of a worker's standard error.
const tailSize = 4 << 10

// tail is a writer that keeps the end of what was written.
type tail struct {
	mu   sync.Mutex // guards kept
	kept []byte
}

// Write keeps the end of b. It never fails.
func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(b) > tailSize {
		b = b[len(b)-tailSize:]
	}
	if over := len(t.kept) + len(b) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	t.kept = append(t.kept, b...)
	return n, nil
}

func (t *tail) reset() {
	t.mu.Lock()
	t.kept = t.kept[:0]
	t.mu.Unlock()
}

// suffix returns the end of what was written, to append to a message; "" if nothing was.
func (t *tail) suffix() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
	if s == "" {
		return ""
	}
	return "; it printed: " + s
}
