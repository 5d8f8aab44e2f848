package agent_test

import (
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/rollout"
)

// An agent finds its canary in the line it gets, and where it has a process to
// itself in the environment, too.
func TestAnAgentIsToldItsCanary(t *testing.T) {
	const script = `read -r line; printf '{"output": "%s", "refusal": "%s"}\n' "$(printf %s "$line" | sed 's/.*"canary":"\([^"]*\)".*/\1/')" "$GONOGO_CANARY"`
	a, err := agent.NewCommand(agent.CommandConfig{Argv: []string{"/bin/sh", "-c", script}, Processes: 1, PerRollout: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	p := sampler.AgentRequest{Item: &rollout.Item{ID: "q1", Split: rollout.Train, Row: []byte(`{"messages": []}`)}, TraceID: "trace_1", Timeout: 20 * time.Second}
	done, err := a.Run(t.Context(), p)
	if want := rollout.Canary("trace_1"); err != nil || done.Output != want || done.Refusal != want {
		t.Errorf("told %q and %q, want %s (%v)", done.Output, done.Refusal, want, err)
	}
}
