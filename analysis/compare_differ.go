package analysis

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	add := func(what, key string, b, n, note message.Text) {
		if b.String() != n.String() {
			confounds := what == "data" || what == "grader" || what == "job"
			out = append(out, RunDifference{What: what, Key: key, Base: b, New: n, Confounds: confounds, Note: note})
		}
	}
	for _, split := range rollout.Splits() {
		b, n := dataOf(base, split), dataOf(new, split)
		if !b.None() && !n.None() {
			add("data", "data."+string(split), b, n, sameConversation.Text())
		}
	}
	if base.Grader != nil && new.Grader != nil {
		add("grader", "grader", message.Verbatim(base.Grader.String()), message.Verbatim(new.Grader.String()), ofTheGrader.Text())
	}
	set := func(what, key, b, n string) { add(what, key, message.Verbatim(b), message.Verbatim(n), message.Text{}) }
	set("model", "model.name", base.Model, new.Model)
	for _, key := range bindingKeys(base, new) {
		set(kindOfKey(key), key, base.Binding[key], new.Binding[key])
	}
	if base.Source == rollout.Live && new.Source == rollout.Live {
		set("seed", "seed", strconv.FormatUint(base.Seed, 10), strconv.FormatUint(new.Seed, 10))
	}
	set("tool_version", "tool_version", base.ToolVersion, new.ToolVersion)
	return out
}

// sortDifferences brings differences into the order in which they are named.
func sortDifferences(list []RunDifference) {
	slices.SortStableFunc(list, func(a, b RunDifference) int {
		return cmp.Compare(slices.Index(differenceOrder, a.What), slices.Index(differenceOrder, b.What))
	})
}

// dataOf names a split's data files by their contents.
func dataOf(m *rollout.Manifest, split rollout.Split) message.Text {
	var files []message.Arg
	for _, d := range m.Data {
		if d.Split == split {
			files = append(files, message.Said(dataFile.With(message.Args{
				"hash": message.Name(d.SHA256[:min(len(d.SHA256), 12)]), "file": message.Name(d.File), "rows": message.Count(d.Rows, "row"),
			})))
		}
	}
	if files == nil {
		return message.Text{}
	}
	return message.Of(message.List(files...))
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
			case strings.HasPrefix(key, "data.") && !dataOf(base, rollout.Split(key[5:])).None() && !dataOf(new, rollout.Split(key[5:])).None():
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
		add := func(what, key string, base, new message.Text, note message.Def, confounds bool) {
			out = append(out, RunDifference{What: what, Key: key + "." + string(split), Base: base, New: new, Confounds: confounds, Note: note.Text()})
		}
		if n, m := len(p.common.OnlyBase), len(p.common.OnlyNew); n+m > 0 {
			own := func(n int) message.Text { return itemsOfItsOwn.With(message.Args{"items": message.Count(n, "item")}) }
			add("items", "items", own(n), own(m), notCompared, false)
		}
		if n := len(p.common.Changed); n > 0 {
			add("items", "conversations", message.Of(message.Count(n, "item")), otherConversations.Text(), notTheSame, true)
		}
		if p.otherFields > 0 {
			add("items", "fields", message.Of(message.Count(p.otherFields, "item")), withOtherFields.Text(), otherReference, true)
		}
		if b, n := sc.Samples.Base.Median, sc.Samples.New.Median; b != n && b > 0 && n > 0 {
			add("samples", "samples", message.Of(message.Setting(b)), message.Of(message.Setting(n)), medianOfSamples, false)
		}
	}
	return out
}

// likeness says what two runs have in common that makes the comparison another
// than it looks, where they have it.
func likeness(base, new *side, pairings map[rollout.Split]pairing) message.Text {
	if filepath.Clean(base.run.File()) == filepath.Clean(new.run.File()) {
		return sameFile.Text()
	}
	tries, equal, timed, rewards, texts, outputs := 0, 0, 0, 0, 0, 0
	for _, split := range rollout.Splits() {
		for _, p := range pairings[split].pairs {
			if len(p.base.tries) != len(p.new.tries) {
				return message.Text{}
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
	case equal == tries && timed > 0:
		return sameRollouts.Text()
	case texts > 0 && outputs == texts && rewards < tries:
		return sameOutputs.Text()
	case rewards == tries:
		return sameRewards.Text()
	}
	return message.Text{}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// runNotes says what a reader must know of a side before its numbers.
func runNotes(base, new *side) []message.Text {
	var notes []message.Text
	for _, s := range []struct {
		side               *side
		unknown, worthless message.Def
	}{{base, baseUnknown, baseHacks}, {new, newUnknown, newHacks}} {
		if s.side.run.Manifest == nil {
			notes = append(notes, s.unknown.With(message.Args{"file": message.Name(rollout.ManifestFile)}))
		}
		if n := s.side.zeroed; n > 0 {
			notes = append(notes, s.worthless.With(message.Args{"rollouts": message.Count(n, "rollout")}))
		}
	}
	return notes
}

// What a reader must know of the runs before the answer.
var (
	sameFile     = message.New("compare.same_file", "both sides are the same file: a run compared with itself tells of no change")
	sameRollouts = message.New("compare.same_rollouts", "both sides hold the same rollouts, down to their times: a run compared with itself tells of no change")
	sameOutputs  = message.New("compare.same_outputs", "the outputs are the same in both runs: what differs is how they were graded")
	sameRewards  = message.New("compare.same_rewards", "every reward is the same, sample by sample: the same rollouts twice, or a model, a seed or a cache that makes them the same")
	baseUnknown  = message.New("compare.base_unknown", "the base run has no {file}: what it was made with is not known")
	newUnknown   = message.New("compare.new_unknown", "the new run has no {file}: what it was made with is not known")
	baseHacks    = message.New("compare.base_hacks", "in the base run {rollouts} that a detector marked as a hack counts at the bottom of the reward range")
	newHacks     = message.New("compare.new_hacks", "in the new run {rollouts} that a detector marked as a hack counts at the bottom of the reward range")
)

// What differs between the runs.
var (
	dataFile           = message.New("compare.data_file", "{hash} ({file}, {rows})")
	itemsOfItsOwn      = message.New("compare.items_of_its_own", "{items} of its own")
	notCompared        = message.New("compare.not_compared", "left out of the comparison")
	otherConversations = message.New("compare.other_conversations", "the same ids with other conversations")
	notTheSame         = message.New("compare.not_the_same", "not the same items: left out of the comparison")
	withOtherFields    = message.New("compare.other_fields", "the same conversations with other fields")
	otherReference     = message.New("compare.other_reference", "compared; where the field is the reference, the grader asks for something else")
	sameConversation   = message.New("compare.same_conversation", "only items of the same id and conversation are compared")
	ofTheGrader        = message.New("compare.of_the_grader", "a change of the reward may be the grader's")
	medianOfSamples    = message.New("compare.median_of_samples", "median of valid samples an item; nothing here is biased by it")
)
