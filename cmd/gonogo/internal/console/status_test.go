package console

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/audit"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

func TestTheStatusOfARun(t *testing.T) {
	eta, usd := 90.0, 1.25
	led := &queue.RunStatus{
		Run: "r1", Name: "invoices", Host: "h", PID: "7", Live: true, Recorded: 1200, Of: 1500, InFlight: 4, PerMinute: 200, Told: "the last minute", ETA: &eta,
		Outcomes: map[rollout.Outcome]int{rollout.Graded: 1199, rollout.ToolFailed: 1}, PaidTwice: 2, Tokens: 5, USD: &usd, Note: "slow",
		Endpoints: []queue.EndpointStatus{{Boundary: endpoint.State{Name: "model", InFlight: 1, Limit: 8}}},
		Workers: []queue.WorkerStatus{
			{Host: "a", PID: 1, State: "works", Slots: 4, InFlight: 2, Made: 10, PerMinute: 3, Silent: 2, Version: "v1"},
			{Host: "b", PID: 2, State: "lost", Slots: 4, Silent: 90, Version: "v1"},
			{Host: "c", PID: 3, State: "left", Made: 3},
			{Host: "d", PID: 4, State: "lacks", Lacks: "python3"},
			{Host: "e", PID: 5, State: "left", Lacks: "python3"},
		},
	}
	want := `Run r1 (invoices): 1,200 of 1,500 rollouts, 4 in flight; led by process 7 on h
  note: slow
  200/min, the last minute; at that rate 1m30s to go
  graded 1,199, tool 1, paid twice 2, 5 tokens, $1.25
  model        1/8 in flight, 0/s
  worker a (pid 1): 2 of 4 in flight, 0 waiting, 3/min, made 10, failed 0, last heard from 2s ago, version v1
  worker b (pid 2): 0 of 4 in flight, 0 waiting, 0/min, made 0, failed 0, lost: silent for 1m30s, version v1
  worker c (pid 3): has left, made 3
  worker d (pid 4): takes no jobs: python3
  worker e (pid 5): has left, because it takes no jobs: python3
`
	var out bytes.Buffer
	if WriteStatus(&out, led); out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	for want, s := range map[string]*queue.RunStatus{
		"Run r2: no planner leads it; jobs are left\n":                                              {Run: "r2", Note: "jobs are left"},
		"Run d: 0 of 1 rollout, 0 in flight; no process is writing it\n  0/min, none\n  0 tokens\n": {Directory: "d", Of: 1, Told: "none"},
		"Run d: 0 of 1 rollout, 0 in flight; process 7 is writing it\n  0/min, none\n  0 tokens\n":  {Directory: "d", Of: 1, Told: "none", Live: true, PID: "7"},
		"Run d: 0 of 1 rollout, 0 in flight; a process is writing it\n  0/min, none\n  0 tokens\n":  {Directory: "d", Of: 1, Told: "none", Live: true},
	} {
		out.Reset()
		if WriteStatus(&out, s); out.String() != want {
			t.Errorf("got\n%s\nwant\n%s", out.String(), want)
		}
	}
}

func TestThePlanOfAnAudit(t *testing.T) {
	items := make([]rollout.Item, 2)
	for i, row := range []string{`{"messages":[{"role":"user","content":"q"}],"reference_answer":"4"}`, `{"messages":[{"role":"user","content":"r"}]}`} {
		items[i] = rollout.Item{ID: row, Split: rollout.Train, Row: []byte(row)}
		if err := items[i].Decode(); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := audit.NewPlan(t.Context(), audit.DefaultConfig(), audit.Input{
		Seed: 1, Items: items, Range: [2]float64{0, 1}, Probes: audit.Probes(), Reference: audit.FieldReference, Grader: "g", Judges: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	plan.Template, plan.Inferred, plan.Notes = "The answer is {{reference}}.", true, append(plan.Notes, "few records")
	var out bytes.Buffer
	WriteAuditPlan(&out, plan, 0)
	for _, want := range []string{
		"Audit of the grader: 2 items, ", " to a model that grades.\n", "reference_answer (1 item)", "none found (1 item)",
		"\nAnswers are made from references by The answer is {{reference}}., as in the best recorded answers.\n", "\nnote: few records\n", "\nProbes that do not apply to these items: ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, out.String())
		}
	}
}

func TestALogIsALineForPeople(t *testing.T) {
	var lines []string
	log := slog.New(NewLogHandler(func(line string) error {
		lines = append(lines, line)
		return nil
	})).With("queue", "q").WithGroup("g")
	log.Info("left out")
	log.Warn("away", "for", time.Second)
	if len(lines) != 1 || lines[0] != "away, queue q, for 1s" {
		t.Errorf("%q", lines)
	}
}

func TestTextForATerminal(t *testing.T) {
	for got, want := range map[string]string{
		Visible("a\x1b[2J\u202e\n\tb"): "a\uFFFD[2J\uFFFD\n\tb",
		OneLine(" a \n b "):            "a b",
		Dollars(0.5):                   "$0.5",
		Capitalized("after"):           "After",
		Count(1, "tool call"):          "1 tool call",
		Count(1200, "tool call"):       "1,200 tool calls",
		Tokens(1):                      "1 token",
		Span(90 * time.Second):         "1m30s",
		Span(1500 * time.Millisecond):  "1.5s",
		Span(20 * time.Millisecond):    "20ms",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
