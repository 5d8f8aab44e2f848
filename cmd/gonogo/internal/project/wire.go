package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/limit"
)

// wire wires the endpoints of the job.
func (p *Project) wire() error {
	tuneCollector(p.inFlight())
	if err := p.WireGrader(); err != nil {
		return err
	}
	if p.Config.Agent.Used() {
		return errors.Join(WireAgent(p), p.Session.WireSession())
	}
	conns := p.inFlight()
	cfg := modelConfig(p, conns)
	if p.Watch == nil { // a server of both the model and the tools shares its connections
		cfg.HTTP = p.Env.HTTP
	}
	policy, err := model.New(cfg)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, policy.Close)
	p.Bounds.Model = policy
	return p.WireTools()
}

// tuneCollector lets more garbage accumulate if few rollouts are in flight, unless the environment
// sets GOGC, because collecting it often costs CPU.
func tuneCollector(rollouts int) {
	if rollouts < endpoint.ManyInFlight && ballast == nil && os.Getenv("GOGC") == "" {
		ballast = make([]byte, 32<<20)
	}
}

// ballast is memory that is never touched, and so never allocated physically. The collector, which
// runs once the garbage equals the memory in use, then does not run for every few megabytes.
var ballast []byte

// WireTools makes the tools of the job and of its MCP servers, with the client made by WireGrader.
func (p *Project) WireTools() error {
	var configs []tool.Config
	for _, t := range p.Config.Body.Tools {
		configs = append(configs, tool.Config{
			Name: t.Name, ServerURL: p.Config.Connect(t.ServerURL),
			Headers: t.Headers, Extra: t.Extra,
		})
	}
	tools, err := tool.New(configs, tool.Options{HTTP: p.Env.HTTP, Conns: p.inFlight()})
	if err != nil {
		return err
	}
	p.Bounds.Tools = make(map[string]sampler.Tool)
	for _, t := range tools {
		p.Bounds.Tools[t.Name()] = t
	}
	for _, t := range p.MCP.all.Tools() {
		p.Bounds.Tools[t.Name()] = t
	}
	p.Bounds.Tools = tool.Offered(p.Bounds.Tools, p.Config.DroppedTools, p.Config.RenamedTools)
	return p.Session.WireSession()
}

// WireGrader makes the job's grader and what graders need. It sends and starts nothing.
func (p *Project) WireGrader() error {
	if err := p.checkOpenFiles(); err != nil {
		return err
	}
	conns := p.inFlight()
	client := endpoint.HTTPClient(p.transport(conns), conns)
	judge, err := model.NewJudge(model.Config{
		BaseURL: p.Config.Connect(p.Config.Judge.BaseURL), API: p.Config.Judge.API, APIKey: p.Config.JudgeKey,
		Headers: p.Config.Judge.Headers, MaxConns: conns, LeaveOut: p.Config.Judge.LeaveOut,
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, client.CloseIdleConnections, judge.Close)
	interpreters, err := python.NewPool(p.Config.Python.Pool())
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() { _ = interpreters.Close() }) // whatever it returns, the processes have ended
	p.Env = grader.Env{
		HTTP: client, Judge: judge, Rewrite: p.Config.Connect,
		SampleTools: p.Config.Sampling.SampleTools, Python: interpreters, Dir: p.Config.GraderDir,
		Without: p.Config.KeyNames(),
	}
	if err := p.wireEnvironment(); err != nil {
		return err
	}
	grade, err := grader.New(grader.Kinds(), p.Config.Body.Grader, p.Env)
	if err != nil {
		if p.Config.HasGrader() {
			return p.Config.Fault("grader", "%v", err)
		}
		return fmt.Errorf("the job: %w", err)
	}
	p.Bounds.Grader, p.Bounds.GroupSize = grade, grader.GroupSize(grade)
	if closer, ok := grade.(io.Closer); ok {
		p.closers = append(p.closers, func() { _ = closer.Close() }) // as above
	}
	warnReads(p, grade)
	return grader.CheckItems(grade, p.Inputs.Items)
}

// How many open files a run needs at least, and how many it needs to make rollouts at full speed:
// each rollout in flight takes one or two.
const (
	leastOpenFiles = 64
	goodOpenFiles  = 256
)

// checkOpenFiles returns an error if this process may open too few files to sample at all, and warns
// if they bound how many rollouts are in flight.
func (p *Project) checkOpenFiles() error {
	n := endpoint.OpenFiles()
	text := fmt.Sprintf("this process may have %d files and connections open at once (ulimit -n)", n)
	switch {
	case n == 0 || n >= goodOpenFiles:
		return nil
	case n < leastOpenFiles:
		return exit.Usagef("%s, and needs at least %d: raise the limit", text, leastOpenFiles)
	}
	p.Warnings = append(p.Warnings, fmt.Sprintf("%s: fewer rollouts than usual can be in flight; %d are enough", text,
		goodOpenFiles))
	return nil
}

// transport returns the transport for requests to tools and graders; nil is the default.
func (p *Project) transport(conns int) http.RoundTripper {
	if p.Watch == nil {
		return nil
	}
	return p.Watch(endpoint.Plain(endpoint.HTTPTransport(conns)))
}

func modelConfig(p *Project, conns int) model.Config {
	cfg := p.Config.Model.Config()
	cfg.BaseURL, cfg.APIKey = p.Config.Connect(cfg.BaseURL), p.Config.ModelKey
	cfg.ResponseFormat, cfg.MaxConns = p.Config.Body.ResponseFormat, conns
	return cfg
}

// warnReads warns about fields that a grader's templates read and no public source specifies. What
// an endpoint reads is unknown here.
func warnReads(p *Project, g sampler.Grader) {
	reader, ok := g.(grader.Reader)
	if !ok {
		return
	}
	if reads := reader.Reads(); slices.Contains(reads, "output_tools") || slices.Contains(reads, "choices") {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the grader reads the tool calls of sample; which calls a "+
			"training service shows it is not documented; here it sees %s of them (sampling.sample_tools)",
			p.Config.Sampling.SampleTools))
	}
}

// Start checks what must work before anything is paid for, so that a python grader that cannot be
// loaded is reported early.
func (p *Project) Start(ctx context.Context) error {
	err := grader.Start(ctx, p.Bounds.Grader)
	p.takeRange()
	if err != nil && ctx.Err() == nil {
		text := p.Redact.String(err.Error())
		if strings.Contains(text, "interpreter") {
			text += " (key python.interpreter)"
		}
		err = exit.AsUsage(fmt.Errorf("%s: %s", p.Config.GraderName(), text))
	}
	p.TakeGraderWarnings()
	return err
}

// ReadyToGrade returns an error if the grader cannot work, before the first grading.
func (p *Project) ReadyToGrade(ctx context.Context, c *Invocation) error {
	if err := p.Reachable(ctx, p.GradingEndpoints()); err != nil {
		return err
	}
	err := p.Start(ctx)
	p.ShowWarnings(c.Err)
	return err
}

// ReadyToAudit is ReadyToGrade for an audit.
func (p *Project) ReadyToAudit(ctx context.Context, c *Invocation) error {
	if p.Config.RewardOfAgent() {
		return exit.Usagef("there is no grader to audit: the agent computes the reward itself, within its rollout; an " +
			"audit needs it as a grader (key grader, such as {type: python} or {type: command})")
	}
	if err := p.ReadyToGrade(ctx, c); err != nil {
		return err
	}
	return p.Audit.StartDetectors(ctx)
}

// Reachable returns an error if an endpoint does not answer.
func (p *Project) Reachable(ctx context.Context, endpoints []Endpoint) error {
	for _, e := range endpoints {
		if err := endpoint.Reach(ctx, e.URL); err != nil {
			return exit.AsUsage(fmt.Errorf("%s: %s", e.Name, p.Redact.String(err.Error())))
		}
	}
	return nil
}

// AskServer asks the model's server for its default parameters and its context size. It does
// nothing for an agent, which makes its own requests.
func (p *Project) AskServer(ctx context.Context) {
	if p.Drawn == nil && p.Bounds.Agent == nil {
		reported := model.Ask(ctx, modelConfig(p, 1))
		p.Drawn = &reported
		if policy, ok := p.Bounds.Model.(*model.Model); ok {
			policy.SetContext(reported.Context)
		}
	}
}

// ServedModels returns the names of the models that the model's server lists; none if it does not say.
func (p *Project) ServedModels(ctx context.Context) []string {
	return model.Served(ctx, modelConfig(p, 1))
}

// TooLongPrompts warns about items whose prompt cannot fit into the context reported by the model's
// server.
func (p *Project) TooLongPrompts() []string {
	if p.Drawn == nil || p.Drawn.Context == 0 {
		return nil
	}
	return console.TooLong(dataset.TooLong(p.Inputs.Items, p.Drawn.Context), p.Drawn.Context)
}

// CloseWith closes another project together with this one.
func (p *Project) CloseWith(other *Project) { p.closers = append(p.closers, other.Close) }

// Close closes idle connections and ends interpreters.
func (p *Project) Close() {
	for _, f := range p.closers {
		f()
	}
}

// Endpoint is a server that the run needs.
type Endpoint struct{ Name, URL string }

// Endpoints lists the servers that the run needs.
func (p *Project) Endpoints() []Endpoint {
	list := []Endpoint{{"model", p.Config.Connect(p.Config.Model.BaseURL)}}
	if p.Config.Agent.Used() {
		list = AgentEndpoints(p)
	}
	list = append(list, p.Session.Hooks()...)
	for _, v := range p.Variants {
		if url := p.Config.Connect(v.P.Config.Model.BaseURL); url != list[0].URL {
			list = append(list, Endpoint{"model of the variant " + v.Name, url})
		}
	}
	if !p.Config.Agent.Used() { // an agent has its own tools, or calls these itself
		list = append(list, p.ToolEndpoints()...)
	}
	return append(WithoutSessionURLs(list), p.GradingEndpoints()...)
}

// ToolEndpoints lists the servers of the job's tools.
func (p *Project) ToolEndpoints() []Endpoint {
	var list []Endpoint
	for _, t := range p.Config.Body.Tools {
		list = append(list, Endpoint{"tool " + t.Name, p.Config.Connect(t.ServerURL)})
	}
	return WithoutSessionURLs(list)
}

// WithoutSessionURLs leaves out the endpoints whose URL depends on a session.
func WithoutSessionURLs(list []Endpoint) []Endpoint {
	return slices.DeleteFunc(list, func(e Endpoint) bool { return len(sampler.SessionVariables(e.URL)) > 0 })
}

// GradingEndpoints lists the servers that grading needs.
func (p *Project) GradingEndpoints() []Endpoint {
	var list []Endpoint
	for _, url := range p.Config.Body.GraderURLs() {
		list = append(list, Endpoint{"grader", p.Config.Connect(url)})
	}
	if a := p.Audit.Attacker; a != nil {
		for _, url := range a.urls {
			list = append(list, Endpoint{"audit.attacker.grader", p.Config.Connect(url)})
		}
	}
	if p.Config.AsksJudge() {
		list = append(list, Endpoint{"judge", p.Config.Connect(p.Config.Judge.BaseURL)})
	}
	return WithoutSessionURLs(list)
}

// Sampling returns the sampler's settings for this project.
func (p *Project) Sampling() sampler.Config {
	cfg := p.Config.Sampling.Config()
	if p.Config.AsksJudge() {
		cfg.GraderTimeout = p.Config.Judge.Timeout.Duration
	}
	cfg.Secrets = p.Config.SureSecrets()
	cfg.Minute, cfg.Log, cfg.RewardRange, cfg.RangeAssumed = minuteOf(p), p.Log, p.Config.RewardRange,
		p.Config.RangeAssumed()
	cfg.AgentTimeout, cfg.ModelTimeout = p.Config.Agent.Timeout.Duration, p.Config.Model.Timeout.Duration
	cfg.Budget, cfg.Cost = p.Spending.Budget, p.Spending.rolloutCost()
	return p.Session.isolate(cfg)
}

// inFlight returns the largest number of rollouts in progress.
func (p *Project) inFlight() int {
	return cmp.Or(p.Config.Sampling.InFlight, p.Config.Sampling.Concurrency, sampler.DefaultRollouts)
}

// minuteOf returns the limits per minute.
func minuteOf(p *Project) map[string]limit.Limits {
	return map[string]limit.Limits{endpoint.Model: p.Config.Model.Minute(), endpoint.Judge: p.Config.Judge.Minute()}
}

// ReadyToWork checks everything that rollouts need, before a worker takes a job.
func ReadyToWork(ctx context.Context, p *Project, home string) error {
	if err := p.Reachable(ctx, p.Endpoints()); err != nil {
		return err
	}
	if err := p.Start(ctx); err != nil {
		return err
	}
	if err := p.Session.KeepSessions(ctx, home); err != nil {
		return err
	}
	return p.AgentLog.Open(home, p.Redact)
}

// WorkConfig returns the sampler's settings for a worker. The planner keeps the budget.
func (p *Project) WorkConfig() sampler.Config {
	cfg := p.Sampling()
	cfg.Budget, cfg.Cost = nil, nil
	return cfg
}
