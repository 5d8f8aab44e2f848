package isolation_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/rollout"
)

// hotel gives rooms to sessions. In each is a book that all its guests write
// their canaries into, and a folder. A nil *hotel has no rooms.
type hotel struct {
	dir  string
	beds int // sessions that a room is given to, one after the other

	mu    sync.Mutex // guards what follows
	taken int
	room  map[string]string   // by session
	book  map[string][]string // canaries by room
}

func newHotel(t *testing.T, beds int) *hotel {
	return &hotel{dir: t.TempDir(), beds: beds, room: map[string]string{}, book: map[string][]string{}}
}

// checkIn gives a session its room.
func (h *hotel) checkIn(session, canary string) (room string) {
	if h == nil {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	room = filepath.Join(h.dir, strconv.Itoa(h.taken/h.beds))
	h.taken++
	h.room[session] = room
	h.book[room] = append(h.book[room], canary)
	_ = os.MkdirAll(room, 0o700) // the plant tells where it fails
	return room
}

// notes is what a session reads in its room's book.
func (h *hotel) notes(session string) string {
	if h == nil {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return " " + strings.Join(h.book[h.room[session]], " ")
}

// shared reports whether two canaries are in one book.
func (h *hotel) shared(a, b string) bool {
	for _, book := range h.book {
		if slices.Contains(book, a) && slices.Contains(book, b) {
			return true
		}
	}
	return false
}

// Whatever fails meanwhile, a rollout that shares its place is found out, by whom it
// shared it with, and one that does not is never accused.
func TestASharedPlaceIsFoundOut(t *testing.T) {
	for _, c := range []struct {
		what string
		beds int
	}{{"a room for each session", 1}, {"a room for two", 2}, {"a room for twelve", 12}} {
		t.Run(c.what, func(t *testing.T) {
			town := newTown(t)
			town.hotel = newHotel(t, c.beds)
			k, _ := keeper(t, isolation.Config{
				Start: town.url + "/start", Stop: town.url + "/stop", Concurrency: 24, Reads: []string{"base", "key"}, Canary: "{{session.room}}/.canary",
			})
			sink, stats, err := sampleIn(t.Context(), t, town, k, "{{session.base}}", 400*time.Millisecond, 6, 12)
			must(t, err)
			must(t, k.Close())
			leaking := town.hotel.check(t, sink.all)
			t.Logf("%d of %d rollouts leak", leaking, len(sink.all))
			if stats.Leaking != leaking || c.beds == 1 && leaking > 0 || c.beds > 1 && leaking < len(sink.all)/4 {
				t.Errorf("%d rollouts leak, %d told", leaking, stats.Leaking)
			}
		})
	}
}

// check compares the leaks of records with what the hotel knows, and counts the
// rollouts that have some.
func (h *hotel) check(t *testing.T, records []*rollout.Record) (leaking int) {
	t.Helper()
	for _, r := range records {
		own := rollout.Canary(r.TraceID)
		if started := r.Outcome == rollout.Graded; started && !r.Planted {
			t.Errorf("%s has no canary", r.TraceID)
		}
		if len(r.Leaks) > 0 {
			leaking++
		}
		for _, l := range r.Leaks {
			if l.Canary == own || !h.shared(own, l.Canary) || l.At != "session" && l.At != "tool note" {
				t.Errorf("%s met %s at %s, with whom it shares nothing", r.TraceID, l.Canary, l.At)
			}
		}
		for _, other := range records { // what was read is in the record, word for word
			word := rollout.Canary(other.TraceID)
			read := slices.ContainsFunc(r.Calls, func(c rollout.Call) bool { return strings.Contains(c.Output, word) })
			told := slices.ContainsFunc(r.Leaks, func(l rollout.Leak) bool { return l.Canary == word })
			if read && !told && word != own && len(r.Leaks) < rollout.MaxLeaksListed {
				t.Errorf("%s read what %s left, and nobody told", r.TraceID, other.TraceID)
			}
		}
	}
	return leaking
}
