package judge

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// resultsToSay are stored results, and ones with something for every gate.
func resultsToSay(t *testing.T) map[string]*analysis.Result {
	t.Helper()
	results := map[string]*analysis.Result{"nothing": {RewardRange: [2]float64{0, 1}, GroupSize: 8, Confidence: 0.95}}
	for name, bad := range map[string]bool{"all rules": true, "all fine": false} {
		r := crowded(bad)
		crowdedBeside(r, bad)
		Judge(r, nil, gate.All())
		results[name] = r
	}
	Judge(results["nothing"], nil, gate.All())
	files, err := filepath.Glob("../../report/reporttest/results/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stored results: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := new(analysis.Result)
		if err := json.Unmarshal(raw, r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		results[filepath.Base(file)] = r
	}
	return results
}

// crowdedBeside adds what no rollout tells: rows, a burst, variants and looks.
func crowdedBeside(r *analysis.Result, bad bool) {
	half, one, few := 0.5, 1.0, 3
	some := func(x float64) analysis.Difference {
		d := analysis.Difference{Name: "tool_calls", Direction: "more"}
		d.Value, d.Low, d.High, d.Items, d.N = &x, &x, &x, 120, 960
		return d
	}
	split, status := rollout.Train, analysis.NoDifference
	if bad {
		status = analysis.Gains
	}
	v := analysis.Variant{Name: "clearer", Answer: status, Changes: []rollout.Change{{Key: "prompt"}, {Key: "model"}}, Splits: map[rollout.Split]*analysis.VariantSplit{split: {Reward: some(0.3), Costs: []analysis.Difference{some(2)}}}}
	other := v
	other.Name = "louder"
	r.Variants = &analysis.Variants{Split: &split, Hoped: 0.05, Ranked: []analysis.Variant{v, other}}
	r.Looks = &analysis.Looks{Confidence: 0.95, At: []int{4, 8}, Made: 2, Ended: rollout.EndedDecided}
	r.Burst = &analysis.Burst{Rollouts: 128, GroupSize: 8, Endpoints: []analysis.BurstEndpoint{{
		Requests: 100, P95: spread(0.5), Doubles: analysis.Doubling{At: &half, Low: &few, High: &few, Base: &half, Times: &one}, Errors: []analysis.BurstError{{Kind: "timeout", Count: 2}},
		Departures: map[string]int{rollout.NoOutput: 2, rollout.WrongCallID: 1}, Repeats: spread(0.5),
	}}, Lost: spread(0.01), Repeats: spread(0.01)}
	r.Burst.Endpoints[0].Name = "tool search"
	if bad {
		r.Burst.Lost, r.Burst.Repeats, r.Burst.LostBy = spread(0.5), spread(0.5), map[string]int{"tool search": 3}
		r.Burst.FirstFailure = &analysis.FirstFailure{After: 0.1, Endpoint: "tool search", Kind: "timeout"}
		three := 3.0
		r.Burst.Endpoints[0].Doubles.Times = &three
		r.Burst.Wire, r.Burst.Crosstalk = analysis.BurstWire{Answers: 10, Departing: 3}, analysis.Crosstalk{Answers: 10, Leaks: 1, Examples: []analysis.StrayID{{Endpoint: "tool search", TraceID: "a", Holds: "b"}}}
	}
	r.Shift = &analysis.Shift{
		References: 3, InPromptOf: 3, Rows: map[rollout.Split]int{rollout.Train: 120, rollout.Eval: 60},
		Crossings: []analysis.Crossing{{A: rollout.Train, B: rollout.Eval, RowsA: 120, RowsB: 60, Note: message.Text{ID: "shift.templates", Args: message.Args{"split": message.Name("train")}}}},
	}
	for _, on := range []string{analysis.OnLastUser, analysis.OnFields, analysis.OnReward, analysis.OnTools} {
		p := analysis.ShiftPair{A: rollout.Train, B: rollout.Eval, On: on, Primary: true, Test: shift.C2ST, PHolm: &half, Effect: spread(0.5), Missed: &half, NA: 120, NB: 60}
		if bad {
			p.PHolm, p.Effect, p.Top = stat.FiniteOrNil(1e-9), spread(0.9), []message.Text{{ID: "shift.shares", Args: message.Args{"feature": message.Name(`"why"`), "share": message.Share(0.8), "split": message.Name("eval"), "other_share": message.Share(0.02), "other": message.Name("train")}}}
		}
		if on == analysis.OnTools {
			p.PHolm, p.Effect.Warnings = nil, []message.Text{{ID: "shift.few_for_interval"}}
		}
		r.Shift.Pairs = append(r.Shift.Pairs, p)
	}
	if bad {
		r.Shift.InPrompt = []analysis.RowName{{Split: rollout.Train, Item: "a"}}
		r.Shift.Flaws = []analysis.Flaw{{Kind: shift.Empty, RowName: analysis.RowName{Split: rollout.Train, Item: "a"}}}
		r.Shift.Crossings[0].Exact, r.Shift.Crossings[0].Near, r.Shift.Crossings[0].Swapped = 2, 5, 1
		r.Shift.Conflicts = []analysis.Conflict{{Kind: shift.SamePrompt, A: "a", B: "b", ASplit: rollout.Train, BSplit: rollout.Train}, {Kind: shift.AlmostPrompt, A: "a", B: "c", ASplit: rollout.Train, BSplit: rollout.Eval}}
	}
}

// spread is an estimate with a small interval.
func spread(x float64) stat.Estimate {
	return stat.Estimate{Value: &x, Low: stat.FiniteOrNil(x - 0.01), High: stat.FiniteOrNil(x + 0.01), SE: stat.FiniteOrNil(0.005), N: 960, Items: 120, Warnings: []message.Text{}}
}

func encoded(t *testing.T, r *analysis.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What gates say of a result is the same once it was written and read.
func TestAStoredResultSaysTheSame(t *testing.T) {
	for name, r := range resultsToSay(t) {
		var stored analysis.Result
		before := encoded(t, r)
		if err := json.Unmarshal(before, &stored); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, again := range stored.Findings {
			f := r.Findings[i]
			if !reflect.DeepEqual(f.Fact, again.Fact) || len(f.Others) != len(again.Others) {
				t.Errorf("%s: %s was\n%+v and is\n%+v", name, f.Gate, f, again)
			}
		}
		if stored.Note.String() != r.Note.String() || !bytes.Equal(before, encoded(t, &stored)) {
			t.Errorf("%s: something is lost", name)
		}
	}
}

// What a result holds to be said is said in every language.
func TestAResultIsSaidInChinese(t *testing.T) {
	for name, r := range resultsToSay(t) {
		l := message.Chinese.OnMissing(func(_, english string) { t.Errorf("%s: not translated: %q", name, english) })
		texts := textsOf(t, r)
		if len(texts) == 0 {
			t.Errorf("%s says nothing", name)
		}
		for _, text := range texts {
			said := text.In(l)
			if strings.ContainsAny(said, "{}") && !strings.ContainsAny(text.String(), "{}") || text.String() != "" && said == "" {
				t.Errorf("%s says %q", name, said)
			}
			if !slices.Contains(message.Untranslated(), "zh "+text.ID) && text.ID != "message.verbatim" && text.ID != "data.problem" { // quoted
				checkChinese(t, text.String(), said)
			}
		}
	}
}

func TestRowsThatAFindingListsAreSaid(t *testing.T) {
	r := crowded(true)
	crowdedBeside(r, true)
	r.Shift.Duplicates = []analysis.Leak{{Kind: shift.ExactLeak, A: "a", B: "and b", ASplit: rollout.Train, BSplit: rollout.Train}}
	r.Shift.Leakage = []analysis.Leak{
		{Kind: shift.ExactLeak, A: "a", B: "b", ASplit: rollout.Train, BSplit: rollout.Eval},
		{Kind: shift.NearLeak, A: "a", B: "c", ASplit: rollout.Train, BSplit: rollout.Eval},
	}
	Judge(r, nil, gate.All())
	listed := func(l message.Language, gate string) (list []string) {
		for _, f := range analysis.ByFact(r.Findings) {
			if f.Gate == gate {
				list = append(list, f.Listed(l)...)
			}
		}
		return list
	}
	for _, c := range []struct {
		gate             string
		english, chinese []string
	}{
		{"data.conflicts", []string{"train a and b", "train a and eval c"}, []string{"train a 与 b", "train a 与 eval c"}},
		{"data.degenerate", []string{"train a: empty", "train a and and b", "train a: the prompt holds the reference"}, []string{"train a：空白", "train a 与 and b", "train a：提示词含有参考答案"}},
		{"leakage", []string{"train a and eval b (exact)", "train a and eval c (near)"}, []string{"train a 与 eval b（完全相同）", "train a 与 eval c（近似）"}},
	} {
		if got := listed(message.Language{}, c.gate); !slices.Equal(got, c.english) {
			t.Errorf("%s lists %q, want %q", c.gate, got, c.english)
		}
		if got := listed(message.Chinese, c.gate); !slices.Equal(got, c.chinese) {
			t.Errorf("%s lists %q in Chinese, want %q", c.gate, got, c.chinese)
		}
	}
}

// textsOf lists what a result holds to be said.
func textsOf(t *testing.T, r *analysis.Result) (list []message.Text) {
	known := make(map[string]bool)
	for _, d := range message.Defs() {
		known[d.ID] = true
	}
	var walk func(json.RawMessage)
	walk = func(raw json.RawMessage) {
		var fields map[string]json.RawMessage
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) == nil {
			for _, e := range elements {
				walk(e)
			}
			return
		}
		if json.Unmarshal(raw, &fields) != nil {
			return
		}
		var text message.Text
		if json.Unmarshal(raw, &text) == nil && known[text.ID] {
			list = append(list, text)
			return
		}
		for _, e := range fields {
			walk(e)
		}
	}
	walk(encoded(t, r))
	return list
}

// A result of another version may lack any of its sections.
func TestResultsWithoutASectionAreSaid(t *testing.T) {
	for name, r := range resultsToSay(t) {
		var sections map[string]json.RawMessage
		if err := json.Unmarshal(encoded(t, r), &sections); err != nil {
			t.Fatal(err)
		}
		for key := range sections {
			less := map[string]json.RawMessage{}
			for k, v := range sections {
				if k != key {
					less[k] = v
				}
			}
			raw, err := json.Marshal(less)
			if err != nil {
				t.Fatal(err)
			}
			var older analysis.Result
			if err := json.Unmarshal(raw, &older); err != nil {
				t.Fatal(err)
			}
			if in := older.In(message.Chinese); len(in.Findings) != len(older.Findings) {
				t.Errorf("%s without %s: %d findings of %d", name, key, len(in.Findings), len(older.Findings))
			}
		}
	}
}
