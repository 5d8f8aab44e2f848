package agent_test

import (
	"encoding/json"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/rollout"
)

// A program does not see what it must not, and where it has a rollout to itself it finds
// the model by the names that libraries read, behind whatever was there.
func TestWhatAProgramSees(t *testing.T) {
	t.Setenv("RUN_KEY", "of the run")
	t.Setenv("OPENAI_API_KEY", "somebody's")
	t.Setenv("PLAIN", "seen")
	const script = `read -r line; printf '{"trace_id": "trace_1", "output": "%s"}\n' "$RUN_KEY|$PLAIN|$OPENAI_API_KEY|$OPENAI_BASE_URL|$GONOGO_TRACE_ID"`
	for _, c := range []struct {
		alone bool
		want  string
	}{{true, "|seen|gonogo-key|http://127.0.0.1:1/v1|trace_1"}, {false, "|seen|somebody's||"}} {
		a, err := agent.NewCommand(agent.CommandConfig{Argv: []string{"/bin/sh", "-c", script}, Without: []string{"RUN_KEY"}, Processes: 1, PerRollout: c.alone})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		p := sampler.AgentRequest{
			Item: &rollout.Item{ID: "q1", Row: json.RawMessage(`{}`)}, TraceID: "trace_1", Timeout: 20 * time.Second,
			Model: &sampler.ModelAccess{BaseURL: "http://127.0.0.1:1/v1", Key: "gonogo-key"},
		}
		done, err := a.Run(t.Context(), p)
		if err != nil || done.Output != c.want {
			t.Errorf("a program for each rollout %v: it sees %q, want %q (%v)", c.alone, done.Output, c.want, err)
		}
	}
}
