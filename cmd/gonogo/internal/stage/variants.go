package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// PickVariants keeps the variants named by --variant; without it all variants and the run itself
// are made.
func PickVariants(p *project.Project, c *project.Invocation) (withBase bool, err error) {
	wanted := c.Sampling.Variant
	if len(wanted) == 0 {
		return true, nil
	}
	names := append([]string{config.BaseVariant},
		ui.Names(p.Variants, func(v *project.Variant) string { return v.Name })...)
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return false, exit.Usagef("--variant %s: there is no such variant%s; there are %s", name,
				spelling.DidYouMean(name, names), spelling.OrList(names))
		}
	}
	p.Variants = slices.DeleteFunc(p.Variants,
		func(v *project.Variant) bool { return !slices.Contains(wanted, v.Name) })
	return slices.Contains(wanted, config.BaseVariant), nil
}

// Sample makes the rollouts of the run, and then those of its variants. The exit code reports
// whether too many rollouts were lost.
func Sample(ctx context.Context, c *project.Invocation, p *project.Project, dir string) error {
	if err := checkTargetedFlags(c); err != nil {
		return err
	}
	if c.Sampling.ItemsUndecided {
		p.Variants = nil // classes belong to the run itself
	}
	withBase, err := PickVariants(p, c)
	if err != nil {
		return err
	}
	if !withBase {
		return SampleVariants(ctx, c, p, dir)
	}
	if err := p.Spending.CountRun(ctx, dir); err != nil {
		return exit.AsUsage(err)
	}
	if err := sampleRun(ctx, c, p, dir); err != nil || c.Sampling.Rehearse {
		return err
	}
	return errors.Join(lostTooMany(ctx, p, c, dir), sampleVariants(ctx, p, c, dir))
}

// lostTooMany returns an error if a split has lost more rollouts than a GO allows, by the rule of
// gonogo run. Its code is that of the verdict, but 1 for a pilot, whose verdicts mean something else.
func lostTooMany(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	opened, err := rollout.OpenManifest(dir)
	if err != nil {
		return err
	}
	state, _, err := opened.State(ctx)
	if err != nil {
		return err
	}
	answer, split, lost, all := gate.Lost(p.Config.Settings().Thresholds, state)
	if answer == analysis.Pass {
		return nil
	}
	if c.Command == "pilot" {
		return fmt.Errorf("%d of %s in %s were lost: see what failed; the same command repeats them", lost,
			console.Count(all, string(split)+" rollout"), dir)
	}
	verdict := analysis.Undecided
	if answer == analysis.Fail {
		verdict = analysis.NoGo
	}
	return &exit.Error{
		Code: verdict.ExitCode(),
		Err: fmt.Errorf("%d of %s were lost, for which gonogo run answers %s (infra.failures); the same command "+
			"repeats them",
			lost, console.Count(all, string(split)+" rollout"), verdict),
	}
}

// SampleVariants makes the variants of an existing run.
func SampleVariants(ctx context.Context, c *project.Invocation, p *project.Project, dir string) error {
	if err := p.Spending.CountRun(ctx, dir); err != nil {
		return exit.AsUsage(err)
	}
	if !c.Sampling.Rehearse {
		if err := joinRun(p, dir); err != nil {
			return err
		}
	}
	if err := readyToSample(ctx, p, c, dir); err != nil {
		return err
	}
	if c.Sampling.Rehearse {
		return rehearse(ctx, c, p)
	}
	if err := confirmStart(ctx, p, c, dir, nil); err != nil {
		return err
	}
	return sampleVariants(ctx, p, c, dir)
}

// joinRun takes over the seed and the items of the run in dir, and refuses a run that was made with
// other settings: its variants would belong to another run.
func joinRun(p *project.Project, dir string) error {
	base, err := baseOf(dir)
	if err != nil {
		return err
	}
	if base.Looks != nil && base.Looks.Last() != nil {
		p.Round = base.Looks.Last().Samples // of sampling that ended when the verdict was decided
	}
	differ := project.Differing(p.Manifest(dir).Binding,
		func(key, value string) bool { return base.Binding[key] != p.Redact.String(value) })
	if len(differ) == 0 {
		return nil
	}
	return exit.Usagef("%s was made with other settings (%s), so nothing made now would be its variant: "+
		"restore them, or make a new run", dir, strings.Join(differ, ", "))
}

// baseOf returns the manifest of the run to which the variants belong.
func baseOf(dir string) (*rollout.Manifest, error) {
	opened, err := rollout.OpenManifest(dir)
	switch {
	case err == nil && opened.Manifest != nil:
		return opened.Manifest, nil
	case err == nil, errors.Is(err, os.ErrNotExist):
		return nil, exit.Usagef("%s does not exist yet: variants are compared with the run itself, so make it first, "+
			"without --variant", dir)
	}
	return nil, exit.AsUsage(err)
}

// sampleVariants makes the rollouts that the variants lack. They share the budget of this call with
// the run itself.
func sampleVariants(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	if len(p.Variants) == 0 {
		return nil
	}
	base, err := baseOf(dir)
	if err != nil {
		return err
	}
	for _, v := range p.Variants {
		if err := sampleVariant(ctx, p, c, v, dir, base.ID); err != nil {
			return err
		}
	}
	return nil
}

func sampleVariant(ctx context.Context, p *project.Project, c *project.Invocation, v *project.Variant, dir,
	base string,
) error {
	if err := v.Apply(p); err != nil {
		return err
	}
	q, variantDir := v.P, rollout.VariantDir(dir, v.Name)
	q.TakeWarnings(p)
	q.AskServer(ctx)
	m := q.Manifest(variantDir)
	m.Variant = &rollout.Variant{Name: v.Name, Doc: v.Doc, Of: base, Changes: v.Changes}
	return makeRun(ctx, q, c, variantDir, m, func(w *rollout.Writer, rollouts []sampler.Rollout) (sampler.Stats, error) {
		fmt.Fprintf(c.Err, "Variant %s:\n", v.Name)
		if len(rollouts) > 0 {
			if err := p.Spending.SpentBefore("the variant "+v.Name, true); err != nil {
				return sampler.Stats{}, err
			}
		}
		return sampleRollouts(ctx, q, c, variantDir, rollouts, w)
	})
}

// leg is a part of what a call makes: the run itself, or a variant.
type leg struct {
	name     string // "" for the run itself
	p        *project.Project
	rollouts []sampler.Rollout
}

// legsOf lists what a call makes, the run itself first. With dir "", nothing counts as made.
func legsOf(ctx context.Context, p *project.Project, dir string, rollouts []sampler.Rollout) ([]leg, error) {
	var out []leg
	if len(rollouts) > 0 {
		out = append(out, leg{"", p, rollouts})
	}
	if dir != "" && len(p.Variants) > 0 {
		if err := disk.CheckRegularDir(filepath.Join(dir, rollout.VariantsDir)); err != nil {
			return nil, err
		}
	}
	for _, v := range p.Variants {
		if err := v.Apply(p); err != nil {
			return nil, err
		}
		variantDir := ""
		if dir != "" {
			variantDir = rollout.VariantDir(dir, v.Name)
		}
		rollouts, err := rolloutsOf(ctx, v.P, variantDir)
		if err != nil {
			return nil, err
		}
		if len(rollouts) > 0 {
			out = append(out, leg{v.Name, v.P, rollouts})
		}
	}
	return out, nil
}

func checkedVariants(p *project.Project) []console.Variant {
	var out []console.Variant
	for _, v := range p.Variants {
		out = append(out, console.Variant{
			Name: v.Name, Doc: v.Doc, Changes: project.RedactChanges(p, v.Changes), Items: v.Did.Items,
			Rollouts: len(sampler.Plan(v.P.Inputs.Items, v.P.Samples(), nil)),
		})
	}
	return out
}
