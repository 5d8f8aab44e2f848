package project

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/mutant"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// AuditInputs holds what an audit needs in addition to the run. It is prepared before anything is
// paid for, so that mistakes show early.
type AuditInputs struct {
	p         *Project
	Probes    []audit.Probe
	Detectors []audit.Detector
	Reference func(*rollout.Item) (audit.Reference, bool)
	Labels    []rollout.Label // of audit.labels
	Attacker  *Attacker       // nil: none writes attacks

	fresh bool // the run does not exist yet: tools that nothing serves are no error
}

// prepareAudit reads the audit settings of the configuration.
func (a *AuditInputs) prepareAudit() error {
	errs := []error{a.checkCore()}
	if text := a.p.Config.Audit.Answer; text != "" {
		if _, err := audit.AnswerTemplate(text); err != nil {
			errs = append(errs, a.p.Config.Fault("audit.answer", "%v", err))
		}
	}
	var err error
	a.Reference, err = a.references()
	errs = append(errs, err)
	a.Probes, err = a.loadProbes()
	errs = append(errs, err)
	a.Detectors, err = a.loadDetectors()
	errs = append(errs, err)
	a.Attacker, err = loadAttacker(a.p)
	errs = append(errs, err)
	a.Labels, err = a.loadLabels()
	return document.SortErrors(append(errs, err))
}

// checkCore refuses a core that is not a part of the grader.
func (a *AuditInputs) checkCore() error {
	core, info := a.p.Config.Audit.Core, a.p.GraderInfo()
	switch {
	case core == "" || slices.Contains(info.Parts, core):
		return nil
	case len(info.Parts) == 0:
		return a.p.Config.Fault("audit.core", "the job's grader, a %s, has no parts: leave the key out", info.Kind)
	}
	return a.p.Config.Fault("audit.core", "the job's grader has no part %q%s; its parts are %s", core,
		spelling.DidYouMean(core, info.Parts), strings.Join(info.Parts, ", "))
}

// references returns a function that finds an item's reference, by audit.reference if that is set.
func (a *AuditInputs) references() (func(*rollout.Item) (audit.Reference, bool), error) {
	find, err := customReference(a.p.Bounds.Grader, a.p.Config.Audit.Reference, a.p.Inputs.Items)
	if err != nil {
		err = a.p.Config.Fault("audit.reference", "%v", err)
	}
	return find, err
}

// loadProbes lists the built-in probes and those of the configuration.
func (a *AuditInputs) loadProbes() ([]audit.Probe, error) {
	all := audit.Probes()
	var errs []error
	for i, d := range a.p.Config.Audit.Probes {
		probe, err := customProbe(d, a.p.Config.Sampling.SampleTools, a.p.Inputs.Items)
		if err == nil && slices.ContainsFunc(all, func(b audit.Probe) bool { return b.Name == d.Name }) {
			err = fmt.Errorf("probe %s is listed twice", d.Name)
		}
		if err != nil {
			errs = append(errs, a.p.Config.Fault(fmt.Sprintf("audit.probes[%d]", i), "%v", err))
			continue
		}
		all = append(all, probe)
	}
	return all, document.SortErrors(errs)
}

// loadDetectors makes the detectors of the configuration. It does not start them.
func (a *AuditInputs) loadDetectors() ([]audit.Detector, error) {
	var out []audit.Detector
	var errs []error
	for i, d := range a.p.Config.Audit.Detectors {
		made, err := customDetector(d, a.p.Env)
		if err == nil && slices.ContainsFunc(out, func(b audit.Detector) bool { return b.Name == d.Name }) {
			err = fmt.Errorf("detector %s is listed twice", d.Name)
		}
		if err != nil {
			errs = append(errs, a.detectorFault(i, err))
			continue
		}
		out = append(out, made)
	}
	return out, document.SortErrors(errs)
}

func (a *AuditInputs) detectorFault(i int, err error) error {
	return a.p.Config.Fault(fmt.Sprintf("audit.detectors[%d]", i), "%s", a.p.Redact.String(err.Error()))
}

// StartDetectors checks that detectors can run on this machine.
func (a *AuditInputs) StartDetectors(ctx context.Context) error {
	var errs []error
	for i, d := range a.Detectors {
		if err := grader.Start(ctx, d.Grader); err != nil {
			errs = append(errs, a.detectorFault(i, err))
		}
	}
	if a.Attacker != nil && a.Attacker.second != nil {
		if err := grader.Start(ctx, a.Attacker.second); err != nil {
			errs = append(errs, a.p.Config.Fault("audit.attacker.grader", "%s", a.p.Redact.String(err.Error())))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return exit.AsUsage(document.SortErrors(errs))
}

// loadLabels reads people's labels of outputs. Labels of items that are not in the run are left out
// with a warning; it is an error if all are.
func (a *AuditInputs) loadLabels() ([]rollout.Label, error) {
	path := a.p.Config.Audit.Labels
	if path == "" {
		return nil, nil
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, a.p.Config.Fault("audit.labels", "%v", err)
	}
	defer f.Close()
	all, err := rollout.ReadLabels(path, f)
	if err != nil {
		return nil, a.p.Config.Fault("audit.labels", "%v", err)
	}
	if len(a.p.Inputs.Items) == 0 {
		return all, nil // imported: only the rollouts know the items
	}
	ours, strangers := audit.LabelsOf(all, a.p.Inputs.Items)
	switch {
	case len(strangers) == 0:
	case len(ours) == 0:
		return nil, a.p.Config.Fault("audit.labels", "%s: none of its items is in the run, such as %q", path,
			strangers[0])
	default:
		a.p.Warnings = append(a.p.Warnings,
			fmt.Sprintf("%s: %d of its items are not in the run, such as %q; their labels are left out", path,
				len(strangers), strangers[0]))
	}
	return ours, nil
}

// defaultSearch is the number of gradings of a search whose grader runs on this machine.
const defaultSearch = 600

// SearchGradings returns how many gradings a search may make.
func SearchGradings(p *Project) int {
	switch set := p.Config.Audit.Search; {
	case set != nil:
		return *set
	case grader.Local(grader.Kinds(), p.Config.Body.Grader):
		return defaultSearch
	}
	return 0
}

// ToolsAtHand lists the tools that policies may call. none says why there are none; it is empty if
// there are.
func (a *AuditInputs) ToolsAtHand() (names []string, none string) {
	switch p := a.p; {
	case p.Config.Agent.Used():
		return nil, "the agent calls its own tools"
	case p.Config.Queue.Remote():
		return nil, "workers call the tools"
	case p.Bounds.Tools == nil:
		return nil, "the run's own configuration is used, which only grades: name yours with --config"
	case len(p.Bounds.Tools) == 0:
		return nil, "the job serves no tools"
	}
	return slices.Sorted(maps.Keys(a.p.Bounds.Tools)), ""
}

// Mutants returns what makes wrong code for an audit. The caller must close it.
func Mutants(p *Project) (*mutant.Maker, error) { return mutant.New(p.Config.Python.Pool()) }

// Audits reports whether the grader is audited after the rollouts.
func Audits(p *Project, c *Invocation) bool {
	enabled := p.Config.Audit.Enabled
	return c.Command != "sample" && !c.Sampling.NoAudit && !p.Config.RewardOfAgent() && (enabled == nil || *enabled)
}
