package viewer

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gonogo/sampler/rollout"
)

// Hit is a rollout whose texts contain the query.
type Hit struct {
	Key    rollout.Key
	i      int // index of the entry
	entry  entry
	names  *catalog // of the entry
	Places []Place  // the first few
	More   int      // number of further texts that contain it
}

// Place is a text that contains the query, cut to the surroundings of the match.
type Place struct {
	At     string `json:"at"`   // position, as in part
	What   string `json:"what"` // kind of text
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

const (
	placesShown = 3
	around      = 70 // bytes on either side of a match
)

// Search calls yield for each rollout that counts, passes want and contains the query in one of its
// texts, in file order from entry from on, until yield returns false. It ignores case. want is
// called with the lock of the index held.
//
// next is the entry to continue from, and done reports that there are no more. Rollouts added
// during a search are found by the next one.
func (x *Index) Search(ctx context.Context, query string, from int, want func(i int32, e *entry) bool,
	yield func(Hit) bool,
) (next int, done bool, err error) {
	s := search{x: x, query: fold(nil, query), want: want, raw: plainly(query)}
	s.hashes = wanted(s.query)
	if len(s.query) == 0 {
		return from, true, nil
	}
	for next = from; ; {
		if err := ctx.Err(); err != nil {
			return next, false, err
		}
		found, end, err := s.candidates(next)
		if err != nil || end == next {
			return next, err == nil, err
		}
		for len(found) > 0 {
			some := found[:min(len(found), 8*runtime.GOMAXPROCS(0))]
			found = found[len(some):]
			hits, err := s.read(ctx, some)
			for _, h := range hits {
				if !yield(h) {
					return h.i + 1, false, err
				}
			}
			if err != nil {
				return next, false, err
			}
		}
		next = end
	}
}

type search struct {
	x      *Index
	query  []byte // folded
	hashes []uint32
	raw    bool // the query can be searched for in the raw lines
	want   func(int32, *entry) bool
}

// candidate is an entry that may contain the query.
type candidate struct {
	i     int
	e     entry
	names *catalog
	key   rollout.Key
}

// candidates returns the candidates between entry from and the end of its block.
func (s *search) candidates(from int) (found []candidate, end int, err error) {
	x := s.x
	x.mu.RLock()
	defer x.mu.RUnlock()
	end = min(from/blockLines*blockLines+blockLines, len(x.entries))
	if from >= end {
		return nil, from, nil
	}
	var m mask
	if i := from / blockLines; i < len(x.blocks) {
		if m, err = x.blocks[i].passes(s.hashes); err != nil {
			return nil, from, err
		}
	} else {
		m = x.open.passes(s.hashes)
	}
	m.each(func(bit int) {
		i := from/blockLines*blockLines + bit
		if i < from || i >= end || !x.counts(int32(i)) {
			return
		}
		if e := &x.entries[i]; s.want == nil || s.want(int32(i), e) {
			found = append(found, candidate{i, *e, x.names, x.key(e)})
		}
	})
	return found, end, nil
}

// read reads the candidates in parallel and returns the hits in order.
func (s *search) read(ctx context.Context, found []candidate) ([]Hit, error) {
	hits := make([]Hit, len(found))
	errs := make([]error, len(found))
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(found))
	for w := range workers {
		wg.Go(func() {
			var b buffers
			for i := w; i < len(found) && ctx.Err() == nil; i += workers {
				hits[i], errs[i] = s.look(&found[i], &b)
			}
		})
	}
	wg.Wait()
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return len(h.Places) == 0 })
	return hits, errors.Join(errors.Join(errs...), ctx.Err())
}

// buffers holds memory for reuse.
type buffers struct{ line, folded []byte }

func (s *search) look(c *candidate, b *buffers) (h Hit, err error) {
	h = Hit{Key: c.key, i: c.i, entry: c.e, names: c.names}
	if b.line, err = s.x.line(&c.e, b.line); err != nil {
		return h, err
	}
	if s.raw && !bytes.Contains(b.line, []byte(`\u`)) {
		if b.folded = fold(b.folded[:0], b.line); !bytes.Contains(b.folded, s.query) {
			return h, nil
		}
	}
	rec, err := s.x.decode(b.line, &c.e, c.key)
	if err != nil {
		return h, err
	}
	texts(rec, func(p part) bool {
		b.folded = fold(b.folded[:0], p.text)
		i := bytes.Index(b.folded, s.query)
		switch {
		case i < 0:
		case len(h.Places) < placesShown:
			h.Places = append(h.Places, place(p, i, len(s.query)))
		default:
			h.More++
		}
		return true
	})
	return h, nil
}

// place cuts out the text around the match of n bytes at index i of the folded text.
func place(p part, i, n int) Place {
	from := unfold(p.text, i)
	to := from + unfold(p.text[from:], n)
	before, after := p.text[max(0, from-around):from], p.text[to:min(len(p.text), to+around)]
	for len(before) > 0 && !utf8.RuneStart(before[0]) {
		before = before[1:]
	}
	after = strings.ToValidUTF8(after, "")
	if from > around {
		before = "…" + before
	}
	if to+around < len(p.text) {
		after += "…"
	}
	return Place{At: p.place, What: p.what, Before: before, Match: p.text[from:to], After: after}
}

// plainly reports whether a line of JSON that contains a text always contains it unchanged, unless
// the line has \u escapes.
func plainly(query string) bool {
	return !strings.ContainsAny(query, "\"\\/\uFFFD") &&
		!strings.ContainsFunc(query, func(r rune) bool { return r < ' ' || r == 0x7F })
}
