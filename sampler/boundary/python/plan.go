package python

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"gonogo/sampler/boundary/internal/process"
)

//go:embed namespaces.py
var namespacesSource string

//go:embed process.py
var processSource string

//go:embed worker.py
var workerSource string

// marker is the environment variable that identifies the processes of a worker.
const marker = "GONOGO_WORKER"

// plan holds what is needed to start workers.
type plan struct {
	cfg         Config
	interpreter *interpreter
	box         *box
	dir         string // working directory of the workers, and home of those without their own /tmp
	ready       ready  // the first worker's report
	users       int64  // first number for the users of the workers
	mark        string // prefix of the workers' marks
	started     atomic.Int64
}

// newPlan queries the interpreter and tries the sandboxes, the best first.
func newPlan(ctx context.Context, cfg Config) (*plan, error) {
	if !process.Supported {
		return nil, errors.New("python graders do not run on this system: Linux and macOS have what they need")
	}
	in, err := ask(ctx, cfg.Interpreter)
	if err != nil {
		return nil, err
	}
	return tryBoxes(ctx, cfg, in, boxes(cfg, in))
}

// tryBoxes returns a plan with the first sandbox in which a worker starts.
func tryBoxes(ctx context.Context, cfg Config, in *interpreter, all []*box) (*plan, error) {
	dir, err := os.MkdirTemp("", "gonogo-python-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for python: %w", err)
	}
	p := &plan{
		cfg: cfg, interpreter: in, dir: dir, mark: marker + "=" + strconv.FormatUint(rand.Uint64(), 36),
		users: rand.Int64N(1 << 28),
	}
	if isRoot() { // then each worker runs as its own user
		if err := os.Chmod(dir, 0o1777); err != nil {
			return nil, errors.Join(fmt.Errorf("open the folder of python: %w", err), p.close())
		}
	}
	var tried []string
	for _, b := range all {
		p.box = b
		w, err := p.start(ctx)
		if err == nil {
			p.ready = w.ready
			w.kill()
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), p.close())
		}
		tried = append(tried, b.name+": "+err.Error())
	}
	why := strings.Join(tried, "; ")
	if cfg.Sandbox == Required {
		return nil, errors.Join(fmt.Errorf("no sandbox for python works here: install bubblewrap, allow user "+
			"namespaces, or set sandbox to none (%s)", why), p.close())
	}
	return nil, errors.Join(fmt.Errorf("start %s: %s", in, why), p.close())
}

// bootstrap makes an interpreter read its program from standard input. Its argument is the number of
// bytes.
const bootstrap = `
import os, sys
left, program = int(sys.argv.pop()), b""
while left > len(program):
    program += os.read(0, left - len(program)) or os._exit(0)
exec(compile(program, "worker.py", "exec"))
`

// start starts one worker.
func (p *plan) start(ctx context.Context) (*worker, error) {
	n := p.started.Add(1)
	mark := fmt.Sprintf("%s.%d;", p.mark, n)
	program := processSource + namespacesSource + workerSource
	args := append(slices.Clone(p.box.args), p.interpreter.Executable, "-B", "-c", bootstrap,
		strconv.Itoa(len(program)))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = append(p.environ(), mark)
	cmd.SysProcAttr = process.Detach()
	setup, err := json.Marshal(p.setup(n))
	if err != nil {
		return nil, err
	}
	return spawn(ctx, cmd, mark, p.box.isolated, append(append([]byte(program), setup...), '\n'), p.cfg.Timeout)
}

// isRoot reports whether this is root on Linux. The limit on processes does not apply to root, so each
// worker must become another user.
func isRoot() bool { return runtime.GOOS == "linux" && os.Geteuid() == 0 }

// setup is the first line that a worker reads.
type setup struct {
	Path   []string         `json:"path"`
	Parent int              `json:"parent"` // the process to die with; 0 if the sandbox takes care of it
	User   int64            `json:"user"`   // number of the user to become; 0 = no change
	Box    *view            `json:"box"`
	Limits map[string]int64 `json:"limits"`
}

// Limits of a worker, in addition to its memory. processesUser is for workers whose processes the
// system counts together with all others of the user.
const (
	fileSize      = 64 << 20  // bytes
	tmpSize       = 256 << 20 // bytes
	openFiles     = 256
	processes     = 256
	processesUser = 8192
)

// setup returns the set-up of the nth worker.
func (p *plan) setup(n int64) setup {
	s := setup{Path: p.interpreter.Path, Box: p.box.enter, Limits: map[string]int64{
		"RLIMIT_AS": p.cfg.Memory, "RLIMIT_FSIZE": fileSize, "RLIMIT_NOFILE": openFiles, "RLIMIT_CORE": 0,
		"RLIMIT_NPROC": processes,
	}}
	if !p.box.isolated || p.box.enter != nil {
		s.Parent = os.Getpid()
	}
	if s.Box != nil {
		s.Box.Root = p.dir
	}
	switch {
	case s.Parent != 0 && isRoot():
		s.User = p.users + n
	case !p.box.isolated:
		s.Limits["RLIMIT_NPROC"] = processesUser
	}
	return s
}

// environ returns the complete environment of a worker. Numerical libraries use one thread each,
// because there are several workers.
func (p *plan) environ() []string {
	home := p.dir
	if p.box.isolated {
		home = "/tmp"
	}
	out := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + home, "TMPDIR=" + home,
		"PYTHONHASHSEED=0", "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1",
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_ARENA_MAX=2",
	}
	if p.box.isolated {
		// Without a network litellm fetches its prices in vain, and fails to be imported on a busy machine.
		out = append(out, "LITELLM_LOCAL_MODEL_COST_MAP=True")
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NLTK_DATA"} {
		if v := os.Getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// sentence returns the text for Isolation.
func (p *plan) sentence() string {
	s := p.box.sentence
	if !p.box.isolated && p.cfg.Sandbox != None {
		s += " (this machine has neither working bubblewrap nor working user namespaces)"
	}
	if !p.box.isolated && p.ready.User {
		s += "; it runs as its own user"
	}
	if len(p.ready.Failed) > 0 {
		s += "; this system does not enforce " + strings.Join(p.ready.Failed, ", ")
	}
	return s
}

// close kills the processes that the workers left behind and removes their folder.
func (p *plan) close() error {
	process.KillMarked(p.mark + ".")
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove the folder of the python workers: %w", err)
	}
	return nil
}
