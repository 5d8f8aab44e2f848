package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/limit"
	"gonogo/sampler/model"
	"gonogo/sampler/python"
	"gonogo/sampler/tool"
)

// wire makes the endpoints of the job.
func (p *project) wire() error {
	collectOften(p.inFlight())
	if err := p.wireGrader(); err != nil {
		return err
	}
	if p.cfg.Agent.Used() {
		return errors.Join(p.wireAgent(), p.wireSession())
	}
	conns := p.inFlight()
	policy, err := model.New(p.modelConfig(conns))
	if err != nil {
		return err
	}
	p.close = append(p.close, policy.Close)
	p.bounds.Model = policy
	return p.wireTools()
}

// collectOften lets less garbage stand where many rollouts are in flight, unless
// the environment says how much: it costs some CPU, and they wait for endpoints.
func collectOften(rollouts int) {
	if rollouts >= sampler.ManyInFlight && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// wireTools makes the tools of the job and of its MCP servers, with the client that wireGrader made.
func (p *project) wireTools() error {
	var configs []tool.Config
	for _, t := range p.cfg.Body.Tools {
		configs = append(configs, tool.Config{Name: t.Name, ServerURL: p.cfg.Connect(t.ServerURL), Headers: t.Headers, Extra: t.Extra})
	}
	tools, err := tool.New(configs, tool.Options{HTTP: p.env.HTTP, Conns: p.inFlight()})
	if err != nil {
		return err
	}
	p.bounds.Tools = make(map[string]sampler.Tool)
	for _, t := range tools {
		p.bounds.Tools[t.Name()] = t
	}
	for _, t := range p.mcpTools() {
		p.bounds.Tools[t.Name()] = t
	}
	return p.wireSession()
}

// wireGrader makes the job's grader and what graders need. Nothing is asked or
// started yet.
func (p *project) wireGrader() error {
	conns := p.inFlight()
	client := sampler.HTTPClient(p.transport(conns), conns)
	judge, err := model.NewJudge(model.Config{
		BaseURL: p.cfg.Connect(p.cfg.Judge.BaseURL), API: p.cfg.Judge.API, APIKey: p.cfg.JudgeKey,
		Headers: p.cfg.Judge.Headers, MaxConns: conns,
	})
	if err != nil {
		return err
	}
	p.close = append(p.close, client.CloseIdleConnections, judge.Close)
	interpreters, err := python.NewPool(p.cfg.PythonPool())
	if err != nil {
		return err
	}
	p.close = append(p.close, func() { _ = interpreters.Close() }) // whatever it says, the processes are gone
	p.env = grader.Env{HTTP: client, Judge: judge, Rewrite: p.cfg.Connect, SampleTools: p.cfg.Sampling.SampleTools, Python: interpreters, Dir: p.cfg.GraderDir, Without: p.cfg.KeyNames()}
	grade, err := grader.New(grader.Kinds(), p.cfg.Body.Grader, p.env)
	if err != nil {
		if p.cfg.HasGrader() {
			return p.cfg.Fault("grader", "%v", err)
		}
		return fmt.Errorf("the job: %w", err)
	}
	p.bounds.Grader = grade
	if held, ok := grade.(io.Closer); ok {
		p.close = append(p.close, func() { _ = held.Close() }) // as above
	}
	p.warnReads(grade)
	return p.checkItems(grade)
}

// transport is what requests to tools and graders go through; nil is the usual
// one.
func (p *project) transport(conns int) http.RoundTripper {
	if p.watch == nil {
		return nil
	}
	return p.watch(sampler.HTTPTransport(conns))
}

func (p *project) modelConfig(conns int) model.Config {
	m := p.cfg.Model
	return model.Config{
		Name: m.Name, BaseURL: p.cfg.Connect(m.BaseURL), API: m.API, APIKey: p.cfg.ModelKey, Headers: m.Headers,
		Temperature: m.Temperature, TopP: m.TopP, MaxOutputTokens: m.MaxOutputTokens,
		ReasoningEffort: m.ReasoningEffort, ParallelToolCalls: m.ParallelToolCalls,
		ResponseFormat: p.cfg.Body.ResponseFormat, MaxConns: conns,
	}
}

// checkItems finds rows that the grader could not grade before any is paid.
func (p *project) checkItems(g sampler.Grader) error {
	checker, ok := g.(grader.Checker)
	if !ok {
		return nil
	}
	var errs []error
	for i := range p.items {
		it := &p.items[i]
		if err := checker.CheckItem(it); err != nil && len(errs) < 5 {
			errs = append(errs, fmt.Errorf("%s:%d: %w", it.File, it.Line, err))
		}
	}
	return errors.Join(errs...)
}

// warnReads tells of what a grader's templates read that no public source
// settles. What an endpoint reads of all that it is handed, nobody knows here.
func (p *project) warnReads(g sampler.Grader) {
	reader, ok := g.(grader.Reader)
	if !ok {
		return
	}
	if reads := reader.Reads(); slices.Contains(reads, "output_tools") || slices.Contains(reads, "choices") {
		p.warnings = append(p.warnings, fmt.Sprintf("the grader reads the tool calls of sample, and which calls a training service shows it is documented nowhere; here it sees %s of them (sampling.sample_tools)", p.cfg.Sampling.SampleTools))
	}
}

// start tries what must be tried before anything is paid: a python grader that
// cannot be loaded is told now.
func (p *project) start(ctx context.Context) error {
	err := grader.Start(ctx, p.bounds.Grader)
	if err != nil && ctx.Err() == nil {
		text := p.redact.String(err.Error())
		if strings.Contains(text, "interpreter") {
			text += " (key python.interpreter)"
		}
		err = exit.AsUsage(fmt.Errorf("%s: %s", p.cfg.GraderName(), text))
	}
	p.heed()
	return err
}

// readyToGrade stops before the first grading where the grader cannot work.
func (p *project) readyToGrade(ctx context.Context, c *call) error {
	if err := p.reachable(ctx, p.gradingEndpoints()); err != nil {
		return err
	}
	err := p.start(ctx)
	p.tell(c.Err)
	return err
}

// readyToAudit does so for an audit.
func (p *project) readyToAudit(ctx context.Context, c *call) error {
	if err := p.readyToGrade(ctx, c); err != nil {
		return err
	}
	return p.startDetectors(ctx)
}

// reachable stops where an endpoint does not answer.
func (p *project) reachable(ctx context.Context, endpoints []endpoint) error {
	for _, e := range endpoints {
		if err := sampler.Reach(ctx, e.url); err != nil {
			return exit.AsUsage(fmt.Errorf("%s: %s", e.name, p.redact.String(err.Error())))
		}
	}
	return nil
}

// shut closes idle connections and ends interpreters.
func (p *project) shut() {
	for _, f := range p.close {
		f()
	}
}

// endpoint is a server that the run needs.
type endpoint struct{ name, url string }

// endpoints lists the servers that the run needs.
func (p *project) endpoints() []endpoint {
	list := []endpoint{{"model", p.cfg.Connect(p.cfg.Model.BaseURL)}}
	if p.cfg.Agent.Used() {
		list = p.agentEndpoints()
	}
	list = append(list, p.hooks()...)
	for _, v := range p.variants {
		if url := p.cfg.Connect(v.p.cfg.Model.BaseURL); url != list[0].url {
			list = append(list, endpoint{"model of the variant " + v.Name, url})
		}
	}
	for _, t := range p.cfg.Body.Tools {
		if !p.cfg.Agent.Used() { // an agent has tools of its own, or calls these by itself
			list = append(list, endpoint{"tool " + t.Name, p.cfg.Connect(t.ServerURL)})
		}
	}
	return append(standing(list), p.gradingEndpoints()...)
}

// standing leaves out what is there when a session is.
func standing(list []endpoint) []endpoint {
	return slices.DeleteFunc(list, func(e endpoint) bool { return len(sampler.EnclosureNames(e.url)) > 0 })
}

// gradingEndpoints lists those that grading needs.
func (p *project) gradingEndpoints() []endpoint {
	var list []endpoint
	for _, url := range p.cfg.Body.GraderURLs() {
		list = append(list, endpoint{"grader", p.cfg.Connect(url)})
	}
	if p.cfg.AsksJudge() {
		list = append(list, endpoint{"judge", p.cfg.Connect(p.cfg.Judge.BaseURL)})
	}
	return standing(list)
}

func (p *project) sampling() sampler.Config {
	s := p.cfg.Sampling
	grading := s.GraderTimeout
	if p.cfg.AsksJudge() {
		grading = p.cfg.Judge.Timeout
	}
	return p.isolate(sampler.Config{
		Concurrency: s.Concurrency, Rollouts: s.InFlight, Minute: p.minute(), Breaker: s.Breaker, Log: p.log, MaxSteps: s.MaxSteps, MaxToolCalls: s.MaxToolCalls,
		RewardRange: p.cfg.RewardRange, AgentTimeout: p.cfg.Agent.Timeout, ModelTimeout: p.cfg.Model.Timeout, ToolTimeout: s.ToolTimeout, GraderTimeout: grading, RolloutTimeout: s.RolloutTimeout,
		Retry:  limit.Retry{Max: s.Retries, Wait: s.RetryWait, Cap: limit.DefaultRetry().Cap, Total: s.RetryFor},
		Budget: p.budget, Cost: p.rolloutCost(),
	})
}

// inFlight is the most rollouts at one time.
func (p *project) inFlight() int {
	return cmp.Or(p.cfg.Sampling.InFlight, p.cfg.Sampling.Concurrency, sampler.DefaultRollouts)
}

// minute are the bounds on a minute's requests.
func (p *project) minute() map[string]limit.Limits {
	m, j := p.cfg.Model, p.cfg.Judge
	return map[string]limit.Limits{
		sampler.ModelBoundary: {Requests: float64(m.RequestsPerMinute), Tokens: float64(m.TokensPerMinute)},
		sampler.JudgeBoundary: {Requests: float64(j.RequestsPerMinute), Tokens: float64(j.TokensPerMinute)},
	}
}
