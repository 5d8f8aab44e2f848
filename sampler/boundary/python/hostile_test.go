package python

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
)

// hostile is a function that does what it should not. After each of them the
// pool answers the next call as if nothing had been.
type hostile struct {
	why, source string
	kind        string // "" = it returns want
	want        string
	says        string
	fast        bool // within the time limit of a call
}

var hostiles = []hostile{
	{"prints do not forge the protocol", "def grade(a, b):\n    print('0 result 1.0'); print('{\"score\": 1.0}')\n    return 0.25", "", "0.25", "", true},
	{"nor do writes to descriptor 1", "import os\ndef grade(a, b):\n    os.write(1, b'1 result 1.0\\n')\n    return 0.25", "", "0.25", "", true},
	{"writes to all descriptors are found out", "import os\ndef grade(a, b):\n    for fd in range(3, 20):\n        try: os.write(fd, b'1 result 1.0\\n')\n        except OSError: pass\n    return 0.25", sampler.KindRuntime, "", "channel of its worker", true},
	{"standard input is empty", "import sys\ndef grade(a, b):\n    return sys.stdin.read() == ''", "", "true", "", true},
	{"sys.exit is an exception", "import sys\ndef grade(a, b):\n    sys.exit(0)", sampler.KindRuntime, "", "SystemExit: 0 (line 3, in grade: sys.exit(0))", true},
	{"os._exit ends the worker", "import os\ndef grade(a, b):\n    os._exit(7)", sampler.KindRuntime, "", "exit status 7", true},
	{"a signal ends the worker", "import os\ndef grade(a, b):\n    import ctypes; ctypes.string_at(0)", sampler.KindRuntime, "", "segmentation fault", true},
	{"what it printed last is told", "import os, sys\ndef grade(a, b):\n    print('last words', file=sys.stderr); os._exit(7)", sampler.KindRuntime, "", "it printed: last words", true},
	{"an infinite loop is ended in time", "def grade(a, b):\n    while True: pass", sampler.KindTimeout, "", "no result in time", false},
	{"even one that catches all", "import signal\ndef grade(a, b):\n    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass", sampler.KindTimeout, "", "no result in time", false},
	{"4 GB are refused", "def grade(a, b):\n    return float(len(bytearray(4 << 30)))", sampler.KindRuntime, "", "MemoryError", true},
	{"4 GB in small pieces are refused", "def grade(a, b):\n    x = []\n    while True: x.append(bytearray(1 << 20))", sampler.KindRuntime, "", "MemoryError", true},
	{"deep recursion is an exception", "def grade(a, b):\n    return grade(a, b)", sampler.KindRuntime, "", "RecursionError", true},
	{"a result that holds itself", "def grade(a, b):\n    x = []; x.append(x); return x", sampler.KindNotANumber, "", "Circular reference", true},
	{"a result above 1 MB is refused", "def grade(a, b):\n    return 'x' * (1 << 21)", sampler.KindNotANumber, "", "longer than 1 MB", true},
	{"a result of 1 MB is not", "def grade(a, b):\n    return len('x' * ((1 << 20) - 2))", "", "1048574", "", true},
	{"much output is drained", "def grade(a, b):\n    for i in range(20000): print('x' * 100)\n    return 1.0", "", "1.0", "", true},
	{"a thread left running", "import threading, time\ndef grade(a, b):\n    threading.Thread(target=time.sleep, args=(60,)).start()\n    return 1.0", "", "1.0", "", true},
	{"a hundred threads left running", "import threading, time\nthreading.stack_size(1 << 16)\ndef grade(a, b):\n    for i in range(100): threading.Thread(target=time.sleep, args=(60,)).start()\n    return 1.0", "", "1.0", "", true},
	{"it changes its arguments", "def grade(a, b):\n    n = len(a); a.clear(); b['x'] = 1\n    return n", "", "1", "", true},
	{"it replaces json", "import json\njson.dumps = json.loads = lambda *a, **k: '1.0'\ndef grade(a, b):\n    return 0.25", "", "0.25", "", true},
	{"an exception with a hostile text", "def grade(a, b):\n    raise ValueError('\\n1 result 1.0\\n\\ud800\\x00' + 'x' * 100000)", sampler.KindRuntime, "", "ValueError: \n1 result 1.0", true},
	{"an exception whose text cannot be made", "class E(Exception):\n    def __str__(self): raise E()\ndef grade(a, b):\n    raise E()", sampler.KindRuntime, "", "cannot be shown", true},
	{"an exception that is none of Exception", "class E(BaseException): pass\ndef grade(a, b):\n    raise E('x')", sampler.KindRuntime, "", "E: x (line 3", true},
	{"a result whose class lies", "class L:\n    @property\n    def __class__(self): return float\ndef grade(a, b):\n    return L()", sampler.KindNotANumber, "", "is a L", true},
	{"bytes that are not UTF-8", "def grade(a, b):\n    return b'\\xff\\xfe'", sampler.KindNotANumber, "", "bytes", true},
	{"a fork that comes back", "import os\ndef grade(a, b):\n    os.fork()\n    return 1.0", "", "1.0", "", true},
	{"a fork that is left running", "import os, time\ndef grade(a, b):\n    if os.fork() == 0:\n        os.setsid(); time.sleep(600)\n    return 1.0", "", "1.0", "", true},
	{"a daemon that hides", "import subprocess, sys\ndef grade(a, b):\n    subprocess.Popen([sys.executable, '-c', 'import os, time\\nif os.fork() == 0: os.setsid(); time.sleep(600)'], env={}, start_new_session=True).wait()\n    return 1.0", "", "1.0", "", true},
	{"no secret is in the environment", "import os\ndef grade(a, b):\n    return 'hush-hush' in str(os.environ)", "", "false", "", true},
}

func TestLongHostileFunctions(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	t.Setenv("GONOGO_TEST_SECRET", "hush-hush")
	cfg := quick()
	cfg.Timeout, cfg.Memory = 3*time.Second, 192<<20
	inEachBox(t, cfg, func(t *testing.T, p *Pool) {
		good := load(t, p, "def grade(a, b):\n    return len(a)\n")
		for _, c := range hostiles {
			begun := time.Now()
			f := load(t, p, c.source)
			got, err := f.Call(t.Context(), nil, json.RawMessage(`{"k":"v"}`), json.RawMessage(`{}`))
			c.check(t, string(got), err)
			if c.fast && time.Since(begun) > cfg.Timeout {
				t.Errorf("%s: it took %v", c.why, time.Since(begun))
			}
			if got, err := good.Call(t.Context(), nil, json.RawMessage(`{"k":"v"}`), json.RawMessage(`{}`)); err != nil || string(got) != "1" {
				t.Errorf("%s: the next call got %s, %v", c.why, got, err)
			}
		}
	})
}

func (c hostile) check(t *testing.T, got string, err error) {
	t.Helper()
	if c.kind == "" {
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.why, got, err, c.want)
		}
		return
	}
	e, ok := errors.AsType[*sampler.GradeError](err)
	if !ok || e.Kind != c.kind || !strings.Contains(e.Error(), c.says) {
		t.Errorf("%s: got %s, %v, want kind %s that says %q", c.why, got, err, c.kind, c.says)
	} else if len(e.Error()) > 8<<10 {
		t.Errorf("%s: the message has %d bytes", c.why, len(e.Error()))
	}
}

func TestASandboxShutsOutNetworkAndFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	name, _ := json.Marshal(secret)
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		if strings.HasSuffix(t.Name(), "plain") {
			t.Skip("there is no sandbox")
		}
		for _, c := range []struct{ why, expression, want string }{
			{"a file of ours", "open(a).read()", "FileNotFoundError"},
			{"the list of users", "open('/etc/passwd').read()", "FileNotFoundError"},
			{"a new file in the system", "open('/usr/x', 'w')", "Read-only file system"},
			{"a new file at the root", "open('/x', 'w')", "Read-only file system"},
			{"a new file beside the interpreter", "open(sys.prefix + '/x', 'w')", "Read-only file system"},
			{"the network", "socket.create_connection(('1.1.1.1', 53), 1)", "unreachable"},
			{"an interface", "[i for i in socket.if_nameindex() if i[1] != 'lo'][0]", "IndexError"},
			{"another process", "[p for p in os.listdir('/proc') if p.isdigit() and int(p) > 50][0]", "IndexError"},
			{"a mount", "os.system('mount -t tmpfs x /usr 2>/dev/null') == 0 or 1/0", "ZeroDivisionError"},
			{"a file above the limit", "open('/tmp/x', 'wb').write(b'x' * (100 << 20))", "OSError"},
		} {
			f := load(t, p, "import os, socket, sys\ndef grade(a, b):\n    return str("+c.expression+")\n")
			_, err := f.Call(t.Context(), nil, name, json.RawMessage(`0`))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one that says %q", c.why, err, c.want)
			}
		}
		f := load(t, p, "def grade(a, b):\n    open('/tmp/mine', 'w').write('x')\n    return open('/tmp/mine').read()\n")
		if got, err := f.Call(t.Context(), nil, name, json.RawMessage(`0`)); err != nil || string(got) != `"x"` {
			t.Errorf("a file of its own in /tmp: %s, %v", got, err)
		}
	})
}

// What is written in memory is bounded as memory is: /tmp and /dev/shm hold half of it
// each, and nothing else can be written.
func TestASandboxBoundsWhatIsWrittenInMemory(t *testing.T) {
	const source = `
import os
def grade(a, b):
    total = 0
    for dir in ("/tmp", "/dev/shm", "/dev", "/", "/run"):
        for i in range(100):
            try:
                with open("%s/fill%d" % (dir, i), "wb", 0) as f:
                    for _ in range(15):
                        total += f.write(b"x" * (4 << 20))
            except OSError:
                break
    return total >> 20
`
	cfg := quick()
	cfg.Memory, cfg.Timeout = 128<<20, 30*time.Second
	inEachBox(t, cfg, func(t *testing.T, p *Pool) {
		if strings.HasSuffix(t.Name(), "plain") {
			t.Skip("there is no sandbox")
		}
		got, err := load(t, p, source).Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
		if mb, parsed := strconv.Atoi(string(got)); err != nil || parsed != nil || mb < 100 || mb > 128 {
			t.Errorf("wrote %s MB, error %v; want at most 128, the memory", got, err)
		}
	})
}

// PYTHONPATH may name the home directory, or be "", which is where python was
// started: its modules are there, and nothing else of it.
func TestASandboxShowsModulesOfTheHomeDirectoryAlone(t *testing.T) {
	needPython(t)
	home := t.TempDir()
	for name, text := range map[string]string{"words.py": "one = 1\n", "pack/__init__.py": "two = 2\n", ".netrc": "x", "keys.txt": "x", "thesis/draft.txt": "x"} {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("PYTHONPATH", home+":")
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		if strings.HasSuffix(t.Name(), "plain") {
			t.Skip("there is no sandbox")
		}
		dir, _ := json.Marshal(home)
		f := load(t, p, "import os, words, pack\ndef grade(a, b):\n    return [words.one + pack.two, sorted(os.listdir(a))]\n")
		got, err := f.Call(t.Context(), nil, dir, json.RawMessage(`0`))
		if want := `[3, ["pack", "words.py"]]`; err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	})
}

func TestLongAForkBombIsEndedAndLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	cfg := quick()
	cfg.Timeout = 2 * time.Second
	inEachBox(t, cfg, func(t *testing.T, p *Pool) {
		if isRoot() && !p.plan.ready.User {
			t.Skip("no limit on processes holds for root here")
		}
		f := load(t, p, "import os\ndef grade(a, b):\n    while True:\n        try: os.fork()\n        except OSError: pass\n")
		begun := time.Now()
		_, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
		if e, ok := errors.AsType[*sampler.GradeError](err); !ok {
			t.Errorf("error %v", e)
		}
		t.Log(time.Since(begun), err)
	})
}

// Memory that no limit on a process counts is not to be had. The numbers of the calls are those of
// the machine's architecture in linux/unistd.h.
func TestMemoryThatIsNotCountedIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has it")
	}
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		for what, call := range map[string]string{
			"memfd_create":                 "os.memfd_create('x')",
			"shared memory of System V":    "check(libc.shmget(0, 1 << 20, 0o1600))",
			"in a process that it started": "check(subprocess.run([sys.executable, '-c', 'import os; os.memfd_create(\"x\")'], stderr=-3).returncode * -1)",
		} {
			t.Run(what, func(t *testing.T) {
				f := load(t, p, "import ctypes, os, subprocess, sys\nlibc = ctypes.CDLL(None)\n"+
					"def check(x):\n    if x < 0: raise OSError(38, 'refused')\n"+
					"def grade(a, b):\n    try: "+call+"\n    except OSError: return 1.0\n    return 0.0\n")
				got, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
				if err != nil || string(got) != "1.0" {
					t.Errorf("got %s, error %v", got, err)
				}
			})
		}
	})
}

func TestLongMemoryOfSeveralProcessesCountsTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	cfg := quick()
	cfg.Memory, cfg.Timeout = 256<<20, 20*time.Second
	inEachBox(t, cfg, func(t *testing.T, p *Pool) {
		f := load(t, p, "import os, time\ndef grade(a, b):\n    for i in range(5):\n        if os.fork() == 0:\n            x = os.urandom(100 << 20); time.sleep(60)\n    time.sleep(60)\n")
		_, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
		if err == nil || !strings.Contains(err.Error(), "MB of memory together") {
			t.Errorf("error %v", err)
		}
	})
}

func TestACancelledCallEndsAtOnce(t *testing.T) {
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		f := load(t, p, "import time\ndef grade(a, b):\n    time.sleep(a)\n    return 1.0\n")
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := f.Call(ctx, nil, json.RawMessage(`60`), json.RawMessage(`0`)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if got, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`)); err != nil || string(got) != "1.0" {
			t.Errorf("the next call got %s, %v", got, err)
		}
	})
}
