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
	"strconv"
	"strings"
)

//go:embed worker.py
var workerSource string

// marker is the variable by which processes of a worker are known.
const marker = "GONOGO_WORKER"

// plan is how workers are started.
type plan struct {
	cfg         Config
	interpreter *interpreter
	box         *box
	dir         string // where the workers live that have no /tmp of their own; "" when they have
}

// newPlan asks the interpreter and tries the sandboxes, the best first.
func newPlan(ctx context.Context, cfg Config) (*plan, error) {
	if !runs {
		return nil, errors.New("python graders do not run on this system: Linux and macOS have what they need")
	}
	in, err := ask(ctx, cfg.Interpreter)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gonogo-python-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for python: %w", err)
	}
	p := &plan{cfg: cfg, interpreter: in, dir: dir}
	var tried []string
	for _, b := range boxes(cfg.Sandbox, in) {
		p.box = b
		w, err := p.start(ctx)
		if err == nil {
			w.kill()
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), p.close())
		}
		tried = append(tried, b.name+": "+err.Error())
	}
	if len(tried) == 0 {
		return nil, errors.Join(errNoSandbox, p.close())
	}
	err = errors.New(strings.Join(tried, "; "))
	if cfg.Sandbox == Required {
		err = fmt.Errorf("%w (%w)", errNoSandbox, err)
	}
	return nil, errors.Join(fmt.Errorf("start %s: %w", in, err), p.close())
}

// start starts one worker.
func (p *plan) start(ctx context.Context) (*worker, error) {
	mark := marker + "=" + strconv.FormatUint(rand.Uint64(), 36)
	args := append(p.box.command(), p.interpreter.Executable, "-B", "-c", workerSource)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = append(p.environ(), mark)
	cmd.SysProcAttr = ownSession()
	setup, err := json.Marshal(p.setup())
	if err != nil {
		return nil, err
	}
	return spawn(ctx, cmd, mark, setup, p.cfg.Timeout)
}

// setup is the first line that a worker reads.
type setup struct {
	Path   []string         `json:"path"`
	Parent int              `json:"parent"` // the process to die with; 0 when the sandbox sees to that
	Seal   bool             `json:"seal"`   // make the file system read-only
	Limits map[string]int64 `json:"limits"`
}

// Limits on what a worker may use, beside its memory. The processes of a user
// are counted together where a worker has no user namespace of its own.
const (
	fileSize  = 64 << 20
	openFiles = 256
	processes = 256
)

func (p *plan) setup() setup {
	s := setup{Path: p.interpreter.Path, Seal: p.box.seal, Limits: map[string]int64{
		"RLIMIT_AS": p.cfg.Memory, "RLIMIT_FSIZE": fileSize, "RLIMIT_NOFILE": openFiles, "RLIMIT_CORE": 0,
	}}
	if p.box.ownProcesses {
		s.Limits["RLIMIT_NPROC"] = processes
	} else {
		s.Parent = os.Getpid()
	}
	return s
}

// environ is the whole environment of a worker. Libraries for numbers keep to
// one thread each: there are several workers.
func (p *plan) environ() []string {
	home := p.dir
	if p.box.ownTmp {
		home = "/tmp"
	}
	out := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + home, "TMPDIR=" + home,
		"PYTHONHASHSEED=0", "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1",
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_ARENA_MAX=2",
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if v := os.Getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// sentence is what Isolation says.
func (p *plan) sentence() string {
	s := p.box.holds
	if !p.box.ownProcesses && p.cfg.Sandbox != None {
		s += " (no bubblewrap and no user namespaces on this machine)"
	}
	return s
}

// close removes what the workers have left in their folder.
func (p *plan) close() error {
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove the folder of the python workers: %w", err)
	}
	return nil
}
