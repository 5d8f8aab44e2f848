package viewer

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// entry is what the index keeps of one line: numbers, and where its text is in the file. Its fields
// are exported only for package gob.
type entry struct {
	Offset   int64
	Size     int32
	Line     int32
	Item     int32 // index into catalog.Items
	Sample   int32
	Attempt  int32
	Outcome  uint8 // index into rollout.Outcomes
	Flags    flags
	Reward   float64 // if hasReward is set
	Input    int64   // tokens, if hasInput is set
	Output   int64   // tokens, if hasOutput is set
	Elapsed  time.Duration
	Turns    int32
	Failed   int32  // calls that did not succeed
	Tools    string // the sequence of calls: two bytes each, an index into catalog.Tools
	Error    int32  // index into catalog.Errors
	Category int32  // index into catalog.Labels
	Family   int32  // index into catalog.Labels
}

type flags uint8

const (
	hasReward flags = 1 << iota
	hasInput
	hasOutput
	unnumbered // the line does not name its sample
	zeroed     // a detector set it to the bottom of the range; never stored
)

func (f flags) has(one flags) bool { return f&one != 0 }

func (e *entry) outcome() rollout.Outcome { return rollout.Outcomes()[e.Outcome] }

// score returns what the rollout contributes to the mean of its item (see rollout.Record.Score); ok
// is false if the grade is missing.
func (e *entry) score(floor float64) (score float64, ok bool) {
	rec := rollout.Record{Outcome: e.outcome()}
	if e.Flags.has(hasReward) {
		rec.Reward = &e.Reward
	}
	score, ok = rec.Score(floor)
	if ok && e.Flags.has(zeroed) {
		score = floor
	}
	return score, ok
}

// name identifies an item of the run. Rollouts of different policies are different items, as in
// package collect.
type name struct {
	Split rollout.Split
	ID    string
	Step  int
}

// inData returns the name of the item in the data, which is the same for all policies.
func (n name) inData() name { return name{Split: n.Split, ID: n.ID} }

// catalog holds the names that entries refer to, each once.
type catalog struct {
	Items  []name
	Tools  []string
	Errors []string // Errors[0] and Labels[0] are ""
	Labels []string

	items                 map[name]int32
	only                  map[name]int32 // by inData: the item, or severalSteps if it has rollouts of several
	several               bool           // some item has rollouts of several steps
	tools, errors, labels map[string]int32
}

func newCatalog() *catalog {
	c := &catalog{Errors: []string{""}, Labels: []string{""}}
	c.index()
	return c
}

// index builds the maps from names to numbers.
func (c *catalog) index() {
	c.items, c.only, c.several = make(map[name]int32, len(c.Items)), make(map[name]int32, len(c.Items)), false
	for i, n := range c.Items {
		c.number(n, int32(i))
	}
	back := func(list []string) map[string]int32 {
		m := make(map[string]int32, len(list))
		for i, s := range list {
			m[s] = int32(i)
		}
		return m
	}
	c.tools, c.errors, c.labels = back(c.Tools), back(c.Errors), back(c.Labels)
}

func (c *catalog) item(n name) int32 {
	i, ok := c.items[n]
	if !ok {
		i = int32(len(c.Items))
		n = name{rollout.Split(strings.Clone(string(n.Split))), strings.Clone(n.ID), n.Step}
		c.Items = append(c.Items, n)
		c.number(n, i)
	}
	return i
}

// severalSteps marks an item in catalog.only that has rollouts of several steps.
const severalSteps = -1

func (c *catalog) number(n name, i int32) {
	c.items[n] = i
	if _, exists := c.only[n.inData()]; exists {
		c.several, i = true, severalSteps
	}
	c.only[n.inData()] = i
}

// shown returns what the page calls an item: its id, and also its step if any item has rollouts of
// several steps.
func (c *catalog) shown(n name) string {
	if !c.several {
		return n.ID
	}
	return rollout.Key{Item: n.ID, Step: n.Step}.ItemAtStep()
}

// named finds an item by what the page calls it. An id without a step is found if the item has only
// one.
func (c *catalog) named(split rollout.Split, shown string) (item int32, ok bool) {
	if id, step, cut := rollout.CutStep(shown); cut && c.several {
		if item, ok = c.items[name{split, id, step}]; ok {
			return item, true
		}
	}
	item, ok = c.only[name{Split: split, ID: shown}]
	return item, ok && item != severalSteps
}

func number(list *[]string, index map[string]int32, s string) int32 {
	i, ok := index[s]
	if !ok {
		i, s = int32(len(*list)), strings.Clone(s)
		*list, index[s] = append(*list, s), i
	}
	return i
}

// tool returns the number of a tool. Names beyond what two bytes can number share one.
func (c *catalog) tool(s string) uint16 {
	if _, known := c.tools[s]; !known && len(c.Tools) >= math.MaxUint16 {
		s = "…"
	}
	return uint16(number(&c.Tools, c.tools, s))
}

// errorLength limits how much of an error the index keeps, in bytes; the rest is read with the
// rollout.
const errorLength = 200

// nameLength limits how much it keeps of the names of tools, families and categories, in bytes: a
// model can make up names of any length.
const nameLength = 500

// enter makes the entry of a record. The caller fills in its position in the file.
func (c *catalog) enter(rec *rollout.Record, numbered bool) entry {
	e := entry{
		Item: c.item(name{rec.Split, rec.Item, rec.Step}), Sample: int32(rec.Sample), Attempt: int32(rec.Attempt),
		Outcome: uint8(slices.Index(rollout.Outcomes(), rec.Outcome)),
		Elapsed: time.Duration(rec.Elapsed), Turns: int32(rec.Turns),
		Error:    number(&c.Errors, c.errors, wording.ClipBytes(rec.Error, errorLength)),
		Category: number(&c.Labels, c.labels, wording.ClipBytes(rec.Category, nameLength)),
		Family:   number(&c.Labels, c.labels, wording.ClipBytes(rec.Family, nameLength)),
	}
	if !numbered {
		e.Flags |= unnumbered
	}
	if rec.Reward != nil {
		e.Reward, e.Flags = *rec.Reward, e.Flags|hasReward
	}
	if n := rec.Usage.Input; n != nil {
		e.Input, e.Flags = *n, e.Flags|hasInput
	}
	if n := rec.Usage.Output; n != nil {
		e.Output, e.Flags = *n, e.Flags|hasOutput
	}
	tools := make([]byte, 0, 2*len(rec.Calls))
	for _, call := range rec.Calls {
		tools = binary.LittleEndian.AppendUint16(tools, c.tool(wording.ClipBytes(call.Name, nameLength)))
		if call.Status != rollout.CallOK {
			e.Failed++
		}
	}
	e.Tools = string(tools)
	return e
}

// sequence returns the names of the tools that the rollout called, in order.
func (c *catalog) sequence(e *entry) []string {
	out := make([]string, 0, len(e.Tools)/2)
	for b := []byte(e.Tools); len(b) > 1; b = b[2:] {
		out = append(out, c.Tools[binary.LittleEndian.Uint16(b)])
	}
	return out
}
