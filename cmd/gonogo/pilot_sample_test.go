package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/training"
	"gonogo/fixtures"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// samplePilot runs gonogo pilot.
func samplePilot(t *testing.T, args ...string) (stderr string, code int) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), append([]string{"gonogo", "pilot"}, args...), strings.NewReader(""), io.Discard, &out)
	return out.String(), code
}

// pilotLog writes what a trainer logs: three steps with a group of 8 of each item. That is too short for a
// look: the pilot is UNDECIDED.
func pilotLog(t *testing.T, items ...string) (path string) {
	t.Helper()
	var b strings.Builder
	for step := 1; step <= 3; step++ {
		for _, id := range items {
			for sample := range 8 {
				fmt.Fprintf(&b, "{\"item\":%q,\"step\":%d,\"sample\":%d,\"reward\":%d}\n", id, step, sample, sample%2)
			}
		}
	}
	path = filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pilotWorld is a base run of a world with a trained policy, on a server that counts.
type pilotWorld struct {
	world     fixtures.World
	config    string // the setting that serves it
	log       string // of a training on the run's items
	dir, base string // of the files, and of the run
	server    *fixtures.Server
}

const (
	pilotItems    = 6 // of each split
	trainedPolicy = "scripted-policy-step-40"
)

func newPilotWorld(t *testing.T) *pilotWorld {
	t.Helper()
	world, err := fixtures.Find("finance-writing")
	if err != nil {
		t.Fatal(err)
	}
	w := &pilotWorld{world: world, dir: t.TempDir(), base: filepath.Join(t.TempDir(), "run")}
	if err := world.Write(w.dir); err != nil {
		t.Fatal(err)
	}
	w.server = w.serve(t, fixtures.ServeOptions{})
	w.config = "sampling.address_map." + fixtures.Origin + "=" + w.server.URL()
	_, stderr, code := inProcess(t, "", "sample", "-c", filepath.Join(w.dir, "gonogo.yaml"), "--set", w.config, "-o", w.base,
		"--items", fmt.Sprint(pilotItems), "--samples", "8", "--seed", "3", "--despite-problems")
	if code != 0 {
		t.Fatalf("the base run ends with %d:\n%s", code, stderr)
	}
	w.log = pilotLog(t, w.trained(t)...)
	return w
}

// trained returns the train items of the base run.
func (w *pilotWorld) trained(t *testing.T) (ids []string) {
	t.Helper()
	opened, err := rollout.Open(w.base)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range opened.Items {
		if it.Split == rollout.Train {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

func (w *pilotWorld) serve(t *testing.T, opt fixtures.ServeOptions) *fixtures.Server {
	t.Helper()
	server, err := w.world.Serve(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// sample samples the checkpoint of step 20 at a server.
func (w *pilotWorld) sample(t *testing.T, url string, more ...string) (stderr string, code int) {
	t.Helper()
	return samplePilot(t, slices.Concat([]string{
		"-c", filepath.Join(w.dir, "gonogo.yaml"), "--set", w.config, "--log", w.log, "--checkpoint", url, "--at", "20",
		"--model", trainedPolicy,
	}, more, []string{w.base})...)
}

func evalMean(t *testing.T, dir string) (mean float64, n int) {
	t.Helper()
	sum := 0.0
	for key, reward := range readRewards(t, dir) {
		if key.Split == rollout.Eval {
			sum, n = sum+reward, n+1
		}
	}
	return sum / float64(n), n
}

// A checkpoint's rollouts are those of RUN's eval items, by its prompt, tools and judge, from another
// server. A budget ends them, and a server at another port goes on.
func TestACheckpointIsSampledOnTheEvalItems(t *testing.T) {
	t.Parallel()
	w := newPilotWorld(t)
	first, second := w.serve(t, fixtures.ServeOptions{}), w.serve(t, fixtures.ServeOptions{})
	judged := w.server.Counts().Judged
	stderr, code := w.sample(t, first.URL()+"/v1", "--max-rollouts", "20")
	if code != exit.Budget {
		t.Fatalf("exit code %d, want %d\n%s", code, exit.Budget, stderr)
	}
	for _, text := range []string{
		"To make: 48 rollouts of 6 items", "standard error of about 0.", "of the trainings that change nothing",
		"28 rollouts are not made yet",
	} {
		if !strings.Contains(stderr, text) {
			t.Errorf("standard error lacks %q:\n%s", text, stderr)
		}
	}
	dir := training.CheckpointDir(w.base, 20)
	// A look that is not complete does not count.
	stdout, _, _ := inProcess(t, "", "pilot", "--log", w.log, "-c", filepath.Join(w.dir, "gonogo.yaml"), w.base)
	if want := "holds 20 of 48 rollouts and does not count yet"; !strings.Contains(strings.Join(strings.Fields(string(stdout)), " "), want) {
		t.Errorf("the page lacks %q:\n%s", want, stdout)
	}
	torn, err := os.OpenFile(filepath.Join(dir, rollout.RolloutsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = torn.WriteString(`{"item":"torn`) // as a kill leaves it
	}
	if err := cmpErr(err, torn.Close()); err != nil {
		t.Fatal(err)
	}
	if stderr, code = w.sample(t, second.URL()+"/v1"); code != exit.Undecided {
		t.Fatalf("the second call ends with %d:\n%s", code, stderr)
	}
	if a, b := first.Counts().Rollouts, second.Counts().Rollouts; a != 20 || b != 28 {
		t.Errorf("the servers saw %d and %d rollouts, want 20 and 28: nothing is paid twice", a, b)
	}
	if n := first.Counts().Judged + second.Counts().Judged; n != 0 || w.server.Counts().Judged <= judged {
		t.Errorf("the checkpoints' servers were asked for %d grades, the run's server for %d: the judge does not move", n,
			w.server.Counts().Judged-judged)
	}
	was, _ := evalMean(t, w.base)
	is, n := evalMean(t, dir)
	if n != 48 || len(readRewards(t, dir)) != 48 || is <= was+0.1 { // worlds.json: the policy improves
		t.Errorf("%d rollouts with a mean of %g, base %g", n, is, was)
	}
	opened, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := opened.Manifest
	if m.Model != trainedPolicy || m.Seed == 3 || m.Binding["model.name"] != trainedPolicy || m.Binding["model.base_url"] != "" {
		t.Errorf("manifest: model %q, seed %d, binding %v", m.Model, m.Seed, m.Binding)
	}
	if stderr, code = w.sample(t, first.URL()+"/v1"); code != exit.Undecided || !strings.Contains(stderr, "All rollouts have already been made") {
		t.Errorf("the third call ends with %d:\n%s", code, stderr)
	}
	for _, c := range []struct{ setting, says string }{
		{"model.temperature=0.5", "model.temperature"},
		{"sampling.max_tool_calls=3", "sampling.max_tool_calls"},
	} {
		if stderr, code = w.sample(t, first.URL()+"/v1", "--set", c.setting); code != exit.Usage || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d\n%s", c.setting, code, stderr)
		}
	}
	if stderr, code = w.sample(t, first.URL()+"/v1", "--model", "scripted-policy"); code != exit.Usage || !strings.Contains(stderr, "model.name was") {
		t.Errorf("another model: exit code %d\n%s", code, stderr)
	}
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A checkpoint at another server is not sent RUN's key or headers.
func TestACheckpointGetsNoKeyOfTheRun(t *testing.T) {
	w := newPilotWorld(t)
	t.Setenv("RUN_KEY", "key-of-the-run-0123456789")
	t.Setenv("OTHER_KEY", "key-of-the-checkpoint-0123")
	for name, c := range map[string]struct {
		flags    []string
		at, want string
	}{
		"none": {nil, "20", ""},
		"own":  {[]string{"--api-key-env", "OTHER_KEY"}, "12", "Bearer key-of-the-checkpoint-0123"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			seen := map[string]bool{}
			server := w.serve(t, fixtures.ServeOptions{})
			front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seen[r.Header.Get("Authorization")] = true
				seen[r.Header.Get("X-Of-Run")] = true
				mu.Unlock()
				server.Handler().ServeHTTP(rw, r)
			}))
			t.Cleanup(front.Close)
			keyed := filepath.Join(w.dir, name+".yaml")
			text, err := os.ReadFile(filepath.Join(w.dir, "gonogo.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), "api_key_env: none",
				"api_key_env: RUN_KEY\n  headers: {x-of-run: \"${RUN_KEY}\"}", 1)
			if err := os.WriteFile(keyed, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			stderr, code := w.sample(t, front.URL+"/v1", append(c.flags, "-c", keyed, "--at", c.at)...)
			if code != exit.Undecided {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			want := map[string]bool{"": true, c.want: true}
			if !maps.Equal(seen, want) {
				t.Errorf("the checkpoint was sent %v, want %v", seen, want)
			}
		})
	}
	stderr, code := w.sample(t, w.server.URL()+"/v1", "--api-key-env", "sk-proj-abcdefghijklmnopqrstuvwx")
	if code != exit.Usage || strings.Contains(stderr, "sk-proj") {
		t.Errorf("a key in place of its variable: exit code %d\n%s", code, stderr)
	}
}

// A call that is killed, or interrupted by Ctrl-C, loses nothing that was recorded; the next one goes on
// at a server with another port.
func TestASampledCheckpointSurvivesKillAndCtrlC(t *testing.T) {
	t.Parallel()
	w := newPilotWorld(t)
	dir := training.CheckpointDir(w.base, 20)
	start := func(server *fixtures.Server) *child {
		c := newChild(t, dir, "pilot", "--log", w.log, "-c", filepath.Join(w.dir, "gonogo.yaml"), "--set", w.config, "--checkpoint",
			server.URL()+"/v1", "--at", "20", "--model", trainedPolicy, "--concurrency", "4", w.base)
		if err := c.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.cmd.Process.Kill() })
		return c
	}
	const lost = 4 // in flight when the process is killed
	slow := fixtures.ServeOptions{Latency: 30 * time.Millisecond}
	first, second, third := w.serve(t, slow), w.serve(t, slow), w.serve(t, fixtures.ServeOptions{})
	c := start(first)
	c.await(t, 5)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait(t)
	killed := len(readRewards(t, dir))
	c = start(second)
	c.await(t, killed+5)
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := c.wait(t); code != exit.Interrupted {
		t.Fatalf("exit code %d, want %d\n%s", code, exit.Interrupted, c.stderr.String())
	}
	interrupted := len(readRewards(t, dir))
	if n := second.Counts().Rollouts; interrupted >= 48 || n != interrupted-killed {
		t.Errorf("%d rollouts are recorded after Ctrl-C, %d before: the server saw %d", interrupted, killed, n)
	}
	c = start(third)
	if code := c.wait(t); code != exit.Undecided {
		t.Fatalf("exit code %d\n%s", code, c.stderr.String())
	}
	if n := len(readRewards(t, dir)); n != 48 || third.Counts().Rollouts != 48-interrupted || first.Counts().Rollouts > killed+lost {
		t.Errorf("%d rollouts; the servers saw %d, %d and %d, and %d and %d were recorded before the second and the third",
			n, first.Counts().Rollouts, second.Counts().Rollouts, third.Counts().Rollouts, killed, interrupted)
	}
}

// A server that fails ends the call with exit code 1, and what was sampled is kept.
func TestAFailedCheckpointIsResumed(t *testing.T) {
	t.Parallel()
	w := newPilotWorld(t)
	gone := w.serve(t, fixtures.ServeOptions{})
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	if stderr, code := w.sample(t, gone.URL()+"/v1"); code != exit.Tool {
		t.Errorf("a server that is gone: exit code %d\n%s", code, stderr)
	}
	var mu sync.Mutex
	left := 40 // requests until it is gone
	server := w.serve(t, fixtures.ServeOptions{})
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		left--
		over := left < 0
		mu.Unlock()
		if over {
			rw.WriteHeader(http.StatusUnauthorized) // which is not tried again
			return
		}
		server.Handler().ServeHTTP(rw, r)
	}))
	t.Cleanup(front.Close)
	stderr, code := w.sample(t, front.URL+"/v1")
	if code != exit.Tool {
		t.Fatalf("a server that goes: exit code %d\n%s", code, stderr)
	}
	dir := training.CheckpointDir(w.base, 20)
	if made := len(readRewards(t, dir)); !strings.Contains(stderr, "the same command") || made == 0 {
		t.Errorf("a server that goes: %d rollouts\n%s", made, stderr)
	}
	if stderr, code = w.sample(t, server.URL()+"/v1"); code != exit.Undecided || len(readRewards(t, dir)) != 48 {
		t.Errorf("the next call: exit code %d\n%s", code, stderr)
	}
}

// Shown items that RUN did not sample are sampled from its model; later ones are added.
func TestShownItemsAreSampledFromTheBaseModel(t *testing.T) {
	t.Parallel()
	w := newPilotWorld(t)
	data, err := dataset.Load(filepath.Join(w.dir, "train.jsonl"), rollout.Train, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again := w.trained(t)
	var fresh []string
	for _, it := range data.Items {
		if !slices.Contains(again, it.ID) {
			fresh = append(fresh, it.ID)
		}
	}
	base := func(ids ...string) (string, int) {
		return samplePilot(t, "-c", filepath.Join(w.dir, "gonogo.yaml"), "--set", w.config, "--base", "--log",
			pilotLog(t, ids...), w.base)
	}
	dir := training.ShownDir(w.base)
	// The one that RUN sampled has base rollouts.
	stderr, code := base(fresh[0], fresh[1], "strange", again[0])
	if code != exit.Undecided || !strings.Contains(stderr, "To make: 16 rollouts of 2 items") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if n := len(readRewards(t, dir)); n != 16 {
		t.Errorf("%d rollouts, want 16", n)
	}
	m, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Manifest.Seed == 3 || m.Manifest.Model != "scripted-policy" {
		t.Errorf("seed %d, model %q", m.Manifest.Seed, m.Manifest.Model)
	}
	// No shown item has base rollouts yet.
	if stderr, code = base(fresh[2]); code != exit.Undecided || !strings.Contains(stderr, "To make: 8 rollouts of 1 item") {
		t.Errorf("one more item: exit code %d\n%s", code, stderr)
	}
	if stderr, code = base(fresh[0], again[1]); code != exit.Undecided || !strings.Contains(stderr, "All shown items have base rollouts") {
		t.Errorf("nothing more: exit code %d\n%s", code, stderr)
	}
	if n := len(readRewards(t, dir)); n != 24 {
		t.Errorf("%d rollouts, want 24", n)
	}
	if stderr, code = base("strange"); code != exit.Usage || !strings.Contains(stderr, "no group of the log matches") {
		t.Errorf("an unknown item: exit code %d\n%s", code, stderr)
	}
}

func TestPilotSamplingMistakes(t *testing.T) {
	t.Parallel()
	world, files := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	address := "sampling.address_map." + fixtures.Origin + "=" + server.URL()
	config := filepath.Join(files, "gonogo.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	trainOnly := filepath.Join(files, "train.yaml")
	if err := os.WriteFile(trainOnly, []byte(strings.Replace(string(text), "  eval: eval.jsonl\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	noEval, imported := filepath.Join(dir, "no-eval"), filepath.Join(dir, "imported")
	if _, stderr, code := inProcess(t, "", "sample", "-c", trainOnly, "--set", address, "-o", noEval, "--samples", "2"); code != 0 {
		t.Fatalf("%d\n%s", code, stderr)
	}
	if _, stderr, code := inProcess(t, "", "import", filepath.Join(noEval, rollout.RolloutsFile), "-o", imported); code != 0 {
		t.Fatalf("%d\n%s", code, stderr)
	}
	rows, err := dataset.Load(filepath.Join(files, "train.jsonl"), rollout.Train, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := pilotLog(t, rows.Items[0].ID)
	url := []string{"--log", log, "--checkpoint", server.URL() + "/v1"}
	at := slices.Concat(url, []string{"--at", "80", "--set", address, "-c", trainOnly})
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no step":             {append(slices.Clone(url), noEval), "--checkpoint needs --at STEP"},
		"step 0":              {append(slices.Clone(url), "--at", "0", noEval), "after at least one step"},
		"a model without URL": {[]string{"--log", log, "--model", "x", noEval}, "--model goes with --checkpoint"},
		"no eval split":       {append(slices.Clone(at), noEval), "has no eval split"},
		"an imported run":     {append(slices.Clone(at), imported), "gonogo import LOG -o " + training.CheckpointDir(imported, 80)},
		"a step of no look": {
			slices.Concat(at, []string{"--at", "20", noEval}), "this one is near none of them: 80",
		},
		"an imported base run": {[]string{"--log", log, "--base", imported}, "was not sampled by gonogo"},
	} {
		if stderr, code := samplePilot(t, c.args...); code != exit.Usage || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	run := filepath.Join(dir, "run")
	if _, stderr, code := inProcess(t, "", "sample", "-c", config, "--set", address, "-o", run, "--samples", "2"); code != 0 {
		t.Fatalf("%d\n%s", code, stderr)
	}
	if stderr, code := samplePilot(t, "--log", log, "--checkpoint", "localhost:8000", "--at", "80", "-c", config, run); code != exit.Usage ||
		!strings.Contains(stderr, "give the address of an OpenAI-compatible server") {
		t.Errorf("no URL: exit code %d\n%s", code, stderr)
	}
	eval := filepath.Join(files, "eval.jsonl")
	evalRows, err := os.ReadFile(eval)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(eval, append(evalRows, '\n', '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if stderr, code := samplePilot(t, "--log", log, "--checkpoint", server.URL()+"/v1", "--at", "80", "-c", config, run); code != exit.Usage ||
		!strings.Contains(stderr, "has changed since") {
		t.Errorf("another eval file: exit code %d\n%s", code, stderr)
	}
	// A run directory's own configuration is acted on only where it is trusted; a built-in world is.
	if err := os.WriteFile(eval, evalRows, 0o600); err != nil {
		t.Fatal(err)
	}
	stderr, code := samplePilot(t, "--log", log, "--checkpoint", server.URL()+"/v1", "--at", "80", "--set", "data.eval="+eval, run)
	if code != exit.Undecided || !strings.Contains(stderr, "Serving the built-in world") {
		t.Errorf("the run's own configuration: exit code %d\n%s", code, stderr)
	}
	// The server lists another model, too, as one with a LoRA adapter does.
	if want := "warning: scripted-policy is the name of the run's own model, and this server has scripted-judge, too"; !strings.Contains(stderr, want) {
		t.Errorf("standard error lacks %q:\n%s", want, stderr)
	}
	base := []string{"--log", log, "--checkpoint", fixtures.Origin + "/v1", "--at", "80", "-c", config, run}
	if stderr, code := samplePilot(t, base...); code != exit.Usage || !strings.Contains(stderr, "name the checkpoint with --model") {
		t.Errorf("the run's own model at its own server: exit code %d\n%s", code, stderr)
	}
}

// Every look of a run samples the same items, of a large eval split 400.
func TestALookSamplesAtMost400Items(t *testing.T) {
	t.Parallel()
	opened := &rollout.Run{Manifest: &rollout.Manifest{Seed: 5}}
	for i := range 500 {
		opened.Items = append(opened.Items, rollout.Item{ID: fmt.Sprint(i), Split: rollout.Eval},
			rollout.Item{ID: fmt.Sprint(i), Split: rollout.Train})
	}
	ids := training.EvalItems(opened)
	distinct := maps.Collect(func(yield func(string, bool) bool) {
		for _, id := range ids {
			if !yield(id, true) {
				return
			}
		}
	})
	if len(ids) != 400 || len(distinct) != 400 || !slices.Equal(ids, training.EvalItems(opened)) {
		t.Errorf("%d items, %d distinct", len(ids), len(distinct))
	}
	other := &rollout.Run{Manifest: &rollout.Manifest{Seed: 6}, Items: opened.Items}
	if slices.Equal(ids, training.EvalItems(other)) {
		t.Error("the seed of the run does not matter")
	}
	opened.Items = opened.Items[:800]
	if ids := training.EvalItems(opened); len(ids) != 400 || ids[1] != "1" {
		t.Errorf("of 400 items: %d, the second %s", len(ids), ids[1])
	}
}
