package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/dataset"
	"gonogo/sampler/model"
	"gonogo/sampler/rollout"
)

// variant is a variant of a project: a project of its own on the same items,
// with the same tools, grader and seed, whose run lies below the project's.
type variant struct {
	config.VariantValue
	changes []rollout.Change
	did     dataset.Overridden
	p       *project
}

// prepareVariants makes the variants of the configuration, before anything is
// paid: one that cannot be applied to the rows is told now.
func (p *project) prepareVariants() error {
	var errs []error
	for i, value := range p.cfg.VariantList() {
		v := &variant{VariantValue: value}
		q := *p
		q.cfg, q.variants, q.variant, q.warnings, q.told, q.close = p.cfg.ForVariant(i), nil, v, nil, 0, nil
		v.p = &q
		policy, err := model.New(q.modelConfig(q.inFlight()))
		if err != nil {
			errs = append(errs, p.cfg.EntryFault("variants", p.cfg.Variants, i, err))
			continue
		}
		p.close = append(p.close, policy.Close)
		q.bounds.Model = policy
		if err := v.apply(p); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, v.fits(p, i)...)
		v.changes = v.listed(p, i)
		p.warnVariant(v)
		p.variants = append(p.variants, v)
	}
	return config.Join(errs)
}

// apply takes the project's items over, as the variant shows them to the model,
// its seed and its samples: all may have changed since, when a run goes on.
func (v *variant) apply(p *project) (err error) {
	v.p.items, v.did, err = v.Override().Apply(p.items)
	v.p.seed, v.p.cfg.Seed, v.p.round = p.seed, &p.seed, p.round
	return err
}

// fits reports what of the variant no item can show.
func (v *variant) fits(p *project, i int) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(v.Tools)) {
		if v.did.Without[name] == len(p.items) && len(p.items) > 0 {
			errs = append(errs, p.cfg.Fault(config.VariantPath(i, "tools."+name), "no row offers the tool %q to the model: its description would never be seen", name))
		}
	}
	if len(errs) == 0 && v.did.Items == 0 && len(p.cfg.ModelChanges(i)) == 0 {
		errs = append(errs, p.cfg.EntryFault("variants", p.cfg.Variants, i, fmt.Errorf("the variant %s changes nothing: prompt and descriptions are those of the rows", v.Name)))
	}
	return errs
}

// listed are the changes as reader and manifest see them.
func (v *variant) listed(p *project, i int) []rollout.Change {
	var out []rollout.Change
	switch {
	case v.Prompt != nil:
		was := "the rows' own"
		if v.did.Heads == 0 {
			was = ""
		}
		out = append(out, rollout.Change{Key: "prompt", Base: was, New: *v.Prompt})
	case v.PromptAdd != "":
		out = append(out, rollout.Change{Key: "prompt_add", New: v.PromptAdd})
	}
	for _, name := range slices.Sorted(maps.Keys(v.Tools)) {
		out = append(out, rollout.Change{Key: "tools." + name, Base: "the rows' own", New: v.Tools[name]})
	}
	return append(out, p.cfg.ModelChanges(i)...)
}

// warnVariant tells of what a variant may do unmeant.
func (p *project) warnVariant(v *variant) {
	if v.did.Heads > 1 {
		p.warnings = append(p.warnings, fmt.Sprintf("the variant %s puts one prompt in the place of %s different ones of the rows: what they tell of their own item is lost (prompt_add keeps it)", v.Name, message.Whole(v.did.Heads)))
	}
	for _, name := range slices.Sorted(maps.Keys(v.did.Without)) {
		p.warnings = append(p.warnings, fmt.Sprintf("the variant %s describes the tool %s, which %d of %s do not offer", v.Name, name, v.did.Without[name], ui.Counted(len(p.items), "row")))
	}
	if len(p.cfg.Model.Headers) > 0 && len(v.p.cfg.Model.Headers) == 0 {
		p.warnings = append(p.warnings, fmt.Sprintf("the variant %s asks another server, which is not sent the headers of model.headers", v.Name))
	}
}

// binding is what the run of a variant is bound to beyond its configuration.
func (v *variant) binding() map[string]string {
	out := make(map[string]string)
	if v == nil {
		return out
	}
	for _, c := range v.changes {
		if c.Key == "prompt" || c.Key == "prompt_add" || strings.HasPrefix(c.Key, "tools.") {
			out["variant."+c.Key] = config.Short(cmp.Or(c.New, "none"))
		}
	}
	return out
}

// pickVariants keeps the variants that --variant names; without it all are
// made, and the run itself.
func (p *project) pickVariants(c *call) (withBase bool, err error) {
	wanted := c.Variant
	if len(wanted) == 0 {
		return true, nil
	}
	names := []string{config.BaseVariant}
	for _, v := range p.variants {
		names = append(names, v.Name)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return false, exit.Usagef("--variant %s: there is no such variant%s; there are %s", name, ui.DidYouMean(name, names), ui.OrList(names))
		}
	}
	p.variants = slices.DeleteFunc(p.variants, func(v *variant) bool { return !slices.Contains(wanted, v.Name) })
	return slices.Contains(wanted, config.BaseVariant), nil
}

// sampleAll makes the rollouts of the run, and then those of its variants.
func sampleAll(ctx context.Context, c *call, p *project, dir string) error {
	if err := untargeted(c); err != nil {
		return err
	}
	if c.ItemsUndecided {
		p.variants = nil // classes are those of the run itself
	}
	withBase, err := p.pickVariants(c)
	if err != nil {
		return err
	}
	if !withBase {
		return sampleAlone(ctx, c, p, dir)
	}
	if err := sampleRun(ctx, c, p, dir); err != nil || c.Rehearse {
		return err
	}
	return p.sampleVariants(ctx, c, dir)
}

// sampleAlone makes variants of a run that is there already.
func sampleAlone(ctx context.Context, c *call, p *project, dir string) error {
	if !c.Rehearse {
		if err := p.joins(dir); err != nil {
			return err
		}
	}
	if err := p.ready(ctx, c, dir); err != nil {
		return err
	}
	if c.Rehearse {
		return rehearse(ctx, c, p)
	}
	if err := p.confirm(ctx, c, dir, nil); err != nil {
		return err
	}
	return p.sampleVariants(ctx, c, dir)
}

// joins takes over the seed and the items of the run in dir, and refuses one that
// was made with other settings: its variants would be those of another run.
func (p *project) joins(dir string) error {
	base, err := baseOf(dir)
	if err != nil {
		return err
	}
	if base.Looks != nil && base.Looks.Last() != nil {
		p.round = base.Looks.Last().Samples // of sampling that ended when the verdict stood
	}
	now := p.manifest(dir).Binding
	var differ []string
	for key, value := range now {
		if base.Binding[key] != p.redact.String(value) {
			differ = append(differ, key)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return exit.Usagef("%s was made with other settings (%s), so that nothing made now is its variant: put them back, or make a new run", dir, strings.Join(differ, ", "))
}

// baseOf is the manifest of the run that variants are made of.
func baseOf(dir string) (*rollout.Manifest, error) {
	opened, err := rollout.Open(dir)
	switch {
	case err == nil && opened.Manifest != nil:
		return opened.Manifest, nil
	case err == nil, errors.Is(err, os.ErrNotExist):
		return nil, exit.Usagef("%s is not there yet: variants are compared with the run itself, so make it first, without --variant", dir)
	}
	return nil, exit.AsUsage(err)
}

// sampleVariants makes the rollouts that the variants lack. All share the
// budget of this call with the run itself.
func (p *project) sampleVariants(ctx context.Context, c *call, dir string) error {
	if len(p.variants) == 0 {
		return nil
	}
	base, err := baseOf(dir)
	if err != nil {
		return err
	}
	for _, v := range p.variants {
		if err := p.sampleVariant(ctx, c, v, dir, base.ID); err != nil {
			return err
		}
	}
	return nil
}

func (p *project) sampleVariant(ctx context.Context, c *call, v *variant, dir, base string) error {
	if err := v.apply(p); err != nil {
		return err
	}
	q, at := v.p, rollout.VariantDir(dir, v.Name)
	q.warnings, q.told = slices.Clone(p.warnings), p.told
	m := q.manifest(at)
	m.Variant = &rollout.Variant{Name: v.Name, Doc: v.Doc, Of: base, Changes: v.changes}
	writer, jobs, err := q.begin(ctx, at, m)
	if err != nil {
		return exit.AsUsage(q.regrades(c, at, err))
	}
	fmt.Fprintf(c.Err, "Variant %s:\n", v.Name)
	if len(jobs) > 0 {
		if err := p.spentBefore("the variant "+v.Name, true); err != nil {
			return errors.Join(err, q.finish(writer))
		}
	}
	stats, err := q.sample(ctx, c, at, jobs, writer)
	closed := q.finish(writer)
	q.summarize(c, stats)
	q.tell(c.Err)
	return unlessLost(q.ended(samplingStage, at, stats, err), closed)
}

// leg is a part of what is to be made: the run itself, or a variant.
type leg struct {
	name string // "" is the run itself
	p    *project
	jobs []sampler.Job
}

// legs lists what is to be made, the run itself first. dir is "" where nothing
// counts as made.
func (p *project) legs(ctx context.Context, dir string, jobs []sampler.Job) ([]leg, error) {
	var out []leg
	if len(jobs) > 0 {
		out = append(out, leg{"", p, jobs})
	}
	for _, v := range p.variants {
		if err := v.apply(p); err != nil {
			return nil, err
		}
		at := ""
		if dir != "" {
			at = rollout.VariantDir(dir, v.Name)
		}
		jobs, err := v.p.jobs(ctx, at)
		if err != nil {
			return nil, err
		}
		if len(jobs) > 0 {
			out = append(out, leg{v.Name, v.p, jobs})
		}
	}
	return out, nil
}

// checkedVariant is what `gonogo check` says of a variant.
type checkedVariant struct {
	Name     string           `json:"name"`
	Doc      string           `json:"doc,omitempty"`
	Changes  []rollout.Change `json:"changes"`
	Items    int              `json:"items"` // whose requests differ in their messages or tools
	Rollouts int              `json:"rollouts"`
}

func (p *project) checkedVariants() []checkedVariant {
	var out []checkedVariant
	for _, v := range p.variants {
		out = append(out, checkedVariant{
			Name: v.Name, Doc: v.Doc, Changes: p.redactChanges(v.changes), Items: v.did.Items,
			Rollouts: len(sampler.Plan(v.p.items, v.p.samples(), nil)),
		})
	}
	return out
}

func (p *project) redactChanges(list []rollout.Change) []rollout.Change {
	out := slices.Clone(list)
	for i := range out {
		out[i].Base, out[i].New = p.redact.String(out[i].Base), p.redact.String(out[i].New)
	}
	return out
}
