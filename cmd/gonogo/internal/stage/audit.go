package stage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// Audit grades the probes that the run's audit still lacks.
func Audit(ctx context.Context, p *project.Project, c *project.Invocation, dir string) (*rollout.Run, error) {
	run, err := rollout.Open(dir)
	if err != nil {
		return nil, err
	}
	if len(p.Audit.Labels) > 0 {
		if err := rollout.AppendLabels(dir, p.Redact.Labels(p.Audit.Labels)); err != nil {
			return nil, err
		}
	}
	tools, none := p.Audit.ToolsAtHand()
	if none == "" {
		if err := p.Reachable(ctx, p.ToolEndpoints()); err != nil {
			tools, none = nil, err.Error()
		}
	}
	plan, err := auditPlan(ctx, p, c, run, tools, none)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	// What is left of an audit that has begun is known once its records are read: then the gradings stop.
	if _, err := os.Stat(filepath.Join(dir, rollout.ProbesFile)); err != nil {
		if err := p.Spending.SpentBefore("the audit", false); err != nil {
			return nil, err
		}
	}
	dropped, graded := 0, 0
	keep := func(r *rollout.Record) bool {
		kept := plan.Keep(r)
		if kept && r.Reward != nil {
			graded++
		}
		// it is known without the grader, and written again
		if !kept && r.Probe != nil && r.Reward != nil && r.Probe.Name != rollout.ProbeConsensus &&
			r.Probe.Name != rollout.ProbeSearch {
			dropped++
		}
		return kept
	}
	w, err := rollout.OpenProbes(dir, keep, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	if p.GradesInSession() || plan.Todo().Policies > 0 {
		if err := p.Session.KeepSessions(ctx, dir); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	console.WriteAuditPlan(c.Err, plan, plan.SearchBudget(project.SearchGradings(p)))
	if dropped > 0 {
		fmt.Fprintf(c.Err,
			"note: %d recorded gradings belong to other items, payloads, probes or graders and are left out of %s\n", dropped,
			rollout.ProbesFile)
	}
	if run.Manifest != nil && len(run.Manifest.Config) == 0 { // so that the command is known that repeats a failure
		if err := keepConfig(p, c, run, true); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	stats, err := putProbes(ctx, p, c, plan, dir, w)
	if graded+stats.Outcomes[rollout.Graded] > 0 {
		err = errors.Join(err, keepConfig(p, c, run, graded+dropped == 0))
	}
	err = JoinDiskError(stageEnded(p, c, auditStage, dir, stats, err),
		errors.Join(p.Session.ForgetSessions(), w.Close()))
	p.ShowWarnings(c.Err)
	return run, err
}

// keepConfig stores the configuration of an audit with an imported run, which has none: the reward
// range that its verdict needs is then known without -c. Thresholds that are set for one command are not
// stored. Another configuration than the run has is stored only if that one is of an audit that graded
// nothing (first).
func keepConfig(p *project.Project, c *project.Invocation, run *rollout.Run, first bool) error {
	if run.Manifest == nil || run.Manifest.Source != rollout.Import {
		return nil
	}
	replaces := first && run.Manifest.Grader == nil && (!p.Config.FromRun || c.Grader != "")
	if !replaces && (p.Config.FromRun ||
		len(run.Manifest.Config) > 0 && (c.ConfigFile() == "" || run.Manifest.ConfigFile != c.ConfigFile())) ||
		slices.ContainsFunc(c.Overrides, func(set string) bool { return strings.HasPrefix(set, "thresholds.") }) {
		return nil
	}
	m := *run.Manifest
	m.Config, m.ConfigFile, m.GraderFile = p.GraderConfig.Masked(), c.ConfigFile(), c.Grader
	if !replaces {
		m.GraderFile = cmp.Or(c.Grader, run.Manifest.GraderFile)
	}
	b, err := json.MarshalIndent(&m, "", "  ")
	if err != nil {
		return fmt.Errorf("write manifest of %s: %w", run.Dir, err)
	}
	return disk.WriteFile(filepath.Join(run.Dir, rollout.ManifestFile), append(p.Redact.JSON(b), '\n'))
}

// putProbes writes what is known without the grader and has the rest graded.
func putProbes(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan,
	dir string, w *rollout.ProbeWriter,
) (sampler.Stats, error) {
	for _, rec := range plan.Known {
		if err := w.Append(rec); err != nil {
			return sampler.Stats{}, err
		}
	}
	var stats sampler.Stats
	var err error
	lo, hi := p.Config.RewardRange[0], p.Config.RewardRange[1]
	to := audit.WithoutCopies(&holeReporter{
		to: w, top: hi - p.Config.Settings().Thresholds.At(analysis.HackableMargin)*(hi-lo),
		paid: map[string][]string{}, dir: dir, with: project.ConfigFlags(p, c),
		tell: func(text string) { fmt.Fprintln(c.Talk(), console.Visible(p.Redact.String(text))) },
	})
	if todo := plan.Todo(); todo.Gradings > todo.Policies {
		n := todo.Gradings - todo.Policies
		tasks := func(context.Context) iter.Seq2[sampler.Task, error] { return plan.Tasks() }
		stats, err = gradeTasks(ctx, p, c, "probes", n, true, to, tasks, p.Bounds.Grader)
	}
	if err == nil && stats.StoppedBy == "" && plan.Todo().Policies > 0 {
		var played sampler.Stats
		played, err = playPolicies(ctx, p, c, plan, to)
		stats = stats.Plus(played)
	}
	if err == nil && stats.StoppedBy == "" {
		var attacked sampler.Stats
		attacked, err = attack(ctx, p, c, plan, to)
		stats = stats.Plus(attacked)
	}
	if err == nil && stats.StoppedBy == "" {
		var searched sampler.Stats
		searched, err = search(ctx, p, c, plan, dir, to)
		stats = stats.Plus(searched)
	}
	for _, d := range p.Audit.Detectors {
		if err != nil || stats.StoppedBy != "" {
			break
		}
		marks := func(ctx context.Context) iter.Seq2[sampler.Task, error] { return plan.Marks(ctx, d) }
		most := 0
		for _, n := range plan.Counts {
			if n.Probe == rollout.ProbeDetector+d.Name {
				most = n.Planned
			}
		}
		var marked sampler.Stats
		marked, err = gradeTasks(ctx, p, c, "rollouts read by "+d.Name, most, true, to, marks, d.Grader)
		stats = stats.Plus(marked)
	}
	return stats, err
}

// playPolicies makes the rollouts of the policies. A tool that fails on what a policy calls it with
// does not end the audit.
func playPolicies(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan,
	to sampler.Sink,
) (sampler.Stats, error) {
	rollouts, script, to := plan.Policies(to)
	stats, err := playRollouts(ctx, p, c, rollouts, script, to)
	if dead, ok := errors.AsType[*endpoint.Error](err); ok && strings.HasPrefix(dead.Boundary, endpoint.Tool("")) {
		fmt.Fprintf(c.Err, "note: policies for tools ended early: %s\n", console.Visible(p.Redact.String(dead.Error())))
		return sampler.Stats{}, nil
	}
	if n := stats.Outcomes[rollout.ToolFailed]; n > 0 {
		fmt.Fprintf(c.Err, "note: a tool failed %s of policies; the next audit makes them again\n",
			console.Count(n, "rollout"))
	}
	return stats, err
}

// playRollouts makes rollouts in which script takes the model's place. They do not count as rollouts
// of the budget.
func playRollouts(ctx context.Context, p *project.Project, c *project.Invocation, rollouts []sampler.Rollout,
	script sampler.Model, to sampler.Sink,
) (sampler.Stats, error) {
	cfg := p.Sampling()
	cfg.Cost, cfg.Uncounted, cfg.Breaker = p.Spending.PolicyCost(), true, 0
	cfg.Minute = maps.Clone(cfg.Minute)
	delete(cfg.Minute, endpoint.Model) // which is not called
	bounds := sampler.Boundaries{Model: script, Tools: p.Bounds.Tools, Grader: p.Bounds.Grader}
	stats, err := underProgress(ctx, p, c, "rollouts of policies", len(rollouts), cfg,
		func(ctx context.Context, drain <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			cfg.Log = p.Log
			return sampler.Sample(ctx, sampler.SampleOptions{
				Config: cfg, Seed: ^p.Inputs.Seed, // trace ids that no rollout of the run has
				Rollouts: rollouts, Boundaries: bounds, Sink: to, Drain: drain, Watch: show.Watch,
			})
		})
	console.WarnLeftOpen(c.Err, stats)
	return stats, err
}

// auditPlan plans the audit of a run. Policies may call tools; none says why there are none.
func auditPlan(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, tools []string,
	none string,
) (*audit.Plan, error) {
	labels, err := run.Labels()
	if err != nil {
		return nil, err
	}
	items := run.Items
	if p.Joined {
		items = p.Inputs.Items
	}
	in := auditInput(p, items, tools)
	if run.Manifest != nil && run.Manifest.ItemsSeed != nil {
		in.Seed = *run.Manifest.ItemsSeed // the audits of all nights draw the same items
	}
	in.Records, in.Labels, in.Unserved = run.Records, labels, none
	mutants, err := project.Mutants(p)
	if err != nil {
		return nil, err
	}
	defer mutants.Close()
	var first sync.Once
	in.Mutant = func(ctx context.Context, row json.RawMessage, programs []string, seed uint64) (string, int, error) {
		first.Do(func() { fmt.Fprintln(c.Err, "Running the rows' own tests of code, for at most half a minute.") })
		return mutants.Make(ctx, row, programs, seed)
	}
	if p.Audit.Attacker != nil {
		in.Attacker, in.SecondJudges = p.Audit.Attacker.Hash, p.Audit.Attacker.Judges
	}
	cfg := p.Config.Audit.Config()
	if p.Audit.Attacker == nil {
		cfg.Attacks = 0
	}
	return audit.NewPlan(ctx, cfg, in)
}

// auditInput returns the input of an audit's plan, without the rollouts.
func auditInput(p *project.Project, items []rollout.Item, tools []string) audit.Input {
	a := p.Config.Audit
	return audit.Input{
		Seed: p.Inputs.Seed, Items: items, Range: *p.Config.RewardRange,
		Probes: p.Audit.Probes, Detectors: p.Audit.Detectors, Answer: a.Answer, Reference: p.Audit.Reference,
		Grader: p.GraderInfo().Hash, Judges: len(p.Config.Body.Judges()),
		GroupSize: p.Bounds.GroupSize, Served: tools, Sandbox: p.Session.Sessions != nil,
		MaxSteps: p.Config.Sampling.MaxSteps, MaxToolCalls: p.Config.Sampling.MaxToolCalls,
	}
}

// auditEstimate says what the audit after sampling may cost; "" if there is none.
func auditEstimate(ctx context.Context, p *project.Project, c *project.Invocation) string {
	if !project.Audits(p, c) {
		return ""
	}
	var policies audit.Estimate
	if tools, none := p.Audit.ToolsAtHand(); none == "" {
		plan, err := audit.NewPlan(ctx, p.Config.Audit.Config(), auditInput(p, p.Inputs.Items, tools))
		if err == nil { // else the audit says so
			policies = plan.Todo()
		}
	}
	second := 0
	if p.Audit.Attacker != nil {
		second = p.Audit.Attacker.Judges
	}
	return console.AuditEstimate(p.Config.Audit.Config(), len(p.Config.Body.Judges()), second, p.Audit.Detectors,
		len(sampler.Plan(p.Inputs.Items, p.Samples(), nil)), policies)
}
