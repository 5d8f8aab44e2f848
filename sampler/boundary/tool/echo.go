package tool

import "sync"

// echo detects an answer that belongs to another call. Not every server names the call that it answers,
// or names the right one. A server is checked once it has named two calls correctly. If a repeated call
// gets the same wrong id again, the answer is accepted: the server caches answers together with the
// calls that they first belonged to.
type echo struct {
	mu       sync.Mutex        // guards the fields below
	first    string            // a call that was named correctly
	reliable bool              // another call was named correctly, too
	wrong    map[string]string // the wrong id that came as the answer to a call
}

// mostWrong is the maximum number of wrong ids to remember.
const mostWrong = 1000

// foreign reports whether an answer belongs to another call. call is the id of the call that was made,
// named the id in the answer.
func (e *echo) foreign(call, named string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case named == "" || named != call && !e.reliable:
	case named != call:
		if e.wrong[call] == named {
			delete(e.wrong, call)
			return false
		}
		if e.wrong == nil || len(e.wrong) >= mostWrong {
			e.wrong = make(map[string]string)
		}
		e.wrong[call] = named
		return true
	case e.first == "":
		e.first = call
	case e.first != call:
		e.reliable = true
	}
	return false
}
