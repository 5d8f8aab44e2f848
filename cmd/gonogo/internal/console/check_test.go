package console

import (
	"bytes"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
	"gonogo/sampler/tryout"
)

func TestACheckIsALineForEachThing(t *testing.T) {
	f := Check{
		Files:     []rollout.Data{{Split: rollout.Train, File: "train.jsonl", Rows: 3, Items: 2}},
		Endpoints: []Endpoint{{Name: "model", URL: "http://a"}, {Name: "tool\x1b[2J", Error: "http://b: refused\x1b"}},
		Agent:     &Endpoint{URL: "python3 agent.py"},
		MCP:       []ToolServer{{Name: "files", Where: "server", Tools: []string{"cat", "ls"}}, {Name: "web", Error: "no answer"}},
		Variants:  []Variant{{Name: "brief", Doc: "a short one", Rollouts: 8, Changes: []rollout.Change{{Key: "prompt", New: "Be\nbrief."}, {Key: "tools", Base: "a"}}}},
		Warnings:  []string{"a key means nothing"},
		Problems:  []rollout.Problem{{File: "train.jsonl", Line: 2, Message: "no answer", Blocking: true}, {Message: "few rows"}},
		Grader:    tryout.Result{Items: 2, Of: 3, Tried: 5, Planned: 6, References: true, Findings: []tryout.Finding{{Blocking: true, Title: "it fails", Remedy: "Correct it.", Rows: []string{"q1"}}}},
		Key:       "there is no OPENAI_API_KEY", Estimate: "To make: 16 rollouts.",
	}
	want := `train      train.jsonl: 3 items, 2 taken
endpoint   model http://a: answers
endpoint   tool\x1b[2J: http://b: refused�
agent      python3 agent.py: found; gonogo run --rehearse makes one rollout with it
mcp        files: server: 2 tools: cat, ls
mcp        web: no answer
variant    brief: 8 rollouts; a short one
           - prompt: not set -> Be brief.
           - tools: a -> nothing
warning    a key means nothing
refused    train.jsonl:2: no answer
advice     few rows
grader     tried on the reference, an empty and a wrong answer of a sample of 2 of 3 items: 5 of 6 answers tried
fails      grader: it fails
           Correct it.
           - q1
key        there is no OPENAI_API_KEY
To make: 16 rollouts.
`
	var out bytes.Buffer
	if f.WriteText(&out); out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestWhatBlocksARunIsSaidFirst(t *testing.T) {
	f := Check{
		Findings: []analysis.Finding{{Gate: "data.leakage", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Fail}}},
		Problems: []rollout.Problem{{Blocking: true}},
		Grader:   tryout.Result{Findings: []tryout.Finding{{Title: "odd"}, {Title: "it fails", Blocking: true}}},
		Key:      "missing", MCP: []ToolServer{{Name: "web", Error: "x"}}, Agent: &Endpoint{Error: "x"}, Endpoints: []Endpoint{{Name: "model", Error: "x"}},
	}
	for _, c := range []struct {
		why  string
		data bool
		mend func()
	}{
		{"the model endpoint does not answer: see above", false, func() { f.Endpoints = nil }},
		{"the agent cannot be started: see above", false, func() { f.Agent = nil }},
		{"the MCP server web cannot be used: see above", false, func() { f.MCP = nil }},
		{"a key is missing: see above", false, func() { f.Key = "" }},
		{"the grader: it fails: see above", false, func() { f.Grader.Findings = f.Grader.Findings[:1] }},
		{"the platform would refuse these files", true, func() { f.Problems = nil }},
		{"the rows fail data.leakage: see above; --no-shift leaves this out", true, func() { f.Findings = nil }},
		{"", false, func() {}},
	} {
		if why, data := f.Blocked(); why != c.why || data != c.data {
			t.Errorf("%q, %v; want %q, %v", why, data, c.why, c.data)
		}
		c.mend()
	}
}

func TestATrialThatCostsIsNotMadeUnasked(t *testing.T) {
	for _, c := range []struct {
		trial         tryout.Trial
		paid, offline bool
		want          string
	}{
		{tryout.Trial{}, false, true, ""},
		{tryout.Trial{Remote: true}, false, true, "it is called over the network (--offline)"},
		{tryout.Trial{Remote: true}, false, false, ""},
		{tryout.Trial{Judges: 2}, false, false, "a paid model grades: --grade calls it, with at most 14 requests"},
		{tryout.Trial{Judges: 2}, true, false, ""},
		{tryout.Trial{Session: true}, true, true, "it needs a session (--offline)"},
		{tryout.Trial{Session: true}, false, false, "it needs a session: --grade starts at most 5 for it"},
	} {
		if got := TrialWithheld(c.trial, 3, c.paid, c.offline); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
	if got, want := TrialCosts(tryout.Trial{Judges: 1, Session: true}, 2), "1 request to a model that grades, at most 6 if it fails; 1 session, at most 6 if it fails"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
