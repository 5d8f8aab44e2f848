package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/environment"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
)

// Project is a configuration with its files read and its endpoints wired: everything needed before
// the first request.
type Project struct {
	Config       *config.Config
	GraderConfig *config.Config // the configuration as the manifest of a regraded run stores it
	Inputs       Inputs
	// Warnings are what the job's platform may refuse or ignore, and warnings of the grader.
	Warnings    []string
	shown       int                                       // number of warnings already shown
	Env         grader.Env                                // what graders and detectors need
	Watch       func(http.RoundTripper) http.RoundTripper // wraps the transport of tools and graders; nil for none
	Bounds      sampler.Boundaries
	MCP         ToolServers
	Session     Sessions
	Audit       AuditInputs
	Redact      *rollout.Redactor
	Log         *slog.Logger // for events; nil without --log-format json
	Spending    Spending
	Round       int                 // samples per item in the current round of sampling until decided; 0: all
	Variants    []*Variant          // to make in addition to the run itself
	Joined      bool                // the rows of Inputs.Items come from the data files, not from the run
	variant     *Variant            // the variant that this project is; nil for the run itself
	Environment *environment.Source // makes items, rollouts and rewards; nil for none
	AgentLog    *agent.Log          // receives the standard error of an agent's program; nil for none
	Queue       Queue
	Drawn       *rollout.Sampling // the sampling settings of the model's replies, set by AskServer; nil for an agent's
	closers     []func()
}

// Inputs are the data files of a project, and the items taken from them.
type Inputs struct {
	Files    []*dataset.File
	Items    []rollout.Item // of all splits, after the subset
	Problems []rollout.Problem
	Seed     uint64  // the seed of the rollouts
	DrawnBy  *uint64 // the seed that Items were drawn with; nil: Seed
}

// NewUnwired returns a project whose files are not read and whose endpoints are not wired yet.
func NewUnwired(cfg *config.Config) *Project {
	p := &Project{Config: cfg, MCP: ToolServers{all: new(mcp.Servers)}}
	p.link()
	return p
}

// link sets the back references of the project's parts.
func (p *Project) link() {
	p.MCP.p, p.Session.p, p.Audit.p, p.Spending.p, p.Queue.p = p, p, p, p, p
}

// New reads the files of a configuration and wires its endpoints. It sends requests only to MCP
// servers, for their tools.
func New(ctx context.Context, cfg *config.Config) (*Project, error) {
	return Wire(ctx, NewUnwired(cfg))
}

// Wire wires the endpoints of a project whose inputs are set.
func Wire(ctx context.Context, p *Project) (*Project, error) {
	p.Redact, p.Queue.cluster = rollout.NewRedactor(p.Config.Secrets()...), new(cluster)
	p.Draw()
	p.Spending.openBudget()
	err := ServeWorld(p) // before anything is wired to it
	if err == nil {
		err = p.MCP.StartMCP(ctx)
	}
	if err == nil {
		err = errors.Join(p.Load(ctx), p.Inputs.CheckIDs(p.Redact), p.wire(), p.Audit.prepareAudit(), p.prepareVariants())
	}
	return p.Checked(err)
}

// Checked returns the project, or closes it and returns the error without secrets.
func (p *Project) Checked(err error) (*Project, error) {
	if err == nil {
		return p, nil
	}
	p.Close()
	return nil, exit.AsUsage(p.masked(err))
}

// masked returns an error without secrets, and without its cause.
func (p *Project) masked(err error) error { return errors.New(p.Redact.String(err.Error())) }

// Draw sets the configured seed, or a random one.
func (p *Project) Draw() {
	p.Inputs.Seed = rand.Uint64()
	if p.Config.Seed != nil {
		p.Inputs.Seed = *p.Config.Seed
	}
}

// Load reads the data files and checks them against the platform and the job.
func (p *Project) Load(ctx context.Context) error {
	target, _ := dataset.TargetByName(p.Config.Target)
	opt := p.Config.Data.Options
	var errs []error
	for _, split := range rollout.Splits() {
		path := p.Config.Data.Of(split)
		if path == "" {
			continue
		}
		f, err := dataset.Load(path, split, opt)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Inputs.Files = append(p.Inputs.Files, f)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := p.loadEnvironment(ctx); err != nil {
		return err
	}
	p.Inputs.Problems = dataset.Check(p.Inputs.Files, target)
	for _, f := range p.Inputs.Files {
		if p.Config.Agent.Used() {
			continue // any tools are accepted
		}
		if err := p.MCP.Offer(f.Items); err != nil {
			errs = append(errs, err)
			continue
		}
		if p.MCP.unknown {
			continue // rows may offer any of them
		}
		found, err := dataset.CheckTools(f.Items, p.MCP.ToolNames())
		if err != nil && p.Audit.fresh {
			p.Warnings = append(p.Warnings, strings.ReplaceAll(err.Error(), "\n", "; ")+"; an audit of answers calls none")
			continue
		}
		errs = append(errs, err)
		p.Inputs.Problems = append(p.Inputs.Problems, found...)
	}
	p.Inputs.Subset(p.Config.Items)
	p.warn()
	return errors.Join(errs...)
}

// CheckIDs refuses ids that contain a secret: the record would mask the secret, so a resumed run
// would not find its own rollouts and would pay for them again.
func (in *Inputs) CheckIDs(redact *rollout.Redactor) error {
	for _, f := range in.Files {
		for _, it := range f.Items {
			if redact.String(it.ID) != it.ID {
				return fmt.Errorf("%s:%d: the id %q holds the value of a key, a header or a variable of the "+
					"environment, which no record may show: rename the item, or take the value out of the configuration", it.File, it.Line, it.ID)
			}
		}
	}
	return nil
}

// Subset takes at most limit items of each split; 0 means all.
func (in *Inputs) Subset(limit int) {
	seed := in.Seed
	if in.DrawnBy != nil {
		seed = *in.DrawnBy
	}
	in.Items = nil
	for _, f := range in.Files {
		in.Items = append(in.Items, dataset.Subset(f.Items, limit, seed)...)
	}
}

// warn collects warnings about what the job's platform may refuse or ignore.
func (p *Project) warn() {
	for _, key := range p.Config.Body.Unknown {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the job's key %s means nothing here; it is kept", key))
	}
	if ownJob := p.Config.OwnJob; p.Config.HasGrader() && ownJob != nil &&
		grader.Info(ownJob.Grader, nil).Hash != grader.Info(p.Config.Body.Grader, nil).Hash {
		p.Warnings = append(p.Warnings, "the key grader replaces the job's own grader, which grades nothing here")
	}
	submitted := p.Config.Job.Named() // the job is submitted to the platform
	for _, w := range p.Config.Body.Warnings(p.Config.Target, time.Now()) {
		if w.Rule == job.RuleDeadline && !submitted {
			continue
		}
		p.Warnings = append(p.Warnings, w.Text)
	}
}

// TakeGraderWarnings collects the grader's warnings: after its start, and after grading.
func (p *Project) TakeGraderWarnings() {
	for _, w := range grader.Warnings(p.Bounds.Grader) {
		if !slices.Contains(p.Warnings, w) {
			p.Warnings = append(p.Warnings, w)
		}
	}
}

// TakeWarnings copies the warnings of another project, and how many of them were shown.
func (p *Project) TakeWarnings(other *Project) {
	p.Warnings, p.shown = slices.Clone(other.Warnings), other.shown
}

// ShowWarnings shows the warnings that were not shown yet.
func (p *Project) ShowWarnings(w io.Writer) {
	for _, text := range p.Warnings[p.shown:] {
		fmt.Fprintf(w, "warning: %s\n", console.Visible(p.Redact.String(text)))
	}
	p.shown = len(p.Warnings)
}

// Blocking lists the problems for which the platform would refuse the job.
func (in *Inputs) Blocking() []rollout.Problem {
	return slices.DeleteFunc(slices.Clone(in.Problems), func(x rollout.Problem) bool { return !x.Blocking })
}

// Samples returns the number of rollouts per item, by split; of the current round if sampling
// proceeds in rounds.
func (p *Project) Samples() map[rollout.Split]int {
	return p.Config.Sampling.SamplesOf(p.Round)
}
