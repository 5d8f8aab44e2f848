package peers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// The agents of docs/agents that are made with a framework, and the one of
// docs/wire.md with the openai package, meet a model that uses the tool, one that
// does not, one that never ends and one that fails.
func TestAgentsOfFrameworks(t *testing.T) {
	p := meet(t, "agents")
	page := regexp.MustCompile("(?s)```python\n(import gonogo_agent\n.*?)```").FindSubmatch(read(t, filepath.Join(docs(t), "wire.md")))
	if page == nil {
		t.Fatal("docs/wire.md has no program")
	}
	python := filepath.Join(p.env, "bin", "python")
	for name, program := range map[string]string{
		"openai-agents": string(read(t, filepath.Join(docs(t), "agents", "openai_agents.py"))),
		"langgraph":     string(read(t, filepath.Join(docs(t), "agents", "langgraph_agent.py"))),
		"openai":        string(page[1]),
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.T = t
			dir := t.TempDir()
			write(t, dir, "my_agent.py", program)
			write(t, dir, "gonogo_agent.py", string(read(t, filepath.Join(docs(t), "agents", "gonogo_agent.py"))))
			p.agent(dir, name != "openai", python, "my_agent.py")
		})
	}
}

// The agent of docs/agents that uses the openai package in TypeScript meets the same
// models.
func TestAnAgentInTypeScript(t *testing.T) {
	p := meet(t, "typescript")
	dir := t.TempDir()
	write(t, dir, "my_agent.ts", string(read(t, filepath.Join(docs(t), "agents", "openai_agent.ts"))))
	write(t, dir, "package.json", `{"type": "module"}`)
	if err := os.Symlink(filepath.Join(p.env, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	p.agent(dir, true, p.node(), "my_agent.ts")
}

func docs(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// agent runs the agent of a folder, with its tool if it has one, and checks what
// became of its rollouts.
func (p peer) agent(dir string, tools bool, command ...string) {
	p.Helper()
	t := p.T
	url := scripted(t, func(in chatRequest) reply {
		switch asked := in.asked(); {
		case strings.Contains(asked, "fails"):
			return reply{status: 400, content: "the model is gone"}
		case tools && len(in.Tools) != 1:
			return reply{status: 400, content: "there is no tool"}
		case tools && (strings.Contains(asked, "without end") || strings.Contains(asked, "by the tool") && !in.answered()):
			return reply{call: `multiply{"a": 17, "b": 23}`}
		case tools && strings.Contains(asked, "by the tool"):
			return reply{content: strings.TrimSuffix(strings.Trim(string(in.Messages[len(in.Messages)-1].Content), `"`), ".0")}
		}
		return reply{content: "400"}
	})
	rows := ""
	for _, how := range []string{"by the tool", "by heart", "without end", "fails"} {
		rows += fmt.Sprintf(`{"id":%q,"messages":[{"role":"user","content":"What is 17 * 23? Do it %s."}],"reference_answer":"391"}`+"\n", how, how)
	}
	write(t, dir, "rows.jsonl", rows)
	write(t, dir, "gonogo.yaml", `data: {train: rows.jsonl}
grader: {type: string_check, name: exact, operation: eq, input: "{{sample.output_text}}", reference: "{{item.reference_answer}}"}
model: {name: scripted, base_url: "`+url+`", api_key_env: none}
agent: {command: ["`+strings.Join(command, `", "`)+`"], processes: 2}
sampling: {max_steps: 8, retries: 0, breaker: 0}
`)
	run := filepath.Join(dir, "run")
	p.gonogo(3, "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", "2", "--yes", "-o", run) // a fourth of the rollouts is lost
	records := p.records(run)
	if len(records) != 8 {
		t.Errorf("%d rollouts, want 8", len(records))
	}
	for _, r := range records {
		reward := -1.0
		if r.Reward != nil {
			reward = *r.Reward
		}
		got := fmt.Sprintf("%s, reward %v, %d calls", r.Outcome, reward, len(r.Calls))
		want := map[string]string{
			"by the tool": "graded, reward 1, 1 calls",
			"by heart":    "graded, reward 0, 0 calls",
			"fails":       "model_api, reward -1, 0 calls",
		}[r.Item]
		if !tools && r.Item != "fails" {
			want = "graded, reward 0, 0 calls"
		}
		if r.Item == "without end" && tools {
			if r.Outcome != rollout.StepLimit || r.Reward != nil || len(r.Calls) < 2 {
				t.Errorf("%s/%d: %s, %s", r.Item, r.Sample, got, r.Error)
			}
			continue
		}
		if got != want || r.Outcome == rollout.Graded && (r.Usage.Output == nil || *r.Usage.Output != int64(5*(1+len(r.Calls)))) {
			t.Errorf("%s/%d: %s, want %s; tokens %v; %s", r.Item, r.Sample, got, want, r.Usage.Output, r.Error)
		}
	}
}
