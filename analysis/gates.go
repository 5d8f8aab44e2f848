package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Gates are the gates that judge a run, in the order in which they are shown; the first one that
// fails is the verdict's reason. Names and thresholds come from the list alone. The words are
// registered for the whole program when the list is declared or validated, so two gates of the same
// name have the same words.
type Gates []*Gate

// Named returns the gate or part with a name. A result may hold findings of a gate that is not in
// the list; for these Named returns a gate that has only the name.
func (gs Gates) Named(name string) *Gate {
	for _, g := range gs {
		for _, one := range append([]*Gate{g}, g.Parts...) {
			if one.Name == name {
				return one
			}
		}
	}
	return &Gate{Name: name}
}

// unnamed reports whether a gate or a part in a stored list has no name.
func (gs Gates) unnamed() bool {
	return slices.ContainsFunc(gs, func(g *Gate) bool { return g == nil || g.Name == "" || Gates(g.Parts).unnamed() })
}

// comparing holds the thresholds of gonogo compare, which is not a gate.
var comparing = &Gate{Name: "compare", Thresholds: []Threshold{CompareDelta, CompareTolerance}}

// Thresholds lists every threshold of the gates, in their order, and those of gonogo
// compare. They are engineering choices, mostly about what sampling costs, not laws.
func (gs Gates) Thresholds() []Threshold {
	var all []Threshold
	for _, g := range append(slices.Clone(gs), comparing) {
		all = append(all, g.Thresholds...)
	}
	return all
}

// Values returns every threshold with its value.
func (gs Gates) Values(t Thresholds) ThresholdValues {
	all := make(ThresholdValues)
	for _, g := range append(slices.Clone(gs), comparing) {
		for i, x := range g.Thresholds {
			if i == 0 {
				all[g.Name] = make(map[string]float64)
			}
			all[g.Name][x.Name] = t.At(x)
		}
	}
	return all
}

// Changed lists the thresholds that are not at their default, by name.
func (gs Gates) Changed(values ThresholdValues) []Changed {
	changed, set := []Changed{}, values.ByName()
	for _, x := range gs.Thresholds() {
		if value, known := set[x.Name]; known && value != x.Default {
			changed = append(changed, Changed{x.Name, x.Default, value})
		}
	}
	slices.SortFunc(changed, func(a, b Changed) int { return cmp.Compare(a.Name, b.Name) })
	return changed
}

// Requirable lists the names that Settings.Require accepts: stages and gates.
func (gs Gates) Requirable() []string {
	var names []string
	for _, s := range Stages() {
		names = append(names, s.Name)
	}
	for _, g := range gs {
		if !slices.Contains(names, g.Name) {
			names = append(names, g.Name)
		}
	}
	return names
}

// Declare registers the words of the gates, so that findings of a stored result can be shown.
// Gate.Judge does so for the findings that it returns.
func (gs Gates) Declare() {
	for _, d := range gs.messages() {
		message.New(d.ID, d.English)
	}
}

func (gs Gates) messages() []message.Def {
	var list []message.Def
	for _, g := range gs {
		list = append(append(list, g.messages()...), Gates(g.Parts).messages()...)
	}
	return list
}

// Validate reports the first gate in the list that cannot be used, else the first setting that
// cannot: see Settings.Validate. Thresholds and Require may only use names from the list.
func (gs Gates) Validate(s Settings) error {
	if err := gs.validate(); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	requirable := gs.Requirable()
	for _, name := range s.Require {
		if !slices.Contains(requirable, name) {
			return fmt.Errorf("require: %q is neither a stage nor a gate", name)
		}
	}
	known := gs.Values(nil).ByName()
	for _, name := range slices.Sorted(maps.Keys(s.Thresholds)) {
		if _, ok := known[name]; !ok {
			return fmt.Errorf("no threshold is called %q; there are %s", name,
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return nil
}

// validate reports the first gate that cannot be used.
func (gs Gates) validate() error {
	taken := map[string]bool{}
	for _, g := range gs {
		for _, one := range append([]*Gate{g}, g.Parts...) {
			if taken[one.Name] {
				return fmt.Errorf("two gates are called %q", one.Name)
			}
			taken[one.Name] = true
			if err := one.validate(); err != nil {
				return fmt.Errorf("the gate %q: %w", one.Name, err)
			}
		}
	}
	taken = map[string]bool{}
	for _, x := range gs.Thresholds() {
		if taken[x.Name] {
			return fmt.Errorf("two thresholds are called %q", x.Name)
		}
		taken[x.Name] = true
	}
	for _, d := range gs.messages() {
		if other, ok := message.Find(d.ID); ok && other != d {
			return fmt.Errorf("two messages have the id %q", d.ID)
		}
	}
	return nil
}

func (g *Gate) validate() error {
	w := g.Words
	switch {
	case g.Name == "":
		return errors.New("it needs a name")
	case (g.Check == nil) == (len(g.Parts) == 0):
		return errors.New("it needs either a Check or Parts")
	case w.Pass == "" || len(g.Parts) == 0 && (w.Why == "" || w.Fail+w.Unknown+w.Caution == ""):
		return errors.New("its Words need Pass and, unless it has Parts, Why and one of Fail, Unknown and Caution")
	}
	for _, x := range g.Thresholds {
		switch {
		case x.Name != g.Name && !strings.HasPrefix(x.Name, g.Name+"."):
			return fmt.Errorf("the name of its threshold %q must begin with %q", x.Name, g.Name+".")
		case stat.FiniteOrNil(x.Default) == nil || x.Unit == message.UnitShare && (x.Default < 0 || x.Default > 1):
			return fmt.Errorf("its threshold %s has the default %g: a share is from 0 to 1, and any other threshold "+
				"finite", x.Name, x.Default)
		}
	}
	return nil
}
