package grader

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/endpoint"
)

var command = Kind{
	Name:   "command",
	Doc:    "Runs your program, which reads the output, the item and the trace id as JSON and prints a number.",
	New:    newCommand,
	Remote: true,
	inline: inlineCommand,
}

// commandMarker is the environment variable that identifies the processes of graders.
const commandMarker = "GONOGO_GRADER"

// commandTimeout is the default limit for one grading, the same as for a python grader.
const commandTimeout = 2 * time.Minute

// tryAgain is the exit code of a program that asks for a retry: EX_TEMPFAIL of sysexits.h.
const tryAgain = 75

// Command is a grader that is a program. It starts a process for each grading or, with lines, one
// for many: a JSON line in and a line out for each grading, with the id of the request. It is safe
// for concurrent use. A process that exceeds the timeout is killed with everything that it started.
type Command struct {
	name    string // for messages
	argv    []string
	lines   bool
	timeout time.Duration
	dir     string
	without []string
	tools   string
	slots   chan struct{} // holds a token for each busy process
	idle    process.IdlePool
}

func newCommand(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Type      string            `json:"type"`
		Name      string            `json:"name"`
		Command   []string          `json:"command"`
		Files     []json.RawMessage `json:"files"`
		Lines     bool              `json:"lines"`
		Processes int               `json:"processes"`
		Timeout   string            `json:"timeout"`

		PassThreshold *float64 `json:"pass_threshold"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	timeout := commandTimeout
	if c.Timeout != "" {
		var err error
		if timeout, err = time.ParseDuration(c.Timeout); err != nil || timeout <= 0 {
			return nil, fmt.Errorf("timeout is %q: it must be a time with its unit, such as 30s or 5m", c.Timeout)
		}
	}
	g := &Command{
		name: env.named("command", c.Name), argv: c.Command, lines: c.Lines, timeout: timeout, dir: env.Dir,
		without: env.Without, tools: env.SampleTools,
	}
	switch {
	case len(c.Command) == 0 || slices.Contains(c.Command, ""):
		return nil, errors.New("command is missing or has an empty part: name the program and its arguments, such " +
			"as [python3, grade.py]")
	case c.Processes < 0 || c.Processes > 1024:
		return nil, fmt.Errorf("processes is %d: it must be from 0 (one for each processor) to 1024", c.Processes)
	case c.Lines && len(g.SessionReads()) > 0:
		return nil, errors.New("command: {{session.…}} changes with each rollout, and with lines a process grades " +
			"many: take one of them out")
	case !process.Supported:
		return nil, errors.New("this system cannot stop everything that a command starts: run it as a service (type " +
			"endpoint)")
	}
	if c.Processes == 0 {
		c.Processes = runtime.GOMAXPROCS(0)
	}
	g.slots = make(chan struct{}, c.Processes)
	return g, nil
}

// Start checks that the program exists and is executable.
func (g *Command) Start(context.Context) error {
	file := g.argv[0]
	if len(sampler.SessionVariables(file)) > 0 {
		return nil // each session has its own program
	}
	if filepath.Base(file) != file && !filepath.IsAbs(file) {
		file = filepath.Join(g.dir, file)
		if abs, err := filepath.Abs(file); err == nil { // otherwise LookPath would search PATH
			file = abs
		}
	}
	_, err := exec.LookPath(file)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %s cannot be run: make it executable (chmod +x), or name the program that runs it "+
			"first, such as [python3, %[2]s]", g.name, g.argv[0])
	}
	return fmt.Errorf("%s: there is no %s: a bare name is looked up on PATH; a path such as ./%s is relative to the "+
		"configuration's folder", g.name, g.argv[0], filepath.Base(file))
}

// SessionReads lists the session variables in the program's arguments.
func (g *Command) SessionReads() []string {
	var names []string
	for _, arg := range g.argv {
		names = append(names, sampler.SessionVariables(arg)...)
	}
	return union(names)
}

// Grade grades the output in a process.
func (g *Command) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	if err := g.take(ctx, out); err != nil {
		return sampler.Grade{}, err
	}
	defer func() { <-g.slots }()
	if g.lines {
		return g.line(ctx, out)
	}
	text, err := g.once(ctx, out, append(requestBody(out, g.tools), '\n'))
	if err != nil {
		return sampler.Grade{}, err
	}
	return g.printed(text)
}

// printed reads the grade that the program printed.
func (g *Command) printed(text []byte) (sampler.Grade, error) {
	grade, kind, err := readPrinted(text)
	if err != nil {
		return sampler.Grade{}, failed(kind, "%s: %w", g.name, err)
	}
	return grade, nil
}

// take waits for a free slot; the caller frees it. The wait does not count as time of out.Caller.
func (g *Command) take(ctx context.Context, out sampler.Output) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	defer out.Caller.Pause()()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// oneLine replaces line breaks by spaces, in place. In JSON both are only white space.
func oneLine(b []byte) []byte {
	for i := range b {
		if b[i] == '\n' || b[i] == '\r' {
			b[i] = ' '
		}
	}
	return b
}

// once grades in a new process and returns what it printed.
func (g *Command) once(ctx context.Context, out sampler.Output, input []byte) ([]byte, error) {
	argv := slices.Clone(g.argv)
	for i, arg := range argv {
		var err error
		if argv[i], err = out.RolloutSession.Fill(arg); err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
	}
	peer, err := g.start(argv, "GONOGO_TRACE_ID="+out.TraceID)
	if err != nil {
		return nil, err
	}
	inner, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	text, err := peer.Communicate(inner, input, maxScore)
	switch {
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case inner.Err() != nil:
		return nil, g.failure(process.ErrTimeout, peer)
	}
	return nil, g.failure(err, peer)
}

// line grades in a process that grades many outputs. A used process that has ended since, wrote
// something unasked, or exits with 0 instead of answering is replaced once. A process whose answer
// has another id is killed: its next line could be taken for another output's grade.
func (g *Command) line(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	id := rand.Text()
	request := slices.Concat([]byte(`{"id":"`+id+`",`), oneLine(requestBody(out, g.tools))[1:], []byte("\n"))
	for again := false; ; again = true {
		peer := g.idle.Take()
		used := peer != nil
		if !used {
			var err error
			if peer, err = g.start(g.argv); err != nil {
				return sampler.Grade{}, err
			}
		}
		text, err := peer.Ask(ctx, g.timeout, request, maxScore)
		switch {
		case err == nil:
			if err := answers(text, id); err != nil {
				peer.Kill()
				return sampler.Grade{}, failed(sampler.KindMalformed, "%s: %w", g.name, err)
			}
			g.idle.Put(peer)
			return g.printed(text)
		case ctx.Err() != nil:
			return sampler.Grade{}, context.Cause(ctx)
		case again || !used || !errors.Is(err, process.ErrNotSent) && !errors.Is(err, process.ErrUnsolicited) &&
			peer.ExitCode() != 0:
			return sampler.Grade{}, g.failure(err, peer)
		}
	}
}

// start starts a process in the folder of the configuration, without the API keys of model and
// judge.
func (g *Command) start(argv []string, more ...string) (*process.Peer, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = g.dir
	cmd.Env = append(process.Environment(g.without), more...)
	peer, err := process.StartPeer(cmd, commandMarker+"="+rand.Text(), nil)
	if err != nil {
		return nil, failed(sampler.KindStart, "%s: start %s: %w", g.name, g.argv[0], err)
	}
	return peer, nil
}

// failure returns the error of a process that gave no grade.
func (g *Command) failure(err error, peer *process.Peer) error {
	switch {
	case errors.Is(err, process.ErrTimeout):
		return failed(sampler.KindTimeout, "%s: no grade within %v (timeout): it was killed%s", g.name, g.timeout,
			peer.StderrTail())
	case errors.Is(err, process.ErrTooLong):
		return failed(sampler.KindMalformed, "%s: it printed more than %d bytes and was killed: it must print a "+
			"number, and everything else on standard error", g.name, maxScore)
	case errors.Is(err, process.ErrExtraOutput), errors.Is(err, process.ErrUnsolicited):
		return failed(sampler.KindMalformed,
			"%s: it printed more than one line for a grading and was killed: print everything else on standard error",
			g.name)
	case peer.ExitCode() == tryAgain:
		err = &endpoint.Failure{Temporary: true, Err: err}
	}
	return failed(sampler.KindServer, "%s: %w", g.name, err)
}

// Close ends the idle processes. Call it after the last grading.
func (g *Command) Close() error {
	g.idle.Finish(2 * time.Second)
	return nil
}

// Choices says what counts as a grade.
func (g *Command) Choices() map[string]string {
	return map[string]string{
		"command result": "the number that is printed, or the score of a JSON object; with lines always an object, " +
			"with the id of the request; an exit code other than 0, an output that is neither, and an answer " +
			"without its id are a failed grading; the exit code 75 asks for another try",
	}
}
