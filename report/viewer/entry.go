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

// entry is what the index keeps of one line: numbers, and where its text lies.
// Its fields are exported for package gob alone.
type entry struct {
	Offset   int64
	Size     int32
	Line     int32
	Item     int32 // of catalog.Items
	Sample   int32
	Attempt  int32
	Outcome  uint8 // of rollout.Outcomes
	Flags    flags
	Reward   float64 // where hasReward is set
	Input    int64   // tokens, where hasInput is set
	Output   int64   // tokens, where hasOutput is set
	Elapsed  time.Duration
	Turns    int32
	Failed   int32  // calls that were no success
	Tools    string // the sequence of calls: two bytes each, of catalog.Tools
	Error    int32  // of catalog.Errors
	Category int32  // of catalog.Labels
	Family   int32  // the same
}

type flags uint8

const (
	hasReward flags = 1 << iota
	hasInput
	hasOutput
	unnumbered // the line does not say its sample
	zeroed     // a detector took it to the bottom of the range; never stored
)

func (f flags) has(one flags) bool { return f&one != 0 }

func (e *entry) outcome() rollout.Outcome { return rollout.Outcomes()[e.Outcome] }

// score is what the rollout adds to its item's mean, as rollout.Record.Score
// has it: nothing where the grade is missing.
func (e *entry) score(floor float64) (float64, bool) {
	rec := rollout.Record{Outcome: e.outcome()}
	if e.Flags.has(hasReward) {
		rec.Reward = &e.Reward
	}
	score, ok := rec.Score(floor)
	if ok && e.Flags.has(zeroed) {
		score = floor
	}
	return score, ok
}

// name is an item of the run. Rollouts of several policies are apart, as package collect
// has it.
type name struct {
	Split rollout.Split
	ID    string
	Step  int
}

// inData is the name of the item in the data, which is the same for all policies.
func (n name) inData() name { return name{Split: n.Split, ID: n.ID} }

// catalog holds each name once that entries are about.
type catalog struct {
	Items  []name
	Tools  []string
	Errors []string // Errors[0] and Labels[0] are ""
	Labels []string

	items                 map[name]int32
	only                  map[name]int32 // by inData: the item's only step; severalOf if it has more
	several               bool           // some item has rollouts of several steps
	tools, errors, labels map[string]int32
}

func newCatalog() *catalog {
	c := &catalog{Errors: []string{""}, Labels: []string{""}}
	c.index()
	return c
}

// index makes the ways back from names to numbers.
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

// severalOf marks an item in catalog.only that has rollouts of several steps.
const severalOf = -1

func (c *catalog) number(n name, i int32) {
	c.items[n] = i
	if _, there := c.only[n.inData()]; there {
		c.several, i = true, severalOf
	}
	c.only[n.inData()] = i
}

// shown is what the page calls an item: its id, with the step where some item has
// rollouts of several.
func (c *catalog) shown(n name) string {
	if !c.several {
		return n.ID
	}
	return rollout.Key{Item: n.ID, Step: n.Step}.ItemAtStep()
}

// named finds the item that the page calls so. An id alone is of its only step.
func (c *catalog) named(split rollout.Split, shown string) (item int32, ok bool) {
	if id, step, cut := rollout.CutStep(shown); cut && c.several {
		if item, ok = c.items[name{split, id, step}]; ok {
			return item, true
		}
	}
	item, ok = c.only[name{Split: split, ID: shown}]
	return item, ok && item != severalOf
}

func number(list *[]string, at map[string]int32, s string) int32 {
	i, ok := at[s]
	if !ok {
		i, s = int32(len(*list)), strings.Clone(s)
		*list, at[s] = append(*list, s), i
	}
	return i
}

// tool numbers a tool. Names beyond what two bytes hold are one tool.
func (c *catalog) tool(s string) uint16 {
	if _, known := c.tools[s]; !known && len(c.Tools) >= math.MaxUint16 {
		s = "…"
	}
	return uint16(number(&c.Tools, c.tools, s))
}

// errorLength bounds what the index keeps of an error; the rest is read with the
// rollout.
const errorLength = 200

// nameLength bounds what it keeps of the names of tools, families and
// categories: a model may make up a name of any length.
const nameLength = 500

// enter makes an entry of a record. Its place is the caller's to fill in.
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

// sequence is the names of the tools that the rollout called, in order.
func (c *catalog) sequence(e *entry) []string {
	out := make([]string, 0, len(e.Tools)/2)
	for b := []byte(e.Tools); len(b) > 1; b = b[2:] {
		out = append(out, c.Tools[binary.LittleEndian.Uint16(b)])
	}
	return out
}
