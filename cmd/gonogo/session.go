package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/isolation"
	"gonogo/sampler/rollout"
)

// wireSession makes what gives rollouts sessions, once tools and grader are
// there: the start has to answer what they read.
func (p *project) wireSession() error {
	who, reads := "the grader", grader.SessionReads(p.bounds.Grader)
	for _, t := range p.bounds.Tools {
		if r, ok := t.(interface{ SessionReads() []string }); ok && len(r.SessionReads()) > 0 {
			who, reads = "the tool "+t.Name(), append(reads, r.SessionReads()...)
		}
	}
	if p.cfg.Agent.Used() { // it is told the tools' addresses
		for _, t := range p.cfg.Body.Tools {
			if names := sampler.EnclosureNames(p.cfg.Connect(t.ServerURL)); len(names) > 0 {
				who, reads = "the tool "+t.Name, append(reads, names...)
			}
		}
	}
	if r, ok := p.bounds.Agent.(interface{ SessionReads() []string }); ok && len(r.SessionReads()) > 0 {
		who, reads = "the agent", append(reads, r.SessionReads()...)
	}
	s := p.cfg.Session
	switch {
	case s.Start == "" && len(reads) > 0:
		return p.cfg.Fault("session.start", "missing: the address of %s reads {{session.%s}}", who, reads[0])
	case s.Start == "":
		return nil
	}
	keeper, err := isolation.New(isolation.Config{
		Start: p.hook(s.Start), Stop: p.hook(s.Stop), Headers: s.Headers, Concurrency: s.Concurrency, Canary: s.Canary, Reads: reads, HTTP: p.env.HTTP,
	})
	if err != nil {
		return p.cfg.Fault("session.start", "%v", err)
	}
	p.sessions = keeper
	return nil
}

// hook is a session's start or stop as it is called: a URL is mapped as those of
// tools are. It does not lie behind what a start answers.
func (p *project) hook(hook string) string {
	if !isolation.IsURL(hook) {
		return hook
	}
	if at := p.cfg.Connect(hook); len(sampler.EnclosureNames(at)) == len(sampler.EnclosureNames(hook)) {
		return at
	}
	return hook
}

// hooks lists the servers that sessions are started and stopped by.
func (p *project) hooks() []endpoint {
	var list []endpoint
	for _, e := range []endpoint{{"session.start", p.hook(p.cfg.Session.Start)}, {"session.stop", p.hook(p.cfg.Session.Stop)}} {
		if isolation.IsURL(e.url) {
			list = append(list, e)
		}
	}
	return list
}

// isolate has rollouts, or gradings that read one, get sessions.
func (p *project) isolate(cfg sampler.Config) sampler.Config {
	if p.sessions == nil {
		return cfg
	}
	cfg.Isolation, cfg.IsolationTimeout = p.sessions, p.cfg.Session.Timeout
	// One that waits for a place has begun: no deadline and no Ctrl-C would hold it
	// back any more.
	if most := p.cfg.Session.Concurrency; most > 0 {
		cfg.Rollouts = min(p.inFlight(), most)
	}
	return cfg
}

// keepSessions writes down in the run directory which sessions are started, and
// stops those that a call before this one left behind. The directory is ours.
func (p *project) keepSessions(ctx context.Context, dir string) error {
	if p.sessions == nil {
		return nil
	}
	left, err := p.sessions.Record(filepath.Join(dir, isolation.JournalFile))
	if err != nil || len(left) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(p.cfg.Session.Timeout, time.Minute))
	defer cancel()
	stopped, err := p.sessions.Recover(ctx, left)
	text := fmt.Sprintf("an earlier call left %s behind", ui.Counted(len(left), "session"))
	if err != nil {
		p.warnings = append(p.warnings, fmt.Sprintf("%s, and only %d of them could be stopped: %v", text, stopped, err))
		return nil
	}
	p.warnings = append(p.warnings, text+"; stopped now")
	return nil
}

// finish closes a run directory, its journal of sessions and its agent's log
// first: it is ours until then.
func (p *project) finish(w *rollout.Writer) error {
	err := errors.Join(p.letGo(w), p.forgetSessions(), p.agentLog.close(), w.Close())
	if n := w.Foreign(); n > 0 {
		p.warnings = append(p.warnings, fmt.Sprintf("something else wrote %s into the files of the run while they were written, and they were cut off again: an agent, a tool or a session must not write into the run directory", ui.Counted(int(n), "byte")))
	}
	return err
}

// forgetSessions ends the journal of sessions.
func (p *project) forgetSessions() error {
	if p.sessions == nil {
		return nil
	}
	return p.sessions.Close()
}

// tellLeaks says how many rollouts met what others had left.
func tellLeaks(w io.Writer, s sampler.Stats) {
	if s.Leaking > 0 {
		fmt.Fprintf(w, "warning: %s met what another rollout had left behind (\"leaks\" in %s): they do not run apart from each other; see docs/sessions.md\n", ui.Counted(s.Leaking, "rollout"), rollout.RolloutsFile)
	}
}

// tellLeftOpen says how many sessions could not be stopped.
func tellLeftOpen(w io.Writer, s sampler.Stats) {
	if s.LeftOpen > 0 {
		fmt.Fprintf(w, "warning: %s could not be stopped; the next call of this command tries it again\n", ui.Counted(s.LeftOpen, "session"))
	}
}
