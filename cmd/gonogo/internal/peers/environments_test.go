package peers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// configured writes gonogo.yaml into a folder of its own and returns its path.
func (p peer) configured(lines ...string) string {
	p.Helper()
	file := filepath.Join(p.TempDir(), "gonogo.yaml")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		p.Fatal(err)
	}
	return file
}

// A taskset of verifiers as the key environment: its rollouts have the rewards that verifiers gives them
// in its own evaluation, which the model is asked the same in.
func TestVerifiersEnvironment(t *testing.T) {
	p := meet(t, "verifiers")
	url, traces := p.prices("1")
	theirs := make(map[string]verified)
	for _, s := range decode[[]verified](p, p.python("read.py", traces)) {
		theirs[s.Prompt] = s
	}

	file := p.configured(
		"environment: {verifiers: "+filepath.Join(p.scripts, "prices.py")+", python: "+filepath.Join(p.env, "bin", "python")+"}",
		"model: {name: scripted, api: chat, base_url: \""+url+"\", api_key_env: none}",
		"sampling: {samples: 2, retries: 1, retry_wait: 10ms, breaker: 0}")
	run := filepath.Join(t.TempDir(), "run")
	if out, _ := p.gonogo(0, "check", "-c", file); !strings.Contains(out, "6 items, 6 taken") {
		t.Errorf("check says\n%s", out)
	}
	p.gonogo(anyVerdict, "run", "-c", file, "-o", run, "--yes", "--no-audit", "--despite-problems")
	r, err := rollout.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(map[string]string)
	for _, it := range r.Items {
		asked[it.ID] = rollout.PromptOf(it.Messages, nil).Text
	}
	if len(asked) != len(theirs) {
		t.Fatalf("%d items, and verifiers has %d", len(asked), len(theirs))
	}
	var manifest struct {
		Config struct {
			Range []float64 `json:"reward_range"`
		} `json:"config"`
	}
	if body, err := os.ReadFile(filepath.Join(run, "run.json")); err != nil || json.Unmarshal(body, &manifest) != nil ||
		len(manifest.Config.Range) != 2 || manifest.Config.Range[1] != 1.5 {
		t.Errorf("reward_range is %v, want [0, 1.5]: the weights are 1 and 0.5 (%v)", manifest.Config.Range, err)
	}
	for key, rec := range p.records(run) {
		s, ok := theirs[strings.TrimPrefix(asked[key.Item], "user: ")]
		if !ok {
			t.Fatalf("verifiers was not asked %q", asked[key.Item])
		}
		switch {
		case strings.HasPrefix(s.Prompt, "endpoint down"):
			if rec.Outcome != rollout.ModelAPI {
				t.Errorf("%s: outcome %s", s.Prompt, rec.Outcome)
			}
		case strings.HasPrefix(s.Prompt, "broken reward"):
			if rec.Outcome != rollout.GraderFailed || !strings.Contains(rec.Error, "ValueError: the reward is broken") {
				t.Errorf("%s: outcome %s: %s", s.Prompt, rec.Outcome, rec.Error)
			}
		case rec.Reward == nil || *rec.Reward != s.Reward || rec.Answer != s.LastReply || len(rec.Calls) != len(s.Tools):
			t.Errorf("%s: reward %v, answer %q, %d calls, want %+v", s.Prompt, rec.Reward, rec.Answer, len(rec.Calls), s)
		default:
			for name, score := range s.Rewards {
				if rec.Parts[name] != *score {
					t.Errorf("%s: %s is %v, by verifiers %v", s.Prompt, name, rec.Parts[name], *score)
				}
			}
		}
	}

	// Another episode with the recorded replies has the same rewards.
	p.gonogo(0, "grade", run, "-c", file)
	before, again := p.records(run), p.records(run+"-graded")
	for key, rec := range before {
		if rec.Reward != nil && (again[key] == nil || again[key].Reward == nil || *again[key].Reward != *rec.Reward) {
			t.Errorf("%v is graded again with %+v, was %v", key, again[key], *rec.Reward)
		}
	}
	p.gonogo(anyVerdict, "audit", run, "-c", file)

	if _, said := p.gonogo(2, "check", "-c", file, "--set", "environment.verifiers=gone-env"); !strings.Contains(said, "gone-env is no taskset that ") {
		t.Errorf("an unknown environment: %s", said)
	}
	if _, said := p.gonogo(2, "check", "-c", file, "--set", "environment.args={agent: {turns: 3}}"); !strings.Contains(said, "environment.args: ") {
		t.Errorf("an unknown argument: %s", said)
	}
}

// Environments of OpenEnv, served from their applications: one with tools, and one that is answered by a
// text and fails in each way.
func TestOpenEnv(t *testing.T) {
	p := meet(t, "openenv")
	fruit, sum := regexp.MustCompile(`what does the (\w+) no`), regexp.MustCompile(`what is (\d+) \+ (\d+)`)
	url := scripted(t, func(r chatRequest) reply {
		asked := r.asked()
		if m := sum.FindStringSubmatch(asked); m != nil {
			a, _ := strconv.Atoi(m[1])
			b, _ := strconv.Atoi(m[2])
			return reply{content: fmt.Sprint("It is ", a+b)}
		}
		m := fruit.FindStringSubmatch(asked)
		if m == nil {
			return reply{content: "I cannot say"}
		}
		if r.answered() {
			said, _ := json.Marshal(map[string]json.RawMessage{"answer": r.Messages[len(r.Messages)-1].Content})
			return reply{call: "submit" + string(said)}
		}
		if m[1] == "fig" {
			return reply{call: `submit{"answer":"no idea"}`}
		}
		return reply{call: fmt.Sprintf(`lookup{"key":%q}`, m[1])}
	})
	lines := []string{
		"model: {name: scripted, api: chat, base_url: \"" + url + "\", api_key_env: none}",
		"sampling: {samples: 2, retries: 1, retry_wait: 10ms, breaker: 0}",
	}
	environment := func(name string, limit int) string {
		return fmt.Sprintf("environment: {openenv: \"%s/shop.py:%s\", python: %s/bin/python, limit: %d}", p.scripts, name, p.env, limit)
	}
	shop := filepath.Join(t.TempDir(), "shop")
	p.gonogo(anyVerdict, "run", "-c", p.configured(append(lines, environment("shop", 12))...), "-o", shop, "--yes")
	paid := map[float64]int{}
	for key, rec := range p.records(shop) {
		if rec.Outcome != rollout.Graded || rec.Reward == nil || len(rec.Calls) == 0 {
			t.Errorf("%v: %s, %s", key, rec.Outcome, rec.Error)
			continue
		}
		if want := map[bool]float64{true: 1, false: 0.25}[len(rec.Calls) == 2]; *rec.Reward != want {
			t.Errorf("%v: reward %v after %d calls, want %v", key, *rec.Reward, len(rec.Calls), want)
		}
		paid[*rec.Reward]++
	}
	if paid[1]+paid[0.25] != 48 || paid[0.25] == 0 {
		t.Errorf("rewards %v, want 48, some of them 0.25", paid)
	}

	sums := filepath.Join(t.TempDir(), "sums")
	p.gonogo(anyVerdict, "run", "-c", p.configured(append(lines, environment("sums", 8))...), "-o", sums, "--yes", "--no-audit")
	for key, rec := range p.records(sums) {
		want, cause := rollout.Graded, ""
		switch key.Item {
		case "seed-3":
			want, cause = rollout.ToolFailed, "the third reset is broken"
		case "seed-4":
			want, cause = rollout.ToolFailed, "the fourth step is broken"
		case "seed-5":
			want, cause = rollout.GraderFailed, "" // OpenEnv writes NaN as null
		case "seed-6":
			want, cause = rollout.GraderFailed, "the environment gave no reward in 1 step"
		}
		if rec.Outcome != want || !strings.Contains(rec.Error, cause) || want == rollout.Graded && *rec.Reward != 1 {
			t.Errorf("%v: %s, reward %v: %s, want %s: %s", key, rec.Outcome, rec.Reward, rec.Error, want, cause)
		}
	}
	if _, said := p.gonogo(2, "check", "-c", p.configured(append(lines, environment("gone", 8))...)); !strings.Contains(said, "defines no gone") {
		t.Errorf("an unknown application: %s", said)
	}
}
