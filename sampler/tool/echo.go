package tool

import "sync"

// echo notices an answer that belongs to another call. Not every server names
// the call that it answers, or names it rightly: one that has named two of them
// rightly is held to it.
type echo struct {
	mu    sync.Mutex // guards what follows
	first string     // a call that was named rightly
	knows bool       // so was another
}

// foreign reports whether an answer that names a call belongs to another than
// our own.
func (e *echo) foreign(own, named string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case named != own:
		return named != "" && e.knows
	case e.first == "":
		e.first = own
	case e.first != own:
		e.knows = true
	}
	return false
}
