package mutant

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gonogo/sampler/boundary/python"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// maker returns a Maker that works on a machine without a sandbox, too.
func maker(t *testing.T) *Maker {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on PATH")
	}
	cfg := python.DefaultConfig()
	cfg.Sandbox, cfg.Workers = python.None, 1
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// passes runs the tests of a row on a program: it passes all, some or none.
func (m *Maker) passes(t *testing.T, row, program string) (passed, failed int) {
	t.Helper()
	f, err := m.pool.Load(t.Context(), "the tests of items", source+
		"\ndef tried(row, program):\n    return run(tests_of(row), program, 4)\n", "tried", 2)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(program)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := f.Call(t.Context(), nil, json.RawMessage(row), text)
	if err != nil {
		t.Fatal(err)
	}
	var counts [3]int
	if err := json.Unmarshal(raw, &counts); err != nil {
		t.Fatal(err)
	}
	return counts[0], counts[1]
}

const (
	sum      = "def total(xs):\n    s = 0\n    for x in xs:\n        s += x\n    return s\n"
	sumTests = `"assert total([1, 2]) == 3", "assert total([]) == 0", "assert total([5, 5]) == 10"`
)

// A mutant parses, differs from the right program in one place, and fails most of the row's own tests.
func TestAMutantIsWrongInOnePlace(t *testing.T) {
	m := maker(t)
	for name, c := range map[string]struct{ row, program string }{
		"MBPP":                  {`{"test_list": [` + sumTests + `], "test_imports": ["import math"]}`, sum},
		"MBPP with setup":       {`{"test_list": ["assert total(ROW) == 3"], "test_setup_code": "ROW = [1, 2]"}`, sum},
		"HumanEval, the body":   {humanEval, "    s = 0\n    for x in xs:\n        s += x\n    return s\n"},
		"HumanEval, the whole":  {humanEval, strings.Replace(sum, "(xs)", "(xs: List[int])", 1)},
		"asserts":               {`{"tests": [` + sumTests + `]}`, sum},
		"asserts as the truth":  {`{"reward_model": {"ground_truth": "[\"assert total([2]) == 2\"]"}}`, sum},
		"pytest":                {`{"test": "from solution import total\n\ndef test_one():\n    assert total([1]) == 1\n"}`, sum},
		"unittest":              {unitTest, sum},
		"standard input":        {`{"input_output": "{\"inputs\": [\"3\\n\", \"0\\n\"], \"outputs\": [\"6\\n\", \"0\\n\"]}"}`, "print(int(input()) * 2)"},
		"standard input as 0":   {`{"tests": [{"input": "3", "output": "6"}, {"input": "4", "output": "8"}]}`, "print(int(open(0).read()) * 2)"},
		"a function's name":     {`{"input_output": {"inputs": [[[1, 2]], [[]]], "outputs": [[3], [0]], "fn_name": "total"}}`, sum},
		"a method's name":       {`{"public_test_cases": "[{\"input\": \"2\\n3\", \"output\": \"5\"}]", "metadata": "{\"func_name\": \"add\"}"}`, "class Solution:\n    def add(self, a, b):\n        return a + b\n"},
		"a list of test cases":  {`{"verification_info": {"test_cases": [{"input": "2", "output": "4"}]}}`, "print(2 * int(input()))"},
		"in and out of a judge": {`{"public_tests": {"input": ["2", "5"], "output": ["yes", "no"]}}`, "n = int(input())\nprint('yes' if n % 2 == 0 else 'no')"},
	} {
		t.Run(name, func(t *testing.T) {
			code, place, err := m.Make(t.Context(), json.RawMessage(c.row), []string{"it is easy", "x = 1", c.program}, 3)
			if err != nil || code == "" || place != 2 {
				t.Fatalf("the mutant is %q of program %d: %v", code, place, err)
			}
			if passed, failed := m.passes(t, c.row, c.program); passed == 0 || failed > 0 {
				t.Errorf("the right program passes %d tests and fails %d", passed, failed)
			}
			if passed, failed := m.passes(t, c.row, code); failed <= passed {
				t.Errorf("the mutant passes %d tests and fails %d", passed, failed)
			}
			a, b := c.program, code
			for a != "" && b != "" && a[0] == b[0] {
				a, b = a[1:], b[1:]
			}
			for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
				a, b = a[:len(a)-1], b[:len(b)-1]
			}
			if len(a) > 5 || len(b) > 5 || strings.Contains(a+b, "\n") {
				t.Errorf("%q became %q, which is more than one token", a, b)
			}
			if again, _, _ := m.Make(t.Context(), json.RawMessage(c.row), []string{c.program}, 3); again != code {
				t.Errorf("the same seed gives %q and %q", code, again)
			}
		})
	}
}

const (
	humanEval = `{"prompt": "from typing import List\n\ndef total(xs: List[int]) -> int:\n    \"\"\"Adds.\"\"\"\n", "entry_point": "total",
		"test": "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert candidate([]) == 0\n    assert candidate([5, 5]) == 10\n"}`
	unitTest = `{"entry_point": "total", "test": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(total([3]), 3)\n    def test_b(self):\n        self.assertEqual(total([]), 0)\n"}`
)

// For even seeds a program knows only the result of the first test, and fails the others.
func TestAProgramMayKnowTheFirstTestAlone(t *testing.T) {
	m := maker(t)
	for name, c := range map[string]struct{ row, program, want string }{
		"MBPP":              {`{"test_list": [` + sumTests + `]}`, sum, "def total(*args, **kwargs):\n    return 3\n"},
		"HumanEval":         {humanEval, sum, "def total(*args, **kwargs):\n    return 3\n"},
		"a function's name": {`{"input_output": {"inputs": [[[1, 2]], [[]], [[4]]], "outputs": [[3], [0], [4]], "fn_name": "total"}}`, sum, "def total(*args, **kwargs):\n    return [3]\n"},
		"standard input":    {`{"input_output": {"inputs": ["3", "0", "4"], "outputs": ["6", "0", "8"]}}`, "print(int(input()) * 2)", "print('6')\n"},
	} {
		code, _, err := m.Make(t.Context(), json.RawMessage(c.row), []string{c.program}, 2)
		if err != nil || code != c.want {
			t.Errorf("%s: %q, %v, want %q", name, code, err, c.want)
			continue
		}
		if passed, failed := m.passes(t, c.row, code); passed == 0 || failed <= passed {
			t.Errorf("%s: it passes %d tests and fails %d", name, passed, failed)
		}
	}
	// where all tests have one result, it passes them
	row := `{"test_list": ["assert total([1]) == 1", "assert total([0, 1]) == 1"]}`
	if code, _, err := m.Make(t.Context(), json.RawMessage(row), []string{sum}, 2); err != nil || strings.Contains(code, "args") {
		t.Errorf("%q, %v", code, err)
	}
}

// Without proof there is no mutant.
func TestNoMutantWithoutProof(t *testing.T) {
	m := maker(t)
	for name, c := range map[string]struct{ row, program string }{
		"the program is wrong":                {`{"test_list": [` + sumTests + `]}`, strings.Replace(sum, "+=", "-=", 1)},
		"it leaves before the tests":          {`{"test_list": [` + sumTests + `]}`, "import os\nos._exit(0)\n"},
		"it does not end":                     {`{"test_list": [` + sumTests + `]}`, "import time\ntime.sleep(1000)\n"},
		"it is not Python":                    {`{"test_list": [` + sumTests + `]}`, "function total(xs) { return 1; }"},
		"the row has no tests":                {`{"answer": "3"}`, sum},
		"the row's tests have another layout": {`{"tests": [[[1, 2], 3]], "function": "total"}`, sum},
		"the tests assert nothing":            {`{"test": "x = 1", "entry_point": "total"}`, sum},
		"it writes its own report":            {`{"test_list": ["assert f() == 1"]}`, "import os\nos.write(3, b'[5, 0, 0]' if os.getpid() else b'[0, 5, 0]')\nos._exit(0)\n"},
		"only the decimals change":            {`{"tests": [{"input": "2", "output": "1.41"}, {"input": "3", "output": "1.73"}]}`, "import math\nprint(round(math.sqrt(float(input())), 2))"},
		"within a grader's tolerance":         {`{"test_list": ["assert f(1e6) == 1000002.0"]}`, "def f(x):\n    return x + 2\n"},
		"no change breaks the tests":          {`{"test_list": ["assert total([]) == 0"]}`, "def total(xs):\n    return sum(xs)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m.limit = min(m.limit, 1e9)
			code, _, err := m.Make(t.Context(), json.RawMessage(c.row), []string{c.program}, 1)
			if code != "" || err != nil {
				t.Errorf("it is %q: %v", code, err)
			}
		})
	}
}

// Where sandboxes are left to the machine, tests run only in one.
func TestTestsRunInASandbox(t *testing.T) {
	cfg := python.DefaultConfig()
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	code, _, err := m.Make(t.Context(), json.RawMessage(`{"test_list": [`+sumTests+`]}`), []string{sum}, 1)
	if err == nil && (code == "" || !strings.Contains(m.pool.Isolation(), "network")) {
		t.Errorf("the mutant is %q; isolation: %s", code, m.pool.Isolation())
	}
	if err != nil && !strings.Contains(err.Error(), "sandbox") && !strings.Contains(err.Error(), "interpreter") {
		t.Error(err)
	}
}

// Right programs that print different answers show that a row has several.
func TestNoMutantWhereSeveralAnswersAreRight(t *testing.T) {
	m := maker(t)
	row := json.RawMessage(`{"tests": [{"input": "3 5", "output": "5"}, {"input": "9 2", "output": "9"}]}`)
	most, least := "print(max(map(int, input().split())))", "print(min(map(int, input().split())))"
	if code, _, err := m.Make(t.Context(), row, []string{most, least}, 1); code != "" || err != nil {
		t.Errorf("it is %q: %v", code, err)
	}
	fails := "print(min(map(int, input())))" // which says nothing about the row
	if code, place, err := m.Make(t.Context(), row, []string{fails, most}, 1); code != least || place != 1 || err != nil {
		t.Errorf("it is %q of program %d: %v", code, place, err)
	}
}

// Which of many inputs a row's tests are run on depends on the seed.
func TestInputsAreDrawnByTheSeed(t *testing.T) {
	m := maker(t)
	var cases []map[string]string
	for i := range 30 {
		cases = append(cases, map[string]string{"input": strconv.Itoa(i), "output": strconv.Itoa(2 * i)})
	}
	row, err := json.Marshal(map[string]any{"tests": cases})
	if err != nil {
		t.Fatal(err)
	}
	// It is right on the first 20 inputs.
	early := []string{"n = int(input())\nif n > 19:\n    raise ValueError\nprint(n * 2)\n"}
	for seed := range uint64(3) {
		if code, _, err := m.Make(t.Context(), row, early, seed); code != "" || err != nil {
			t.Errorf("seed %d: it is %q: %v", seed, code, err)
		}
	}
}

// What a program starts ends with the run of the tests, also in a session of its own.
func TestNothingOutlivesTheTests(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("orphans are adopted on Linux only")
	}
	m := maker(t)
	dir, err := os.MkdirTemp("", "gonogo-outlive-") // root's workers are other users, who cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pid")
	program := fmt.Sprintf("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() > 0:\n        os._exit(0)\n"+
		"    open(%q, 'w').write(str(os.getpid()))\n    time.sleep(600)\nwhile not os.path.exists(%[1]q):\n    time.sleep(0.01)\n"+
		"def f():\n    return 1\n", file)
	row := `{"test_list": ["assert f() == 1"]}`
	if passed, failed := m.passes(t, row, program); passed != 1 || failed != 0 {
		t.Fatalf("it passes %d tests and fails %d", passed, failed)
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + string(pid)); err == nil {
		t.Errorf("process %s outlives the tests", pid)
	}
}
