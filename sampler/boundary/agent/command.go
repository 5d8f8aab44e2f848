package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// largestResult is the maximum length of a result, in bytes.
const largestResult = 16 << 20

// marker is the environment variable that identifies the processes of agents.
const marker = "GONOGO_AGENT"

// CommandConfig configures an agent that is a program.
type CommandConfig struct {
	Argv       []string // the program and its arguments
	Dir        string   // its working directory; "" is this program's
	Without    []string // environment variables of this program that it must not see
	PerRollout bool     // start a process for each rollout; else a process makes one after the other
	Processes  int      // maximum number of processes at one time
	Options    RequestOptions
	Log        io.Writer // receives its standard error, from several goroutines; nil discards it
}

// Validate reports invalid settings.
func (c CommandConfig) Validate() error {
	switch {
	case len(c.Argv) == 0 || c.Argv[0] == "":
		return errors.New("the agent's command is empty")
	case c.Processes <= 0:
		return fmt.Errorf("the agent's processes must be at least 1, not %d", c.Processes)
	case !process.Supported:
		return errors.New("this system cannot stop everything that an agent's command starts: run it as a service " +
			"(agent.url)")
	}
	return nil
}

// Command is an agent that is a program: for each rollout it reads a JSON line and writes one. It is
// safe for concurrent use.
type Command struct {
	cfg   CommandConfig
	slots chan struct{} // holds a token for each busy process
	idle  process.IdlePool
}

// NewCommand returns an agent. It starts no process yet.
func NewCommand(cfg CommandConfig) (*Command, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Command{cfg: cfg, slots: make(chan struct{}, cfg.Processes)}, nil
}

// URL returns the command, for messages.
func (c *Command) URL() string { return strings.Join(c.cfg.Argv, " ") }

// Run makes a rollout with a process. A process that hangs, crashes or writes an invalid result is
// killed with everything that it started, and the next rollout gets another one.
func (c *Command) Run(ctx context.Context, p sampler.AgentRequest) (sampler.AgentResult, error) {
	req, err := c.cfg.Options.request(p)
	if err != nil {
		return sampler.AgentResult{}, err
	}
	line, err := json.Marshal(req)
	if err != nil {
		return sampler.AgentResult{}, fmt.Errorf("write the rollout for the agent: %w", err)
	}
	done, err := c.ask(ctx, p, append(line, '\n'))
	return done, blaming(err, p)
}

// Enter waits for a free slot, which the caller of Run must hold.
func (c *Command) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ask sends the line to a process and reads its result. A process that has ended, or has written
// something, since its last rollout is replaced once.
func (c *Command) ask(ctx context.Context, p sampler.AgentRequest, line []byte) (sampler.AgentResult, error) {
	for again := false; ; again = true {
		peer, err := c.peer(p)
		if err != nil {
			return sampler.AgentResult{}, err
		}
		text, err := peer.Ask(ctx, 0, line, largestResult) // ctx limits the time
		switch {
		case context.Cause(ctx) == sampler.ErrAgentTimeout && err != nil:
			return sampler.AgentResult{}, hung(p, " and was killed"+peer.StderrTail())
		case err == nil:
			return c.result(peer, text, p)
		case ctx.Err() != nil:
			return sampler.AgentResult{}, context.Cause(ctx)
		case !again && !c.cfg.PerRollout &&
			(errors.Is(err, process.ErrNotSent) || errors.Is(err, process.ErrUnsolicited)):
			continue // the previous rollout's leftovers must not fail this one
		}
		return sampler.AgentResult{}, c.failure(err)
	}
}

// result reads what a process wrote. It kills a process that wrote something other than a result: the
// process may still be busy, and would mistake the next rollout's line for its own input.
func (c *Command) result(peer *process.Peer, text []byte, p sampler.AgentRequest) (sampler.AgentResult, error) {
	done, err := played(text, p, !c.cfg.PerRollout)
	agentErr, failed := errors.AsType[*sampler.AgentError](err)
	switch {
	case failed && agentErr.Kind == sampler.KindAgentGarbled:
		peer.Kill()
	case c.cfg.PerRollout:
		peer.Finish(grace)
	default:
		c.idle.Put(peer)
	}
	return done, err
}

// grace is the time that a process has to exit by itself.
const grace = 2 * time.Second

// peer returns a process: an idle one, or a new one.
func (c *Command) peer(p sampler.AgentRequest) (*process.Peer, error) {
	if peer := c.idle.Take(); peer != nil {
		return peer, nil
	}
	cmd := exec.Command(c.cfg.Argv[0], c.cfg.Argv[1:]...)
	cmd.Dir, cmd.Env = c.cfg.Dir, c.environment(p)
	peer, err := process.StartPeer(cmd, marker+"="+rand.Text(), c.cfg.Log)
	if err != nil {
		return nil, startFailure(err)
	}
	return peer, nil
}

// environment returns this program's environment without the variables that the agent must not see. A
// process for one rollout also gets its trace id and canary, and the variables that clients of the
// model's API read.
func (c *Command) environment(p sampler.AgentRequest) []string {
	env := process.Environment(c.cfg.Without)
	if !c.cfg.PerRollout {
		return env
	}
	env = append(env, "GONOGO_TRACE_ID="+p.TraceID, "GONOGO_CANARY="+rollout.Canary(p.TraceID))
	if p.Model != nil {
		env = append(env, "OPENAI_BASE_URL="+p.Model.BaseURL, "OPENAI_API_KEY="+p.Model.Key)
	}
	return env
}

// Close ends all idle processes. No rollout may be in flight.
func (c *Command) Close() { c.idle.Finish(grace) }

// startFailure returns the failure of a start. It is fatal if the program is missing or not executable,
// because then it fails for every rollout.
func startFailure(err error) error {
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
	err = fmt.Errorf("start the agent: %w", err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: make it executable (chmod +x), or name the program that runs it first, such as "+
			"[python3, my_agent.py]", err)
	case missing:
		err = fmt.Errorf("%w: a bare name is looked up on PATH; a path such as ./my_agent is relative to the "+
			"configuration's folder (agent.command)", err)
	}
	agentErr := &sampler.AgentError{Kind: sampler.KindAgentStart, Outcome: rollout.ToolFailed, Err: err}
	return &endpoint.Failure{Temporary: !missing, Fatal: missing, Err: agentErr}
}

// failure returns the failure of a rollout that a process did not finish.
func (c *Command) failure(err error) error {
	kind := sampler.KindAgentCrashed
	switch {
	case errors.Is(err, process.ErrTooLong):
		kind, err = sampler.KindAgentGarbled,
			fmt.Errorf("the agent wrote more than %d bytes without a line break and was killed", largestResult)
	case errors.Is(err, process.ErrExtraOutput):
		kind, err = sampler.KindAgentGarbled, errors.New("the agent wrote more than one line for a rollout and was "+
			"killed; write everything but the result to standard error")
	case errors.Is(err, process.ErrUnsolicited):
		kind, err = sampler.KindAgentGarbled,
			errors.New("the agent wrote a line before it got a rollout; write everything but results to standard error")
	case errors.Is(err, process.ErrEnded), errors.Is(err, process.ErrNotSent):
		err = fmt.Errorf("the agent's process %s", strings.TrimPrefix(err.Error(), "it "))
	default:
		err = fmt.Errorf("the agent's process: %w", err)
	}
	return failed(kind, rollout.ToolFailed, err)
}
