package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/burst"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// BurstProject returns a project that can call the tools and the grader of the run in dir, through
// a client that observes the requests. The run is nil if it does not exist yet.
func BurstProject(ctx context.Context, c *project.Invocation, dir string) (*project.Project, *rollout.Run, error) {
	run, err := rollout.Open(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		run = nil
	case err != nil:
		return nil, nil, exit.AsUsage(err)
	case run.File() == dir:
		return nil, nil,
			exit.Usagef("%s is a file: a burst needs a run directory to write to; gonogo import makes one", dir)
	}
	cfg, err := project.ConfigOfRun(c, dir, run, config.Scope{Grader: true, Tools: true})
	if err == nil {
		check, keys := []error{cfg.CompleteGrading()}, cfg.TakeJudgeKey
		if cfg.Agent.URL != "" { // it calls the model
			check, keys = append(check, cfg.CompleteModel()), cfg.TakeKeys
		}
		if run == nil {
			check = []error{cfg.Complete()} // its items are read from the data files
		}
		err = document.SortErrors(append(check, keys()))
	}
	if err != nil {
		return nil, nil, exit.AsUsage(c.ByFlag(err))
	}
	p, err := WireBurst(ctx, c, run, cfg)
	return p, run, err
}

// WireBurst returns a project with that configuration whose endpoints are wired for a burst of
// run's recorded calls; run may be nil.
func WireBurst(ctx context.Context, c *project.Invocation, run *rollout.Run, cfg *config.Config) (*project.Project, error) {
	cfg.Sampling.InFlight = cfg.StepSize()
	p := project.NewUnwired(cfg)
	p.Watch, p.Redact = burst.Watch, rollout.NewRedactor(cfg.Secrets()...)
	p.Draw()
	var err error
	if run != nil {
		p.Inputs.Items = run.Items
		if run.Manifest != nil {
			p.Inputs.Seed = run.Manifest.Seed
		}
		warnOtherJob(p, run)
		err = errors.Join(project.RestartWorld(ctx, p, c.Err), p.MCP.StartMCP(ctx), p.MCP.Offer(p.Inputs.Items))
	} else if err = errors.Join(project.ServeWorld(p), p.MCP.StartMCP(ctx)); err == nil {
		err = errors.Join(p.Load(ctx), p.Inputs.CheckIDs(p.Redact))
	}
	if err == nil {
		wire := p.WireTools
		if p.Config.Agent.URL != "" {
			wire = func() error { return errors.Join(project.WireAgent(p), p.Session.WireSession()) }
		}
		err = errors.Join(p.WireGrader(), wire())
	}
	if err == nil {
		err = checkToolNames(p)
	}
	return p.Checked(err)
}

// warnOtherJob warns if the recorded calls now go to another job's tools.
func warnOtherJob(p *project.Project, run *rollout.Run) {
	was := ""
	if run.Manifest != nil {
		was = run.Manifest.Binding["job"]
	}
	if was != "" && was != p.Config.Binding()["job"] {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s was made with a job other than that of %s: its recorded "+
			"calls go to the tools of the latter", run.Dir, p.Config.File))
	}
}

// checkToolNames refuses names that are not tools.
func checkToolNames(p *project.Project) error {
	names := p.MCP.ToolNames()
	var errs []error
	for _, list := range []struct {
		key   string
		names []string
	}{{"burst.safe", p.Config.Burst.Safe}, {"burst.skip", p.Config.Burst.Skip}} {
		for _, name := range list.names {
			if !slices.Contains(names, name) {
				errs = append(errs, p.Config.Fault(list.key, "the job has no tool %q%s; its tools are %s", name,
					spelling.DidYouMean(name, names), strings.Join(names, ", ")))
			}
		}
	}
	return document.SortErrors(errs)
}

// PlanBurst plans the rehearsal.
func PlanBurst(ctx context.Context, p *project.Project, run *rollout.Run) (*burst.Plan, burst.Config, error) {
	b, s := p.Config.Burst, p.Sampling()
	if p.Config.Training.BatchSize == 0 && b.Rollouts == 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("neither training.batch_size nor the job's batch_size is set: "+
			"%d is used; --rollouts sets how many rollouts start at once", config.DefaultBatch))
	}
	in := burst.Input{
		Seed: p.Inputs.Seed, Items: p.Inputs.Items, Tools: burstTools(p), Rollouts: b.Rollouts,
		Batch: cmp.Or(p.Config.Training.BatchSize, config.DefaultBatch), Group: p.Config.Training.GroupSize,
		Judged: len(p.Config.Body.Judges()) > 0, Session: p.Session.Sessions != nil, Agent: p.Config.Agent.URL != "",
	}
	in.Grade = in.Judged || len(p.Config.Body.GraderURLs()) > 0
	if run != nil {
		in.Records = run.Records
	}
	plan, err := burst.NewPlan(ctx, in)
	if err != nil {
		if len(p.Config.Agent.Command) > 0 {
			err = fmt.Errorf("%w; %s", err, programLeftOut)
		}
		return nil, burst.Config{}, exit.AsUsage(err)
	}
	if !in.Grade {
		plan.Notes = append(plan.Notes, "the grader is not behind an endpoint and is left out")
	}
	cfg := burst.DefaultConfig()
	cfg.ID = fmt.Sprintf("%016x", rand.Uint64())
	cfg.Least, cfg.Repeats, cfg.Gaps = b.Least, b.Repeats, b.Gaps != nil && *b.Gaps
	cfg.ToolTimeout, cfg.GraderTimeout = s.ToolTimeout, s.GraderTimeout
	if p.Session.Sessions != nil {
		cfg.Isolation, cfg.IsolationTimeout, cfg.Sessions = p.Session.Sessions, p.Config.Session.Timeout.Duration,
			p.Config.Session.Concurrency
	}
	cfg.Retry.Wait, cfg.Retry.Cap = s.Retry.Wait, limit.DefaultRetry().Cap
	burstAgent(p, &cfg, plan)
	return plan, cfg, exit.AsUsage(cfg.Validate())
}

// burstTools lists the tools that a burst may call: none if a service makes the rollouts, because
// it calls its own.
func burstTools(p *project.Project) []burst.Tool {
	if p.Config.Agent.URL != "" {
		return nil
	}
	var tools []burst.Tool
	for _, name := range p.MCP.ToolNames() {
		tools = append(tools, burst.Tool{
			Name: name, Safe: slices.Contains(p.Config.Burst.Safe, name),
			Skip: slices.Contains(p.Config.Burst.Skip, name),
		})
	}
	return tools
}

// ConfirmBurst prints which requests the burst will send to which endpoint, and asks for
// confirmation if they may change something or cost money.
func ConfirmBurst(p *project.Project, c *project.Invocation, plan *burst.Plan, cfg burst.Config) error {
	w := c.Err
	p.ShowWarnings(w)
	judges, prices := len(p.Config.Body.Judges()), p.Config.TokenPrices()
	console.WriteBurstPlan(w, plan, cfg, prices.Rollout)
	over, unknown := console.WriteBurstCost(w, plan, cfg, prices, judges > 0, p.Config.Sampling.Bounds(time.Now()))
	switch {
	case unknown != "":
		return exit.Usagef("%s", unknown)
	case over != "":
		return &exit.Error{Code: exit.Budget, Err: errors.New(over)}
	}
	why := console.BurstRisks(plan, cfg, burstTools(p), judges)
	if why == "" || c.Yes {
		return nil
	}
	if !console.IsTerminal(w) || !console.IsTerminal(c.In) {
		return exit.Usagef("%s: --yes agrees to that", why)
	}
	fmt.Fprintf(w, "%s.\n", console.Capitalized(why))
	return ui.Confirm(c.In, c.Err)
}
