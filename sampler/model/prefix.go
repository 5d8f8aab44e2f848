package model

import (
	"sync"

	"gonogo/sampler/rollout"
)

// prefix is what all requests of an item begin with, as JSON.
type prefix struct {
	messages []byte // elements of the array, separated by commas, without its brackets
	tools    []byte // the whole array; nil when the item has no tools
}

// keptPrefixes bounds the items whose prefix is kept: more than there are
// rollouts in flight, and few enough to be no burden.
const keptPrefixes = 256

// prefixes keeps the prefixes of the items that are being sampled, so that
// their messages and tools are converted once, not once a turn.
type prefixes struct {
	mu   sync.Mutex // guards kept
	kept map[*rollout.Item]prefix
}

func newPrefixes() *prefixes { return &prefixes{kept: map[*rollout.Item]prefix{}} }

func (ps *prefixes) of(item *rollout.Item, make func(*rollout.Item) (prefix, error)) (prefix, error) {
	ps.mu.Lock()
	p, ok := ps.kept[item]
	ps.mu.Unlock()
	if ok {
		return p, nil
	}
	p, err := make(item)
	if err != nil {
		return prefix{}, err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.kept) >= keptPrefixes {
		for old := range ps.kept { // any one will do
			delete(ps.kept, old)
			break
		}
	}
	ps.kept[item] = p
	return p, nil
}
