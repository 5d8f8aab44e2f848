package model

import (
	"fmt"

	"gonogo/sampler"
)

// ids gives the calls of one turn ids that are not empty and unique in the rollout. Some servers send
// "", or start again at "call_0" in each turn.
type ids struct {
	turn int
	seen map[string]bool
}

func newIDs(turns []sampler.Turn) *ids {
	n := &ids{turn: len(turns)}
	for _, t := range turns {
		for _, c := range t.Reply.Calls {
			n.note(c.ID)
		}
	}
	return n
}

func (n *ids) note(id string) {
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[id] = true
}

// pick returns id, or a new one if it is empty or already used.
func (n *ids) pick(id string, index int) string {
	if id == "" || n.seen[id] {
		for id = fmt.Sprintf("call_%d_%d", n.turn, index); n.seen[id]; id += "x" {
		}
	}
	n.note(id)
	return id
}
