package model

import (
	"sync"

	"gonogo/sampler/rollout"
)

// prefix is an item's part of its requests, as JSON.
type prefix struct {
	messages []byte // elements of the array, separated by commas, without its brackets
	tools    []byte // the whole array; nil when the item has no tools
}

// keptStarts bounds the items whose beginning is kept: more than are sampled at
// a time, and few enough to be no burden.
const keptStarts = 256

// starts keeps what the requests of the items that are being sampled begin with, so
// that their messages and tools are converted once, not once a turn.
type starts struct {
	mu   sync.Mutex // guards kept
	kept map[startKey][]byte
}

type startKey struct {
	item    *rollout.Item
	without omitted
}

func (s *starts) of(w wire, item *rollout.Item, without omitted) ([]byte, error) {
	key := startKey{item, without}
	s.mu.Lock()
	start, ok := s.kept[key]
	s.mu.Unlock()
	if ok {
		return start, nil
	}
	p, err := w.prefix(item)
	if err != nil {
		return nil, err
	}
	start = w.start(p, without)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = make(map[startKey][]byte)
	}
	if len(s.kept) >= keptStarts {
		for old := range s.kept { // any one will do
			delete(s.kept, old)
			break
		}
	}
	s.kept[key] = start
	return start, nil
}
