package compare

import (
	"cmp"
	"path/filepath"
	"slices"

	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// sideOf describes the run on one side.
func sideOf(s *collect.RunItems) Side {
	r := Side{File: s.Run.File(), Input: s.Input, Detectors: s.Detectors}
	if m := s.Run.Manifest; m != nil {
		r.ID, r.Name, r.Model, r.ToolVersion = m.ID, m.Name, m.Model, m.ToolVersion
		if m.Grader != nil {
			r.Grader = m.Grader.String()
		}
	}
	return r
}

// differenceOrder is the order in which differences between runs are named: possible explanations
// of a change of the reward come first.
var differenceOrder = []string{"data", "items", "grader", "job", "model", "setting", "samples", "seed", "tool_version"}

// sortDifferences sorts differences by differenceOrder.
func sortDifferences(list []RunDifference) {
	slices.SortStableFunc(list, func(a, b RunDifference) int {
		return cmp.Compare(slices.Index(differenceOrder, a.What), slices.Index(differenceOrder, b.What))
	})
}

// itemDifferences lists the differences between the items and samples of the runs.
func itemDifferences(c *Comparison, pairings map[rollout.Split]pairing) []RunDifference {
	out := []RunDifference{}
	for _, split := range rollout.Splits() {
		sc := c.Splits[split]
		if sc == nil {
			continue
		}
		p := pairings[split]
		add := func(what, key string, base, new message.Text, note message.Def, confounds bool) {
			out = append(out, RunDifference{
				What: what, Key: key + "." + string(split), Base: base, New: new,
				Confounds: confounds, Note: note.Text(),
			})
		}
		if n, m := len(p.common.OnlyBase), len(p.common.OnlyNew); n+m > 0 {
			onlyHere := func(n int) message.Text {
				return itemsOfItsOwn.With(
					message.Args{"items": message.Count(n, "item")})
			}
			add("items", "items", onlyHere(n), onlyHere(m), notCompared, false)
		}
		if n := len(p.common.Changed); n > 0 {
			add("items", "conversations", message.Of(message.Count(n, "item")), otherConversations.Text(), notTheSame,
				true)
		}
		if p.otherFields > 0 {
			add("items", "fields", message.Of(message.Count(p.otherFields, "item")), withOtherFields.Text(),
				otherReference, true)
		}
		if b, n := sc.Samples.Base.Median, sc.Samples.New.Median; b != n && b > 0 && n > 0 {
			add("samples", "samples", message.Of(message.Setting(b)), message.Of(message.Setting(n)), medianOfSamples,
				false)
		}
	}
	return out
}

// likeness describes what two runs have in common that makes their comparison misleading; it is empty
// if there is nothing.
func likeness(base, new *collect.RunItems, pairings map[rollout.Split]pairing) message.Text {
	if filepath.Clean(base.Run.File()) == filepath.Clean(new.Run.File()) {
		return sameFile.Text()
	}
	tries, equal, timed, rewards, texts, outputs := 0, 0, 0, 0, 0, 0
	for _, split := range rollout.Splits() {
		for _, p := range pairings[split].pairs {
			if len(p.base.Tries) != len(p.new.Tries) {
				return message.Text{}
			}
			for i := range p.base.Tries {
				a, b := &p.base.Tries[i], &p.new.Tries[i]
				tries++
				graded := a.Outcome == b.Outcome && a.Valid == b.Valid && a.Reward == b.Reward
				rewards += one(graded)
				timed += one(graded && a.Elapsed > 0 && a.Elapsed == b.Elapsed)
				equal += one(graded && a.Output == b.Output && a.Elapsed == b.Elapsed)
				texts += one(a.Output != 0)
				outputs += one(a.Output != 0 && a.Output == b.Output)
			}
		}
	}
	switch {
	case tries == 0:
	case outputs == texts && (texts > 0 || regraded(base.Run, new.Run)) && otherGraders(base, new):
		return twoGraders.Text()
	case equal == tries && timed > 0:
		return sameRollouts.Text()
	case texts > 0 && outputs == texts && rewards < tries:
		return sameOutputs.Text()
	case rewards == tries:
		return sameRewards.Text()
	}
	return message.Text{}
}

// runNotes returns what a reader must know about each side before reading its numbers.
func runNotes(base, new *collect.RunItems) []message.Text {
	var notes []message.Text
	for _, s := range []struct {
		side               *collect.RunItems
		unknown, worthless message.Def
	}{{base, baseUnknown, baseHacks}, {new, newUnknown, newHacks}} {
		if s.side.Run.Manifest == nil {
			notes = append(notes, s.unknown.With(message.Args{"file": message.Name(rollout.ManifestFile)}))
		}
		if n := s.side.Zeroed; n > 0 {
			notes = append(notes, s.worthless.With(message.Args{"rollouts": message.Count(n, "rollout")}))
		}
	}
	return notes
}

// Notes on the runs that a reader needs before the answer.
var (
	sameFile = message.New("compare.same_file",
		"both sides are the same file: a run compared with itself shows no change")
	sameRollouts = message.New("compare.same_rollouts",
		"both sides hold the same rollouts, down to their times: a run compared with itself shows no change")
	sameOutputs = message.New("compare.same_outputs",
		"the outputs are the same in both runs: what differs is how they were graded")
	twoGraders = message.New("compare.two_graders",
		"both sides hold the same outputs, graded by two graders: every difference is theirs")
	sameRewards = message.New("compare.same_rewards", "every reward is the same, sample by sample: these are the "+
		"same rollouts twice, or a model, seed or cache makes them identical")
	baseUnknown = message.New("compare.base_unknown", "the base run has no {file}, so its settings are unknown")
	newUnknown  = message.New("compare.new_unknown", "the new run has no {file}, so its settings are unknown")
	baseHacks   = message.New("compare.base_hacks",
		"in the base run, hacks that a detector marked count at the bottom of the reward range: {rollouts}")
	newHacks = message.New("compare.new_hacks",
		"in the new run, hacks that a detector marked count at the bottom of the reward range: {rollouts}")
)

// The differences between the runs.
var (
	itemsOfItsOwn      = message.New("compare.items_of_its_own", "{items} of its own")
	notCompared        = message.New("compare.not_compared", "left out of the comparison")
	otherConversations = message.New("compare.other_conversations", "same ids, different conversations")
	notTheSame         = message.New("compare.not_the_same", "different items: left out of the comparison")
	withOtherFields    = message.New("compare.other_fields", "same conversations, different fields")
	otherReference     = message.New("compare.other_reference",
		"compared; if the field is the reference, the grader now expects a different answer")
	medianOfSamples = message.New("compare.median_of_samples",
		"median of valid samples per item; it biases nothing here")
)
