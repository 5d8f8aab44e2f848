package endpoint

import (
	"context"
	"net/http"
	"time"
)

// opinions is how many items an endpoint that never worked must refuse with 403 or
// 404 before it is taken for the wrong one. Those that grade answer so about items
// that they do not know, and a resumed run begins with just those.
func opinions(name string) int {
	if grades(name) {
		return 3
	}
	return 1
}

// silence is how long the first request to an endpoint may go without an answer
// before others follow it. A server that is not there, or refuses a key, mostly
// says so at once; a model or a tool that works may take minutes, for which all
// other rollouts would wait.
const silence = 2 * time.Second

// contact is what is known of an endpoint as such. Until it has answered once, or has
// worked on a request for a while, it is asked one request at a time: a dead server or
// a missing key then costs one rollout, not hundreds. It also notices when an
// endpoint that used to answer is gone, or refuses everybody.
//
// Note: running the whole first rollout alone would do the same, but a run
// would begin with a pause as long as a rollout.
type contact struct {
	open chan struct{} // closed by the first answer, or by silence
	turn chan struct{} // holds one token: the right to ask before that

	// The endpoint's mu guards what follows and the closing of open.
	there   bool            // it has answered
	gone    int             // failures in a row without a connection
	works   bool            // it has done what was asked once
	refused int             // requests refused in a row
	items   map[string]bool // items refused before it worked
}

func newContact() contact {
	c := contact{open: make(chan struct{}), turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// reach waits until a request may be made; leave must be called after it.
func (e *endpoint) reach(ctx context.Context, c *clock) (leave func(), err error) {
	if e.contact.isOpen() {
		return func() {}, nil
	}
	defer c.pause()()
	defer e.coming()()
	select {
	case <-e.contact.open:
		return func() {}, nil
	case <-e.contact.turn:
		return func() { e.contact.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isOpen reports whether everybody may ask.
func (c *contact) isOpen() bool {
	select {
	case <-c.open:
		return true
	default:
		return false
	}
}

// asked notes that a request is on its way; ended, that something came from it.
func (e *endpoint) asked() (ended func()) {
	if e.contact.isOpen() {
		return func() {}
	}
	t := time.AfterFunc(silence, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.contact.letIn()
	})
	return func() { t.Stop() }
}

// letIn lets everybody ask. The endpoint's mu is held.
func (c *contact) letIn() {
	if !c.isOpen() {
		close(c.open)
	}
}

// answered takes note of what one try showed of the endpoint.
func (e *endpoint) answered(err error) {
	f, failed := AsFailure(err)
	there := !failed || !f.Fatal && (f.Status != 0 || !Unreachable(f))
	if !there {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := &e.contact
	c.gone, c.there = 0, true
	c.letIn()
	// A refusal of this one request, such as a 400, shows as well that the
	// endpoint is the right one and knows us; a 503 does not.
	if !failed || f.Status != 0 && f.Status < 500 && !f.Temporary {
		c.works, c.refused, c.items = true, 0, nil
	}
}

// verdict notes a request about an item that failed for good and returns the
// error that ends the run, if it should end.
func (e *endpoint) verdict(item string, err error) *Error {
	f, ok := AsFailure(err)
	if !ok {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	ends := false
	switch {
	case f.Fatal:
		ends = e.refuses(item, f.Status)
	case f.Status == 0 && Unreachable(f):
		e.contact.gone++
		ends = !e.contact.there || e.contact.gone >= e.set.cfg.Patience
	}
	if !ends {
		return nil
	}
	return &Error{Boundary: e.name, URL: f.URL, Err: err}
}

// refuses notes a refusal and reports whether it is meant for all rollouts. An
// endpoint that used to work may have a word about one item only; so may one
// that a resumed run asks about just that item first. mu is held.
func (e *endpoint) refuses(item string, status int) bool {
	c := &e.contact
	c.refused++
	if c.works {
		return c.refused >= e.set.cfg.Patience
	}
	if status != http.StatusForbidden && status != http.StatusNotFound {
		return true
	}
	if c.items == nil {
		c.items = map[string]bool{}
	}
	c.items[item] = true
	return len(c.items) >= opinions(e.name)
}
