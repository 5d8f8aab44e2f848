package model

import (
	"encoding/json"
	"sync"

	"gonogo/sampler"
)

// prefix is an item's part of its requests, as JSON.
type prefix struct {
	messages []byte // elements of the array, separated by commas, without its brackets
	tools    []byte // the whole array; nil if the item has no tools
}

// start returns the beginning of a rollout's requests. It converts the item's messages and tools once,
// not in every turn.
func (m *Model) start(req sampler.Request, without omitted) ([]byte, error) {
	if e := req.Encoded; e != nil && e.Start != nil && e.Without == without {
		return e.Start, nil
	}
	p, err := m.wire.prefix(req.Item)
	if err != nil {
		return nil, err
	}
	start := m.wire.start(p, without)
	if e := req.Encoded; e != nil {
		e.Start, e.Without = start, without
	}
	return start, nil
}

// keptTools is the maximum number of lists of tools that are kept. Most data sets have one.
const keptTools = 64

// convertedTools caches converted lists of tools, by the original list.
type convertedTools struct {
	mu   sync.Mutex // guards kept
	kept map[string][]byte
}

func (c *convertedTools) get(raw json.RawMessage) ([]byte, error) {
	c.mu.Lock()
	tools, ok := c.kept[string(raw)]
	c.mu.Unlock()
	if ok {
		return tools, nil
	}
	tools, err := flatTools(raw)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= keptTools {
		c.kept = make(map[string][]byte)
	}
	c.kept[string(raw)] = tools
	return tools, nil
}
