package prompt

import (
	"hash/maphash"
	"sync"
)

// Cache remembers prompts that were identified: the rollouts of an item mostly share one. A
// nil Cache remembers nothing. Several goroutines may use it.
type Cache struct {
	seed  maphash.Seed
	mu    sync.Mutex          // guards known
	known map[uint64]Identity // at most MostBeginnings, by a hash of what was read
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{seed: maphash.MakeSeed(), known: make(map[uint64]Identity)}
}

// Of identifies a prompt as the function of this name does.
func (c *Cache) Of(all, last string) Identity {
	if c == nil {
		return Of(all, last)
	}
	return c.by(maphash.String(c.seed, all), func() Identity { return Of(all, last) })
}

// Read returns the prompt that source holds, which read decodes if it is new.
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
