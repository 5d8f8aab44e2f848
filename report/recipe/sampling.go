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

// Reasons for the value of a sampling parameter.
const (
	asSampled   = "as sampled: what was measured holds for this value"
	serversOwn  = "the default that the server reports: what was measured holds for this value"
	asInTrain   = "as in training"
	noneMeasure = "No temperature was measured: the run sent none, or its log names none, and the server does not " +
		"report its default. With the trainer's default, rollouts may differ from those that were measured: set " +
		"model.temperature, and sample again."
)

// spelled maps the server's name of a parameter to the trainers' name.
var spelled = map[string]string{"repeat_penalty": "repetition_penalty"}

// parameters adds the parameters that were in force, each at the path that keyPath returns for it,
// and returns those for which the trainer has no key. A top_k of 0 or less, which disables it, is
// written as off.
func (c *recipe) parameters(l *list, off int, why string, keyPath func(name string) []string) (unsupported []string) {
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
		if path := keyPath(name); path != nil {
			found.value(value, reason, path)
		} else {
			unsupported = append(unsupported, name+" "+string(value))
		}
	}
	// Keys of one mapping are neighbours, and the keys of a table come before its subtables.
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i].path, found[j].path
		return cmp.Or(len(a)-len(b), slices.Compare(a[:len(a)-1], b[:len(b)-1])) < 0
	})
	*l = append(*l, found...)
	return unsupported
}

// value adds a value at a path, and an object as a mapping.
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

// parameterNames returns the names of parameters: temperature, top_p, top_k and min_p first, then
// the rest.
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

// settings returns head lines about sampling: parameters for which the trainer has no key, those
// that were not sent, and a temperature that is unknown or the server's.
func (c *recipe) settings(trainer string, unsupported []string) []string {
	var head []string
	switch s := c.given.Sampling; {
	case !s.Known():
		head = append(head, noneMeasure)
	case s.Sent["temperature"] == nil:
		head = append(head,
			"Only the server's default temperature was measured: the run sent none, and the server reports "+
				string(s.Server["temperature"])+".")
	}
	if unsent := c.given.Sampling.Untold(); len(unsent) > 0 {
		head = append(head, "Not sent: "+strings.Join(unsent, ", ")+". The server's defaults applied (vLLM takes "+
			"those of generation_config.json), and it does not report them: the trainer's may differ.")
	}
	if len(unsupported) > 0 {
		head = append(head, trainer+" has no key for "+strings.Join(unsupported, ", ")+
			", which was in force: what was measured holds only with it. Sample without it, or set it in code.")
	}
	return head
}

// one returns a function that returns a path for the given names, and nil for any other.
func one(base []string, names ...string) func(string) []string {
	return func(name string) []string {
		if !slices.Contains(names, name) {
			return nil
		}
		return append(slices.Clone(base), name)
	}
}

// extraBody returns a function that returns a path below extra_body for every name except those
// with keys of their own: prime-rl passes the rest to the server.
func extraBody(base []string, names ...string) func(string) []string {
	return func(name string) []string {
		if slices.Contains(names, name) {
			return nil
		}
		return append(slices.Clone(base), "extra_body", name)
	}
}
