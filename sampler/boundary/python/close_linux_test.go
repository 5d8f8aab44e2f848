package python

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/sampler/boundary/internal/process"
)

// marked lists the processes whose environment or command line holds a text.
func marked(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		for _, file := range []string{"environ", "cmdline"} {
			b, err := os.ReadFile(filepath.Join(dir, file))
			if err == nil && pid != os.Getpid() && strings.Contains(string(b), text) {
				out = append(out, fmt.Sprintf("%d: %q", pid, b))
				break
			}
		}
	}
	return out
}

func TestLongCloseLeavesNoProcessBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		token := fmt.Sprintf("left-by-%d-%s", os.Getpid(), filepath.Base(t.Name()))
		for _, source := range []string{
			"import os, time\ndef grade(a, b):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0: time.sleep(600)\n        os._exit(0)\n    return 1.0",
			"import subprocess, sys\ndef grade(a, b):\n    subprocess.Popen([sys.executable, '-c', 'import os, time\\nif os.fork() == 0: os.setsid(); time.sleep(600)', '" + token + "'], env={}, start_new_session=True).wait()\n    return 1.0",
			"import os, time\ndef grade(a, b):\n    if os.fork() == 0: os.setsid(); time.sleep(600)\n    os._exit(1)",
			"import threading, time\ndef grade(a, b):\n    threading.Thread(target=time.sleep, args=(600,)).start()\n    return 1.0",
		} {
			_, _ = load(t, p, source).Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
		}
		mark := p.plan.mark
		if len(marked(t, mark)) == 0 {
			t.Fatal("no worker carries the mark: the test looks for the wrong thing")
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if left := append(marked(t, mark), marked(t, token)...); len(left) > 0 {
			t.Errorf("left behind: %s", left)
		}
		if _, err := os.Stat(p.plan.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder of the workers: %v", err)
		}
		if _, err := p.Load(t.Context(), "late", "", "grade", 2); !errors.Is(err, errClosed) {
			t.Errorf("loading after Close: %v", err)
		}
	})
}

func TestCloseWaitsForCallsUnderWay(t *testing.T) {
	cfg := quick()
	cfg.Workers = 2
	p := pool(t, cfg)
	f := load(t, p, "def grade(a, b): return a\n")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				got, err := f.Call(t.Context(), nil, json.RawMessage(`1`), json.RawMessage(`0`))
				if errors.Is(err, errClosed) {
					return
				}
				if err != nil || string(got) != "1" {
					t.Errorf("got %s, %v", got, err)
					return
				}
			}
		})
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

func TestAWorkerThatDiedIdleIsReplaced(t *testing.T) {
	p := pool(t, quick())
	f := load(t, p, "def grade(a, b): return a\n")
	w := p.idle[0]
	process.KillGroup(w.cmd.Process.Pid)
	<-w.gone
	if got, err := f.Call(t.Context(), nil, json.RawMessage(`1`), json.RawMessage(`0`)); err != nil || string(got) != "1" {
		t.Errorf("got %s, %v", got, err)
	}
}

// orphan is set in a process that a test starts to kill it.
const orphan = "GONOGO_TEST_ORPHAN"

// TestOrphan is not a test: it is the process that the next test kills.
func TestOrphan(t *testing.T) {
	name := os.Getenv(orphan)
	if name == "" {
		t.Skip("part of another test")
	}
	in, err := ask(t.Context(), "python3")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range boxes(quick(), in) {
		if b.name != name {
			continue
		}
		plan, err := tryBoxes(t.Context(), quick(), in, []*box{b})
		if err != nil {
			fmt.Println("none", err)
			return
		}
		p, err := NewPool(quick())
		if err != nil {
			t.Fatal(err)
		}
		p.begin(plan)
		f := load(t, p, "def grade(a, b):\n    while True: pass\n")
		fmt.Println("mark", plan.mark, plan.dir)
		_, _ = f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
	}
}

func TestLongWorkersDieWithUs(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	needPython(t)
	for _, name := range []string{"bubblewrap", "namespaces", "plain"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestOrphan$")
			cmd.Env = append(os.Environ(), orphan+"="+name)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			fields := strings.Fields(line)
			if err != nil || len(fields) != 3 || fields[0] != "mark" {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				t.Skipf("no %s on this machine: %q", name, line)
			}
			defer os.RemoveAll(fields[2])
			for busy := time.Now().Add(200 * time.Millisecond); time.Now().Before(busy) && len(marked(t, fields[1])) == 0; {
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for end := time.Now().Add(time.Minute); len(marked(t, fields[1])) > 0; {
				if time.Now().After(end) {
					t.Fatalf("still there: %s", marked(t, fields[1]))
				}
			}
		})
	}
}

// TestRootsWorkersAreOtherUsers has an interpreter that every user may read.
func TestRootsWorkersAreOtherUsers(t *testing.T) {
	if !isRoot() {
		t.Skip("for root alone")
	}
	cfg := quick()
	cfg.Interpreter = "/usr/bin/python3"
	if _, err := os.Stat(cfg.Interpreter); err != nil {
		t.Skip("no interpreter of the system: ", err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	name, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Sandbox = None
	p := pool(t, cfg)
	f := load(t, p, "import os\ndef grade(a, b):\n    return [os.getuid() != 0, os.access(a, os.R_OK), os.access('.', os.W_OK)]\n")
	got, err := f.Call(t.Context(), nil, name, json.RawMessage(`0`))
	if err != nil || string(got) != "[true, false, true]" {
		t.Errorf("got %s, %v", got, err)
	}
	if !strings.Contains(p.Isolation(), "as its own user") {
		t.Errorf("isolation: %s", p.Isolation())
	}
}
