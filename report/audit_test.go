package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"

	"github.com/google/go-cmp/cmp"
)

// nasty are payloads that have broken pages, tables and terminals.
var nasty = []string{
	"</script><script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	"</pre></code></details><h1>GO</h1>",
	"| a | b |\n|---|---|\n| GO | 1.0 |",
	"``` \n# GO\n```",
	"`` ` ```` ` [x](javascript:alert(1)) @someone ![](http://example.com/p.png)",
	"\x1b[2J\x1b[1;1H\x1b[32mGO\x1b[0m \x1b]0;title\a \u009b31m",
	"safe \u202egnp.exe\u202c \u2066 \u200f",
	"zero\u200bwidth\u200djoin \ufeff",
	"back\\slash \\n is not a line end\nthis is",
	"",
	"   ",
	"\t\r\n",
	"broken \xff\xfe\x00 bytes",
	"42\u0430 \uff14\uff12",
	"{{.Verdict}} %s %d %!v(MISSING)",
	"&lt;b&gt; &amp; \"quotes\" 'single'",
	"-- GO --\n\n---\n\n> quote\n1. list",
	strings.Repeat("filler ", 1500),
	strings.Repeat("x", 10_240),
}

// nastyResult is a Result that carries the nasty texts wherever the audit has
// a text.
func nastyResult(t *testing.T) *analysis.Result {
	r := reporttest.Load(t, "cautious")
	g := &analysis.Grader{
		Guessable: share(0.3), GuessableAnswer: nasty[0],
		Agreement: &analysis.Agreement{Labels: 10, Outputs: 9, Raters: 2, Spearman: *share(0.5), Kappa: share(0.4), Alpha: share(0.6), Ceiling: share(0.8), Items: nasty, BaseRate: share(0.7), Errors: verdictErrors()},
		Layers:    &analysis.Layers{Formula: nasty[3], Core: nasty[5], ZeroN: 5, AtZero: *share(0.2), Bought: *share(0.4), Moving: nasty, Items: nasty},
	}
	for i, text := range nasty {
		limit := 0.05
		p := analysis.ProbeResult{Probe: fmt.Sprintf("probe %d %s", i, first(text, 40)), Expect: rollout.Bottom, Limit: &limit, Items: 40, Above: i + 1, Accept: *share(0.1), Gap: *share(-0.2)}
		p.Holes = []analysis.Hole{{ID: fmt.Sprintf("nasty/train/%s/%d", first(text, 200), i), Split: rollout.Train, Item: text, Reward: 1, Payload: text}}
		g.Probes = append(g.Probes, p)
		g.SuspectReferences = append(g.SuspectReferences, analysis.SuspectReference{Split: rollout.Train, Item: text, Answer: text, Share: 0.75, Reward: stat.FiniteOrNil(0)})
		g.TooGood = append(g.TooGood, analysis.TooGood{Pattern: text, Split: rollout.Split(first(text, 20)), Items: nasty, Count: 3, Note: message.Verbatim(text)})
		g.Layers.Parts = append(g.Layers.Parts, analysis.Layer{Name: text, Mean: *share(0.5), Share: stat.FiniteOrNil(0.05)})
		g.Detectors = append(g.Detectors, analysis.DetectorResult{Detector: text, Rollouts: 10, Marked: 2, Share: *share(0.2), Mean: *share(0.9), Items: nasty})
		g.Failures = append(g.Failures, analysis.GraderFailure{Kind: text, Count: 3, Example: text, Items: nasty})
	}
	r.Grader = g
	return r
}

// verdictErrors are those of four items of ten outputs: see TestErrorsOf of package stat.
func verdictErrors() *stat.VerdictErrors {
	e := stat.ErrorsOf([]stat.Verdicts{
		{Accepted: 4, Outputs: 10, OfAccepted: stat.Counts{Hits: 3, N: 3}, OfRejected: stat.Counts{N: 2}},
		{Accepted: 2, Outputs: 10, OfAccepted: stat.Counts{Hits: 1, N: 2}, OfRejected: stat.Counts{Hits: 1, N: 3}},
		{Accepted: 6, Outputs: 10, OfAccepted: stat.Counts{Hits: 3, N: 3}, OfRejected: stat.Counts{N: 3}},
		{Accepted: 4, Outputs: 10, OfAccepted: stat.Counts{Hits: 2, N: 2}, OfRejected: stat.Counts{Hits: 1, N: 2}},
	}, 0.95)
	return &e
}

func TestAgreementOfYesAndNo(t *testing.T) {
	r := reporttest.Load(t, "cautious")
	r.Grader = &analysis.Grader{Agreement: &analysis.Agreement{Labels: 20, Outputs: 20, Raters: 1, Spearman: *share(0.5), Kappa: share(0.4), BaseRate: share(0.55), Errors: verdictErrors()}}
	text := string(write(t, "markdown-full", NewRunPage(r, options())))
	for _, want := range []string{ // TestErrorsOf of package stat has the values
		`base rate \| 55 %`, `Cohen's κ \| 0.4`, `accepted, but wrong \| 10 % .*10 outputs`, `rejected, but right \| 20 %`,
		`false accepts \| 7.7 %`, `false rejects \| 25 %`, `right by the grader \| 40 %`, `right, corrected \| 48 % .*20 outputs`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func share(x float64) *stat.Estimate {
	return &stat.Estimate{Value: &x, Low: stat.FiniteOrNil(x - 0.05), High: stat.FiniteOrNil(x + 0.05), N: 80, Items: 40, Method: "share of items; Clopper–Pearson interval", Warnings: []message.Text{}}
}

func TestSlowGradingsHaveARow(t *testing.T) {
	r := reporttest.Load(t, "audited")
	p := &r.Grader.Probes[0]
	p.Slow, p.SlowSeconds, p.TypicalSeconds = 3, stat.FiniteOrNil(30), stat.FiniteOrNil(0.1)
	g := rates(r, &english)
	want := []string{"slow gradings", "30 s", "“" + p.Probe + "” on 3 items; the median grading takes 0.1 s", english.Audit.SlowDoc}
	if got := g.Rows[len(g.Rows)-1]; !cmp.Equal(got, want) {
		t.Errorf("the last row is %q, want %q", got, want)
	}
}

func TestNastyPayloadsAreTextInHTML(t *testing.T) {
	p := NewRunPage(nastyResult(t), options())
	s := string(write(t, "html", p))
	body := pictures.ReplaceAllString(scripts.ReplaceAllString(styles.ReplaceAllString(s, ""), ""), "")
	for _, bad := range []string{"<script", "<img", "<h1>GO", "onerror=alert(1)>", "alert(1)</script>"} {
		if strings.Contains(body, bad) {
			t.Errorf("%q became markup", bad)
		}
	}
	for i, r := range html.UnescapeString(body) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\u00a0' { // one that keeps a number with its sign
			t.Fatalf("the page holds the unseen rune %q: …%q", r, html.UnescapeString(body)[max(0, i-60):i])
		}
	}
	if opened, closed := strings.Count(body, "<pre>"), strings.Count(body, "</pre>"); opened != len(nasty) || closed != opened {
		t.Errorf("%d payloads opened and %d closed, want %d", opened, closed, len(nasty))
	}
	for _, m := range regexp.MustCompile(`(?s)<pre>(.*?)</pre>`).FindAllStringSubmatch(body, -1) {
		if n := len([]rune(html.UnescapeString(m[1]))); n > 6*payloadShown {
			t.Errorf("a payload is %d signs long on the page", n)
		}
	}
	if n := strings.Count(s, "filler filler filler"); n == 0 || n > 30_000/len("filler filler filler") {
		t.Errorf("a payload of 10 KB is not cut, or not there")
	}
}

func TestNastyPayloadsAreTextInMarkdown(t *testing.T) {
	s := string(write(t, "markdown-full", NewRunPage(nastyResult(t), options())))
	columns := 0
	for i, line := range strings.Split(s, "\n") {
		if j := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); j >= 0 {
			t.Errorf("line %d holds an unseen rune: %q", i+1, line)
		}
		outside := codeless(line)
		for _, bad := range []string{"<script", "<img", "</pre", "](javascript", "@someone", "http://"} {
			if strings.Contains(outside, bad) {
				t.Errorf("line %d: %q stands outside of code: %s", i+1, bad, line)
			}
		}
		if strings.HasPrefix(line, "# GO") || strings.HasPrefix(strings.TrimSpace(line), "```") && strings.Contains(codeless(line), "```") {
			t.Errorf("line %d: a payload became a block: %s", i+1, line)
		}
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns != 0 && n != columns {
			t.Errorf("line %d has %d cells, the table %d: %s", i+1, n-1, columns-1, line)
		}
		columns = n
	}
	if len(s) > 150_000 {
		t.Errorf("the file is %d bytes", len(s))
	}
}

// codeless takes the code spans out of a line as CommonMark reads them: a run
// of backticks opens, the next run of the same length closes.
func codeless(line string) string {
	var b strings.Builder
	for len(line) > 0 {
		open := 0
		for open < len(line) && line[open] == '`' {
			open++
		}
		if open == 0 {
			if line[0] == '\\' && len(line) > 1 { // an escaped sign means nothing
				line = line[1:]
			} else {
				b.WriteByte(line[0])
			}
			line = line[1:]
			continue
		}
		end := -1
		for i := open; i < len(line); i++ {
			n := 0
			for i+n < len(line) && line[i+n] == '`' {
				n++
			}
			if n == open {
				end = i + n
				break
			}
			i += max(0, n-1)
		}
		if end < 0 {
			b.WriteString(line[:open])
			line = line[open:]
			continue
		}
		line = line[end:]
	}
	return b.String()
}

func TestNastyPayloadsAreTextInATerminal(t *testing.T) {
	p := NewRunPage(nastyResult(t), options())
	for _, ascii := range []bool{false, true} {
		for _, columns := range []int{60, 80, 132} {
			p.Width, p.ASCII = columns, ascii
			checkLines(t, "nasty", string(write(t, "text", p)), columns, ascii)
		}
	}
}

func TestQuotedIsUnambiguous(t *testing.T) {
	for what, c := range map[string][2]string{
		"plain":                         {"42 %", "“42 %”"},
		"empty":                         {"", "“”"},
		"a space at an end is seen":     {" a b ", "“␣a b␣”"},
		"spaces beside each other too":  {"a  b", "“a␣␣b”"},
		"a written escape is told":      {`a\nb`, `“a\\nb”`},
		"from the real thing":           {"a\nb", `“a\nb”`},
		"a sign for a space is escaped": {"␣", `“\u2423”`},
		"direction marks are seen":      {"a\u202eb", `“a\u202eb”`},
		"a wide space is not a space":   {"a\u00a0b", `“a\u00a0b”`},
		"broken bytes are seen":         {"\xff", `“\xff”`},
	} {
		if got, whole := quoted(c[0], 100); got != c[1] || !whole {
			t.Errorf("%s: quoted(%q) = %q, %v, want %q", what, c[0], got, whole, c[1])
		}
	}
	if got, whole := quoted("abc\xff", 3); got != "“abc”" || whole {
		t.Errorf("a cut text is %q, %v", got, whole)
	}
}

func TestACutPayloadSaysSo(t *testing.T) {
	p := analysis.ProbeResult{Expect: rollout.Bottom}
	for what, c := range map[string]struct {
		payload string
		cut     bool
	}{
		"whole":             {"short", false},
		"its own ellipsis":  {"and so on…", false},
		"cut by analysis":   {strings.Repeat("x", 300) + "…", true},
		"cut by the page":   {strings.Repeat("é", payloadShown+1), true},
		"as long as it may": {strings.Repeat("é", payloadShown), false},
	} {
		h := payload(analysis.Hole{ID: "a/train/b/0", Payload: c.payload}, p, []string{"gonogo", "audit", "RUN"}, &english)
		if got := len(h.Notes) > 0; got != c.cut || strings.Contains(h.Text, "x…") {
			t.Errorf("%s: notes are %q, payload ends %q", what, h.Notes, h.Text[max(0, len(h.Text)-12):])
		}
	}
}

func TestLookalikesAreNamed(t *testing.T) {
	for what, c := range map[string]struct {
		text string
		want []string
	}{
		"plain":                          {"the answer is 42", nil},
		"Cyrillic in a Latin word":       {"p\u0430ris", []string{"U+0430 а"}},
		"a sentence in Cyrillic is none": {"ответ верный: full marks", nil},
		"full-width digits":              {"\uff14\uff12", []string{"U+FF14 ４", "U+FF12 ２"}},
		"Chinese is none":                {"答案 42", nil},
		"accents are none":               {"café", nil},
	} {
		if diff := cmp.Diff(c.want, lookalikes(c.text)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	if got := lookalikes("x" + strings.Repeat("абвгдежз", 3)); len(got) != 7 {
		t.Errorf("%d signs are named, want 6 and a mark", len(got))
	}
}

func TestWithoutAnAuditTheReportSaysHowToMakeOne(t *testing.T) {
	p := NewRunPage(reporttest.Load(t, "go"), options())
	list := section(p.Doc(), "grader")
	if lead := list[0].(block.Note).Texts[0]; !strings.Contains(lead, "gonogo audit RUN") {
		t.Errorf("the lead is %q", lead)
	}
	for _, g := range inBlocks[Grid](list) {
		if g.Tones != nil {
			t.Errorf("probes without an audit: %v", g.Rows)
		}
		for _, row := range g.Rows {
			if row[1] == "" || row[1] == english.NotKnown {
				t.Errorf("a row says nothing: %q", row)
			}
		}
	}
}

func TestCommandsNameTheRun(t *testing.T) {
	opt := options()
	opt.Dir = "runs/my run; rm -rf x"
	p := NewRunPage(reporttest.Load(t, "audited"), opt)
	list := inBlocks[block.Payload](section(p.Doc(), "grader"))
	if len(list) == 0 {
		t.Error("no payload is shown")
	}
	for _, h := range list {
		if want := "gonogo audit 'runs/my run; rm -rf x' --replay " + h.ID; h.Command != want {
			t.Errorf("command is %s, want %s", h.Command, want)
		}
	}
	var b bytes.Buffer
	if err := WriteAudit(&b, p); err != nil || !strings.Contains(b.String(), "--replay") || !strings.Contains(b.String(), "grader.hackable") {
		t.Errorf("the audit by itself lacks its holes or its findings: %v\n%s", err, b.String())
	}
	checkLines(t, "audit", b.String(), 96, false)
}

func TestTheVerdictDoesNotHideTheGrader(t *testing.T) {
	r := reporttest.Load(t, "dead") // NO-GO for another reason
	r.Findings = append(r.Findings, analysis.Finding{Gate: "grader.hackable", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Fail, Title: message.Verbatim("the grader pays for nothing")}})
	if got := NewRunPage(r, options()).Sentence; !strings.HasSuffix(got, "The grader fails as well: Worthless answers rewarded.") {
		t.Errorf("sentence is %q", got)
	}
	gate := "grader.hackable"
	r.Reason = &gate
	if got := NewRunPage(r, options()).Sentence; !strings.Contains(got, "the grader pays for nothing") || strings.Contains(got, "as well") {
		t.Errorf("sentence is %q", got)
	}
}

func TestAuditLeadCounts(t *testing.T) {
	probe := func(e rollout.Expectation, items, above int) analysis.ProbeResult {
		return analysis.ProbeResult{Probe: "p", Expect: e, Items: items, Above: above}
	}
	for want, probes := range map[string][]analysis.ProbeResult{
		"2 probes: none found a fault in the grader.": {probe(rollout.Bottom, 5, 0), probe(rollout.Top, 5, 5), probe(rollout.Note, 5, 5)},
		"2 of 3 probes found faults in the grader: 1 got a worthless answer rewarded, 1 got a right answer rejected; and in 1 formatting alone changed the reward.": {
			probe(rollout.Bottom, 5, 1), probe(rollout.Top, 5, 4), probe(rollout.Same, 5, 2),
		},
		"No probe gave a result: the grader failed on every payload.": {probe(rollout.Bottom, 0, 0)},
	} {
		if got := auditLead(&analysis.Grader{Probes: probes}, &english); got != want {
			t.Errorf("lead is %q, want %q", got, want)
		}
	}
}

// A reward that only moved, up or down, was once a hole, and stood under what
// training would find, also where the grader's own noise explained it.
func TestARewardThatOnlyMovesIsNoHole(t *testing.T) {
	up, down := 0.12, 0.9
	g := &analysis.Grader{Audited: 40, Probes: []analysis.ProbeResult{
		{Probe: "empty", Expect: rollout.Bottom, Items: 20},
		{Probe: "padding", Expect: rollout.Same, Items: 20, Above: 5, Up: 1, Down: 4, Noise: true, Holes: []analysis.Hole{
			{ID: "padding/train/a/0", Reward: 0.8, Base: &up, Payload: "long"}, {ID: "padding/train/b/0", Reward: 0.1, Base: &down, Payload: `a\b`},
		}},
	}}
	r := reporttest.Load(t, "go")
	r.Grader = g
	p := NewRunPage(r, options())
	list := section(p.Doc(), "grader")
	probes, holes := inBlocks[Grid](list)[0], inBlocks[block.Payload](list)
	if row := probes.Rows[0]; probes.Tones[0] != block.Caution || row[1] != "MOVED" || row[4] != "5 moved" {
		t.Errorf("the probe is %q", row)
	}
	if want := "padding: on 5 of 20 items, 1 up and 4 down; the grader's own noise explains it"; holes[0].Name != want {
		t.Errorf("its payloads are of %q, want %q", holes[0].Name, want)
	}
	if want := "2 probes: none found a fault in the grader; and in 1 formatting alone changed the reward; the grader's own noise explains it."; list[0].(block.Note).Texts[0] != want {
		t.Errorf("lead is %q, want %q", list[0], want)
	}
	if holes[0].Earned != "earned 0.8 instead of 0.12" || len(holes[1].Notes) != 1 || holes[1].Notes[0] != english.Audit.Backslash {
		t.Errorf("payloads are %+v", holes)
	}
	for _, format := range []string{"html", "markdown-full"} {
		s := string(write(t, format, p))
		if strings.Contains(s, english.Audit.HolesTitle) || !strings.Contains(s, english.Audit.MovesTitle) {
			t.Errorf("%s puts a moved reward under %q, or not under %q", format, english.Audit.HolesTitle, english.Audit.MovesTitle)
		}
	}
	if s := string(write(t, "text", p)); strings.Contains(s, "HOLE") || !regexp.MustCompile(`padding +MOVED`).MatchString(s) {
		t.Errorf("the terminal shows no MOVED, or a HOLE:\n%s", s)
	}
}

// Remedies once said RUN where the run directory was known.
func TestRemediesNameTheRun(t *testing.T) {
	opt := options()
	opt.Dir = "my run"
	p := NewRunPage(reporttest.Load(t, "audited"), opt)
	named := 0
	for _, f := range p.Findings {
		for _, x := range append(f.Texts, Fact{Value: f.Title}) {
			if strings.Contains(x.Value, "audit RUN") {
				t.Errorf("%s says %q", f.Gate, x.Value)
			}
			named += strings.Count(x.Value, "gonogo audit 'my run'")
		}
	}
	if named == 0 || strings.Contains(p.Sentence+p.Next, "audit RUN") {
		t.Errorf("%d commands name the run; next is %q", named, p.Next)
	}
}

// The quotation mark of a cut payload was lost in a terminal and on a form, and
// on a page nothing told of the cut within the quotation.
func TestACutPayloadKeepsItsQuotationMarks(t *testing.T) {
	for what, c := range map[string][2]string{
		"whole":          {"“abc”", "“abc”"},
		"cut here":       {"“" + strings.Repeat("x", 30) + "”", "“" + strings.Repeat("x", 16) + "”…"},
		"cut before":     {"“abc”…", "“abc”…"},
		"cut both times": {"“" + strings.Repeat("x", 30) + "”…", "“" + strings.Repeat("x", 16) + "”…"},
	} {
		if got := block.Shorten(c[0], 19); got != c[1] {
			t.Errorf("%s: %s, want %s", what, got, c[1])
		}
	}
	if got := quote("abcd", 3); got != "“abc”…" {
		t.Errorf("quote gives %s", got)
	}
}

// A gap of one item was once shown as 0 [-1, 1].
func TestAGapOfNothingIsNotKnown(t *testing.T) {
	r := reporttest.Load(t, "go")
	nothing := stat.Estimate{Value: stat.FiniteOrNil(0), Low: stat.FiniteOrNil(-1), High: stat.FiniteOrNil(1), N: 1, Items: 1}
	if got := gap(nothing, r, &english); got != english.NotKnown {
		t.Errorf("the gap of one item is %q", got)
	}
	nothing.Items, nothing.Low, nothing.High = 20, stat.FiniteOrNil(-0.2), stat.FiniteOrNil(0.2)
	if got := gap(nothing, r, &english); !strings.HasPrefix(got, "0 [") {
		t.Errorf("a gap of 20 items is %q", got)
	}
}

// One item, one bit and a tiny p once read "1 of 1 items", "1 bits" and "p = 0".
func TestOnesAndTinyNumbersInWords(t *testing.T) {
	one := analysis.ProbeResult{Expect: rollout.Bottom, Items: 1, Above: 1}
	bits := func(x float64) string { return entropy.With(message.Args{"bits": message.Number(x)}).String() }
	for got, want := range map[string]string{
		on(one, &english): "on the one item tried",
		bits(0.9999):      "1 bit", bits(1.69): "1.69 bits",
		message.P(0): "p < 0.001", message.P(3e-9): "p < 0.001", message.P(0.0123): "p = 0.0123",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Requests that an endpoint dropped and answered when repeated once left no trace.
func TestRetriedRolloutsAreTold(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.Splits[rollout.Train].Missing.Retried, r.Splits[rollout.Train].Missing.Retries = 96, 100
	if s := string(write(t, "text", NewRunPage(r, options()))); !strings.Contains(s, "96 rollouts (10 %) were retried, with 100 repeats in all") {
		t.Errorf("the report does not tell of repeated requests:\n%s", s)
	}
}

// A right answer that is rejected was marked as a hole.
func TestARejectedRightAnswerIsNoHole(t *testing.T) {
	for want, p := range map[probeState]analysis.ProbeResult{
		probeFoundHoles: {Expect: rollout.Bottom, Items: 5, Above: 1}, probeRejected: {Expect: rollout.Top, Items: 5, Above: 4}, probePassed: {Expect: rollout.Top, Items: 5, Above: 5},
	} {
		if got := stateOf(p); got != want || english.Audit.States[got] == "" || got.tone() == "" {
			t.Errorf("%s, %d of %d: %s", p.Expect, p.Above, p.Items, english.Audit.States[got])
		}
	}
	if english.Audit.States[probeRejected] != "REJECTED" {
		t.Errorf("it is marked %s", english.Audit.States[probeRejected])
	}
}
