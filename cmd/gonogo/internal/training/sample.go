package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// What is sampled for a pilot.
const (
	PilotSamples   = 8   // rollouts per item, of a checkpoint and of the base model
	MostPilotItems = 400 // eval items of a look
)

// The streams by which the seeds of a pilot's rollouts differ from the run's. A step is added to
// checkpointStream.
const (
	baseStream       = 0xba5e
	checkpointStream = 0xc4ec << 32
)

// CheckpointDir returns the run directory of the eval items sampled from the checkpoint of a step.
func CheckpointDir(run string, step int) string {
	return filepath.Join(run, pilotDir, pilotSteps+strconv.Itoa(step))
}

// ShownDir returns the run directory of the base model's rollouts of shown items.
func ShownDir(run string) string { return filepath.Join(run, pilotDir, pilotBase) }

// Sampling says what a pilot samples before it judges.
type Sampling struct {
	Call       *project.Invocation // with the caps
	Checkpoint *config.Checkpoint  // nil: none
	Step       int                 // of the checkpoint
	Base       bool                // the base model, on shown items
}

func (s Sampling) any() bool { return s.Checkpoint != nil || s.Base }

// moreRows returns rows of train that the run may lack and a log may show: those of the training file
// for --base, else those that --base has sampled.
func (p *Pilot) moreRows() ([]rollout.Item, error) {
	if p.Sampling.Base {
		if err := stage.SampledHere(p.opened); err != nil {
			return nil, fmt.Errorf("--base: %w", err)
		}
		return trainingRows(p.Sampling.Call, p.opened)
	}
	base, err := rollout.OpenManifest(ShownDir(p.Run))
	if err != nil {
		return nil, nil // there is none, or samples will say what is wrong with it
	}
	return base.ReadItems()
}

// madeOf returns how many rollouts a run directory holds and, unless others made it, how many it is
// planned to hold.
func madeOf(ctx context.Context, dir string) (made, planned int, err error) {
	opened, err := rollout.OpenManifest(dir)
	if err != nil || opened.Manifest == nil || opened.Manifest.Planned == nil {
		return 0, 0, err
	}
	for split, items := range opened.Manifest.Planned.Items {
		planned += items * opened.Manifest.Planned.Samples[split]
	}
	state, _, err := opened.State(ctx)
	return len(state), planned, err
}

// sample makes what the flags ask for. The log has been judged once without it.
func (p *Pilot) sample(ctx context.Context) error {
	run, err := rollout.Open(p.Run)
	if err != nil {
		return exit.AsUsage(err)
	}
	if p.Sampling.Checkpoint != nil && !p.Result.Counts(p.Sampling.Step) {
		return exit.Usagef("--at %d: a checkpoint counts for a planned look only within a factor of 1.5 of its "+
			"step, and this one is near none of them: "+
			"%s", p.Sampling.Step, strings.Join(ui.Names(p.Result.LookSteps, strconv.Itoa), ", "))
	}
	if p.Sampling.Base {
		ids := p.withoutBase()
		if len(ids) == 0 {
			fmt.Fprintln(p.Call.Err, "All shown items have base rollouts.")
		} else if err := sampleShown(ctx, p.Sampling.Call, run, ids); err != nil {
			return err
		}
	}
	if p.Sampling.Checkpoint == nil {
		return nil
	}
	in := &pilot.Input{Range: p.settings.RewardRange, Eval: p.base.Eval, Looks: p.looks}
	return sampleCheckpoint(ctx, p.Sampling, run, in)
}

// withoutBase returns the shown items that have no usable base rollouts: those that were never sampled
// and, where items were chosen by the run's own rewards, all that were not sampled since. The first
// call has begun the others, and repeats what failed.
func (p *Pilot) withoutBase() []string {
	usable := make(map[string]bool)
	chosen := slices.ContainsFunc(p.Result.Looks, func(l pilot.Look) bool {
		return l.Reward.Withheld.ID == pilot.ChosenItems
	})
	if !chosen {
		for _, it := range p.base.Train {
			usable[it.ID] = true
		}
	}
	for _, it := range p.base.Fresh {
		usable[it.ID] = len(it.Rewards) >= PilotSamples
	}
	return slices.DeleteFunc(slices.Clone(p.shown), func(id string) bool { return usable[id] })
}

// sampleCheckpoint makes the rollouts that the look at the checkpoint lacks, into
// CheckpointDir. in has the range, the base run on eval and the planned looks, from which it
// says what the look can tell.
func sampleCheckpoint(ctx context.Context, s Sampling, run *rollout.Run, in *pilot.Input) error {
	c := s.Call
	if run.Manifest == nil || run.Manifest.Source != rollout.Live {
		dir := message.Shell(CheckpointDir(run.Dir, s.Step))
		return exit.Usagef("%s was not sampled by gonogo, so nothing says how to sample the checkpoint: sample its "+
			"eval items as you sampled those of the run, and gonogo import LOG -o %s", run.Dir, dir)
	}
	items := EvalItems(run)
	if len(items) == 0 {
		return exit.Usagef("%s has no eval split, on which a checkpoint is compared with the base model: make a run "+
			"with data.eval", run.Dir)
	}
	data, err := dataOfRun(c, run, rollout.Eval)
	if err != nil {
		return err
	}
	p, err := (&stage.Again{
		Invocation: c, Run: run, Split: rollout.Eval, Data: data, Samples: PilotSamples,
		Stream: checkpointStream + uint64(s.Step), Checkpoint: s.Checkpoint,
	}).Project(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	warnOfOtherModels(ctx, c, p, run)
	p.Inputs.Items, _ = choose(p.Inputs.Items, items)
	note := fmt.Sprintf("eval items of the run %s, sampled from its checkpoint after step %d", run.Manifest.ID, s.Step)
	return stage.SamplePilot(ctx, p, c, run, CheckpointDir(run.Dir, s.Step), note, powerText(in, p.Inputs.Items))
}

// warnOfOtherModels warns where the checkpoint has the name of the run's model and its server has other
// models, too: one that serves LoRA adapters has the base model under its own name.
func warnOfOtherModels(ctx context.Context, c *project.Invocation, p *project.Project, run *rollout.Run) {
	name := p.Config.Model.Name
	if name != run.Manifest.Model {
		return
	}
	served := p.ServedModels(ctx)
	others := slices.DeleteFunc(slices.Clone(served), func(other string) bool { return other == name })
	if len(others) == 0 || len(others) == len(served) {
		return
	}
	fmt.Fprintf(c.Err, "warning: %s is the name of the run's own model, and this server has %s, too: if it is the base "+
		"model, e is that of no training; --model names the checkpoint\n", console.Visible(name),
		console.Visible(strings.Join(others[:min(5, len(others))], ", ")))
}

// EvalItems returns the ids of the eval items that each look samples: all of the run, or a subset
// that depends on the run alone.
func EvalItems(run *rollout.Run) []string {
	var items []rollout.Item
	for _, it := range run.Items {
		if it.Split == rollout.Eval {
			items = append(items, it)
		}
	}
	if len(items) > MostPilotItems {
		items = dataset.Subset(items, MostPilotItems, run.Manifest.Seed)
	}
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].ID
	}
	return ids
}

// choose returns the items with these ids, in the order of the items, and the ids that none has.
func choose(items []rollout.Item, ids []string) (chosen []rollout.Item, missing []string) {
	left := make(map[string]bool, len(ids))
	for _, id := range ids {
		left[id] = true
	}
	for _, it := range items {
		if left[it.ID] {
			chosen = append(chosen, it)
			delete(left, it.ID)
		}
	}
	for _, id := range ids {
		if left[id] {
			missing = append(missing, id)
			delete(left, id)
		}
	}
	return chosen, missing
}

// powerText says what a look at the items can tell, judged by their base rollouts.
func powerText(in *pilot.Input, items []rollout.Item) string {
	sampled := make(map[string]bool, len(items))
	for _, it := range items {
		sampled[it.ID] = true
	}
	base := slices.DeleteFunc(slices.Clone(in.Eval), func(it pilot.Item) bool { return !sampled[it.ID] })
	p, ok := pilot.PowerOf(base, in.Range, PilotSamples, len(in.Looks))
	if !ok {
		return "warning: fewer than two eval items have two base rollouts: nothing says how precise e will be\n"
	}
	text := fmt.Sprintf("e will have a standard error of about %s of the reward range if the training has changed "+
		"nothing, %s if items change unevenly.\n", message.Digits(p.Same), message.Digits(p.Changed))
	if p.Weak() {
		text += fmt.Sprintf("warning: with %s this look stops %s of the trainings that change nothing; %s would do "+
			"(standard error 0.015)\n", console.Count(p.Items, "eval item"), percent(p.Stops),
			console.Count(p.Enough, "such item"))
	}
	return text
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// sampleShown makes the rollouts of the base model that items of the training file lack, into
// ShownDir: those with the ids, and those that earlier calls began. It says which ids the
// file does not have.
func sampleShown(ctx context.Context, c *project.Invocation, run *rollout.Run, ids []string) error {
	if err := stage.SampledHere(run); err != nil {
		return fmt.Errorf("--base: %w", err)
	}
	data, err := dataOfRun(c, run, rollout.Train)
	if err != nil {
		return err
	}
	begun, err := rollout.Open(ShownDir(run.Dir))
	switch {
	case err == nil:
		for _, it := range begun.Items {
			ids = append(slices.Clip(ids), it.ID)
		}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, rollout.ErrNotARun):
		return exit.AsUsage(err)
	}
	p, err := (&stage.Again{
		Invocation: c, Run: run, Split: rollout.Train, Data: data, Samples: PilotSamples, Stream: baseStream,
	}).Project(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	var missing []string
	p.Inputs.Items, missing = choose(p.Inputs.Items, ids)
	if len(missing) > 0 {
		fmt.Fprintf(c.Err, "warning: %s of the log %s not in %s, such as %s\n", console.Count(len(missing), "item"),
			map[bool]string{true: "is", false: "are"}[len(missing) == 1], data,
			console.Visible(strings.Join(missing[:min(2, len(missing))], ", ")))
	}
	if len(p.Inputs.Items) == 0 {
		return nil
	}
	note := "items that the training of the run " + run.Manifest.ID + " showed, sampled from the base model"
	return stage.SamplePilot(ctx, p, c, run, ShownDir(run.Dir), note, "")
}

// trainingRows returns all rows of the run's training file, sampled or not, to find shown items
// in.
func trainingRows(c *project.Invocation, run *rollout.Run) ([]rollout.Item, error) {
	path, err := dataOfRun(c, run, rollout.Train)
	if err != nil {
		return nil, err
	}
	cfg, err := project.ConfigFor(c, run.Manifest)
	if err != nil {
		return nil, err
	}
	f, err := dataset.Load(path, rollout.Train, cfg.Data.Options)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	return f.Items, nil
}

// dataOfRun finds the data file of a split that the run was sampled from.
func dataOfRun(c *project.Invocation, run *rollout.Run, split rollout.Split) (string, error) {
	cfg, err := project.ConfigFor(c, run.Manifest)
	if err != nil {
		return "", err
	}
	recorded := dataset.Recorded(run.Manifest, split)
	if recorded == nil {
		return "", exit.Usagef("%s has no %s split: make a run with data.%s", run.Dir, split, split)
	}
	places := project.DataPlaces(c, run, cfg, split)
	found, match, err := dataset.FindRecorded(places, recorded)
	switch {
	case err != nil:
		return "", exit.AsUsage(err)
	case match != "":
		return match, nil
	case found != "":
		return "", exit.Usagef("%s has changed since %s was sampled from it: put the old file back, or name it with "+
			"--set data.%s=FILE", found, run.Dir, split)
	}
	return "", exit.Usagef("the %s file %s of %s was not found (looked for %s): name it with --set data.%s=FILE",
		split, recorded.File, run.Dir, strings.Join(places, ", "), split)
}
