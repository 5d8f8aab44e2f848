package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// ledger is a server's own account of what it was asked, one epoch for each
// process that asks it.
type ledger struct {
	next   http.Handler
	audits bool // gradings are what is asked for; else those before a rollout are the grader's trial

	mu  sync.Mutex // guards now and what it holds
	now *epoch
}

// answered is what a grading is about.
type answered struct{ trace, text string }

// epoch is what one process asked for.
type epoch struct {
	traces   map[string]bool // rollouts of which anything was asked
	gradings map[answered]int
	graded   int
	mark     int           // gradings at which reached closes
	reached  chan struct{} // closed then
}

// serve gives a process an address of its own. settle ends it when the process
// has ended, and returns what it asked for: nothing of it is still under way then.
func (l *ledger) serve(mark int) (now *epoch, address string, settle func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = &epoch{traces: map[string]bool{}, gradings: map[answered]int{}, mark: mark, reached: make(chan struct{})}
	server := httptest.NewServer(l)
	return l.now, server.URL, func() {
		server.CloseClientConnections()
		server.Close()
	}
}

// ServeHTTP books a request and has it answered.
func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	trace, _, _ := strings.Cut(r.Header.Get("X-Client-Request-Id"), "/")
	var out *answered
	if r.URL.Path == "/grade" || strings.HasPrefix(r.URL.Path, "/tools/") {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return // the process ended while it asked
		}
		var body struct {
			TraceID string `json:"trace_id"`
			Sample  *struct {
				Text string `json:"output_text"`
			} `json:"sample"`
		}
		if err := json.Unmarshal(text, &body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if trace = body.TraceID; body.Sample != nil {
			out = &answered{trace, body.Sample.Text}
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
	}
	l.book(trace, out)
	l.next.ServeHTTP(w, r)
}

func (l *ledger) book(trace string, out *answered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if trace != "" && (out == nil || l.audits) {
		l.now.traces[trace] = true
	}
	if out == nil {
		return
	}
	l.now.gradings[*out]++
	if l.now.graded++; l.now.graded == l.now.mark {
		close(l.now.reached)
	}
}
