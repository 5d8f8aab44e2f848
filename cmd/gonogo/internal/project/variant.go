package project

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
)

// Variant is a variant of a project: a separate project on the same items, with the same tools,
// grader and seed, whose run is in a subdirectory of the project's.
type Variant struct {
	config.VariantValue
	Changes []rollout.Change
	Did     dataset.OverrideCounts
	P       *Project
}

// prepareVariants makes the variants of the configuration, before anything is paid for, so that a
// variant that cannot be applied to the rows is reported early.
func (p *Project) prepareVariants() error {
	var errs []error
	for i, value := range p.Config.Variants {
		if len(p.Config.Tools.MCP) > 0 && !p.MCP.unknown {
			if bad := p.Config.CheckVariantTools(i, p.MCP.ToolNames()); len(bad) > 0 {
				errs = append(errs, bad...)
				continue
			}
		}
		v := &Variant{VariantValue: value}
		q := p.asVariant(v, p.Config.ForVariant(i))
		v.P = q
		policy, err := model.New(modelConfig(q, q.inFlight()))
		if err != nil {
			errs = append(errs, p.Config.Fault(fmt.Sprintf("variants[%d]", i), "%v", err))
			continue
		}
		p.closers = append(p.closers, policy.Close)
		q.Bounds.Model, q.Bounds.Tools = policy, tool.Offered(p.Bounds.Tools, q.Config.DroppedTools,
			q.Config.RenamedTools)
		if err := v.Apply(p); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, v.fits(p, i)...)
		v.Changes = append(v.Override.Changes(v.Did), p.Config.ModelChanges(i)...)
		p.warnVariant(v)
		p.Variants = append(p.Variants, v)
	}
	return document.SortErrors(errs)
}

// asVariant returns the project with another configuration, on the same inputs and with the same
// tools, grader, sessions, budget and queue. It has no model yet.
func (p *Project) asVariant(v *Variant, cfg *config.Config) *Project {
	q := &Project{
		Config: cfg, variant: v, Inputs: p.Inputs, Env: p.Env, Watch: p.Watch, Bounds: p.Bounds, Redact: p.Redact,
		Round: p.Round,
		MCP:   p.MCP, Session: p.Session, Audit: p.Audit, Spending: p.Spending, AgentLog: p.AgentLog,
		Queue: Queue{cluster: p.Queue.cluster},
	}
	q.link()
	return q
}

// Apply copies the project's items, as the variant shows them to the model, and its seed and
// samples: all may have changed when a run is resumed.
func (v *Variant) Apply(p *Project) (err error) {
	v.P.Inputs.Items, v.Did, err = v.Override.Apply(p.Inputs.Items)
	v.P.Inputs.Seed, v.P.Config.Seed, v.P.Round = p.Inputs.Seed, &p.Inputs.Seed, p.Round
	return err
}

// fits reports the parts of the variant that have no effect on any item.
func (v *Variant) fits(p *Project, i int) []error {
	var errs []error
	for _, f := range v.Unseen(v.Did, len(p.Inputs.Items)) {
		errs = append(errs, p.Config.Fault(config.VariantPath(i, f.Path), "%s", f.Msg))
	}
	if len(errs) == 0 && v.Did.Items == 0 && len(p.Config.ModelChanges(i)) == 0 {
		errs = append(errs, p.Config.Fault(fmt.Sprintf("variants[%d]", i), "the variant %s changes nothing: prompt "+
			"and descriptions are those of the rows", v.Name))
	}
	return errs
}

// warnVariant warns about unintended effects of a variant.
func (p *Project) warnVariant(v *Variant) {
	if v.Did.Heads > 1 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the variant %s replaces %s different prompts of the rows by "+
			"one: what they say about their own item is lost (prompt_add keeps it)", v.Name,
			message.Whole(v.Did.Heads)))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Did.Without)) {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the variant %s changes the tool %s, which %d of %s do not offer",
			v.Name, name, v.Did.Without[name], console.Count(len(p.Inputs.Items), "row")))
	}
	if len(p.Config.Model.Headers) > 0 && len(v.P.Config.Model.Headers) == 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the variant %s calls another server, which does not get "+
			"the headers of model.headers", v.Name))
	}
}

// binding returns what the run of a variant is bound to in addition to its configuration.
func (v *Variant) binding() map[string]string {
	out := make(map[string]string)
	if v == nil {
		return out
	}
	for _, c := range v.Override.Changes(v.Did) {
		out["variant."+c.Key] = config.Short(cmp.Or(c.New, "none"))
	}
	return out
}

// RedactChanges returns the changes without the project's secrets.
func RedactChanges(p *Project, list []rollout.Change) []rollout.Change {
	out := slices.Clone(list)
	for i := range out {
		out[i].Base, out[i].New = p.Redact.String(out[i].Base), p.Redact.String(out[i].New)
	}
	return out
}
