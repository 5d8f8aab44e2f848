package importer

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/prompt"
	"gonogo/sampler/wording"
)

// facetKeys are the keys under which a log names the policy, the environment and the reference of a
// rollout, normalized by plain. Rollouts of one item that differ in one of them do not form one
// group of a trainer, although they have the same prompt.
var facetKeys = slices.Concat(policyKeys, versionKeys, environmentKeys, referenceKeys)

var (
	policyKeys = []string{
		"model", "modelname", "modelid", "modelpath", "modelrevision", "checkpoint", "checkpointname",
		"checkpointpath", "ckpt", "ckptpath", "adapter", "adapterpath", "loraadapter", "policy", "policyname",
		"policymodel", "policymodelname", "agent", "agentname", "agentversion", "systemprompt",
	}
	versionKeys = []string{
		"policyversion", "policystep", "weightversion", "weightsversion", "modelversion", "modelstep", "checkpointstep",
		"ckptstep", "globalstep", "trainingstep", "trainstep",
	}
	environmentKeys = []string{
		"env", "envid", "envname", "environment", "task", "taskname", "dataset", "datasource",
		"domain",
	}
	referenceKeys = []string{
		"reference", "referenceanswer", "groundtruth", "answerkey", "expectedanswer", "gold",
		"target",
	}
)

// isFacet reports whether a key is one of facetKeys.
func isFacet(key string) bool {
	const longest = 30
	return len(key) <= longest && slices.Contains(facetKeys, bare(key))
}

// bare returns a key as it is in facetKeys. The columns of an object called metadata or info count
// as its own keys.
func bare(key string) string {
	key = plain(key)
	for _, holder := range []string{"metadata.", "info."} {
		if inner, ok := strings.CutPrefix(key, holder); ok {
			return inner
		}
	}
	return key
}

// instance matches the name of one of several copies of an environment, which a log may write as
// env or env_id: a number or a UUID.
var instance = regexp.MustCompile(`^(\d+(\.0)?|(?i:[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}))$`)

// facet is the value of a row under one of facetKeys.
type facet struct {
	name       string // the key, normalized by plain
	key, value string
	sum        uint64 // the hash that identifies equal values
}

// facetOf returns the facet of a value, and false if the value does not name a policy, an
// environment or a reference.
func facetOf(key, value string) (facet, bool) {
	value = strings.TrimSpace(value)
	f := exactly(key, value)
	name := f.name
	if value == "" {
		return f, false
	}
	if slices.Contains(referenceKeys, name) {
		return f, true
	}
	switch {
	case value[0] == '{' || value[0] == '[':
		return f, false
	case name == "env" || name == "envid" || slices.Contains(versionKeys, name): // integer versions are steps
		return f, !instance.MatchString(value)
	case strings.ContainsAny(value, " \r\n\t"): // a text that may contain changing dates and times
		f.sum = prompt.Of(value, "").Sum
	}
	return f, true
}

// exactly returns a facet whose values match only if they are equal.
func exactly(key, value string) facet {
	return facet{name: bare(key), key: key, value: value, sum: sumOf(value)}
}

func sumOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// short returns the value as a part of an item's id: a hash if the value is long or may contain
// changing dates.
func (f facet) short() string {
	const most = 40
	if utf8.RuneCountInString(f.value) > most || strings.ContainsAny(f.value, " \r\n\t{[") {
		return fmt.Sprintf("%s-%08x", f.key, f.sum>>32)
	}
	return f.value
}

// facets splits the rollouts of an item by what their rows name. Rollouts with the item's first
// value keep its id.
type facets struct {
	row   []facet // of the next rollout
	used  bool    // a rollout of the row was passed on
	first map[rollout.Key][]firstFacet
	names map[rollout.Key]uint64 // what each name stands for: the log itself may name an item ID/VALUE
	shown map[uint64]string      // example values by hash
	apart []apart                // sorted by name
}

// firstFacet is the first value of an item.
type firstFacet struct {
	name  string
	sum   uint64
	apart bool // other values occur
}

// apart reports how many items a key splits, with an example.
type apart struct {
	facet // of the first rollout that differs
	items int
	item  string
	was   string
}

func newFacets() *facets {
	return &facets{
		first: make(map[rollout.Key][]firstFacet), names: make(map[rollout.Key]uint64),
		shown: make(map[uint64]string),
	}
}

// begin discards the facets of the previous row.
func (s *facets) begin() {
	if s.used {
		s.row, s.used = nil, false
	}
}

// add adds a facet of the next rollout.
func (s *facets) add(f facet) {
	s.begin()
	if slices.ContainsFunc(s.row, func(other facet) bool { return other.name == f.name }) {
		return
	}
	s.row = append(s.row, f)
	sort.Slice(s.row, func(i, j int) bool { return s.row[i].name < s.row[j].name })
	if len(s.shown) < prompt.MostBeginnings && s.shown[f.sum] == "" {
		s.shown[f.sum] = wording.Line(f.value, 61)
	}
}

// name returns the item's id, followed by the values that differ from its first rollout.
func (s *facets) name(item rollout.Key) string {
	if len(s.row) == 0 {
		return item.Item
	}
	name, firsts := item.Item, s.first[item]
	for _, f := range s.row {
		i := slices.IndexFunc(firsts, func(first firstFacet) bool { return first.name == f.name })
		switch {
		case i < 0:
			firsts = append(firsts, firstFacet{name: f.name, sum: f.sum})
		case firsts[i].sum != f.sum:
			name += "/" + f.short()
			s.differ(item.Item, f, &firsts[i])
		}
	}
	s.first[item] = firsts
	return s.unique(item, name)
}

// differ counts an item that a key splits.
func (s *facets) differ(item string, f facet, first *firstFacet) {
	if first.apart {
		return
	}
	first.apart = true
	i, found := slices.BinarySearchFunc(s.apart, f.name,
		func(a apart, name string) int { return strings.Compare(a.name, name) })
	if !found {
		s.apart = slices.Insert(s.apart, i, apart{facet: f, item: item, was: s.shown[first.sum]})
	}
	s.apart[i].items++
}

// unique returns a name that no other item has.
func (s *facets) unique(item rollout.Key, name string) string {
	identity := item.Item
	if name != identity {
		for _, f := range s.row {
			identity += fmt.Sprintf("\x00%s %x", f.name, f.sum)
		}
	}
	key, sum := rollout.Key{Split: item.Split, Item: name}, sumOf(identity)
	if was, taken := s.names[key]; taken && was != sum {
		return fmt.Sprintf("%s-%08x", name, sum>>32)
	}
	s.names[key] = sum
	return name
}

// note notes which items were split.
func (s *facets) note(sink Sink) {
	for _, a := range s.apart {
		sink.note("%d %s rollouts that differ in %q (item %s: %q and %q) and therefore do not form one group: "+
			"rollouts with the first value keep the id, others become separate items (ID/VALUE); --item item keeps "+
			"the ids of the log",
			a.items, wording.Plural(a.items, "item[ holds|s hold]"), a.key, a.item, a.was, wording.Line(a.value, 61))
	}
}
