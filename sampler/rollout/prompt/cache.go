package prompt

import (
	"hash/maphash"
	"sync"
)

// Cache remembers identified prompts: the rollouts of an item usually share one. A nil Cache
// remembers nothing. It is safe for concurrent use.
type Cache struct {
	seed  maphash.Seed
	mu    sync.Mutex          // guards known
	known map[uint64]Identity // at most MostBeginnings, by a hash of the text
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{seed: maphash.MakeSeed(), known: make(map[uint64]Identity)}
}

// Of identifies a prompt as the function Of does.
func (c *Cache) Of(all, last string) Identity {
	if c == nil {
		return Of(all, last)
	}
	return c.by(maphash.String(c.seed, all), func() Identity { return Of(all, last) })
}

// Read returns the identity of the prompt in source; it calls read to decode a new one.
func (c *Cache) Read(source []byte, read func() Identity) Identity {
	if c == nil {
		return read()
	}
	return c.by(maphash.Bytes(c.seed, source), read)
}

func (c *Cache) by(hash uint64, identify func() Identity) Identity {
	c.mu.Lock()
	p, ok := c.known[hash]
	c.mu.Unlock()
	if ok {
		return p
	}
	p = identify()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= MostBeginnings {
		clear(c.known)
	}
	c.known[hash] = p
	return p
}
