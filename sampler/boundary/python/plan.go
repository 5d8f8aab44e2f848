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

// marker is the variable by which processes of a worker are known.
const marker = "GONOGO_WORKER"

// plan is how workers are started.
type plan struct {
	cfg         Config
	interpreter *interpreter
	box         *box
	dir         string // where the workers live that have no /tmp of their own
	ready       ready  // what the first worker said
	users       int64  // where the users of the workers begin
	mark        string // the beginning of the marks of its workers
	started     atomic.Int64
}

// newPlan asks the interpreter and tries the sandboxes, the best first.
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

// tryBoxes takes the first in which a worker starts.
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

// bootstrap has an interpreter read its program from standard input: as many
// bytes as its argument says.
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
	return spawn(ctx, cmd, mark, p.box.own, append(append([]byte(program), setup...), '\n'), p.cfg.Timeout)
}

// isRoot says whether limits on processes do not hold, unless a worker becomes
// another user.
func isRoot() bool { return runtime.GOOS == "linux" && os.Geteuid() == 0 }

// setup is the first line that a worker reads.
type setup struct {
	Path   []string         `json:"path"`
	Parent int              `json:"parent"` // the process to die with; 0 when the sandbox sees to that
	User   int64            `json:"user"`   // what tells the user that it becomes from others; 0 = it stays who it is
	Box    *view            `json:"box"`
	Limits map[string]int64 `json:"limits"`
}

// Limits on what a worker may use, in addition to its memory. The last is for workers
// whose processes are counted together with all others of the user.
const (
	fileSize      = 64 << 20
	tmpSize       = 256 << 20
	openFiles     = 256
	processes     = 256
	processesUser = 8192
)

// setup is for the nth worker.
func (p *plan) setup(n int64) setup {
	s := setup{Path: p.interpreter.Path, Box: p.box.enter, Limits: map[string]int64{
		"RLIMIT_AS": p.cfg.Memory, "RLIMIT_FSIZE": fileSize, "RLIMIT_NOFILE": openFiles, "RLIMIT_CORE": 0,
		"RLIMIT_NPROC": processes,
	}}
	if !p.box.own || p.box.enter != nil {
		s.Parent = os.Getpid()
	}
	if s.Box != nil {
		s.Box.Root = p.dir
	}
	switch {
	case s.Parent != 0 && isRoot():
		s.User = p.users + n
	case !p.box.own:
		s.Limits["RLIMIT_NPROC"] = processesUser
	}
	return s
}

// environ is the whole environment of a worker. Libraries for numbers keep to
// one thread each: there are several workers.
func (p *plan) environ() []string {
	home := p.dir
	if p.box.own {
		home = "/tmp"
	}
	out := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + home, "TMPDIR=" + home,
		"PYTHONHASHSEED=0", "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1",
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_ARENA_MAX=2",
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NLTK_DATA"} {
		if v := os.Getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// sentence is what Isolation says.
func (p *plan) sentence() string {
	s := p.box.holds
	if !p.box.own && p.cfg.Sandbox != None {
		s += " (this machine has neither bubblewrap nor user namespaces that work)"
	}
	if !p.box.own && p.ready.User {
		s += "; it runs as a user of its own"
	}
	if len(p.ready.Failed) > 0 {
		s += "; this system does not enforce " + strings.Join(p.ready.Failed, ", ")
	}
	return s
}

// close ends and removes what the workers have left behind.
func (p *plan) close() error {
	process.KillMarked(p.mark + ".")
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove the folder of the python workers: %w", err)
	}
	return nil
}
