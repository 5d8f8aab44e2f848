package recipe

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strings"

	"gonogo/sampler/jsontext"
)

// Why a parameter of sampling has its value.
const (
	asSampled   = "as sampled: what was measured holds for this value"
	serversOwn  = "the server's own, as it says: what was measured holds for this value"
	asInTrain   = "as in training"
	noneMeasure = "No temperature was measured: the run sent none, or its log names none, and its server does not " +
		"say its own. The trainer's default may draw other rollouts than those that were measured: set " +
		"model.temperature, and sample again."
)

// spelled is how trainers and servers call one parameter.
var spelled = map[string]string{"repeat_penalty": "repetition_penalty"}

// parameters adds the parameters that were in force, each at the path that at returns for
// it, and returns those for which the trainer has no key. top_k is off at the trainer's
// value off.
func (c *recipe) parameters(l *list, off int, why string, at func(name string) []string) (left []string) {
	all := c.given.Sampling.InForce()
	var found list
	for _, name := range parameterNames(all) {
		value, reason := all[name], asSampled
		if c.given.Sampling.Sent[name] == nil {
			reason = serversOwn
		}
		if why != "" {
			reason = why
		}
		if renamed := spelled[name]; renamed != "" {
			name = renamed
		}
		if n, ok := jsontext.ReadNumber(value); ok && name == "top_k" && n <= 0 {
			value, _ = json.Marshal(off)
		}
		if path := at(name); path != nil {
			found.value(value, reason, path)
		} else {
			left = append(left, name+" "+string(value))
		}
	}
	// Keys of one mapping are neighbours, and a table's own keys come before the tables within.
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i].path, found[j].path
		return cmp.Or(len(a)-len(b), slices.Compare(a[:len(a)-1], b[:len(b)-1])) < 0
	})
	*l = append(*l, found...)
	return left
}

// value adds a value at a path, an object as a mapping.
func (l *list) value(value json.RawMessage, why string, path []string) {
	var members map[string]json.RawMessage
	if jsontext.Unmarshal(value, &members) != nil || len(members) == 0 {
		l.add(value, why, path...)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		l.value(members[name], why, append(slices.Clone(path), name))
	}
}

// parameterNames are the names of parameters: the temperature and top_p first, then the rest.
func parameterNames(all map[string]json.RawMessage) []string {
	names := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

func rank(name string) int {
	if i := slices.Index([]string{"temperature", "top_p", "top_k", "min_p"}, name); i >= 0 {
		return i
	}
	return 4
}

// settings are the lines of a head about sampling: what has no key at a trainer, and that no
// temperature is known.
func (c *recipe) settings(trainer string, left []string) []string {
	var head []string
	switch s := c.given.Sampling; {
	case !s.Known():
		head = append(head, noneMeasure)
	case s.Sent["temperature"] == nil:
		head = append(head,
			"No temperature was measured but the server's own: the run sent none, and the server says "+
				string(s.Server["temperature"])+".")
	}
	if untold := c.given.Sampling.Untold(); len(untold) > 0 {
		head = append(head, "Not sent: "+strings.Join(untold, ", ")+". The server's defaults held (vLLM takes those "+
			"of generation_config.json), and it does not say them: the trainer's may differ.")
	}
	if len(left) > 0 {
		head = append(head, trainer+" has no key for "+strings.Join(left, ", ")+
			", which was in force: what was measured holds only with it. Sample without, or set it in code.")
	}
	return head
}

// one returns a path for each of a few names; nil for any other.
func one(base []string, names ...string) func(string) []string {
	return func(name string) []string {
		if !slices.Contains(names, name) {
			return nil
		}
		return append(slices.Clone(base), name)
	}
}

// beside returns a path below extra_body for all but a few names, which have keys of their
// own: prime-rl passes the rest on to the server.
func beside(base []string, own ...string) func(string) []string {
	return func(name string) []string {
		if slices.Contains(own, name) {
			return nil
		}
		return append(slices.Clone(base), "extra_body", name)
	}
}
