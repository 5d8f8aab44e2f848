package analysis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// sameItem reports whether two rows of one id hold the same conversation, and
// whether they are the same in all. A run that does not hold its items cannot
// contradict.
func sameItem(a, b *rollout.Item) (talk, row bool) {
	if a == nil || b == nil || len(a.Row) == 0 || len(b.Row) == 0 {
		return true, true
	}
	if bytes.Equal(a.Row, b.Row) {
		return true, true
	}
	var x, y bytes.Buffer
	if json.Compact(&x, a.Row) == nil && json.Compact(&y, b.Row) == nil && bytes.Equal(x.Bytes(), y.Bytes()) {
		return true, true
	}
	said, errA := json.Marshal(a.Messages)
	told, errB := json.Marshal(b.Messages)
	return errA == nil && errB == nil && bytes.Equal(said, told), false
}

// comparedRun tells which run a side is.
func (s *side) comparedRun() ComparedRun {
	r := ComparedRun{File: s.run.File(), Input: s.input, Detectors: s.marked}
	if m := s.run.Manifest; m != nil {
		r.ID, r.Name, r.Model, r.ToolVersion = m.ID, m.Name, m.Model, m.ToolVersion
	}
	return r
}

// The order in which differences between runs are named: what may stand behind
// a change of the reward first.
var differenceOrder = []string{"data", "items", "grader", "job", "model", "setting", "samples", "seed", "tool_version"}

// differences names what two runs were made with differently, by their
// manifests.
func differences(base, new *rollout.Manifest) []RunDifference {
	out := []RunDifference{}
	if base == nil || new == nil {
		return out
	}
	add := func(what, key, b, n, note string) {
		if b != n {
			confounds := what == "data" || what == "grader" || what == "job"
			out = append(out, RunDifference{What: what, Key: key, Base: b, New: n, Confounds: confounds, Note: note})
		}
	}
	for _, split := range rollout.Splits() {
		b, n := dataOf(base, split), dataOf(new, split)
		if b != "" && n != "" {
			add("data", "data."+string(split), b, n, sameConversation)
		}
	}
	if base.Grader != nil && new.Grader != nil {
		add("grader", "grader", base.Grader.String(), new.Grader.String(), ofTheGrader)
	}
	add("model", "model.name", base.Model, new.Model, "")
	for _, key := range bindingKeys(base, new) {
		add(kindOfKey(key), key, base.Binding[key], new.Binding[key], "")
	}
	if base.Source == rollout.Live && new.Source == rollout.Live {
		add("seed", "seed", strconv.FormatUint(base.Seed, 10), strconv.FormatUint(new.Seed, 10), "")
	}
	add("tool_version", "tool_version", base.ToolVersion, new.ToolVersion, "")
	return out
}

// sortDifferences brings differences into the order in which they are named.
func sortDifferences(list []RunDifference) {
	slices.SortStableFunc(list, func(a, b RunDifference) int {
		return cmp.Compare(slices.Index(differenceOrder, a.What), slices.Index(differenceOrder, b.What))
	})
}

// dataOf names a split's data file by its contents.
func dataOf(m *rollout.Manifest, split rollout.Split) string {
	var files []string
	for _, d := range m.Data {
		if d.Split == split {
			files = append(files, d.SHA256[:min(len(d.SHA256), 12)]+" ("+d.File+", "+plain.Count(d.Rows, "row")+")")
		}
	}
	return strings.Join(files, ", ")
}

// bindingKeys are the keys that a run is bound to and that stand nowhere else
// in the manifest. A run that came from elsewhere is bound to nothing.
func bindingKeys(base, new *rollout.Manifest) []string {
	var keys []string
	if len(base.Binding) == 0 || len(new.Binding) == 0 {
		return nil
	}
	for _, m := range []*rollout.Manifest{base, new} {
		for key := range m.Binding {
			switch {
			case key == "seed", key == "model.name" && base.Model != "" && new.Model != "":
			case strings.HasPrefix(key, "data.") && dataOf(base, rollout.Split(key[5:])) != "" && dataOf(new, rollout.Split(key[5:])) != "":
			default:
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func kindOfKey(key string) string {
	first, _, _ := strings.Cut(key, ".")
	switch first {
	case "data", "job", "model", "grader":
		return first
	case "reward_range", "pass_threshold":
		return "grader"
	}
	return "setting"
}

// itemDifferences names what the items and samples themselves show.
func itemDifferences(c *Comparison, pairings map[rollout.Split]pairing) []RunDifference {
	out := []RunDifference{}
	for _, split := range rollout.Splits() {
		sc := c.Splits[split]
		if sc == nil {
			continue
		}
		p := pairings[split]
		add := func(what, key, base, new, note string, confounds bool) {
			out = append(out, RunDifference{What: what, Key: key + "." + string(split), Base: base, New: new, Confounds: confounds, Note: note})
		}
		if n, m := len(p.common.OnlyBase), len(p.common.OnlyNew); n+m > 0 {
			own := func(n int) string { return fmt.Sprintf(itemsOfItsOwn, plain.Count(n, "item")) }
			add("items", "items", own(n), own(m), notCompared, false)
		}
		if n := len(p.common.Changed); n > 0 {
			add("items", "conversations", plain.Count(n, "item"), otherConversations, notTheSame, true)
		}
		if p.otherFields > 0 {
			add("items", "fields", plain.Count(p.otherFields, "item"), withOtherFields, otherReference, true)
		}
		if b, n := sc.Samples.Base.Median, sc.Samples.New.Median; b != n && b > 0 && n > 0 {
			add("samples", "samples", message.Plain(b), message.Plain(n), medianOfSamples, false)
		}
	}
	return out
}

// likeness says in a note what two runs have in common that makes the
// comparison another than it looks. same is true when both sides are the very
// same rollouts.
func likeness(base, new *side, pairings map[rollout.Split]pairing) (notes []string, same bool) {
	if filepath.Clean(base.run.File()) == filepath.Clean(new.run.File()) {
		return []string{sameFile}, true
	}
	tries, equal, timed, rewards, texts, outputs := 0, 0, 0, 0, 0, 0
	for _, split := range rollout.Splits() {
		for _, p := range pairings[split].pairs {
			if len(p.base.tries) != len(p.new.tries) {
				return nil, false
			}
			for i := range p.base.tries {
				a, b := &p.base.tries[i], &p.new.tries[i]
				tries++
				graded := a.outcome == b.outcome && a.valid == b.valid && a.reward == b.reward
				rewards += one(graded)
				timed += one(graded && a.elapsed > 0 && a.elapsed == b.elapsed)
				equal += one(graded && a.output == b.output && a.elapsed == b.elapsed)
				texts += one(a.output != 0)
				outputs += one(a.output != 0 && a.output == b.output)
			}
		}
	}
	switch {
	case tries == 0:
		return nil, false
	case equal == tries && timed > 0:
		return []string{sameRollouts}, true
	case texts > 0 && outputs == texts && rewards < tries:
		return []string{sameOutputs}, false
	case rewards == tries:
		return []string{sameRewards}, false
	}
	return nil, false
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// runNotes says what a reader must know of a side before its numbers.
func runNotes(base, new *side) []string {
	var notes []string
	for _, s := range []struct {
		side               *side
		unknown, worthless string
	}{{base, baseUnknown, baseHacks}, {new, newUnknown, newHacks}} {
		if s.side.run.Manifest == nil {
			notes = append(notes, fmt.Sprintf(s.unknown, rollout.ManifestFile))
		}
		if n := s.side.zeroed; n > 0 {
			notes = append(notes, fmt.Sprintf(s.worthless, plain.Count(n, "rollout")))
		}
	}
	return notes
}
