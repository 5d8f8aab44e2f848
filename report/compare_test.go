package report

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// hostile is text that would steer a terminal, a page or a table.
const hostile = "q1\x1b[2J\u202e|`<script>`\n# @team [x](http://evil) 你好 " + "longer than any column may be, by far and without end"

// nastyComparison has hostile text wherever data can put it.
func nastyComparison(answer compare.Answer) *compare.Comparison {
	estimate := func(x float64) stat.Estimate {
		return stat.Estimate{Value: stat.FiniteOrNil(x), SE: stat.FiniteOrNil(0.1), Low: stat.FiniteOrNil(x - 0.2), High: stat.FiniteOrNil(x + 0.2), N: 80, Items: 10, Method: "method " + hostile, Warnings: []message.Text{message.Verbatim("warning " + hostile)}}
	}
	eval := rollout.Eval
	difference := func(name string) analysis.Difference {
		e := estimate(-0.3)
		return analysis.Difference{Estimate: e, Name: name, K: 8, Base: stat.FiniteOrNil(0.6), New: stat.FiniteOrNil(0.3), P: stat.FiniteOrNil(1e-9), Wilcoxon: stat.FiniteOrNil(0.01), McNemar: stat.FiniteOrNil(0.02), PHolm: stat.FiniteOrNil(0.5), MDE: stat.FiniteOrNil(0.2), Family: &e}
	}
	sc := &compare.Split{
		Answer: answer, Why: message.Verbatim("why " + hostile), Paired: true,
		Items:  compare.CommonItems{Common: 10, OnlyBase: []string{hostile}, Lost: []string{hostile}, Changed: []string{hostile}},
		Reward: difference("reward"), Others: []analysis.Difference{difference("best_of"), {Name: "latency", Direction: "unclear"}},
		Equivalence: stat.Equivalence{Delta: 0.05, Low: stat.FiniteOrNil(-0.4), High: stat.FiniteOrNil(-0.1)}, SameModel: stat.FiniteOrNil(0.1),
		Quadrants: &compare.Quadrants{Items: 10, Cells: []compare.Quadrant{{Reward: "better", Calls: "fewer", Items: 1}, {Reward: "better", Calls: "same"}, {Reward: "better", Calls: "more"}}},
		Outcomes:  []compare.OutcomeDrift{{Outcome: rollout.GraderFailed, Kind: hostile, Base: 1, New: 2, Difference: estimate(0.1)}},
		Causes:    []compare.CauseDrift{{Outcome: rollout.GraderFailed, Error: hostile, Base: 1, New: 2}},
	}
	categories := &compare.Breakdown{Correction: "Holm", LeftOut: 3}
	for i := range 30 {
		categories.Groups = append(categories.Groups, compare.GroupDifference{Estimate: estimate(float64(i)), Group: fmt.Sprint(hostile, i), P: stat.FiniteOrNil(0.1), PHolm: stat.FiniteOrNil(1)})
	}
	sc.Categories = categories
	for i := range 12 {
		ref := []compare.SampleRef{{Sample: i, Line: 123456, TraceID: hostile, Outcome: rollout.Outcome(hostile)}}
		sc.Moved = append(sc.Moved, compare.MovedItem{ItemChange: compare.ItemChange{Item: hostile, Change: -0.5, Base: 1, New: 0.5, BaseN: 4, NewN: 4, CallsChange: stat.FiniteOrNil(-1)}, BaseRollouts: ref, NewRollouts: ref})
	}
	return &compare.Comparison{
		Schema: compare.Schema, Answer: answer, Sentence: message.Verbatim("Sentence " + hostile), Split: &eval, Confidence: 0.95, Delta: 0.05,
		Base: compare.Side{File: hostile, Input: rollout.Input{Bad: []rollout.BadLine{{Line: 3, Why: hostile}}}}, New: compare.Side{File: hostile},
		Differs: []compare.RunDifference{{What: "data", Key: hostile, Base: message.Verbatim(hostile), Confounds: true, Note: message.Verbatim(hostile)}},
		Notes:   []message.Text{message.Verbatim(hostile)},
		Splits:  map[rollout.Split]*compare.Split{rollout.Train: sc, rollout.Eval: sc},
	}
}

func answers() []compare.Answer {
	return []compare.Answer{compare.Regressed, compare.Improved, compare.Equivalent, compare.CannotTell}
}

func TestComparisonKeepsToItsWidthAndItsLetters(t *testing.T) {
	for _, answer := range answers() {
		for _, columns := range []int{60, 80, 100} {
			for _, ascii := range []bool{false, true} {
				p := NewComparisonPage(nastyComparison(answer), Options{Width: columns, ASCII: ascii, All: true})
				var plain, colored bytes.Buffer
				if err := WriteText(&plain, p); err != nil {
					t.Fatal(err)
				}
				checkLines(t, string(answer), plain.String(), columns, ascii)
				p.Color = true
				if err := WriteText(&colored, p); err != nil {
					t.Fatal(err)
				}
				if sgr.ReplaceAllString(colored.String(), "") != plain.String() {
					t.Errorf("%s at %d: colours change more than colour", answer, columns)
				}
				for _, want := range []string{p.Answer, strings.ToUpper(compareEnglish.Differences), strings.ToUpper(compareEnglish.Moved)} {
					if !strings.Contains(plain.String(), want) {
						t.Errorf("%s at %d columns lacks %q", answer, columns, want)
					}
				}
			}
		}
	}
}

// What confounds is read before the answer.
func TestWhatDiffersStandsBeforeTheAnswer(t *testing.T) {
	p := NewComparisonPage(nastyComparison(compare.Regressed), Options{})
	var text, marked bytes.Buffer
	if err := WriteText(&text, p); err != nil {
		t.Fatal(err)
	}
	if err := WriteMarkdown(&marked, p); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{text.String(), marked.String()} {
		differs, answer := strings.Index(page, compareEnglish.Confounds[:12]), strings.Index(page, "REGRESSED")
		if differs < 0 || answer < differs {
			t.Errorf("the difference stands at %d, the answer at %d", differs, answer)
		}
	}
}

func TestComparisonInMarkdownIsText(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, NewComparisonPage(nastyComparison(compare.CannotTell), Options{All: true})); err != nil {
		t.Fatal(err)
	}
	prose := regexp.MustCompile("``.*?``").ReplaceAllString(b.String(), "") // hostile text in code has a fence of two
	for _, bad := range []string{"\x1b", "\u202e", "<script>", "](http://", " @team", "\n# @"} {
		if strings.Contains(prose, bad) {
			t.Errorf("markdown holds %q", bad)
		}
	}
	cells := 0
	for line := range strings.SplitSeq(b.String(), "\n") {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells > 0 && n != cells {
			t.Errorf("a row has %d bars, its head %d: %s", n, cells, line)
		}
		cells = n
	}
}

func TestTheCatalogueOfComparisonsIsComplete(t *testing.T) {
	v := reflect.ValueOf(compareEnglish)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
	for _, a := range answers() {
		if compareEnglish.Answers[a] == "" {
			t.Errorf("no words for the answer %s", a)
		}
	}
}

func TestAnEmptyComparisonIsStillAPage(t *testing.T) {
	c := &compare.Comparison{Answer: compare.CannotTell, Sentence: message.Verbatim("Neither run has a rollout with a reward.")}
	var text, marked bytes.Buffer
	p := NewComparisonPage(c, Options{All: true})
	if WriteText(&text, p) != nil || WriteMarkdown(&marked, p) != nil {
		t.Fatal("an empty comparison cannot be written")
	}
	for _, page := range []string{text.String(), marked.String()} {
		if !strings.Contains(page, "CANNOT TELL") || strings.Contains(page, "%!") {
			t.Errorf("page is %q", page)
		}
	}
}

func TestOneOfAThingInAComparisonIsNotMany(t *testing.T) {
	for _, thing := range []string{"item", "rollout", "group"} {
		if one, many := english.Lang.Count(1, thing), english.Lang.Count(1000, thing); strings.HasSuffix(one, "s") || many != "1,000 "+strings.TrimPrefix(one, "1 ")+"s" {
			t.Errorf("%q and %q", one, many)
		}
	}
}

// A title that ends its sentence, as that of a shift does, was followed by
// "p = 1.; measured".
func TestAFindingsLineGoesOnAfterItsTitle(t *testing.T) {
	p := &RunPage{common: common{Words: &english}, Result: &analysis.Result{}}
	f := finding{Finding: analysis.Finding{Gate: "shift.text", Split: "eval", Fact: analysis.Fact{Title: message.Verbatim("No large difference: p = 1."), Want: message.Verbatim("< 0.7")}}}
	if got, want := p.line(f), "shift.text · eval: no large difference: p = 1."; got != want {
		t.Errorf("without a measure: %q, want %q", got, want)
	}
	f.Value, f.Low, f.High = stat.FiniteOrNil(0.5), stat.FiniteOrNil(0.4), stat.FiniteOrNil(0.6)
	if got, want := p.line(f), "shift.text · eval: no large difference: p = 1; measured 0.5 [0.4, 0.6], wanted < 0.7"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A comparison that answers IMPROVED said nothing of what to do next.
func TestAnImprovementSaysWhatToRead(t *testing.T) {
	p := NewComparisonPage(reporttest.Compared(t, "improved"), Options{})
	if next := p.toDo(); len(next) != 1 || !strings.HasPrefix(next[0], "See what happened to ") ||
		!strings.Contains(next[0], ": gonogo view ") {
		t.Errorf("what to do first is %q", next)
	}
	p.c.Base.Model, p.c.New.Model = "before", "after"
	p.c.Differs = []compare.RunDifference{{What: "model", Key: "model.name", Base: message.Verbatim("before"), New: message.Verbatim("after")}}
	if first := p.readFirst(); len(first) > 0 && strings.Contains(first[0], "model.name") {
		t.Errorf("the model is named above, and again in %q", first)
	}
	for _, sc := range p.c.Splits {
		for i := range sc.Moved {
			sc.Moved[i].Change = math.Abs(sc.Moved[i].Change)
		}
	}
	if next := p.toDo(); len(next) != 1 || !strings.Contains(next[0], " (+") {
		t.Errorf("without a drop, what to do first is %q", next)
	}
}

// The tiles showed calls and seconds, whatever else a policy had learnt.
func TestTheNumbersAreWhatChangedMost(t *testing.T) {
	difference := func(name, unit, of string, base, new float64, change string) analysis.Difference {
		return analysis.Difference{Estimate: stat.Estimate{Value: stat.FiniteOrNil(new - base), Low: stat.FiniteOrNil(new - base), High: stat.FiniteOrNil(new - base)}, Name: name, Unit: unit, Of: of, Base: &base, New: &new, Change: change}
	}
	c := nastyComparison(compare.Improved)
	for _, test := range []struct {
		name string
		with []analysis.Difference
		want []string
	}{
		{"a part of the reward", []analysis.Difference{
			difference("best_of", "reward", "", 0.2, 0.9, "better"), difference("reward_part", "score", "grounded", 0.4, 0.9, "better"),
			difference("tool_calls", "calls", "", 5, 4, "better"), difference("latency", "seconds", "", 3, 2.9, "better"),
		}, []string{"Reward part grounded, new - base", "Tool calls, new - base"}},
		{"nothing is sure", []analysis.Difference{
			difference("reward_part", "score", "grounded", 0.4, 0.9, "unclear"), difference("latency", "seconds", "", 3, 1, "unclear"), difference("tool_calls", "calls", "", 5, 4, "same"),
		}, []string{"Tool calls, new - base", "Seconds, new - base"}},
		{"one is", []analysis.Difference{
			difference("cut_off", "share", "", 0.1, 0.3, "worse"), difference("latency", "seconds", "", 3, 1, "unclear"), difference("tool_calls", "calls", "", 5, 4, "same"),
		}, []string{"Cut off, new - base", "Tool calls, new - base"}},
	} {
		c.Splits[rollout.Eval].Others = test.with
		var got []string
		for _, tile := range NewComparisonPage(c, Options{}).numbers()[1:] {
			got = append(got, tile.Label)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: the numbers are %q, want %q", test.name, got, test.want)
		}
	}
}
