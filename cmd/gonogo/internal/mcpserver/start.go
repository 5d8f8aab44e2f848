package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gonogo/cmd/gonogo/internal/exit"
)

// startInput says what start_run makes.
type startInput struct {
	Config      string  `json:"config" jsonschema:"the configuration, such as gonogo.yaml"`
	Run         string  `json:"run" jsonschema:"the run directory to make, or to continue"`
	MaxRollouts int     `json:"max_rollouts" jsonschema:"stop once the run has this many rollouts"`
	MaxUSD      float64 `json:"max_usd,omitempty" jsonschema:"stop once the run has cost this many US dollars"`
	Wait        int     `json:"wait_s,omitempty" jsonschema:"seconds to wait for its end, by default 50, at most 600"`
}

// state is what start_run returns.
type state struct {
	Run       string `json:"run"`
	Running   bool   `json:"running" jsonschema:"true: call start_run again with the same run to wait for its end"`
	ExitCode  *int   `json:"exit_code" jsonschema:"null while it runs"`
	Meaning   string `json:"meaning" jsonschema:"of the exit code"`
	Untrusted string `json:"untrusted_text" jsonschema:"the end of what gonogo printed"`
}

// addRun adds the tool that makes runs.
func addRun(s *server) {
	addTool(s, &sdk.Tool{
		Name: "start_run",
		Description: `Start gonogo run, or wait for the one that is running: it samples the model, which costs money, runs the
configuration's programs, and writes the run directory. One run at a time. Then call explain_verdict.`,
		Annotations: &sdk.ToolAnnotations{DestructiveHint: new(false)},
	}, s.startRun)
}

func (s *server) startRun(ctx context.Context, c *call, in startInput) (*state, error) {
	config, err := s.below(in.Config)
	if err != nil {
		return nil, err
	}
	run, err := s.below(in.Run)
	switch wait := cmp.Or(in.Wait, 50); {
	case err != nil:
		return nil, err
	case run == ".":
		return nil, refuse("the run needs a directory of its own below the folder of the server")
	case in.MaxRollouts < 1:
		return nil, refuse("max_rollouts is %d: name how many rollouts the run may have", in.MaxRollouts)
	case in.MaxUSD < 0 || wait < 1 || wait > 600:
		return nil, refuse("max_usd is %g and wait_s %d: dollars above 0, or none, and 1 to 600 seconds", in.MaxUSD, wait)
	default:
		args := []string{"run", "--config", config, "--output", run, "--yes", "--max-rollouts", strconv.Itoa(in.MaxRollouts)}
		if in.MaxUSD > 0 {
			args = append(args, "--max-usd", strconv.FormatFloat(in.MaxUSD, 'g', -1, 64))
		}
		one, err := s.runs.start(run, args)
		if err != nil {
			return nil, err
		}
		select {
		case <-one.done:
		case <-time.After(time.Duration(wait) * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return one.state(c), nil
	}
}

// started holds the run that a server makes.
type started struct {
	begin func(args []string, out io.Writer) int
	mu    sync.Mutex
	last  *startedRun // guarded by mu; nil before the first
}

// startedRun is a call of gonogo run.
type startedRun struct {
	dir  string
	out  tail
	done chan struct{} // closed once code is set
	code int
}

// start starts a run, or returns the one in that directory while it runs.
func (st *started) start(dir string, args []string) (*startedRun, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if last := st.last; last != nil && last.running() {
		if last.dir != dir {
			return nil, refuse("a run is being made in %q: wait for its end with start_run", last.dir)
		}
		return last, nil
	}
	one := &startedRun{dir: dir, done: make(chan struct{})}
	st.last = one
	go func() {
		defer close(one.done)
		one.code = st.begin(args, &one.out)
	}()
	return one, nil
}

// wait waits for the end of the run.
func (st *started) wait() {
	st.mu.Lock()
	last := st.last
	st.mu.Unlock()
	if last != nil {
		<-last.done
	}
}

func (r *startedRun) running() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

func (r *startedRun) state(c *call) *state {
	out := &state{Run: name(r.dir), Running: r.running(), Meaning: "it is still running"}
	if !out.Running {
		out.ExitCode, out.Meaning = new(r.code), exit.Meaning(r.code)
	}
	out.Untrusted = c.untrusted(mostText, r.out.String())
	return out
}

// tail keeps the end of what is written. It is safe for concurrent use.
type tail struct {
	mu sync.Mutex
	b  []byte // guarded by mu
}

// Write keeps the last characters.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - 2*mostText; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

// String returns what was kept, from the beginning of a line and at most mostText bytes.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.b
	if over := len(b) - mostText; over > 0 {
		b = b[over:]
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[i+1:]
		}
	}
	return string(b)
}
