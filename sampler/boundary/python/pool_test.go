package python

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// needPython skips a test on a machine without python3.
func needPython(tb testing.TB) {
	tb.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		tb.Skip("no python3 on this machine: install it to run this test")
	}
}

// inEachBox runs a test in every way that this machine can hold a worker.
func inEachBox(t *testing.T, cfg Config, test func(*testing.T, *Pool)) {
	needPython(t)
	in, err := ask(t.Context(), cfg.Interpreter)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"bubblewrap", "namespaces", "plain"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			all := boxes(cfg, in)
			i := slices.IndexFunc(all, func(b *box) bool { return b.name == name })
			if i < 0 {
				t.Skipf("no %s on this machine", name)
			}
			p, err := NewPool(cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
			plan, err := tryBoxes(t.Context(), cfg, in, all[i:i+1])
			if err != nil {
				if name == "plain" {
					t.Fatal(err)
				}
				t.Skipf("%s does not work on this machine: %v", name, err)
			}
			p.begin(plan)
			test(t, p)
		})
	}
}

func load(t *testing.T, p *Pool, source string) *Function {
	t.Helper()
	f, err := p.Load(t.Context(), "hostile", source, "grade", 2)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func quick() Config {
	cfg := DefaultConfig()
	cfg.Workers = 1
	cfg.Timeout = 5 * time.Second
	cfg.Memory = 512 << 20
	return cfg
}

func TestAFunctionReturnsWhatItReturned(t *testing.T) {
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		f := load(t, p, "def grade(a, b):\n    return [a, b]\n")
		for _, arg := range []string{`1`, `2.5`, `"text"`, `null`, `true`, `{"a":[1,2]}`, `"\u2028 \ud83d\ude00"`, `"\ud800"`, "[1,\n2]"} {
			got, err := f.Call(context.Background(), nil, json.RawMessage(arg), json.RawMessage(`0`))
			if err != nil {
				t.Fatalf("%s: %v", arg, err)
			}
			var a, b any
			if err := json.Unmarshal([]byte("["+arg+",0]"), &a); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(got, &b); err != nil {
				t.Fatal(err)
			}
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			if string(x) != string(y) {
				t.Errorf("%s came back as %s", arg, got)
			}
		}
	})
}

func TestIsolationSaysWhatHolds(t *testing.T) {
	inEachBox(t, quick(), func(t *testing.T, p *Pool) {
		s := p.Isolation()
		if strings.HasSuffix(t.Name(), "plain") != strings.Contains(s, "without a sandbox") {
			t.Errorf("isolation: %s", s)
		}
		t.Log(s)
	})
}
