package environment

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gonogo/sampler/boundary/internal/process"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

//go:embed bridge/serve.py
var serveSource string

//go:embed bridge/verifiers.py
var verifiersSource string

//go:embed bridge/openenv.py
var openenvSource string

// program is the bridge: the parts define what its last lines run.
func program() string {
	return strings.Join([]string{
		serveSource, verifiersSource, openenvSource,
		`asyncio.run(main({"verifiers": Verifiers, "openenv": OpenEnv}))` + "\n",
	}, "\n")
}

// marker is the environment variable that identifies the bridge's processes.
const marker = "GONOGO_ENVIRONMENT"

// How long a bridge may take to be ready, which may include downloading a data set, how long a busy one
// to show that it is alive, and how long it has to exit by itself.
const (
	startTime = 10 * time.Minute
	aliveTime = 20 * time.Second
	grace     = 2 * time.Second
)

// largestStart is the maximum length of the line with which a bridge begins, in bytes.
const largestStart = 1 << 20

// Config says how an environment is run.
type Config struct {
	Settings Settings
	Python   string   // the interpreter
	Dir      string   // its working directory; "" is this program's
	Without  []string // environment variables of this program that it must not see
	Floor    float64  // the bottom of the reward range: what an episode of OpenEnv earns that ends without any reward
	// the parameters of the model's requests, by the names of Chat Completions, as far as the environment
	// sets none
	Sampling map[string]any
	Log      io.Writer // receives its standard error; nil discards it
	HTTP     *http.Client
}

// RefusedError says that an environment cannot be used at all.
type RefusedError struct{ Text string }

// Error returns the text.
func (e *RefusedError) Error() string { return e.Text }

// bridge is the process that runs an environment, started when it is first needed and again if it ended.
// It is safe for concurrent use.
type bridge struct {
	cfg   Config
	token string

	mu   sync.Mutex // guards the fields below, and makes a start wait for another
	peer *process.Peer
	url  string
	file string // the program
	span *[2]float64
	what string // its package, as ready has it
}

// told is the first line that a bridge reads.
type told struct {
	Kind   string                    `json:"kind"`
	Name   string                    `json:"name"`
	Args   map[string]any            `json:"args"`
	Splits map[string]map[string]any `json:"splits"`
	Limit  int                       `json:"limit"`
	Prompt string                    `json:"prompt"`
	Reward string                    `json:"reward"`
	Floor  float64                   `json:"floor"`
	Sample map[string]any            `json:"sampling"`
	Token  string                    `json:"token"`
}

// ready is its answer.
type ready struct {
	URL     string      `json:"url"`
	Package string      `json:"package"` // the library with its version, and a hash of the environment's sources
	Range   *[2]float64 `json:"range"`   // the range that the weights of the rewards imply
	Refused string      `json:"refused"`
}

// address returns the URL of the bridge, and starts it if it is not running.
func (b *bridge) address(ctx context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.peer != nil && b.peer.Alive() {
		return b.url, nil
	}
	if b.peer != nil {
		b.peer.Kill()
		b.peer = nil
	}
	if !process.Supported {
		return "", &RefusedError{"this system cannot stop everything that an environment starts"}
	}
	if err := b.write(); err != nil {
		return "", err
	}
	cmd := exec.Command(b.cfg.Python, "-B", b.file)
	cmd.Dir, cmd.Env = b.cfg.Dir, process.Environment(b.cfg.Without)
	peer, err := process.StartPeer(cmd, marker+"="+rand.Text(), b.cfg.Log)
	if err != nil {
		return "", &RefusedError{fmt.Sprintf("start the interpreter of the environment: %v (environment.python)", err)}
	}
	s := b.cfg.Settings
	line, err := json.Marshal(told{
		Kind: s.Kind(), Name: s.Name(), Args: s.Args, Splits: s.splits(), Limit: s.Limit, Prompt: s.Prompt,
		Reward: s.Reward, Floor: b.cfg.Floor, Sample: b.cfg.Sampling, Token: b.token,
	})
	if err != nil {
		peer.Kill()
		return "", fmt.Errorf("write the settings of the environment: %w", err)
	}
	text, err := peer.Ask(ctx, startTime, append(line, '\n'), largestStart)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var r ready
	if err == nil {
		err = jsontext.Unmarshal(text, &r)
	}
	switch {
	case err != nil:
		peer.Kill()
		return "", &RefusedError{fmt.Sprintf("the interpreter of the environment did not start: %v", err)}
	case r.Refused != "":
		peer.Finish(grace)
		return "", &RefusedError{r.Refused}
	}
	b.peer, b.url, b.span, b.what = peer, r.URL, r.Range, r.Package
	return b.url, nil
}

// write writes the program to a file.
func (b *bridge) write() error {
	if b.file != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "gonogo-environment-")
	if err != nil {
		return fmt.Errorf("write the environment's bridge: %w", err)
	}
	file := filepath.Join(dir, "bridge.py")
	if err := os.WriteFile(file, []byte(program()), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write the environment's bridge: %w", err), os.RemoveAll(dir))
	}
	b.file = file
	return nil
}

// killIfStuck kills the bridge at url if it answers nothing: a reward that never returns blocks
// everything in its interpreter. The next rollout starts another one.
func (b *bridge) killIfStuck(url string) {
	ctx, cancel := context.WithTimeout(context.Background(), aliveTime)
	defer cancel()
	if _, err := b.post(ctx, url, "/alive", struct{}{}); err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.peer != nil && b.url == url {
		b.peer.Kill()
	}
}

// lost says how the bridge at url ended; "" if it runs.
func (b *bridge) lost(url string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.peer == nil || b.url != url {
		return "it ended"
	}
	if time.Sleep(300 * time.Millisecond); b.peer.Alive() { // its connections break before it has exited
		return ""
	}
	return b.peer.ExitReason()
}

// close ends the bridge.
func (b *bridge) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.peer != nil {
		b.peer.Finish(grace)
		b.peer = nil
	}
	if b.file != "" {
		_ = os.RemoveAll(filepath.Dir(b.file))
		b.file = ""
	}
}

// splits returns the arguments of each split in which they differ.
func (s Settings) splits() map[string]map[string]any {
	out := map[string]map[string]any{string(rollout.Train): {}}
	if s.Eval != nil || s.Kind() == "openenv" {
		out[string(rollout.Eval)] = s.Eval
	}
	return out
}
