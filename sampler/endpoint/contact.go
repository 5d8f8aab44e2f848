package endpoint

import (
	"context"
	"net/http"
	"time"
)

// opinions is how many items an endpoint that never worked must refuse with 403 or 404 before it
// counts as the wrong endpoint. Graders may answer so about items that they do not know, and a
// resumed run starts with exactly those.
func opinions(name string) int {
	if grades(name) {
		return 3
	}
	return 1
}

// silence is how long the first request to an endpoint may go without an answer before others
// follow it. A server that is down, or refuses a key, usually says so at once; a model or a tool
// that works may take minutes, and all other rollouts would wait for it.
const silence = 2 * time.Second

// contact is what is known about an endpoint as a whole. Until the endpoint has answered once, or
// has worked on a request for a while, it gets one request at a time: a dead server or a missing
// key then costs one rollout, not hundreds. contact also notices when an endpoint that used to
// answer has disappeared, or refuses everything.
//
// Note: running the whole first rollout alone would do the same, but then every run would start
// with a pause as long as a rollout.
type contact struct {
	open chan struct{} // closed by the first answer, or by silence
	turn chan struct{} // holds one token: the right to send a request before that

	// The endpoint's mu guards the fields below and the closing of open.
	there        bool            // it has answered
	noConnection int             // consecutive failures without a connection
	works        bool            // it has processed a request successfully
	refused      int             // consecutive refused requests
	items        map[string]bool // items refused before it worked
}

func newContact() contact {
	c := contact{open: make(chan struct{}), turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// reach waits until a request may be made; call leave after the request.
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

// isOpen reports whether all requests may proceed.
func (c *contact) isOpen() bool {
	select {
	case <-c.open:
		return true
	default:
		return false
	}
}

// start notes that a request has been sent. Call done when it has ended.
func (e *endpoint) start() (done func()) {
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

// letIn lets all requests proceed. The caller holds the endpoint's mu.
func (c *contact) letIn() {
	if !c.isOpen() {
		close(c.open)
	}
}

// observe notes what the result of one try shows about the endpoint.
func (e *endpoint) observe(err error) {
	f, failed := AsFailure(err)
	there := !failed || !f.Fatal && (f.Status != 0 || !Unreachable(f))
	if !there {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := &e.contact
	c.noConnection, c.there = 0, true
	c.letIn()
	// A refusal of this one request, such as a 400, also shows that the endpoint is the right one
	// and accepts us; a 503 does not.
	if !failed || f.Status != 0 && f.Status < 500 && !f.Temporary {
		c.works, c.refused, c.items = true, 0, nil
	}
}

// verdict notes a request about an item that failed for good and returns the error that ends the
// run, if it should end.
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
	case OutOfFiles(f):
		ends = true // the server knows nothing of it: it is no failure of the rollout
	case f.Status == 0 && Unreachable(f):
		e.contact.noConnection++
		ends = !e.contact.there || e.contact.noConnection >= e.set.cfg.Patience
	}
	if !ends {
		return nil
	}
	return &Error{Boundary: e.name, URL: f.URL, Err: err}
}

// refuses notes a refusal and reports whether it applies to all rollouts. An endpoint that used to
// work may refuse only one item; so may one for which a resumed run happens to start with just that
// item. The caller holds mu.
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
