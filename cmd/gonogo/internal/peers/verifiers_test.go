package peers

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// verified is what verifiers reads in a trace: .ci/peers/verifiers/read.py.
type verified struct {
	Task, Prompt string
	Reward       float64
	Rewards      map[string]*float64
	Metrics      map[string]*float64
	OK, Unscored bool
	Errors       []string
	LastReply    string `json:"last_reply"`
	Tools        []string
	OutputTokens int64 `json:"output_tokens"`
}

// prices lets verifiers evaluate the taskset of prices.py, each task so often, by a scripted model. It
// returns the model's address and the traces.
func (p peer) prices(samples string) (url, traces string) {
	url = scripted(p.T, func(r chatRequest) reply {
		switch asked := r.asked(); {
		case strings.Contains(asked, "endpoint down"):
			return reply{status: http.StatusInternalServerError, content: "down"}
		case strings.Contains(asked, "tool") && !r.answered():
			return reply{call: `lookup{"key":"plum"}`}
		case strings.Contains(asked, "tool"):
			return reply{content: "It costs 5"}
		case strings.Contains(asked, "cut"):
			return reply{content: "It costs 3, and so on", finish: "length"}
		}
		return reply{content: "It costs 3"}
	})
	cmd := p.command("vf-eval", "prices", "-m", "scripted", "-r", samples, "--no-push", "--output-dir", "out", "--run.dir", "r", "--client.base-url", url,
		"--client.api-key-var", "SCRIPTED_KEY", "--env.agent.harness.id", "prices", "--env.agent.runtime.type", "subprocess")
	cmd.Env = append(cmd.Env, "PYTHONPATH="+p.scripts, "SCRIPTED_KEY=none")
	p.output(cmd)
	return url, filepath.Join(cmd.Dir, "out", "r", "traces.jsonl")
}

// verifiers evaluates a taskset of its own against an endpoint on this machine. Its
// traces are imported with its rewards, and our grader gives the same ones when it
// calls the rewards of the Task itself.
func TestVerifiers(t *testing.T) {
	p := meet(t, "verifiers")
	_, traces := p.prices("2")
	theirs := decode[[]verified](p, p.python("read.py", traces))
	if len(theirs) != 12 {
		t.Fatalf("verifiers made %d traces, want 12", len(theirs))
	}
	trainingSamples(p, traces, theirs)
	run := filepath.Join(t.TempDir(), "run")
	p.gonogo(0, "import", traces, "-o", run)
	ours := p.records(run)

	grader := filepath.Join(t.TempDir(), "grader.yaml")
	source := filepath.Join(p.scripts, "prices.py")
	if err := os.WriteFile(grader, []byte("type: verifiers\nfile: "+source+"\ntask: PricesTask\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.gonogo(0, "grade", run, "--grader", grader, "--set", "python.interpreter="+filepath.Join(p.env, "bin", "python"), "--set", "reward_range=[0,1.5]")
	graded := p.records(run + "-graded")

	seen := make(map[string]int)
	kinds := make(map[rollout.Outcome]int)
	for _, s := range theirs {
		k := rollout.Key{Split: rollout.Train, Item: s.Task, Sample: seen[s.Task]}
		seen[s.Task]++
		r, again := ours[k], graded[k]
		if r == nil || again == nil {
			t.Fatalf("%s is not there: %v, graded %v", s.Prompt, r, again)
		}
		kinds[r.Outcome]++
		want := rollout.Graded
		switch {
		case strings.HasPrefix(s.Prompt, "endpoint down"):
			want = rollout.ModelAPI
		case strings.HasPrefix(s.Prompt, "broken reward"):
			want = rollout.GraderFailed
		}
		if r.Outcome != want || again.Outcome != want || s.OK != (want == rollout.Graded) {
			t.Errorf("%s: outcome %s, graded again %s (%s), want %s", s.Prompt, r.Outcome, again.Outcome, again.Error, want)
		}
		if len(r.Calls) != len(s.Tools) || strings.TrimSpace(r.Answer) != s.LastReply || s.OutputTokens > 0 && *r.Usage.Output != s.OutputTokens {
			t.Errorf("%s: %d calls, answer %q, tokens %v: want %+v", s.Prompt, len(r.Calls), r.Answer, r.Usage.Output, s)
		}
		if want != rollout.Graded {
			continue
		}
		if r.Reward == nil || *r.Reward != s.Reward || again.Reward == nil || *again.Reward != s.Reward {
			t.Errorf("%s: reward %v, graded again %v, by verifiers %v", s.Prompt, r.Reward, again.Reward, s.Reward)
		}
		for _, scores := range []map[string]*float64{s.Rewards, s.Metrics} {
			for name, score := range scores {
				if r.Parts[name] != *score || again.Parts[name] != *score {
					t.Errorf("%s: %s is %v, graded again %v, by verifiers %v", s.Prompt, name, r.Parts[name], again.Parts[name], *score)
				}
			}
		}
		if strings.HasPrefix(s.Prompt, "cut") != (r.Finish == rollout.FinishLength) {
			t.Errorf("%s: finish is %q", s.Prompt, r.Finish)
		}
	}
	if kinds[rollout.Graded] != 8 || kinds[rollout.ModelAPI] != 2 || kinds[rollout.GraderFailed] != 2 {
		t.Errorf("the outcomes are %v", kinds)
	}
}
