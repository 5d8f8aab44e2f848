package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/dataset"
	"gonogo/sampler/grader"
	"gonogo/sampler/isolation"
	"gonogo/sampler/job"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// project is a configuration with its files read and its endpoints wired: all
// that stands before the first call.
type project struct {
	cfg      *config.Config
	shown    *config.Config // what the manifest of a run with other grades keeps of it
	files    []*dataset.File
	items    []rollout.Item // of all splits, after the subset
	problems []rollout.Problem
	warnings []string // what the job's platform may refuse or ignore, what the grader has to say
	told     int      // warnings that were shown
	seed     uint64
	env      grader.Env                                // what graders and detectors are made with
	watch    func(http.RoundTripper) http.RoundTripper // stands before the transport of tools and graders; nil is none
	bounds   sampler.Boundaries
	auditing auditing
	redact   *rollout.Redactor
	log      *slog.Logger      // of events; nil without --log-format json
	budget   *limit.Budget     // of this call, for all its stages together
	round    int               // samples per item that sampling until decided has come to; 0: all
	sessions *isolation.Keeper // what gives each rollout something of its own; nil without
	variants []*variant        // to make beside the run itself
	variant  *variant          // that this is; nil for the run itself
	agentLog *agentLog         // takes the standard error of an agent's program; nil without
	mcp      toolServers
	cluster  *cluster // that hands out rollouts; shared with the variants
	led      *led     // the run that was begun, where a queue hands it out
	left     string   // the run directory, where an earlier call left a queue of its own process
	close    []func()
}

// projectFlags are the flags of every command that begins from a
// configuration.
func projectFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Value: "gonogo.yaml", Usage: "read the configuration `FILE`"},
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key of the configuration; may be repeated"},
	}
}

// readProject loads the configuration that the command line names.
func readProject(c *cli.Context) (*project, error) {
	asked := callOf(c)
	cfg, err := config.Load(asked.Config, os.LookupEnv, asked.overrides...)
	if err != nil {
		return nil, exit.AsUsage(asked.byFlag(err))
	}
	return newProject(c.Context, cfg)
}

func newProject(ctx context.Context, cfg *config.Config) (*project, error) {
	return wiredProject(ctx, &project{cfg: cfg})
}

// wiredProject makes a project of what stands in p already.
func wiredProject(ctx context.Context, p *project) (*project, error) {
	p.redact, p.cluster = rollout.NewRedactor(p.cfg.Secrets()...), new(cluster)
	p.draw()
	p.openBudget()
	err := p.host() // before anything is wired to it
	if err == nil {
		err = p.startMCP(ctx)
	}
	if err == nil {
		err = errors.Join(p.load(), p.plainIDs(), p.wire(), p.prepareAudit(), p.prepareVariants())
	}
	if err != nil {
		p.shut()
		return nil, exit.AsUsage(errors.New(p.redact.String(err.Error())))
	}
	return p, nil
}

// draw takes the configured seed, or a random one.
func (p *project) draw() {
	p.seed = rand.Uint64()
	if p.cfg.Seed != nil {
		p.seed = *p.cfg.Seed
	}
}

// load reads the data files, checks them against the platform and the job.
func (p *project) load() error {
	target, _ := dataset.TargetNamed(p.cfg.Target)
	opt := p.cfg.DatasetOptions()
	var errs []error
	for _, d := range []struct {
		split rollout.Split
		path  string
	}{
		{rollout.Train, p.cfg.Data.Train}, {rollout.Eval, p.cfg.Data.Eval}, {rollout.Production, p.cfg.Data.Production},
	} {
		if d.path == "" {
			continue
		}
		f, err := dataset.Load(d.path, d.split, opt)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.files = append(p.files, f)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	p.problems = dataset.Check(p.files, target)
	for _, f := range p.files {
		if p.cfg.Agent.Used() {
			continue // whatever tools it has
		}
		if err := p.offer(f.Items); err != nil {
			errs = append(errs, err)
			continue
		}
		if p.mcp.unknown {
			continue // rows may offer any of them
		}
		found, err := dataset.CheckTools(f.Items, p.toolNames())
		errs = append(errs, err)
		p.problems = append(p.problems, found...)
	}
	p.subset()
	p.warn()
	return errors.Join(errs...)
}

// plainIDs refuses ids that hold a secret: it would be masked in the record,
// and a run that goes on would not find its own rollouts and pay for them
// again.
func (p *project) plainIDs() error {
	for _, f := range p.files {
		for _, it := range f.Items {
			if p.redact.String(it.ID) != it.ID {
				return fmt.Errorf("%s:%d: the id %q holds the value of a key, a header or a variable of the environment, which no record may show: rename the item, or take the value out of the configuration", it.File, it.Line, it.ID)
			}
		}
	}
	return nil
}

// subset takes the configured number of items of each split. The draw hangs
// on the seed of the run.
func (p *project) subset() {
	p.items = nil
	for _, f := range p.files {
		p.items = append(p.items, dataset.Subset(f.Items, p.cfg.Items, p.seed)...)
	}
}

// warn collects what the job's platform may refuse or ignore.
func (p *project) warn() {
	for _, key := range p.cfg.Body.Unknown {
		p.warnings = append(p.warnings, fmt.Sprintf("the job's key %s means nothing here; it is kept", key))
	}
	if own := p.cfg.OwnJob; p.cfg.HasGrader() && own != nil && grader.Info(own.Grader, nil).Hash != grader.Info(p.cfg.Body.Grader, nil).Hash {
		p.warnings = append(p.warnings, "the key grader stands in the place of the job's own grader, which grades nothing here")
	}
	goes := p.cfg.Job.Path != "" || p.cfg.Job.Body != nil // to the platform
	for _, w := range p.cfg.Body.Warnings(p.cfg.Target, time.Now()) {
		if w.Rule == job.RuleDeadline && !goes {
			continue
		}
		p.warnings = append(p.warnings, w.Text)
	}
}

// heed collects what the grader has to say: after its start, and after it has
// graded.
func (p *project) heed() {
	for _, w := range grader.Warnings(p.bounds.Grader) {
		if !slices.Contains(p.warnings, w) {
			p.warnings = append(p.warnings, w)
		}
	}
}

// tell shows the warnings that were not shown yet.
func (p *project) tell(w io.Writer) {
	for _, text := range p.warnings[p.told:] {
		fmt.Fprintf(w, "warning: %s\n", ui.Visible(p.redact.String(text)))
	}
	p.told = len(p.warnings)
}

// blocking lists the problems for which the platform would refuse the job.
func (p *project) blocking() []rollout.Problem {
	return slices.DeleteFunc(slices.Clone(p.problems), func(x rollout.Problem) bool { return !x.Blocking })
}

// samples is the number of rollouts per item, by split: of the round, where
// sampling goes by rounds.
func (p *project) samples() map[rollout.Split]int {
	s := p.cfg.Sampling
	all := map[rollout.Split]int{rollout.Train: s.Samples, rollout.Eval: s.EvalSamples, rollout.Production: s.ProductionSamples}
	if p.round > 0 {
		for split, n := range all {
			all[split] = min(n, p.round)
		}
	}
	return all
}
