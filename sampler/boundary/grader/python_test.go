package grader_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/rollout"
)

// interpreters is a pool with one worker, closed at the end of the test.
func interpreters(t testing.TB) *python.Pool {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine: install it to run this test")
	}
	cfg := python.DefaultConfig()
	cfg.Workers = 1
	p, err := python.NewPool(cfg)
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

func pythonGrader(source string) string {
	b, err := json.Marshal(map[string]string{"type": "python", "name": "mine", "source": source, "image_tag": "2025-05-08"})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestPythonRewards(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	for _, c := range []struct {
		why, body string
		want      float64
	}{
		{"a float", `return 0.25`, 0.25},
		{"an int counts as a float", `return 2`, 2},
		{"a bool is an int in Python", `return item["answer"] == "Paris"`, 1},
		{"a false bool", `return False`, 0},
		{"a subclass of float, as numpy.float64 is one", "class F(float): pass\n    return F(0.5)", 0.5},
		{"the row is the item", `return 1.0 if item["messages"] == [] else 0.0`, 1},
		{"the text is there", `return 1.0 if sample["output_text"] == '{"a": 1}' else 0.0`, 1},
		{"and once more parsed, as it is an object", `return float(sample["output_json"]["a"])`, 1},
		{"the shape of choices", `return float(len(sample["choices"][0]["message"]["content"]))`, 8},
		{"output_tools is a list", `return float(len(sample["output_tools"]))`, 0},
		{"a number outside of every range is for the sampler to refuse", `return -1e300`, -1e300},
	} {
		g := open(t, pythonGrader("def grade(sample, item):\n    "+c.body+"\n"), env)
		got, err := g.Grade(t.Context(), output(`{"a": 1}`))
		if err != nil || got.Reward != c.want {
			t.Errorf("%s: reward %v, error %v, want %v", c.why, got.Reward, err, c.want)
		}
	}
}

func TestPythonFailuresAreNoNumbers(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	for _, c := range []struct{ why, body, kind, says string }{
		{"an exception tells its type, message and line", `return 1 / 0`, sampler.KindRuntime, "ZeroDivisionError: division by zero (line 2, in grade: return 1 / 0)"},
		{"None", `pass`, sampler.KindNotANumber, "returned None"},
		{"a str, even of digits", `return "0.5"`, sampler.KindNotANumber, `the str "0.5"`},
		{"a list", `return [1.0]`, sampler.KindNotANumber, "a list"},
		{"a dict", `return {"score": 1.0}`, sampler.KindNotANumber, "a dict"},
		{"NaN", `return float("nan")`, sampler.KindNotANumber, "nan"},
		{"infinity", `return float("-inf")`, sampler.KindNotANumber, "-inf"},
		{"an int that no float can hold", `return 10 ** 400`, sampler.KindNotANumber, "not a finite float"},
		{"something that is not a number", `return object()`, sampler.KindNotANumber, "object"},
	} {
		g := open(t, pythonGrader("def grade(sample, item):\n    "+c.body+"\n"), env)
		_, err := g.Grade(t.Context(), output("x"))
		e, ok := errors.AsType[*sampler.GradeError](err)
		if !ok || e.Kind != c.kind || !strings.Contains(e.Error(), c.says) {
			t.Errorf("%s: error %v, want kind %s that says %q", c.why, err, c.kind, c.says)
			continue
		}
		if strings.Count(e.Error(), "the hosted service would have scored it 0") != 1 || !strings.Contains(e.Error(), "python grader mine") {
			t.Errorf("%s: the error does not say once what the service does, and which grader: %v", c.why, e)
		}
		if w := grader.Warnings(g); len(w) != 1 || !strings.Contains(w[0], "no finite number: 1;") {
			t.Errorf("%s: warnings %q", c.why, w)
		}
	}
}

func TestPythonStartTellsBeforeSampling(t *testing.T) {
	env := grader.Env{Python: interpreters(t)}
	for _, c := range []struct{ why, source, says string }{
		{"a syntax error with its line", "def grade(sample, item):\n    return (\n", "SyntaxError"},
		{"a module that is not there", "import rapidfuz\ndef grade(sample, item): return 0.0", "no module rapidfuz (line 1: import rapidfuz): install it there"},
		{"no function", "def score(sample, item): return 0.0", "defines no function grade"},
		{"one argument too few", "def grade(sample): return 0.0", "grade(sample) cannot be called with 2 arguments"},
	} {
		err := grader.Start(t.Context(), open(t, pythonGrader(c.source), env))
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "python grader mine") {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
}

func TestPythonNewRefuses(t *testing.T) {
	pool, err := python.NewPool(python.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	long := "def grade(sample, item):\n    return 0.0\n#" + strings.Repeat("x", 256_000)
	for _, c := range []struct {
		why, raw, says string
		env            grader.Env
	}{
		{"no source", `{"type":"python"}`, "source is missing", grader.Env{Python: pool}},
		{"a source above the service's limit", pythonGrader(long), "less than 256000", grader.Env{Python: pool}},
		{"no interpreters", pythonGrader("x"), "without them", grader.Env{}},
		{"a source that is no text", `{"type":"python","source":1}`, "source", grader.Env{Python: pool}},
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(c.raw), c.env); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.why, err, c.says)
		}
	}
}

func TestPythonTellsOfItself(t *testing.T) {
	g := open(t, pythonGrader("def grade(sample, item):\n    return float(len(sample['output_tools']))\n"), grader.Env{Python: interpreters(t)})
	if got := g.(grader.Reader).Reads(); len(got) != 1 || got[0] != "output_tools" {
		t.Errorf("reads %q", got)
	}
	if _, ok := grader.Choices(g)["python interpreter"]; ok {
		t.Error("an interpreter is named before one was asked")
	}
	if err := grader.Start(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	c := grader.Choices(g)
	if !strings.Contains(c["python interpreter"], "(Python 3.") || !strings.Contains(c["python interpreter"], "2025-05-08") {
		t.Errorf("interpreter: %q", c["python interpreter"])
	}
	if c["python isolation"] == "" || !strings.Contains(c["python result"], "True and False are 1 and 0") {
		t.Errorf("choices: %q", c)
	}
	if w := grader.Warnings(g); w != nil {
		t.Errorf("warnings before any grading: %q", w)
	}
}

func TestPythonInAMultiGrader(t *testing.T) {
	raw := `{"type":"multi","graders":{"a":` + pythonGrader("def grade(sample, item): return 0.5") + `,"b":` +
		pythonGrader("def grade(sample, item): return 1.0 if sample['output_text'] == item['answer'] else 0.0") + `},"calculate_output":"a * b"}`
	g := open(t, raw, grader.Env{Python: interpreters(t)})
	if err := grader.Start(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	got, err := g.Grade(t.Context(), output("Paris"))
	if err != nil || got.Reward != 0.5 || got.Parts["a"] != 0.5 || got.Parts["b"] != 1 {
		t.Errorf("grade %+v, error %v", got, err)
	}
}

func BenchmarkPython(b *testing.B) {
	g, err := grader.New(grader.Kinds(), json.RawMessage(pythonGrader("def grade(sample, item):\n    return 1.0 if item['answer'] in sample['output_text'] else 0.0\n")), grader.Env{Python: manyInterpreters(b)})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"20KB", 20 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			out := sampler.Output{Item: &rollout.Item{ID: "q", Row: json.RawMessage(row)}, Text: strings.Repeat("the capital is \"Paris\"\n", size.bytes/23), FinishReason: "stop"}
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := g.Grade(b.Context(), out); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "grades/s")
		})
	}
}

// manyInterpreters is a pool with a worker for each processor.
func manyInterpreters(b *testing.B) *python.Pool {
	b.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		b.Skip("no python3 on this machine: install it to run this benchmark")
	}
	p, err := python.NewPool(python.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.Close(); err != nil {
			b.Error(err)
		}
	})
	return p
}
