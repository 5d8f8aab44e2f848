package viewer

import (
	"encoding/json"
	"errors"
	"net/http"

	"gonogo/sampler/rollout"
)

func (s *Server) getRollout(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	side, err := s.sideOf(q.Get("run"))
	var k rollout.Key
	if err == nil {
		k, err = side.key(q.Get("of"), q.Get("item"), q.Get("sample"))
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	e, names, ok := side.index.find(k)
	if !ok {
		fail(w, http.StatusNotFound, errNoRollout)
		return
	}
	rec, err := side.index.record(&e, k)
	if err != nil {
		fail(w, http.StatusConflict, s.shownError(err))
		return
	}
	marks, _, _ := side.labels.all() // errors of labels are reported with the list of items
	side.index.mu.RLock()
	b := side.brief(names, &e, side.index.about(marks, k))
	item := names.shown(names.Items[e.Item])
	side.index.mu.RUnlock()
	answer(w, side.show(rec, item, b))
}

var errNoRollout = errors.New("the rollout does not exist (yet)")

// hitShown is a hit as the page lists it.
type hitShown struct {
	brief
	Split  string  `json:"split"`
	Item   string  `json:"item"`
	Places []Place `json:"places"`
	More   int     `json:"more"`
}

// hitsOf is how many hits one response lists; the next request can continue from there.
const hitsOf = 100

// hitsEnd is the last line of the response to a search.
type hitsEnd struct {
	Next  int  `json:"next"` // the entry to continue from
	Done  bool `json:"done"` // there are no more hits
	Hits  int  `json:"hits"`
	Ready bool `json:"ready"` // the index contains all rollouts
	Lines int  `json:"lines"`
}

// getHits responds with lines of JSON, each sent as soon as it is known: {"hit":…}, and as the last
// {"end":…} or {"error":…}.
func (s *Server) getHits(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	side, err := s.sideOf(q.Get("run"))
	f, wrong := filterOf(q)
	from := intOr(q.Get("from"), 0)
	if err = errors.Join(err, wrong); err == nil && from < 0 {
		err = errors.New("from must be a whole number")
	}
	if s.opt.Redact {
		fail(w, http.StatusForbidden, errors.New("a redacted view cannot be searched: what is found would reveal "+
			"the text"))
		return
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	marks, _, _ := side.labels.all()
	w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
	out, flush := json.NewEncoder(w), http.NewResponseController(w)
	n := 0
	next, done, err := side.index.Search(r.Context(), q.Get("q"), from, func(_ int32, e *entry) bool {
		x := side.index
		n := x.names.Items[e.Item]
		return f.wantsItem(side.names, n.Split, x.names.shown(n)) && f.wants(side, e, x.about(marks, x.key(e)))
	}, func(h Hit) bool {
		side.index.mu.RLock()
		hit := hitShown{
			brief: side.brief(h.names, &h.entry, side.index.about(marks, h.Key)), Split: string(h.Key.Split),
			Item: h.names.shown(h.names.Items[h.entry.Item]), Places: h.Places, More: h.More,
		}
		side.index.mu.RUnlock()
		n++
		return out.Encode(map[string]any{"hit": hit}) == nil && flush.Flush() == nil && n < hitsOf
	})
	if err != nil {
		out.Encode(map[string]string{"error": err.Error()}) // a client that disconnected needs no response
		return
	}
	state, _ := side.index.State()
	out.Encode(map[string]any{"end": hitsEnd{next, done, n, state.Ready, state.Lines}})
}
