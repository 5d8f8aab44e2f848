package sampler

import (
	"encoding/json"
	"strings"
	"testing"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

const sure = "a-value-of-the-environment"

// What no ordinary word is, and nothing else, is blanked out of what the model and the
// grader read; each text that is changed is counted.
func TestSecretsAreBlankedAndCounted(t *testing.T) {
	e := &episode{rec: &rollout.Record{}, session: &session{cfg: Config{Secrets: endpoint.Secrets{sure}}}}
	texts := []string{"it is " + sure, "2024-10-01 in us-east-1", sure + sure}
	e.blank(&texts[0], &texts[1], &texts[2])
	if texts[0] != "it is **********" || texts[1] != "2024-10-01 in us-east-1" || strings.Contains(texts[2], sure) || e.rec.Blanked != 2 {
		t.Errorf("%q, %d blanked", texts, e.rec.Blanked)
	}
	done := AgentResult{Output: sure, Messages: []rollout.Message{{Content: "a"}, {Content: sure}}, Calls: []rollout.Call{{Output: sure}}}
	e.blankAgent(&done)
	e.noteAgent(done, ModelTraffic{Blanked: 1})
	if text, _ := json.Marshal(e.rec); strings.Contains(string(text), sure) || e.rec.Blanked != 6 {
		t.Errorf("%d blanked in %s", e.rec.Blanked, text)
	}
}

// A rollout's own token reaches no record, though the model may read it; its canary does.
func TestTheTokenOfASessionIsNotWritten(t *testing.T) {
	at, err := NewAddress("server_url", "http://x/", map[string]string{"Authorization": "Bearer {{session.token}}", "X-Trace": "{{session.canary}}", "x-region": "{{session.region}}"})
	if err != nil {
		t.Fatal(err)
	}
	box := &RolloutSession{TraceID: "trace_1", secrets: new(sessionSecrets), Values: map[string]json.RawMessage{"token": json.RawMessage(`"tok-4711"`), "region": json.RawMessage(`"us-east-1"`)}}
	if _, _, _, err := at.In(box); err != nil {
		t.Fatal(err)
	}
	canary := rollout.Canary("trace_1")
	said := "Bearer tok-4711 in us-east-1 by " + canary
	rec := &rollout.Record{
		Answer: said, Error: said, Messages: []rollout.Message{{Content: said, ToolCalls: []rollout.ToolCall{{Arguments: said}}}},
		Calls: []rollout.Call{{Arguments: said, Output: said, Error: said}},
	}
	e := &episode{rec: rec, box: box}
	text, _ := json.Marshal(e.withoutSessionSecrets(rec))
	if strings.Contains(string(text), "tok-4711") || strings.Count(string(text), canary) != 7 || strings.Count(string(text), "us-east-1") != 7 {
		t.Errorf("written: %s", text)
	}
	if rec.Messages[0].Content != said || rec.Messages[0].ToolCalls[0].Arguments != said || rec.Calls[0].Output != said {
		t.Errorf("the record in memory changed: %+v", rec)
	}
	if e.box = nil; e.withoutSessionSecrets(rec) != rec {
		t.Error("a rollout without a session has other secrets")
	}
}
