package sampler

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// EndpointError is an endpoint that every rollout needs and that does not work:
// nothing listens there, it refuses the key, or it does not have what was
// requested. It ends a run.
type EndpointError struct {
	Boundary string // model, judge, grader, or tool and its name
	URL      string // without query and credentials
	Err      error  // the last failure
	Times    int    // how often in a row it failed so; 0 when that is not why

	// For is how long nothing was answered, with whatever failures; 0 if they were
	// the same.
	For time.Duration
}

// Error names the endpoint, the cause and what to do.
func (e *EndpointError) Error() string {
	where := e.Boundary + " endpoint"
	if e.URL != "" {
		where += " " + e.URL
	}
	cause, status := e.Err, 0
	if f, ok := AsFailure(e.Err); ok {
		cause, status = f.Err, f.Status
		if f.RetryAfter > limit.Patience {
			cause = fmt.Errorf("%w, and it asks for a pause of %v", cause, f.RetryAfter.Round(time.Second))
		}
	}
	switch {
	case e.For > 0:
		if status != 0 {
			cause = fmt.Errorf("status %d: %w", status, cause)
		}
		return fmt.Sprintf("%s has not answered for %v; its last failure: %v; fix it and run again, which repeats what failed and makes what is missing, or, to wait longer, set sampling.retry_for above %v (sampling.breaker 0 = never stop for it)", where, e.For.Round(time.Second), cause, max(limit.Outage, e.For).Round(time.Second))
	case e.Times > 0 && e.Boundary == AgentBoundary && e.URL == AgentBoundary:
		return fmt.Sprintf("the agent failed %d rollouts in a row in the same way: %v; fix it and run again, which repeats those and makes what is missing, or raise sampling.breaker (0 = never stop for it)", e.Times, cause)
	case e.Times > 0 && status == 0:
		return fmt.Sprintf("%s gave no answer %d times in a row: %v; fix it and run again, which repeats what failed and makes what is missing, or raise sampling.breaker (0 = never stop for it)", where, e.Times, cause)
	case e.Times > 0:
		return fmt.Sprintf("%s failed %d times in a row in the same way, with status %d: %v; fix it and run again, which repeats what failed and makes what is missing, or raise sampling.breaker (0 = never stop for it)", where, e.Times, status, cause)
	case status == 0 && Unreachable(e.Err):
		return fmt.Sprintf("%s does not answer: %v; start the server or correct its URL, then run again", where, cause)
	case status == 0:
		return fmt.Sprintf("%s does not work: %v", where, cause)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Sprintf("%s refuses the request with status %d: %v; check the key and the headers sent to it", where, status, cause)
	case status == http.StatusNotFound && strings.HasPrefix(e.Boundary, "tool "):
		return fmt.Sprintf("%s answers with status 404: %v; check its URL", where, cause)
	case status == http.StatusNotFound && strings.HasSuffix(e.URL, "/responses"):
		return fmt.Sprintf("%s answers with status 404: %v; check its URL and the name of the model; a server that knows only Chat Completions needs model.api: chat (or judge.api)", where, cause)
	case status == http.StatusNotFound:
		return fmt.Sprintf("%s answers with status 404: %v; check its URL and the name of the model", where, cause)
	}
	return fmt.Sprintf("%s fails with status %d: %v", where, status, cause)
}

// Unwrap returns the last failure.
func (e *EndpointError) Unwrap() error { return e.Err }

// graderOpinions is how many items a grader that never worked must refuse with
// 403 or 404 before it is taken for the wrong one: graders answer so about
// items that they do not know, and a resumed run begins with just those. As
// many must get a grade that does not fit before all do.
const graderOpinions = 3

// itemKey names an item: the same one may be read twice.
type itemKey struct {
	split rollout.Split
	id    string
}

func keyOf(it *rollout.Item) itemKey { return itemKey{it.Split, it.ID} }

// silence is how long the first request to an endpoint may go without an answer
// before others follow it. A server that is not there, or refuses a key, mostly
// says so at once; a model or a tool that works may take minutes, for which all
// other rollouts would wait.
const silence = 2 * time.Second

// gate is in front of one endpoint. Until the endpoint has answered once, or has
// worked on a request for a while, it lets in one at a time: a dead server or a
// missing key then costs one rollout, not hundreds. It also notices when an
// endpoint that used to answer is gone, or refuses everybody.
//
// Note: running the whole first rollout alone would do the same, but a run
// would begin with a pause as long as a rollout.
type gate struct {
	boundary string
	patience int   // rollouts in a row that an endpoint which used to work may fail
	opinions int   // items whose 403 or 404 it takes to believe in a wrong URL or key
	pacer    Pacer // nil when the endpoint sets no pace

	open chan struct{} // closed by the first answer, or by silence
	turn chan struct{} // holds one token: the right to ask before that

	mu      sync.Mutex       // guards what follows and the closing of open
	there   bool             // it has answered
	gone    int              // failures in a row without a connection
	works   bool             // it has done what was asked once
	refused int              // requests refused in a row
	dead    error            // an *EndpointError: no one asks any more
	items   map[itemKey]bool // items refused before it worked
}

func newGate(boundary string, endpoint any, patience int) *gate {
	g := &gate{boundary: boundary, patience: patience, opinions: 1, open: make(chan struct{}), turn: make(chan struct{}, 1)}
	g.pacer, _ = endpoint.(Pacer)
	g.turn <- struct{}{}
	return g
}

// enter waits until a request may be made; leave must be called after it.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	if g.isOpen() {
		return func() {}, nil
	}
	resume := PauseClock(ctx)
	defer resume()
	select {
	case <-g.open:
		return func() {}, nil
	case <-g.turn:
		return func() { g.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pace waits until the endpoint's own pace lets a request pass.
func (g *gate) pace(ctx context.Context) error {
	if g.pacer == nil {
		return nil
	}
	resume := PauseClock(ctx)
	defer resume()
	return g.pacer.Wait(ctx)
}

// isOpen reports whether everybody may ask.
func (g *gate) isOpen() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}

// asked notes that a request is on its way; ended, that something came from it.
func (g *gate) asked() (ended func()) {
	if g.isOpen() {
		return func() {}
	}
	t := time.AfterFunc(silence, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.letIn()
	})
	return func() { t.Stop() }
}

// letIn opens the gate. mu is held.
func (g *gate) letIn() {
	if !g.isOpen() {
		close(g.open)
	}
}

// heard takes note of what one try showed of the endpoint.
func (g *gate) heard(err error) {
	f, failed := AsFailure(err)
	there := !failed || !f.Fatal && (f.Status != 0 || !Unreachable(f))
	if !there {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone, g.there = 0, true
	g.letIn()
	// A refusal of this one request, such as a 400, shows as well that the
	// endpoint is the right one and knows us; a 503 does not.
	if !failed || f.Status != 0 && f.Status < 500 && !f.Temporary {
		g.works, g.refused, g.items = true, 0, nil
	}
}

// failed notes a request for an item that failed for good and returns the
// error that ends the run, if it should end.
func (g *gate) failed(item *rollout.Item, err error) error {
	f, ok := AsFailure(err)
	if !ok {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	ends := false
	switch {
	case f.Fatal:
		ends = g.refuses(item, f.Status)
	case f.Status == 0 && Unreachable(f):
		g.gone++
		ends = !g.there || g.gone >= g.patience
	}
	if !ends {
		return nil
	}
	return &EndpointError{Boundary: g.boundary, URL: f.URL, Err: err}
}

// close turns away everybody who comes.
func (g *gate) close(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dead = why
}

// given returns why the endpoint was given up; nil when it was not.
func (g *gate) given() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dead
}

// refuses notes a refusal and reports whether it is meant for all rollouts. An
// endpoint that used to work may have a word about one item only; so may one
// that a resumed run asks about just that item first.
func (g *gate) refuses(item *rollout.Item, status int) bool {
	g.refused++
	if g.works {
		return g.refused >= g.patience
	}
	if status != http.StatusForbidden && status != http.StatusNotFound {
		return true
	}
	if g.items == nil {
		g.items = map[itemKey]bool{}
	}
	g.items[keyOf(item)] = true
	return len(g.items) >= g.opinions
}
