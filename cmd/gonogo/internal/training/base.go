package training

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/pilot"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/prompt"
)

// Base is what a training is compared with: the rewards of the base run by item.
type Base struct {
	Train, Eval []pilot.Item
	EvalCalls   float64 // mean calls of tools a rollout of eval; NaN if unknown
	// Items are the rows of the items of train, as far as the run holds them.
	Items map[string]*rollout.Item
	// Fresh are base samples that were made for the pilot.
	Fresh []pilot.Item
	// Zeroed counts the rollouts that a detector lowered to the bottom.
	Zeroed int

	matcher *pilot.Matcher
	kinds   *kinds
}

// ReadBase reads the base run. more are rows of train that it may lack. Its rollouts are read three
// times, and no text of theirs is kept, but for up to 1,000 answers while the form of answers is sought.
func ReadBase(ctx context.Context, run *rollout.Run, more []rollout.Item, read rollout.ReadOptions,
	s analysis.Settings,
) (*Base, error) {
	read.ToolError = nil
	items, err := collect.ReadItems(ctx, run, read, s, maphash.MakeSeed())
	if err != nil {
		return nil, err
	}
	b := &Base{
		Train: rewards(items, rollout.Train), Eval: rewards(items, rollout.Eval), Zeroed: items.Zeroed,
		Items: make(map[string]*rollout.Item),
	}
	b.EvalCalls = calls(items, rollout.Eval)
	for _, it := range items.Items[rollout.Train] {
		if id, ok := itemOf(it.ID); ok && it.Row != nil {
			b.Items[id] = it.Row
		}
	}
	rows, err := run.ReadItems() // those that were not sampled, too
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if it := &rows[i]; it.Split == rollout.Train {
			b.Items[it.ID] = it
		}
	}
	for i := range more {
		if it := &more[i]; it.Split == rollout.Train && b.Items[it.ID] == nil {
			b.Items[it.ID] = it
		}
	}
	b.kinds = newKinds(s.RewardRange, b.Items)
	asked, cache := make(map[string]pilot.Asked), prompt.NewCache()
	// Of items without a row the records alone show the prompt, whose text a lean read skips.
	read.Lean = !slices.ContainsFunc(b.Train, func(it pilot.Item) bool { return b.Items[it.ID] == nil })
	if err := records(ctx, run, read, func(r *rollout.Record) {
		if b.Items[r.Item] == nil && asked[r.Item].Sum == 0 {
			asked[r.Item] = askedBy(r, cache)
		}
		b.kinds.learn(r)
	}); err != nil {
		return nil, err
	}
	read.Lean = true
	b.kinds.settle()
	if err := records(ctx, run, read, b.kinds.count); err != nil {
		return nil, err
	}
	b.matcher = pilot.NewMatcher(b.prompts(asked, cache))
	return b, nil
}

// records passes on the rollouts of the base model on train.
func records(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, yield func(*rollout.Record)) error {
	_, err := run.Records(ctx, read, func(r *rollout.Record) error {
		if r.Split == rollout.Train && r.Step == 0 {
			yield(r)
		}
		return nil
	})
	if errors.Is(err, rollout.ErrNoRecords) {
		return nil
	}
	return err
}

// prompts lists the items as a log may show them: those with rewards and those with only a row, to
// which --base may add rewards.
func (b *Base) prompts(asked map[string]pilot.Asked, cache *prompt.Cache) []pilot.Prompt {
	var list []pilot.Prompt
	for _, it := range b.Train {
		if b.Items[it.ID] == nil {
			list = append(list, pilot.Prompt{ID: it.ID, Sum: asked[it.ID].Sum, Turn: asked[it.ID].Text})
		}
	}
	for id, it := range b.Items {
		list = append(list, pilot.Prompt{ID: id, Sum: rollout.PromptOf(it.Messages, cache).Sum, Turn: lastTurn(it.Messages)})
	}
	return list
}

// lastTurn returns the text of the last user message, else of the last message.
func lastTurn(messages []rollout.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return messages[i].Content
		}
	}
	if len(messages) == 0 {
		return ""
	}
	return messages[len(messages)-1].Content
}

// rewards returns the rewards of the base model on a split.
func rewards(items *collect.RunItems, split rollout.Split) []pilot.Item {
	var list []pilot.Item
	for _, it := range items.Items[split] {
		if id, ok := itemOf(it.ID); ok && len(it.Rewards) > 0 {
			list = append(list, pilot.Item{ID: id, Rewards: it.Rewards})
		}
	}
	return list
}

// calls returns the mean calls of tools a rollout of the base model on a split; NaN if none records them.
func calls(items *collect.RunItems, split rollout.Split) float64 {
	var all collect.Tally
	for _, it := range items.Items[split] {
		if _, ok := itemOf(it.ID); ok {
			of := it.Of[collect.ToolCalls]
			all.Sum, all.N = all.Sum+of.Sum, all.N+of.N
		}
	}
	return all.Sum / float64(all.N)
}

// itemOf returns the item of an id that may name its step; ok is false for another step than 0.
func itemOf(shown string) (id string, ok bool) {
	if item, step, named := rollout.CutStep(shown); named {
		return item, step == 0
	}
	return shown, true
}

// ReadRewards reads the rewards of a split of a run, and its mean calls of tools a rollout; NaN if unknown.
func ReadRewards(ctx context.Context, dir string, split rollout.Split, read rollout.ReadOptions,
	s analysis.Settings,
) ([]pilot.Item, float64, error) {
	run, err := rollout.OpenManifest(dir)
	if err != nil {
		return nil, 0, err
	}
	items, err := collect.ReadItems(ctx, run, read, s, maphash.MakeSeed())
	if err != nil {
		return nil, 0, err
	}
	return rewards(items, split), calls(items, split), nil
}

// Replace puts fresh base samples in place of those of the same items, and adds the others.
func (b *Base) Replace(fresh []pilot.Item) []pilot.Item {
	is := make(map[string]bool, len(fresh))
	for _, it := range fresh {
		is[it.ID] = true
	}
	list := append([]pilot.Item{}, fresh...)
	for _, it := range b.Train {
		if !is[it.ID] {
			list = append(list, it)
		}
	}
	return list
}
