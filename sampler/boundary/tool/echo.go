package tool

import "sync"

// echo notices an answer that belongs to another call. Not every server names
// the call that it answers, or names it rightly: one that has named two of them
// rightly is held to it; but one that gives the same answer to the repeat keeps
// its answers, with the calls that they were once to.
type echo struct {
	mu      sync.Mutex        // guards what follows
	first   string            // a call that was named rightly
	knows   bool              // so was another
	strange map[string]string // by call, whose answer came instead
}

// mostStrange bounds what is remembered of calls that were not repeated.
const mostStrange = 1000

// foreign reports whether an answer that names a call belongs to another than
// our own.
func (e *echo) foreign(own, named string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case named == "" || named != own && !e.knows:
	case named != own:
		if e.strange[own] == named {
			delete(e.strange, own)
			return false
		}
		if e.strange == nil || len(e.strange) >= mostStrange {
			e.strange = make(map[string]string)
		}
		e.strange[own] = named
		return true
	case e.first == "":
		e.first = own
	case e.first != own:
		e.knows = true
	}
	return false
}
