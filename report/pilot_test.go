package report

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/report/block"
	"gonogo/report/reporttest"
	terminal "gonogo/report/text"
)

// piloted is the page of a run with a pilot.
func piloted(t *testing.T, run, name string) *RunPage {
	t.Helper()
	opt := options()
	opt.Dir, opt.Pilot = "RUN", reporttest.LoadPilot(t, name)
	return NewRunPage(reporttest.Load(t, run), opt)
}

func TestGoldenPilot(t *testing.T) {
	p := piloted(t, "go", "rises")
	golden(t, "pilot.md", string(write(t, "markdown-full", p)))
	golden(t, "pilot.txt", string(write(t, "text", p)))
	reporttest.SamePicture(t, "testdata/pilot.summary.png", write(t, "summary", p), *update)
	zh := options()
	zh.Pilot = reporttest.LoadPilot(t, "by_heart")
	golden(t, "pilot.zh.md", string(write(t, "markdown-full", NewRunPage(chinese(t, "go"), zh))))
}

// The numbers are those of reporttest/pilots/*.json.
func TestThePilotInEveryFormat(t *testing.T) {
	for name, wants := range map[string][]string{
		"rises": {
			"Pilot: GO at step 20: go on — eval has risen by 0.281 after 20 steps.", "192 of 192 groups match 96 items",
			"holds: +0.0547", "64 of 64 logged answers", "planned", "≥ 2,560", "80 % interval, from 416 recorded trainings of 24 kinds",
		},
		"reward_alone":   {"GO at step 19: go on — ", "by training reward alone", "not sampled", "Eval: no checkpoint was sampled.", "Sample eval from the checkpoint of step 19: gonogo pilot RUN --log LOG --checkpoint URL --at 19."},
		"flat":           {"NO-GO at step 40: stop — ", "a gain worth waiting for is ruled out", "Stop the training; the section on its first steps says what to look at."},
		"one_step":       {"UNDECIDED: look again at step 10 — the log has not reached the first look."},
		"long":           {"UNDECIDED at step 40: no further look is planned — "},
		"withheld":       {"withheld", "Training reward withheld at step 20: the trainer pays something other"},
		"withheld_alone": {"UNDECIDED at step 20: look again at step 40 — the training reward cannot be compared: ", "12 logged rewards agree, of 64 checked"},
		"zero":           {"UNDECIDED at step 20: look again at step 40 — before any update counts", "fails: +"},
		"by_heart":       {"NO-GO at step 40: stop — ", "the model memorizes items"},
		"hole":           {"claim", "61 %", "paid", "not tried"},
		"curves":         {"train/reward", "they decide nothing"},
	} {
		forReaders(t, piloted(t, "go", name), func(format, _, flat string) {
			flat = strings.NewReplacer("<b>", "", "</b>", "", "**", "", "&#39;", "'", "&#43;", "+", "&amp;", "&").Replace(flat)
			for _, want := range wants {
				if !strings.Contains(flat, want) {
					t.Errorf("%s of %s does not say %q", format, name, want)
				}
			}
		})
	}
}

// A hostile log cannot control a page, and --no-transcripts does not name what it wrote.
func TestAHostilePilotStaysText(t *testing.T) {
	p := piloted(t, "go", "hostile")
	forReaders(t, p, func(format, text, _ string) {
		for _, bad := range []string{"\x1b", "\u202e", "<img src=x", "<script>alert("} {
			if strings.Contains(text, bad) && (format != "text" || bad[0] != '<') {
				t.Errorf("%s contains %q", format, bad)
			}
		}
		if !strings.Contains(text, "alert(0)") {
			t.Errorf("%s does not name a group that matches nothing", format)
		}
	})
	opt := options()
	opt.Pilot = reporttest.LoadPilot(t, "hostile").WithoutTexts()
	if text := write(t, "text", NewRunPage(reporttest.Load(t, "go"), opt)); bytes.Contains(text, []byte("alert(1)</script>")) ||
		!bytes.Contains(text, []byte("characters]")) {
		t.Errorf("without transcripts the page still shows them:\n%s", text)
	}
}

// The verdict, the exit code and the headline of the run are those of the run.
func TestAPilotLeavesTheVerdictOfTheRun(t *testing.T) {
	p, bare := piloted(t, "dead", "rises"), fresh(t, "dead")
	if p.Verdict != bare.Verdict || p.Sentence != bare.Sentence || p.Title != bare.Title {
		t.Errorf("with a pilot the run is %s: %s", p.Verdict, p.Sentence)
	}
	brief := p.Doc().Brief
	v, line := brief[0].(block.Verdict), brief[1].(block.Note)
	if v.Tone != block.Fail || line.Tone != block.Pass || line.Lead != "Pilot" {
		t.Errorf("the brief begins with %+v, %+v", v, line)
	}
	for _, s := range bare.Doc().Rest {
		if s.ID == "pilot" && len(s.Blocks) > 0 {
			t.Error("a run without a pilot has its section")
		}
	}
}

func TestEveryPilotIsSaidInChinese(t *testing.T) {
	strict := message.Chinese.OnMissing(func(_, english string) { t.Errorf("Chinese lacks %q", english) })
	for _, name := range reporttest.Pilots() {
		opt := options()
		opt.Pilot = reporttest.LoadPilot(t, name)
		p := NewRunPage(reporttest.Load(t, "go").In(strict), opt)
		for _, format := range []string{"text", "html", "summary"} {
			write(t, format, p)
		}
	}
}

// A pilot.json that a later version or a person wrote may name a claim that this version lacks.
func TestAnUnknownClaimIsShown(t *testing.T) {
	opt := options()
	opt.Pilot = reporttest.LoadPilot(t, "rises")
	opt.Pilot.Verdict.Claim = "wait\x1b[2J"
	p := NewRunPage(reporttest.Load(t, "go"), opt)
	if got := p.pilotSaid(opt.Pilot.Verdict, nil); !strings.HasPrefix(got, `GO at step 20: wait\x1b[2J — `) {
		t.Errorf("it says %q", got)
	}
	if got := p.pilotSaid(pilot.Verdict{Answer: "UNDECIDED", Claim: pilot.ClaimLook}, nil); !strings.HasPrefix(got, "UNDECIDED: look again — ") {
		t.Errorf("it says %q", got)
	}
}

// A run with many things to do has a brief of at most 40 lines, and a card on which nothing overlaps, with any pilot.
func TestAPilotHasRoom(t *testing.T) {
	for i, name := range reporttest.Pilots() {
		for _, run := range []string{"go", reporttest.Names()[i%(len(reporttest.Names())-1)]} {
			p := piloted(t, run, name)
			for _, columns := range []int{60, 96} {
				p.Width, p.ASCII = columns, columns == 60
				checkLines(t, name, string(write(t, "text", p)), columns, p.ASCII)
			}
			p.All = false
			brief := write(t, "text", p)
			if n := bytes.Count(brief, []byte("\n")); n > terminal.MaxLines || !bytes.Contains(brief, []byte("Pilot:")) {
				t.Errorf("%s of %s has a brief of %d lines:\n%s", name, run, n, brief)
			}
			var rec recorder.Canvas
			drawCard(draw.NewCanvas(&rec, cardWidth, cardHeight), p)
			checkCard(t, name+" of "+run, rec)
		}
	}
}
