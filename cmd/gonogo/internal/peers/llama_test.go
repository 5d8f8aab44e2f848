package peers

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// A language model behind llama.cpp's server goes through the whole of gonogo run: it
// answers, calls the tool, and what it and the server do wrong is said. GONOGO_REAL is
// the folder that keeps the run of all items; without it eight of them are enough.
func TestALanguageModel(t *testing.T) {
	p := meet(t, "llama")
	dir, items, samples := os.Getenv("GONOGO_REAL"), []string{}, 8
	if dir == "" {
		dir, items, samples = t.TempDir(), []string{"--items", "8", "--samples", "4"}, 4
	}
	p.served(dir)
	run := filepath.Join(dir, "run")
	args := append([]string{"run", "-c", filepath.Join(dir, "gonogo.yaml"), "--yes", "--seed", "1", "-o", run}, items...)
	out, said := p.gonogo(anyVerdict, args...)
	t.Logf("%s\n%s", tail([]byte(said)), out)
	kinds := make(map[string]*kind)
	for _, r := range p.records(run) {
		name, _, _ := strings.Cut(r.Item, "-")
		if kinds[name] == nil {
			kinds[name] = new(kind)
		}
		kinds[name].add(p, r)
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		t.Logf("%s: %d rollouts, mean reward %.2f, %d of them with a tool call", name, k.rollouts, k.reward/float64(k.rollouts), k.calling)
		if k.rollouts%samples != 0 {
			t.Errorf("%s: %d rollouts of items with %d samples each", name, k.rollouts, samples)
		}
	}
	// Far from the figures of docs/ecosystem.md, and certain all the same.
	for _, name := range []string{"label", "extract", "add", "tool"} {
		if kinds[name] == nil {
			t.Fatalf("no rollout of %s", name)
		}
	}
	if k := kinds["extract"]; k.reward == 0 {
		t.Errorf("no city was found in %d rollouts", k.rollouts)
	}
	if k := kinds["tool"]; k.calling == 0 {
		t.Errorf("no tool was called in %d rollouts that need one", k.rollouts)
	}
}

// With the template in the weights the server takes tools and shows the model nothing
// of them. Nothing fails, so the first answers have to tell.
func TestALanguageModelThatIsNotShownItsTools(t *testing.T) {
	p := meet(t, "llama")
	dir := t.TempDir()
	p.served(dir, "--own-template")
	var tools []string
	for row := range strings.Lines(string(read(t, filepath.Join(dir, "train.jsonl")))) {
		if strings.Contains(row, `"id": "tool-`) {
			tools = append(tools, row)
		}
	}
	write(t, dir, "train.jsonl", strings.Join(tools, ""))
	write(t, dir, "gonogo.yaml", strings.Replace(string(read(t, filepath.Join(dir, "gonogo.yaml"))), ", eval: eval.jsonl", "", 1))
	_, said := p.gonogo(0, "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "1", "--yes", "-o", filepath.Join(dir, "run"))
	if want := "none of the first 8 rollouts with tools called one"; !strings.Contains(said, want) {
		t.Errorf("it did not say %q:\n%s", want, said)
	}
}

// The commands of docs/init.md lead from a training script of TRL to a verdict on a language model.
func TestATrainingScriptToAVerdict(t *testing.T) {
	p := meet(t, "llama")
	served, dir := t.TempDir(), t.TempDir()
	p.served(served)
	url := regexp.MustCompile(`base_url: "([^"]+)"`).FindStringSubmatch(string(read(t, filepath.Join(served, "gonogo.yaml"))))
	page := string(read(t, filepath.Join("..", "..", "..", "..", "docs", "init.md")))
	_, page, _ = strings.Cut(page, "From the script to a verdict")
	_, page, _ = strings.Cut(page, "```sh\n")
	commands, _, found := strings.Cut(page, "```")
	if url == nil || !found || strings.Count(commands, "\n") > 5 {
		t.Fatalf("the server is %q and the commands\n%s", url, commands)
	}
	var rows strings.Builder
	for i, city := range strings.Fields("Paris Rome Oslo Cairo Lima Tokyo Delhi Berlin") {
		fmt.Fprintf(&rows, `{"prompt":[{"role":"user","content":"My flight goes to %s at %d. Which city? Answer with its name."}],"answer":%q}`+"\n", city, i+6, city)
	}
	write(t, dir, "train.jsonl", rows.String())
	write(t, dir, "train.py", string(read(t, filepath.Join(p.scripts, "train.py"))))
	commands = strings.ReplaceAll(commands, "http://127.0.0.1:8000/v1", url[1])
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", strings.ReplaceAll(commands, "gonogo run -o my-run", "code=0; gonogo run -o my-run --samples 4 || code=$?; [ $code = 0 ] || [ $code = 3 ] || [ $code = 4 ]"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	result := decode[struct {
		Verdict struct{ Answer string }
		Group   int `json:"group_size"`
	}](p, read(t, filepath.Join(dir, "my-run", "result.json")))
	rewards := 0.0
	for _, r := range p.records(filepath.Join(dir, "my-run")) {
		if r.Outcome.Missing() {
			t.Errorf("%s/%d is %s, %s", r.Item, r.Sample, r.Outcome, r.Error)
		}
		if r.Reward != nil {
			rewards += *r.Reward
		}
	}
	t.Logf("%s; %v of 32 answers name the city", result.Verdict.Answer, rewards)
	if result.Verdict.Answer == "" || result.Group != 4 || rewards == 0 {
		t.Errorf("verdict %q, groups of %d, rewards %v\n%s", result.Verdict.Answer, result.Group, rewards, tail(out))
	}
}

// kind sums up the rollouts of one kind of question.
type kind struct {
	rollouts, calling int
	reward            float64
}

func (k *kind) add(p peer, r *rollout.Record) {
	if r.Outcome.Missing() || r.Usage.Input == nil || *r.Usage.Input == 0 || r.Usage.Output == nil {
		p.Errorf("%s/%d is %s, %s: tokens %v in, %v out", r.Item, r.Sample, r.Outcome, r.Error, r.Usage.Input, r.Usage.Output)
	}
	k.rollouts++
	if r.Reward != nil {
		k.reward += *r.Reward
	}
	if len(r.Calls) > 0 {
		k.calling++
	}
}

// served starts the model and the tool, which write the task into dir.
func (p peer) served(dir string, options ...string) {
	p.Helper()
	cmd := p.command("python", append([]string{filepath.Join(p.scripts, "serve.py"), dir}, options...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		p.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	log, err := os.Create(filepath.Join(p.TempDir(), "log"))
	if err != nil {
		p.Fatal(err)
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		stdin.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		log.Close()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			go io.Copy(io.Discard, out)
			return
		}
	}
	said, _ := os.ReadFile(log.Name())
	p.Fatalf("the server does not start:\n%s", tail(said))
}
