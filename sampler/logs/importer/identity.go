package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/prompt"
)

// ItemPrompt is the value of Options.Item that makes an item of each prompt.
const ItemPrompt = "prompt"

// itemKept is the value of Options.Item that keeps the ids of the log, whatever the prompts of the
// rollouts.
const itemKept = "item"

// pooledMost is the largest share of items that may hold several prompts; these are split. A larger
// share means that the ids of the log do not name prompts.
const pooledMost = 0.05

// identity ensures that each item of an import has one prompt, one policy and one environment. A
// reader may send an item with each of its rollouts, with the prompt of that rollout; the item is
// passed on once.
type identity struct {
	sink Sink
	by   string // Options.Item

	prompts *prompt.Cache
	facets  *facets

	key     string // the value of the current row under the key by
	rows    bool   // the format reports its rows
	settled bool   // the caller defines what an item is
	now     asked  // what the reader sent last
	checked bool   // the reader has already called known for the next rollout
	items   map[rollout.Key]*itemAsked
	sent    map[rollout.Key]bool
	samples map[rollout.Key]int // new sample numbers of rollouts whose item was renamed
	next    map[rollout.Key]int

	pooled     int // items with several prompts
	pooledItem string
	example    [2]string // two prompts of the first such item
}

// asked is the prompt of an item of the log.
type asked struct {
	item   rollout.Key
	prompt prompt.Identity
}

// itemAsked records the prompts of the rollouts of one item of the log.
type itemAsked struct {
	first  prompt.Identity
	pooled bool
}

func newIdentity(sink Sink, by string) *identity {
	return &identity{
		sink: sink, by: by, prompts: prompt.NewCache(), facets: newFacets(), items: make(map[rollout.Key]*itemAsked),
		sent:    make(map[rollout.Key]bool),
		samples: make(map[rollout.Key]int), next: make(map[rollout.Key]int),
	}
}

// through returns a sink that passes items and records through the identity.
func (i *identity) through() Sink {
	s := i.sink
	s.Item, s.Record, s.facets = i.item, i.record, i.facets
	s.known = func(split rollout.Split, id string, messages []rollout.Message) (bool, error) {
		i.checked = true
		return i.known(split, id, messages)
	}
	if i.by != "" && i.by != ItemPrompt {
		s.rowKey, s.row = rowKey(i.by), func(key string) { i.key, i.rows = key, true }
	}
	return s
}

// known records the prompt of the next rollout, and reports whether its item was already passed on.
func (i *identity) known(split rollout.Split, id string, messages []rollout.Message) (bool, error) {
	i.facets.begin()
	i.now = asked{item: rollout.Key{Split: split, Item: id}, prompt: rollout.PromptOf(messages, i.prompts)}
	if i.by == ItemPrompt && i.now.prompt.Sum == 0 {
		return true, nil // named when its record arrives
	}
	name, err := i.name(i.now)
	return i.sent[rollout.Key{Split: split, Item: name}], err
}

func (i *identity) item(it rollout.Item) error {
	if !i.checked {
		if known, err := i.known(it.Split, it.ID, it.Messages); known || err != nil {
			return err
		}
	}
	name, err := i.name(i.now)
	if err != nil {
		return err
	}
	it.ID = name
	i.sent[rollout.Key{Split: it.Split, Item: name}] = true
	return i.sink.item(it)
}

func (i *identity) record(r *rollout.Record) error {
	i.checked = false
	current := asked{item: rollout.Key{Split: r.Split, Item: r.Item}}
	if i.now.item == current.item {
		current.prompt = i.now.prompt
	}
	if current.prompt.Sum == 0 {
		current.prompt = r.Prompt(i.prompts)
	}
	if i.by != "" && !i.rows {
		i.key = field(r, i.by)
	}
	name, err := i.name(current)
	if err != nil {
		return err
	}
	if i.by != "" {
		r.Sample = i.sample(r, name)
	}
	r.Item, i.facets.used = name, true
	return i.sink.record(r)
}

// name returns the item id of a rollout.
func (i *identity) name(a asked) (string, error) {
	switch i.by {
	case "":
		if i.settled {
			return a.item.Item, nil
		}
		return i.facets.name(rollout.Key{Split: a.item.Split, Item: i.ofPrompt(a)}), nil
	case ItemPrompt:
		if a.prompt.Sum == 0 {
			return "", fmt.Errorf("--item prompt: the log does not show what rollouts of item %q were asked",
				a.item.Item)
		}
		return i.facets.name(rollout.Key{Split: a.item.Split, Item: fmt.Sprintf("%016x", a.prompt.Sum)}), nil
	}
	if i.key == "" {
		return "", fmt.Errorf("--item %s: a row of item %q lacks this key, or its value is empty", i.by, a.item.Item)
	}
	return i.key, nil
}

// ofPrompt returns the id of the log, followed by the prompt's hash if the prompt differs from that
// of the item's first rollout.
func (i *identity) ofPrompt(a asked) string {
	state := i.items[a.item]
	if state == nil {
		state = new(itemAsked)
		i.items[a.item] = state
	}
	switch {
	case a.prompt.Sum == 0 || a.prompt.Sum == state.first.Sum:
		return a.item.Item
	case state.first.Sum == 0:
		if state.first = a.prompt; len(i.items) > prompt.MostBeginnings {
			state.first.Beginning = ""
		}
		return a.item.Item
	case !state.pooled:
		state.pooled = true
		if i.pooled++; i.pooled == 1 {
			i.pooledItem, i.example = a.item.Item, state.first.Differ(a.prompt)
		}
	}
	return fmt.Sprintf("%s/prompt-%08x", a.item.Item, a.prompt.Sum>>32)
}

// sample numbers the rollouts of a renamed item. Attempts at one rollout keep one number.
func (i *identity) sample(r *rollout.Record, name string) int {
	was := r.Key()
	was.Item = strconv.Quote(name) + was.Item
	n, ok := i.samples[was]
	if !ok {
		item := rollout.Key{Split: r.Split, Item: name, Step: r.Step}
		n = i.next[item]
		i.next[item]++
		i.samples[was] = n
	}
	return n
}

// finish returns an error if the ids of the log do not name prompts.
func (i *identity) finish() error {
	i.facets.note(i.sink)
	if i.pooled == 0 {
		return nil
	}
	pooled := fmt.Sprintf("%d of %d items hold rollouts of different prompts: item %s asks %q and %q", i.pooled,
		len(i.items), i.pooledItem, i.example[0], i.example[1])
	if float64(i.pooled) > pooledMost*float64(len(i.items)) {
		return fmt.Errorf("%s: a trainer compares rollouts of one prompt; --item prompt makes an item of each "+
			"prompt, --item KEY takes the id from another key, and --item item keeps the ids of the log if they are "+
			"right", pooled)
	}
	i.sink.note("%s; these items were split by prompt (ID/prompt-...)", pooled)
	return nil
}

// rowKey returns a function that finds the value of a key in a row; KEY.KEY reaches into objects.
// The value is "" if it is neither a text nor a number.
func rowKey(path string) func(row []byte) string {
	parts := strings.Split(path, ".")
	return func(row []byte) string {
		found := json.RawMessage(row)
		for n, part := range parts {
			if v := member(found, strings.Join(parts[n:], ".")); v != nil { // a key may contain a dot
				return idText(v)
			}
			found = member(found, part)
		}
		return idText(found)
	}
}

func idText(v json.RawMessage) string {
	if len(v) == 0 || isNone(v) || v[0] == '{' || v[0] == '[' {
		return ""
	}
	return jsontext.TextOrJSON(v)
}

// member returns the value of a key; nil if the text is not an object or lacks the key.
func member(object json.RawMessage, key string) (value json.RawMessage) {
	stop := errors.New("found")
	_ = rollout.Members(object, func(k string, v []byte) error {
		if k != key {
			return nil
		}
		value = v
		return stop
	})
	return value
}

// field returns the value of a plain line under a key.
func field(r *rollout.Record, key string) string {
	switch key {
	case "item":
		return r.Item
	case "family":
		return r.Family
	case "category":
		return r.Category
	case "trace_id":
		return r.TraceID
	}
	head, rest, deep := strings.Cut(key, ".")
	v := r.Extra[head]
	if deep && len(v) > 0 {
		return rowKey(rest)(v)
	}
	return idText(v)
}
