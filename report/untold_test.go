package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// planted fills what others wrote with a text that can be found again, and has
// the gates quote it.
func planted(t *testing.T, name string) *analysis.Result {
	t.Helper()
	const text = "planted <text>"
	r := reporttest.Load(t, name)
	for _, s := range r.Splits {
		s.Failures = append(s.Failures, analysis.FailureCause{Outcome: "tool", Count: 3, Items: []string{}})
		for i := range s.Failures {
			s.Failures[i].Error = text
		}
	}
	g := r.Grader
	g.GuessableAnswer = text
	g.Failures = append(g.Failures, analysis.GraderFailure{Kind: "status", Count: 1, Example: text, Items: []string{}})
	for i := range g.Probes {
		for j := range g.Probes[i].Holes {
			g.Probes[i].Holes[j].Payload = text
		}
	}
	for i := range g.SuspectReferences {
		g.SuspectReferences[i].Answer, g.SuspectReferences[i].Reference = text, text
	}
	g.TooGood = append(g.TooGood, analysis.TooGood{Pattern: analysis.OneText, Split: "train", Items: []string{"q"}, Count: 2, Note: message.Text{ID: "grader.one_answer", Args: message.Args{"items": message.Count(2, "item"), "answer": message.Quote(`planted "text"`)}}})
	r.Problems = append(r.Problems, rollout.Problem{Split: "train", File: "train.jsonl", Line: 3, Rule: "last_role", Message: text})
	if r.Shift != nil {
		for i := range r.Shift.Pairs {
			r.Shift.Pairs[i].Top = append(r.Shift.Pairs[i].Top, message.ForeignText(text))
		}
	}
	verdict := r.Verdict
	judge.Judge(r, r.Thresholds.ByName(), gate.All())
	if r.Verdict != verdict {
		t.Fatalf("the verdict is %s now, and was %s", r.Verdict, verdict)
	}
	r.NotJudged = append(r.NotJudged, analysis.Unjudged{Gate: "shift", Why: message.ForeignText(text)})
	return r
}

// TestAReportWithoutTextsTellsNone looks for planted texts in every format that
// is text, in both languages, and for the numbers that must be as they were.
func TestAReportWithoutTextsTellsNone(t *testing.T) {
	r := planted(t, "audited")
	var before bytes.Buffer
	if err := r.Encode(&before); err != nil {
		t.Fatal(err)
	}
	bare, err := r.WithoutTexts()
	if err != nil {
		t.Fatal(err)
	}
	quoted := 0
	for _, l := range message.Languages() {
		for _, f := range Formats() {
			if f.Rollouts || f.File != "" && strings.HasSuffix(f.File, ".pdf") || strings.HasSuffix(f.File, ".png") {
				continue
			}
			write := func(r *analysis.Result) string {
				var b bytes.Buffer
				if err := f.Write(&b, NewRunPage(r.In(l), Options{})); err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
				return b.String()
			}
			if strings.Contains(write(r), "planted") {
				quoted++
			}
			if text := write(bare); strings.Contains(text, "planted") {
				at := strings.Index(text, "planted")
				t.Errorf("%s in %s: …%s…", f.Name, l.Tag(), text[max(0, at-200):at+20])
			}
		}
	}
	if quoted < 6 {
		t.Errorf("only %d formats quote what was planted: the test looks for little", quoted)
	}
	for i, f := range bare.Findings {
		was := r.Findings[i]
		if f.Gate != was.Gate || f.Status != was.Status || !reflect.DeepEqual(f.Value, was.Value) || !reflect.DeepEqual(f.Items, was.Items) || f.Title.ID != was.Title.ID {
			t.Errorf("finding %d was %+v and is %+v", i, was, f)
		}
	}
	if bare.Verdict != r.Verdict || !reflect.DeepEqual(bare.Reason, r.Reason) {
		t.Errorf("the verdict was %s and is %s", r.Verdict, bare.Verdict)
	}
	var after bytes.Buffer
	if err := r.Encode(&after); err != nil || !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Errorf("the result itself was changed: %v", err)
	}
}
