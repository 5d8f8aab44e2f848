package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// past makes nights of one evaluation set of 20 items whose mean reward and
// output tokens are told, night by night.
func past(rewards ...float64) []Night {
	rng := rand.New(rand.NewPCG(5, 5))
	var out []Night
	for i, x := range rewards {
		n := Night{
			Schema: NightSchema, Name: fmt.Sprintf("n%02d", i), Time: time.Date(2026, 11, 1+i, 2, 0, 0, 0, time.UTC),
			Split: "eval", RewardRange: [2]float64{0, 1}, Good: true,
			Made: map[string]string{"model.name": "m", "grader": "g"},
			Values: map[string]Value{
				Reward:          {Value: x + 0.005*rng.NormFloat64(), SE: stat.FiniteOrNil(0.01), N: 160},
				"output_tokens": {Value: 400 + 5*rng.NormFloat64(), SE: stat.FiniteOrNil(5), N: 160},
			},
		}
		for k := range 20 {
			n.Items = append(n.Items, ItemMean{ID: fmt.Sprint("q", k), Digest: "d", Mean: n.Values[Reward].Value, N: 8})
		}
		out = append(out, n)
	}
	return out
}

func steady(n int, x float64) []float64 { return slices.Repeat([]float64{x}, n) }

func TestWhatChanged(t *testing.T) {
	for _, c := range []struct {
		what    string
		nights  func() []Night
		changes []string // series, first night, and what was made otherwise there
		notes   []string
		fallen  bool
	}{
		{what: "no night", nights: func() []Night { return nil }, notes: []string{"needs 6 nights"}},
		{what: "one night", nights: func() []Night { return past(0.5) }, notes: []string{"there is only 1"}},
		{what: "nothing changes", nights: func() []Night { return past(steady(12, 0.5)...) }},
		{
			what:    "a fall that nothing known explains",
			nights:  func() []Night { return past(append(steady(8, 0.6), steady(5, 0.5)...)...) },
			changes: []string{"reward n08 "}, fallen: true,
		},
		{
			what: "a fall on the night of another grader",
			nights: func() []Night {
				all := past(append(steady(8, 0.6), steady(5, 0.5)...)...)
				for i := 8; i < len(all); i++ {
					all[i].Made["grader"] = "h"
				}
				return all
			},
			changes: []string{"reward n08 grader"}, fallen: true,
		},
		{
			what: "a fall that somebody accepted",
			nights: func() []Night {
				all := past(append(steady(8, 0.6), steady(5, 0.5)...)...)
				all[9].Accepted = true
				return all
			},
			changes: []string{"reward n08 "},
		},
		{
			what:    "a rise is a change and no regression",
			nights:  func() []Night { return past(append(steady(7, 0.5), steady(7, 0.6)...)...) },
			changes: []string{"reward n07 "},
		},
		{
			what:    "up, and later half of it down again: two changes, and the last one counts",
			nights:  func() []Night { return past(slices.Concat(steady(8, 0.4), steady(8, 0.7), steady(8, 0.6))...) },
			changes: []string{"reward n08 ", "reward n16 "}, fallen: true,
		},
		{
			what: "only the tokens change",
			nights: func() []Night {
				all := past(steady(12, 0.5)...)
				for i := 6; i < 12; i++ {
					v := all[i].Values["output_tokens"]
					v.Value += 100
					all[i].Values["output_tokens"] = v
				}
				return all
			},
			changes: []string{"output_tokens n06 "},
		},
		{
			what: "nights of other data before are shown and not compared",
			nights: func() []Night {
				all := past(append(steady(8, 0.9), steady(7, 0.5)...)...)
				for i := range 8 {
					for k := range all[i].Items {
						all[i].Items[k].Digest = "before"
					}
				}
				return all
			},
			notes: []string{"differ from the newest in 8 of 15 nights"},
		},
		{
			what: "a clock that goes backwards is told, and the order of keeping counts",
			nights: func() []Night {
				all := past(steady(7, 0.5)...)
				all[4].Time = all[0].Time.Add(-time.Hour)
				return all
			},
			notes: []string{"night n04 is dated before"},
		},
	} {
		opt := DefaultOptions()
		opt.Draws = 499
		nights := c.nights()
		h := Analyze(nights, opt)
		var changes []string
		for _, x := range h.Changes {
			var kinds []string
			for _, m := range x.Made {
				kinds = append(kinds, m.Kind)
			}
			changes = append(changes, x.Series+" "+h.Nights[x.Night].Name+" "+strings.Join(kinds, ","))
		}
		if !slices.Equal(changes, c.changes) {
			t.Errorf("%s: changes %q, want %q", c.what, changes, c.changes)
		}
		if len(h.Notes) != len(c.notes) {
			t.Errorf("%s: notes %q, want %q", c.what, h.Notes, c.notes)
		}
		for i := range min(len(c.notes), len(h.Notes)) {
			if !strings.Contains(h.Notes[i].String(), c.notes[i]) {
				t.Errorf("%s: the note is %q, want %q in it", c.what, h.Notes[i], c.notes[i])
			}
		}
		if fallen := h.TrendDrop(len(nights)-1, 0) != nil; fallen != c.fallen {
			t.Errorf("%s: fallen %v, want %v", c.what, fallen, c.fallen)
		}
		if h.TrendDrop(0, 0) != nil {
			t.Errorf("%s: a base from before the change leaves nothing to the trend", c.what)
		}
	}
}

// A night without the hard items looks better by itself, and not on common
// ground.
func TestANightWithoutTheHardItemsIsNoBetter(t *testing.T) {
	nights := past(steady(8, 0.5)...)
	for i := range nights {
		for k := range nights[i].Items {
			nights[i].Items[k].Mean = float64(k) / 20
		}
	}
	last := &nights[7]
	last.Items = last.Items[5:]
	v := last.Values[Reward]
	v.Value = 0.6
	last.Values[Reward] = v
	h := Analyze(nights, DefaultOptions())
	if len(h.Changes) != 0 || len(h.Unusual) != 0 {
		t.Errorf("changes %v, unusual %v", h.Changes, h.Unusual)
	}
}

func TestAnUnusualNightIsToldBeforeItIsAChange(t *testing.T) {
	h := Analyze(past(append(steady(9, 0.6), 0.4)...), DefaultOptions())
	if len(h.Unusual) != 1 || h.Unusual[0].Series != Reward || len(h.Changes) != 0 {
		t.Errorf("unusual %v, changes %v", h.Unusual, h.Changes)
	}
}

func TestLastGood(t *testing.T) {
	nights := past(steady(4, 0.5)...)
	nights[3].Good = false
	tonight := past(0.5)[0]
	all := func(*Night) bool { return true }
	if got := LastGood(nights, &tonight, all); got != 2 {
		t.Errorf("the last good night is %d, want 2", got)
	}
	if got := LastGood(nights, &tonight, func(n *Night) bool { return n.Name == "n01" }); got != 1 {
		t.Errorf("of the nights at hand the last good one is %d, want 1", got)
	}
	other := tonight
	other.RewardRange = [2]float64{0, 10}
	if got := LastGood(nights, &other, all); got != -1 {
		t.Errorf("another reward range is compared with night %d", got)
	}
	half := tonight
	half.Items = half.Items[:9]
	if got := LastGood(nights, &half, all); got != -1 {
		t.Errorf("a night of 9 of 20 items is compared with night %d", got)
	}
}

// nightOfBefore is a line of nights.jsonl as it was when it held its sentence as
// English text.
const nightOfBefore = `{"schema":"gonogo/night/1","time":"2026-10-31T02:00:00Z","name":"2026-10-31T0200Z","run":"r0","seed":1,"verdict":"GO","split":"eval","reward_range":[0,1],` +
	`"sentence":"There is no good night yet to compare with: later nights are compared with this one.","exit_code":0,"good":true,"made":{"grader":"python 1111"},` +
	`"values":{"reward":{"value":0.5,"se":0.01,"low":0.4,"high":0.6,"n":160}},"items":[{"id":"q1","mean":0.25,"n":8},{"id":"q2","mean":0.75,"n":8}]}`

// A history goes on over a change of the schema: nights of before are compared
// with, shown with what they said, and come back from a line of now.
func TestNightsOfBeforeStayUseful(t *testing.T) {
	const says = "There is no good night yet to compare with: later nights are compared with this one."
	text := nightOfBefore + "\n"
	for range 2 { // as it was, and as it is written now
		nights, _, err := Read("n.jsonl", strings.NewReader(text))
		if err != nil || len(nights) != 1 {
			t.Fatalf("%d nights, %v", len(nights), err)
		}
		tonight := nights[0]
		if LastGood(nights, &tonight, func(*Night) bool { return true }) != 0 {
			t.Error("a night of before is not compared with")
		}
		h := Analyze(nights, DefaultOptions())
		if n := h.Nights[0]; n.Sentence.String() != says || n.Sentence.In(message.Chinese) != says || !n.InTrend || h.Series[0].Points[0].Value != 0.5 {
			t.Errorf("a night of before is shown as %+v with %+v", n, h.Series)
		}
		line, err := json.Marshal(nights[0])
		if err != nil {
			t.Fatal(err)
		}
		text = string(line) + "\n"
	}
	if !strings.Contains(text, `"schema":"gonogo/night/2"`) {
		t.Errorf("it is written again as %s", text)
	}
}

func TestReadNights(t *testing.T) {
	line := func(n Night) string {
		b, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	one, two := line(past(0.5, 0.5)[0]), line(past(0.5, 0.5)[1])
	for _, c := range []struct {
		what, text string
		nights     int
		torn       bool
		refused    string
	}{
		{"an empty file", "", 0, false, ""},
		{"two nights", one + "\n" + two + "\n", 2, false, ""},
		{"no newline at the end", one + "\n" + two, 2, false, ""},
		{"a torn last line", one + "\n" + two[:len(two)/2], 1, true, ""},
		{"blank lines", "\n" + one + "\n\n", 1, false, ""},
		{"keys that nobody knows", strings.Replace(one, "{", `{"later":[1],`, 1) + "\n", 1, false, ""},
		{"a broken line amid others", one[:9] + "\n" + two + "\n", 0, false, "n.jsonl:1"},
		{"rollouts", `{"item":"q1","reward":0.5}` + "\n", 0, false, `schema is ""`},
		{"a later schema", strings.Replace(one, "night/2", "night/3", 1) + "\n", 0, false, "night/3"},
		{"a night of before and one of now", nightOfBefore + "\n" + two + "\n", 2, false, ""},
		{"a sentence of before that is none", strings.Replace(nightOfBefore, `"There`, `{},"was":"There`, 1) + "\n", 0, false, "sentence"},
		{"a night without a name", strings.Replace(one, `"n00"`, `""`, 1) + "\n", 0, false, `"name" is missing`},
		{"a value that is none", strings.Replace(one, `"se":5`, `"se":-5`, 1) + "\n", 0, false, "output_tokens"},
		{"a value whose square is too large", strings.Replace(one, `"se":5`, `"se":1e100`, 1) + "\n", 0, false, "output_tokens"},
		{"an error whose weight is too large", strings.Replace(one, `"se":5`, `"se":1e-200`, 1) + "\n", 0, false, "output_tokens"},
		{"an error of nothing", strings.Replace(one, `"se":5`, `"se":0`, 1) + "\n", 1, false, ""},
		{"an item's mean that is none", strings.Replace(one, `"mean":`, `"mean":1e200,"was":`, 1) + "\n", 0, false, `item "q0"`},
		{"no text", "\xff\xfe\x00\n", 0, false, "n.jsonl:1"},
	} {
		nights, torn, err := Read("n.jsonl", strings.NewReader(c.text))
		switch {
		case c.refused != "":
			if !errors.Is(err, ErrNotAHistory) || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: the error is %v, want one with %q", c.what, err, c.refused)
			}
		case err != nil || len(nights) != c.nights || torn != c.torn:
			t.Errorf("%s: %d nights, torn %v, %v", c.what, len(nights), torn, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	b, _ := json.Marshal(past(0.5)[0])
	f.Add(string(b) + "\n")
	f.Add(nightOfBefore)
	f.Add(`{"schema":"gonogo/night/2","name":"a","sentence":{"id":"night.lost","args":{"causes":{"list":[{}]}}},"values":{"reward":{"value":1}}}`)
	for _, numbers := range []string{`"value":%de-300,"se":1e-160`, `"value":%de100,"se":1e-100`, `"value":%de49,"se":1e-50`, `"value":%de-40,"se":1e50`} {
		text := ""
		for i := range 8 {
			text += fmt.Sprintf(`{"schema":"gonogo/night/2","name":"a","split":"eval","good":true,"values":{"reward":{`+numbers+"}}}\n", 1+i%5)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nights, _, err := Read("n.jsonl", strings.NewReader(text))
		if err != nil {
			return
		}
		opt := DefaultOptions()
		opt.Draws = 19
		var b strings.Builder
		if err := Analyze(nights, opt).Encode(&b); err != nil {
			t.Fatal(err)
		}
		for _, n := range nights {
			line, err := json.Marshal(n)
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := Read("n.jsonl", strings.NewReader(string(line)+"\n"))
			if err != nil || len(again) != 1 {
				t.Fatalf("a night that was read does not come back: %v", err)
			}
		}
	})
}

// Nothing but the order in which nights were kept, and what they hold, counts.
func TestAnalyzeIsTheSameTwice(t *testing.T) {
	encode := func() string {
		var b strings.Builder
		if err := Analyze(past(append(steady(8, 0.6), steady(5, 0.5)...)...), DefaultOptions()).Encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if first, second := encode(), encode(); first != second {
		t.Error("two analyses of the same nights differ")
	}
}

// If a run notes no ordinary end, its few known ends are no share.
func TestEndsThatAreNotAllKnownAreNoSeries(t *testing.T) {
	shares := func(ends analysis.FinishStats) map[string]float64 {
		out := make(map[string]float64)
		r := &analysis.Result{Splits: map[rollout.Split]*analysis.SplitResult{"eval": {Ends: ends}}}
		for _, s := range seriesTable() {
			if v, ok := s.of(r, "eval"); ok && (s.name == "cut_off" || s.name == "refused") {
				out[s.name] = v.Value
			}
		}
		return out
	}
	ends := analysis.FinishStats{Rollouts: 100, Known: 3, Length: 2, Refusal: 1}
	if got := shares(ends); len(got) > 0 {
		t.Errorf("of 3 known ends of 100 the series are %v", got)
	}
	ends.CutOff = &stat.Estimate{Value: stat.FiniteOrNil(0.02), Low: stat.FiniteOrNil(0.0), High: stat.FiniteOrNil(0.1), N: 100}
	ends.Refused = &stat.Estimate{Value: stat.FiniteOrNil(0.01), Low: stat.FiniteOrNil(0.0), High: stat.FiniteOrNil(0.1), N: 100}
	if got := shares(ends); got["cut_off"] != 0.02 || got["refused"] != 0.01 {
		t.Errorf("the series are %v", got)
	}
}

// What comparisons list a night keeps, too; a median of seconds is its latency.
func TestEveryQuantityOfAComparisonIsASeries(t *testing.T) {
	of := measured()
	for _, q := range compare.Quantities() {
		if _, ok := of[q.Name]; !ok && q.Name != "latency_p50" {
			t.Errorf("no series is %q", q.Name)
		}
		delete(of, q.Name)
	}
	for name := range of {
		t.Errorf("series %q is no quantity of a comparison", name)
	}
}

// Tools, pairs of tools and parts of the reward are series by their names, at most so
// many of each, which no other series has to pay for: the reward keeps its p.
func TestNamedSeries(t *testing.T) {
	r := &analysis.Result{
		Grader: &analysis.Grader{Layers: &analysis.Layers{Parts: []analysis.Layer{{Name: "right", Mean: stat.Estimate{Value: stat.FiniteOrNil(0.4)}}}}},
		Splits: map[rollout.Split]*analysis.SplitResult{"eval": {}},
	}
	s := r.Splits["eval"]
	s.Reward.N, s.Missing.Tool = 8, 2
	s.Tools.ByTool, s.Tools.Bigrams = map[string]analysis.ToolStat{}, map[string]int{"search>read": 5}
	for i := range 20 {
		s.Tools.ByTool[fmt.Sprint("t", i)] = analysis.ToolStat{Calls: 10 * (i + 1)}
	}
	values := namedValues(r, s)
	if got := values["calls_of_tool:t19"].Value; got != 20 || len(values) != compare.ToolsCompared+2 || values["tool_pair:search>read"].Value != 0.5 || values["reward_part:right"].Value != 0.4 {
		t.Errorf("t19 is called %g times per rollout, want 200 calls / 10 rollouts; all: %v", got, values)
	}
	nights := past(append(steady(8, 0.6), steady(6, 0.5)...)...)
	alone := Analyze(nights, DefaultOptions())
	for i := range nights {
		for name := range values {
			nights[i].Values[name] = Value{Value: values[name].Value + 0.01*float64(i%3), N: 10}
		}
	}
	h := Analyze(nights, DefaultOptions())
	if len(h.Series) != len(alone.Series)+len(values) {
		t.Errorf("%d series, want %d and %d", len(h.Series), len(alone.Series), len(values))
	}
	at := slices.IndexFunc(h.Changes, func(c Change) bool { return c.Series == Reward })
	if at < 0 || h.Changes[at].P > 0.002 { // twice one of 2,000 draws
		t.Errorf("next to %d series the fall of the reward is %+v", len(values), h.Changes)
	}
}

func TestTheRewardIsASeries(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range seriesTable() {
		if seen[s.name] || !slices.Contains(Kinds(), s.kind) || s.of == nil {
			t.Errorf("series %q stands twice, has the unknown kind %q, or no value", s.name, s.kind)
		}
		seen[s.name] = true
		if _, ok := s.of(&analysis.Result{}, "eval"); ok {
			t.Errorf("series %q is known of a result that holds nothing", s.name)
		}
	}
	if !seen[Reward] {
		t.Error("no series is the reward")
	}
}
