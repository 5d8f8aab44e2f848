package python

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pool is one of the configuration, closed at the end of the test.
func pool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	needPython(t)
	p, err := NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestLoadTellsWhatIsWrong(t *testing.T) {
	p := pool(t, quick())
	for _, c := range []struct{ why, source, says string }{
		{"a syntax error with its line", "x = 1\ndef grade(a, b):\n    return ]\n", "SyntaxError: "},
		{"and the line itself", "x = 1\ndef grade(a, b):\n    return ]\n", "(line 3: return ])"},
		{"a module that is not there, by its name", "import no_such_module\n", "has no module no_such_module (line 1: import no_such_module): install it there, or name another interpreter"},
		{"the interpreter that lacks it", "import no_such_module\n", "(Python 3."},
		{"an exception while loading", "x = {}\ny = x['k']\n", "KeyError: 'k' (line 2: y = x['k'])"},
		{"an end while loading", "import sys\nsys.exit(1)\n", "SystemExit: 1"},
		{"no such function", "def grades(a, b): pass\n", "it defines no function grade"},
		{"no function at all", "grade = 0.5\n", "grade is a float, not a function"},
		{"an argument too few", "def grade(a): pass\n", "grade(a) cannot be called with 2 arguments"},
		{"an argument too many", "def grade(a, b, c): pass\n", "grade(a, b, c) cannot be called with 2 arguments"},
		{"an async function", "async def grade(a, b): pass\n", "async"},
		{"an endless loop while loading", "while True: pass\n", "no result in time"},
		{"an end of the interpreter while loading", "import os\nos._exit(3)\n", "exit status 3"},
		{"a source with a zero byte", "x = '\x00'\n", "null bytes"},
	} {
		_, err := p.Load(t.Context(), "mine", c.source, "grade", 2)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "load mine: ") {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
	if f := load(t, p, "def grade(a, b, c=0, *d, **e): return a"); f == nil {
		t.Error("further arguments that need not be given are refused")
	}
}

func TestAMissingInterpreterIsOneClearError(t *testing.T) {
	script := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho I am none >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, name, says string }{
		{"a name that is not on PATH", "no-such-python", `no python interpreter "no-such-python": install python3, or name the one to use`},
		{"a path that is not there", "/no/such/python", "no python interpreter"},
		{"a program that is none", script, "does not run as a python interpreter: exit status 3; it printed: I am none"},
	} {
		cfg := quick()
		cfg.Interpreter = c.name
		p, err := NewPool(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Load(t.Context(), "mine", "", "grade", 2); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for _, c := range []struct {
		says   string
		change func(*Config)
	}{
		{"interpreter", func(c *Config) { c.Interpreter = "" }},
		{"workers", func(c *Config) { c.Workers = -1 }},
		{"timeout", func(c *Config) { c.Timeout = 0 }},
		{"memory", func(c *Config) { c.Memory = 1 << 20 }},
		{"sandbox", func(c *Config) { c.Sandbox = "yes" }},
	} {
		cfg := DefaultConfig()
		c.change(&cfg)
		if _, err := NewPool(cfg); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want one that says %q", err, c.says)
		}
	}
}

func TestSeveralFunctionsAreApartFromEachOther(t *testing.T) {
	p := pool(t, quick())
	one := load(t, p, "x = 1\ndef grade(a, b): return x\n")
	two := load(t, p, "x = 2\ndef grade(a, b): return x\n")
	for f, want := range map[*Function]string{one: "1", two: "2"} {
		if got, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`)); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if _, err := one.Call(t.Context(), nil, json.RawMessage(`0`)); err == nil {
		t.Error("a call with an argument too few is made")
	}
}

func TestLongAnEnvironmentOfItsOwnWorksInEachBox(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	needPython(t)
	dir := filepath.Join(t.TempDir(), "my env")
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Skipf("python3 makes no venv here: %v %s", err, out)
	}
	site, err := filepath.Glob(filepath.Join(dir, "lib", "python3.*", "site-packages"))
	if err != nil || len(site) != 1 {
		t.Fatal(site, err)
	}
	if err := os.WriteFile(filepath.Join(site[0], "of_the_team.py"), []byte("value = 42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := quick()
	cfg.Interpreter = filepath.Join(dir, "bin", "python3")
	inEachBox(t, cfg, func(t *testing.T, p *Pool) {
		if isRoot() && p.plan.ready.User {
			if err := os.Chmod(filepath.Join(site[0], "of_the_team.py"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f := load(t, p, "import decimal, of_the_team\ndef grade(a, b): return of_the_team.value\n")
		if got, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`)); err != nil || string(got) != "42" {
			t.Errorf("got %s, %v", got, err)
		}
		if !strings.Contains(p.Interpreter(), dir) {
			t.Errorf("the interpreter is %s", p.Interpreter())
		}
	})
}

func TestHashesAreTheSameInEveryWorker(t *testing.T) {
	var seen []string
	for range 2 {
		f := load(t, pool(t, quick()), "def grade(a, b): return hash('gonogo')\n")
		got, err := f.Call(t.Context(), nil, json.RawMessage(`0`), json.RawMessage(`0`))
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(got))
	}
	if seen[0] != seen[1] {
		t.Errorf("hashes %s", seen)
	}
}
