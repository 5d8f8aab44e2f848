package project

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/rollout"
)

// Sessions gives each rollout of a project its own session.
type Sessions struct {
	p        *Project
	Sessions *isolation.Keeper // nil if there are none
}

// WireSession sets up sessions after tools and grader: the start must return the variables that
// they read.
func (ss *Sessions) WireSession() error {
	who, reads := "the grader", grader.SessionReads(ss.p.Bounds.Grader)
	for _, t := range ss.p.Bounds.Tools {
		if r, ok := t.(interface{ SessionReads() []string }); ok && len(r.SessionReads()) > 0 {
			who, reads = "the tool "+t.Name(), append(reads, r.SessionReads()...)
		}
	}
	if ss.p.Config.Agent.Used() { // the tools' addresses are passed to it
		for _, t := range ss.p.Config.Body.Tools {
			if names := sampler.SessionVariables(ss.p.Config.Connect(t.ServerURL)); len(names) > 0 {
				who, reads = "the tool "+t.Name, append(reads, names...)
			}
		}
	}
	if r, ok := ss.p.Bounds.Agent.(interface{ SessionReads() []string }); ok && len(r.SessionReads()) > 0 {
		who, reads = "the agent", append(reads, r.SessionReads()...)
	}
	s := ss.p.Config.Session
	switch {
	case s.Start == "" && len(reads) > 0:
		return ss.p.Config.Fault("session.start", "missing: the address of %s reads {{session.%s}}", who, reads[0])
	case s.Start == "":
		return nil
	}
	keeper, err := isolation.New(isolation.Config{
		Start: ss.hook(s.Start), Stop: ss.hook(s.Stop), Headers: s.Headers, Concurrency: s.Concurrency,
		Canary: s.Canary, Reads: reads, HTTP: ss.p.Env.HTTP,
	})
	if err != nil {
		return ss.p.Config.Fault("session.start", "%v", err)
	}
	ss.Sessions = keeper
	return nil
}

// hook returns the start or stop of a session as it is called: a URL is mapped like those of tools,
// unless it depends on what a start returned.
func (ss *Sessions) hook(hook string) string {
	if !isolation.IsURL(hook) {
		return hook
	}
	mapped := ss.p.Config.Connect(hook)
	if len(sampler.SessionVariables(mapped)) == len(sampler.SessionVariables(hook)) {
		return mapped
	}
	return hook
}

// Hooks lists the servers that start and stop sessions.
func (ss *Sessions) Hooks() []Endpoint {
	var list []Endpoint
	for _, e := range []Endpoint{
		{"session.start", ss.hook(ss.p.Config.Session.Start)},
		{"session.stop", ss.hook(ss.p.Config.Session.Stop)},
	} {
		if isolation.IsURL(e.URL) {
			list = append(list, e)
		}
	}
	return list
}

// isolate configures sessions for rollouts, and for gradings that need one.
func (ss *Sessions) isolate(cfg sampler.Config) sampler.Config {
	if ss.Sessions == nil {
		return cfg
	}
	cfg.Isolation, cfg.IsolationTimeout = ss.Sessions, ss.p.Config.Session.Timeout.Duration
	// Do not start rollouts that would only wait for a session: neither a deadline nor Ctrl-C could
	// then hold them back.
	if most := ss.p.Config.Session.Concurrency; most > 0 {
		cfg.Rollouts = min(ss.p.inFlight(), most)
	}
	return cfg
}

// KeepSessions records started sessions in the run directory, and stops those that an earlier call
// left running. The caller must hold the directory's lock.
func (ss *Sessions) KeepSessions(ctx context.Context, dir string) error {
	if ss.Sessions == nil {
		return nil
	}
	orphans, err := ss.Sessions.Record(filepath.Join(dir, isolation.JournalFile))
	if err != nil || len(orphans) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(ss.p.Config.Session.Timeout.Duration, time.Minute))
	defer cancel()
	stopped, err := ss.Sessions.Recover(ctx, orphans)
	text := fmt.Sprintf("an earlier call left %s behind", console.Count(len(orphans), "session"))
	if err != nil {
		ss.p.Warnings = append(ss.p.Warnings, fmt.Sprintf("%s, and only %d of them could be stopped: %v", text,
			stopped, err))
		return nil
	}
	ss.p.Warnings = append(ss.p.Warnings, text+"; stopped now")
	return nil
}

// FinishRun closes a run directory. It closes the journal of sessions and the agent's log first,
// while it still holds the directory.
func FinishRun(p *Project, w *rollout.Writer) error {
	err := errors.Join(p.Queue.End(w), p.Session.ForgetSessions(), p.AgentLog.Close(), w.Close())
	if n := w.Foreign(); n > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("something else wrote %s into the files of the run while they "+
			"were written, and gonogo removed them: an agent, a tool or a session must not write into the run "+
			"directory", console.Count(int(n), "byte")))
	}
	return err
}

// ForgetSessions closes the journal of sessions.
func (ss *Sessions) ForgetSessions() error {
	if ss.Sessions == nil {
		return nil
	}
	return ss.Sessions.Close()
}
