package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/brief"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/fixtures"
	"gonogo/sampler/queue"
)

// described is a planner's project of the tiny world, in a folder with a grader of
// its own, and with more in its configuration.
func described(t *testing.T, more string, env config.Lookup, overrides ...string) (*Project, string) {
	t.Helper()
	dir := t.TempDir()
	world, err := fixtures.Find("tiny")
	if err == nil {
		err = world.Write(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "gonogo.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"gonogo.yaml": string(text) + more, "rewards.py": rewardsPy, "grader.yaml": "{type: trl, file: rewards.py}\n"})
	cfg, err := config.Load(path, env, append([]string{"seed=7", "sampling.address_map." + fixtures.Origin + "=http://127.0.0.1:1"}, overrides...)...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, dir
}

const rewardsPy = "def f(completions, **kwargs): return [1.0]\n"

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// variables are an environment.
func variables(pairs ...string) config.Lookup {
	return func(name string) (string, bool) {
		i := slices.Index(pairs, name)
		if i < 0 {
			return "", false
		}
		return pairs[i+1], true
	}
}

const gatedSession = "session: {start: http://localhost:1/start, stop: http://localhost:1/stop, headers: {x-gate: \"${GATE}\"}}\ngrader: grader.yaml\n"

// What a worker makes of a description is the run itself, though it has none of
// the planner's data, prices and labels, and no secret of it.
func TestAWorkerComesToTheSameRun(t *testing.T) {
	p, _ := described(t, gatedSession, variables("GATE", "planted-gate-0123", queue.TokenEnv, "planted-token-0123"), "queue.url=nats://localhost:4222", "sampling.max_usd=3", "prices.model_input=1", "prices.model_output=1")
	body, err := describe(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), "planted") || strings.Contains(string(body), "train.jsonl:") {
		t.Errorf("it holds too much: %s", body)
	}
	d, err := brief.Read(body)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Env, []string{"GATE"}) || len(d.Files) != 1 || d.Files[0].Name != "rewards.py" {
		t.Errorf("variables %v, files %v", d.Env, d.Files)
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"rewards.py": rewardsPy})
	for _, c := range []struct {
		why  string
		env  config.Lookup
		make func() // of the folder
		want string // in the error
	}{
		{"all is there, with another secret", variables("GATE", "another-gate-0123"), nil, ""},
		{"a variable is missing", variables(), nil, "the environment has no GATE"},
		{"a file differs", variables("GATE", "x"), func() { writeFiles(t, dir, map[string]string{"rewards.py": rewardsPy + "\n"}) }, "rewards.py is not the planner's"},
		{"a file is missing", variables("GATE", "x"), func() { _ = os.Remove(filepath.Join(dir, "rewards.py")) }, "there is no " + filepath.Join(dir, "rewards.py")},
	} {
		if c.make != nil {
			c.make()
		}
		q, err := FromBrief(t.Context(), d, dir, c.env, 7, 1)
		if err == nil {
			q.Close()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
	if q, err := FromBrief(t.Context(), d, dir, variables("GATE", "x"), 8, 1); err == nil {
		q.Close()
		t.Error("another seed is taken")
	}
}

func TestNoSecretTravelsToWorkers(t *testing.T) {
	env := variables("GATE", "planted-gate-0123")
	for _, c := range []struct{ why, more, set, want string }{
		{"a header as it is", "session: {start: http://localhost:1/start, stop: http://localhost:1/stop, headers: {authorization: Bearer planted-key-45678}}\n", "", "session.headers.authorization: holds a secret"},
		{"a variable's value in a comment", gatedSession + "# planted-gate-0123\n", "", "gonogo.yaml"},
		{"the command line", "", "model.base_url=http://localhost:1/v1?api_key=planted-key-45678", "--set model.base_url: holds a secret"},
		{"a key of an address", "session: {start: \"http://localhost:1/start?api_key=planted-key-45678\", stop: http://localhost:1/stop}\n", "", "session.start: holds a secret"},
	} {
		set := []string{"items=2"}
		if c.set != "" {
			set = append(set, c.set)
		}
		p, _ := described(t, c.more, env, set...)
		_, err := describe(t.Context(), p)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

// TestASessionsValueTravels describes a run whose headers take a value of each rollout's session, which
// is known only to the worker that started it.
func TestASessionsValueTravels(t *testing.T) {
	p, _ := described(t, "session: {start: http://localhost:1/start, stop: http://localhost:1/stop}\n"+
		"agent: {url: http://localhost:1/run, headers: {authorization: \"Bearer {{session.nested.token}}\", x-slot: \"{{session.slot}}\"}}\n",
		variables(), "items=2")
	body, err := describe(t.Context(), p)
	if err != nil || !strings.Contains(string(body), "Bearer {{session.nested.token}}") {
		t.Errorf("%s: %v", body, err)
	}
}

func TestOverridesThatTravel(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"sampling.retries", "3", true},
		{"sampling.address_map.https://tools", "http://localhost", true},
		{"job", " {\"tools\": []}", true},
		{"job", "job.json", false}, // sent as a file
		{"data.train", "train.jsonl", false},
		{"data.files.file-abc", "train.jsonl", false},
		{"prices.file", "prices.json", false},
		{"sampling.max_usd", "3", false},
		{"thresholds.signal.informative.caution", "0.2", false},
		{"queue.url", "nats://nats", false},
		{"seed", "7", false},
		{"sampling.sample_tools", "last", true},
	} {
		if got := sentToWorkers(c.name, c.value); got != c.want {
			t.Errorf("%s=%s travels: %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

// Whatever comes over the queue is read or refused.
func FuzzBrief(f *testing.F) {
	f.Add([]byte(`{"file":"gonogo.yaml","config":"model: {name: m}","set":["seed=1"],"job":{"name":"job.json","text":"{\"grader\":{\"type\":\"string_check\"}}"},"variant":"v","binding":{}}`))
	f.Add([]byte(`{"config":"variants: [{name: v, prompt: p}]\njob: {grader: {type: multi, graders: {a: {type: python, file: /etc/passwd}}}}","set":["=","a"]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := brief.Read(body)
		if err != nil {
			return
		}
		if c, err := load(d, t.TempDir(), variables()); err == nil {
			_ = c.Binding()
		}
	})
}
