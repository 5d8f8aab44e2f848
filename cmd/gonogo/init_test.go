package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
)

// initIn runs `gonogo init` with the files of dir; {dir} in an argument
// stands for it.
func initIn(t *testing.T, dir string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "{dir}", dir)
	}
	var out, talk bytes.Buffer
	app := &cli.App{Commands: []*cli.Command{initCommand()}, Writer: &out, ErrWriter: &talk, ExitErrHandler: func(*cli.Context, error) {}}
	err = app.Run(append([]string{"gonogo", "init"}, args...))
	return out.String(), talk.String(), err
}

// manyRows makes n rows with an id, a topic and a document under names that
// are not the defaults.
func manyRows(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`{"question_id":"` + strings.Repeat("q", i+1) + `","topic":"` + []string{"tax", "law"}[i%2] + `","document":"d` + string(rune('a'+i/2%20)) +
			`","messages":[{"role":"user","content":"` + strings.Repeat("w", i+1) + `"}],"answer":"` + strings.Repeat("a", i+1) + `"}` + "\n")
	}
	return b.String()
}

// initFolder writes files into a new folder.
func initFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// initEnv is an environment that has the keys that initJob reads.
func initEnv(name string) (string, bool) {
	value, ok := map[string]string{"OPENAI_API_KEY": "sk-planted", "TOOL_KEY": "planted-tool"}[name]
	return value, ok
}

const (
	initJob = `{"model":"base-model","training_file":"file-t","validation_file":"file-v",
 "method":{"type":"reinforcement","reinforcement":{
  "tools":[{"name":"search","server_url":"https://tools.example.com/search","headers":{"Authorization":"Bearer ${TOOL_KEY}"}}],
  "grader":{"type":"score_model","name":"g","model":"judge-model","input":[],"range":[0,10],"pass_threshold":7},
  "max_episode_steps":12,"hyperparameters":{"batch_size":32,"n_epochs":"auto","reasoning_effort":"high"}}}}`
	initRow = `{"id":"a","messages":[{"role":"user","content":"q"}],"answer":"x"}` + "\n"
)

func TestInitGolden(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_API_KEY", "")
	dir := initFolder(t, map[string]string{"job.json": initJob, "train.jsonl": manyRows(501), "val.jsonl": manyRows(12)})
	out := filepath.Join(dir, "gonogo.yaml")
	_, talk, err := initIn(t, dir, "--train", "{dir}/train.jsonl", "--eval", "{dir}/val.jsonl", "--job", "{dir}/job.json", "-o", out)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 40 {
		t.Errorf("a draft of %d lines, which a user reads before the first run", n)
	}
	goldenText(t, "init.yaml", text)

	c, err := config.Load(out, initEnv)
	if err != nil {
		t.Fatalf("what init wrote is not loaded: %v", err)
	}
	if c.Data.IDField != "question_id" || c.Data.CategoryField != "topic" || c.Data.FamilyField != "document" || c.Items != 0 {
		t.Errorf("data fields %+v, items %d", c.Data, c.Items)
	}
	for _, want := range []string{"wrote " + out, "501 rows", "remarks on the data: see gonogo check", "gonogo check -c " + out, "gonogo run -c " + out + " -o my-run"} {
		if !strings.Contains(talk, want) {
			t.Errorf("next steps lack %q:\n%s", want, talk)
		}
	}
}

// The server that a shell names is written down: in another shell the rows would go to the default
// one. A URL that may hold a secret is not.
func TestInitWritesTheServerOfItsShell(t *testing.T) {
	for _, c := range []struct{ server, want string }{
		{"", "  # base_url: https://api.openai.com/v1  #"},
		{"http://localhost:8000/v1", "  base_url: http://localhost:8000/v1  #"},
		{"http://localhost:8000/v1?key=planted", "  # base_url: http://localhost:8000/v1  #"},
		{"http://ann:planted@localhost:8000/v1", "  # base_url: http://localhost:8000/v1  #"},
	} {
		t.Setenv("OPENAI_BASE_URL", c.server)
		dir := initFolder(t, map[string]string{"job.json": initJob, "train.jsonl": initRow})
		for _, full := range []bool{false, true} {
			args := []string{"--train", "{dir}/train.jsonl", "--job", "{dir}/job.json", "-o", "{dir}/gonogo.yaml", "--force"}
			if full {
				args = append(args, "--full")
			}
			if _, _, err := initIn(t, dir, args...); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "gonogo.yaml"))
			if err != nil || !full && !strings.Contains(string(text), c.want) || strings.Contains(string(text), "planted") {
				t.Errorf("with OPENAI_BASE_URL=%s: %v; want %q in\n%s", c.server, err, c.want, text)
			}
		}
	}
}

func TestInitRefusals(t *testing.T) {
	files := map[string]string{
		"job.json": initJob, "train.jsonl": initRow, "gonogo.yaml": "name: mine\n", "bad.jsonl": "{\n", "r.py": "def good(completions, **kwargs):\n    return [1.0]\n",
		"nomodel.json": `{"grader":{"type":"string_check"}}`, "broken.json": `{"method":`,
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a file that is there":  {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/job.json", "-o", "{dir}/gonogo.yaml"}, "gonogo.yaml already exists: choose another name with -o, or overwrite it with --force"},
		"no job":                {[]string{"--train", "{dir}/train.jsonl", "-o", "{dir}/new.yaml"}, "init needs --job"},
		"a job and a reward":    {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/job.json", "--reward", "r.py", "-o", "{dir}/new.yaml"}, "give --job or --reward"},
		"no such reward":        {[]string{"--train", "{dir}/train.jsonl", "--reward", "{dir}/r.py:other", "--model", "m", "-o", "{dir}/new.yaml"}, "has no reward function other; it has good"},
		"no reward in it":       {[]string{"--train", "{dir}/train.jsonl", "--reward", "{dir}/train.jsonl", "--model", "m", "-o", "{dir}/new.yaml"}, "has no function with the arguments"},
		"no file of rewards":    {[]string{"--train", "{dir}/train.jsonl", "--reward", "{dir}/none.py", "--model", "m", "-o", "{dir}/new.yaml"}, "there is no file"},
		"a reward, no model":    {[]string{"--train", "{dir}/train.jsonl", "--reward", "{dir}/r.py", "-o", "{dir}/new.yaml"}, "with --model NAME"},
		"no data":               {[]string{"--job", "{dir}/job.json", "-o", "{dir}/new.yaml"}, "init needs --train, --eval or both"},
		"a job without a model": {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/nomodel.json", "-o", "{dir}/new.yaml"}, "--model NAME"},
		"a broken job":          {[]string{"--train", "{dir}/train.jsonl", "--job", "{dir}/broken.json", "-o", "{dir}/new.yaml"}, "broken.json:1:10: broken JSON"},
		"broken data":           {[]string{"--train", "{dir}/bad.jsonl", "--job", "{dir}/job.json", "-o", "{dir}/new.yaml"}, "bad.jsonl:1: the object spans several lines"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := initFolder(t, files)
			_, _, err := initIn(t, dir, c.args...)
			var coded *exit.Error
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			if !errors.As(err, &coded) || coded.Code != exit.Usage {
				t.Errorf("exit code of %v is not %d", err, exit.Usage)
			}
			if _, err := os.Stat(filepath.Join(dir, "new.yaml")); err == nil {
				t.Error("a file was written all the same")
			}
			if kept, err := os.ReadFile(filepath.Join(dir, "gonogo.yaml")); err != nil || string(kept) != "name: mine\n" {
				t.Errorf("the file that was there is now %q, %v", kept, err)
			}
		})
	}
}

func TestInitForceAndStandardOutput(t *testing.T) {
	dir := initFolder(t, map[string]string{"nomodel.json": `{"grader":{"type":"string_check"}}`, "train.jsonl": initRow, "gonogo.yaml": "name: mine\n"})
	args := []string{"--eval", "{dir}/train.jsonl", "--job", "{dir}/nomodel.json", "--model", "12: x", "-o"}
	if _, _, err := initIn(t, dir, append(args, "{dir}/gonogo.yaml", "--force")...); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(filepath.Join(dir, "gonogo.yaml"), initEnv)
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.Name != "12: x" || c.Data.Train != "" || c.Data.Eval != filepath.Join(dir, "train.jsonl") {
		t.Errorf("model %q, data %+v", c.Model.Name, c.Data)
	}
	out, talk, err := initIn(t, dir, append(args, "-")...)
	if err != nil || !strings.HasPrefix(out, "# gonogo.yaml") || talk != "" {
		t.Errorf("standard output: %v, %q, talk %q", err, out[:min(20, len(out))], talk)
	}
}

// goldenText compares with a file under testdata; -update rewrites it.
func goldenText(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make it with -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-update accepts it):\n%s", path, diff)
	}
}

// Without a job init writes what the data and the reward functions say, and it is loaded.
func TestInitOfRewardFunctions(t *testing.T) {
	for name, c := range map[string]struct{ source, reward, want string }{
		"TRL":       {"import re\n\ndef right(completions, answer: list[str], **kwargs):\n    return [1.0]\n\nasync def brief(prompts,\n    completions, **kwargs):\n    return [1.0]\n\ndef _helper(completions):\n    pass\n", "r.py", "{type: trl, file: r.py, functions: [right, brief], weights: [1, 1]}"},
		"one of it": {"def right(completions):\n    return [1.0]\n\ndef brief(completions):\n    return [1.0]\n", "r.py:brief", "{type: trl, file: r.py, functions: [brief]}"},
		"verifiers": {"async def right(completion, answer) -> float:\n    return 1.0\n", "r.py", "{type: verifiers, file: r.py, functions: [right]}"},
		"ms-swift":  {"from swift.rewards import ORM\n\nclass Right(ORM):\n\n    def __init__(self, args=None, **kwargs):\n        super().__init__(args)\n\n    def __call__(self, completions, answer, **kwargs):\n        return [1.0]\n\nclass _Other:\n    pass\n", "r.py", "{type: ms_swift, file: r.py, functions: [Right]}"},
		"verl":      {"def extract(solution_str):\n    return solution_str\n\ndef close(solution_str, ground_truth):\n    return 1.0\n\ndef compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return 1.0\n", "r.py", "{type: verl, file: r.py, functions: [compute_score]}"},
		"OpenRLHF":  {"def reward_func(queries, prompts, labels, **kwargs):\n    return {'rewards': 1.0}\n", "r.py", "{type: openrlhf, file: r.py, functions: [reward_func]}"},
		"python":    {"def grade(sample, item):\n    return 1.0\n", "r.py", "{type: python, name: grade, file: r.py}"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := initFolder(t, map[string]string{"r.py": c.source, "train.jsonl": `{"prompt":"one plus two?","answer":"3"}` + "\n"})
			out := filepath.Join(dir, "gonogo.yaml")
			_, talk, err := initIn(t, dir, "--train", "{dir}/train.jsonl", "--reward", "{dir}/"+c.reward, "--model", "m", "-o", out)
			if err != nil {
				t.Fatal(err, talk)
			}
			text, err := os.ReadFile(out)
			if err != nil || !strings.Contains(string(text), "grader: "+c.want) || strings.Contains(string(text), "\njob:") {
				t.Errorf("it has no grader %s, %v:\n%s", c.want, err, text)
			}
			cfg, err := config.Load(out, initEnv)
			if err != nil {
				t.Fatalf("what init wrote is not loaded: %v\n%s", err, text)
			}
			if want := [2]float64{0, float64(1 + strings.Count(c.want, ","+" 1]"))}; *cfg.RewardRange != want {
				t.Errorf("the range is %v, want %v", *cfg.RewardRange, want)
			}
			// Servers of open models all have Chat Completions, and 1 is the default of TRL, verl and prime-rl.
			if cfg.Target != "none" || cfg.Model.API != "chat" || cfg.Model.Temperature == nil || *cfg.Model.Temperature != 1 {
				t.Errorf("target %s, api %s, temperature %v", cfg.Target, cfg.Model.API, cfg.Model.Temperature)
			}
		})
	}
}

// Rows of verifiers have a question: init says so, and what it wrote is loaded.
func TestInitFindsTheQuestion(t *testing.T) {
	rows := `{"question":"one plus two?","answer":"3"}` + "\n"
	dir := initFolder(t, map[string]string{"r.py": "def right(completion, answer):\n    return 1.0\n", "train.jsonl": rows, "eval.jsonl": rows})
	out := filepath.Join(dir, "gonogo.yaml")
	if _, talk, err := initIn(t, dir, "--train", "{dir}/train.jsonl", "--eval", "{dir}/eval.jsonl", "--reward", "{dir}/r.py", "--model", "m", "-o", out); err != nil {
		t.Fatal(err, talk)
	}
	cfg, err := config.Load(out, initEnv)
	if err != nil || cfg.Data.PromptField != "question" {
		t.Errorf("%v; data %+v", err, cfg)
	}
}
