package judge_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// asked are items with nothing in common but how they are made.
func asked(rng *rand.Rand, split rollout.Split, n int) []rollout.Item {
	var items []rollout.Item
	for i := range n {
		id := fmt.Sprint(split[:1], i)
		items = append(items, item(id, split, sentence(rng, 12+rng.IntN(12)), map[string]any{
			"id": id, "reference_answer": fmt.Sprint(rng.IntN(1e6)), "kind": []string{"sum", "share", "growth"}[rng.IntN(3)], "length": rng.IntN(100),
		}))
	}
	return items
}

func item(id string, split rollout.Split, question string, fields map[string]any) rollout.Item {
	row := map[string]any{"messages": []map[string]string{{"role": "system", "content": "Answer with one number."}, {"role": "user", "content": question}}}
	for name, value := range fields {
		row[name] = value
	}
	b, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	it := rollout.Item{ID: id, Split: split, Row: b}
	if err := it.Decode(); err != nil {
		panic(err)
	}
	return it
}

func sentence(rng *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		for range 2 + rng.IntN(3) {
			b.WriteByte("bcdfghklmnprstvw"[rng.IntN(16)])
			b.WriteByte("aeiou"[rng.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String()) + "?"
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 4)) }

// findingIn returns the finding of a gate with a severity, about a split.
func findingIn(t *testing.T, list []analysis.Finding, gate string, severity analysis.Severity) analysis.Finding {
	t.Helper()
	for _, f := range analysis.ByFact(list) {
		if f.Gate == gate && f.Severity == severity {
			return f
		}
	}
	t.Fatalf("no %s finding of %s", severity, gate)
	return analysis.Finding{}
}

// A classifier that is trained on a row recognizes its copies. Two rows, each 64
// times in train, were once found to be unlike others of the same kind.
func TestCopiesAreNoShift(t *testing.T) {
	rng := seeded(7)
	words := func(split rollout.Split, n int) (list []rollout.Item) {
		for i := range n {
			list = append(list, item(fmt.Sprint(split[:1], i), split, "Write backwards: "+sentence(rng, 1), nil))
		}
		return list
	}
	train, items := words(rollout.Train, 2), words(rollout.Eval, 64)
	for copies := range 64 {
		for _, it := range train {
			it.ID = fmt.Sprint(it.ID, "-", copies)
			items = append(items, it)
		}
	}
	_, list := judge.CheckItems(items, analysis.DefaultSettings())
	for _, f := range list {
		if f.Gate == "shift" && f.Severity == analysis.Blocking && f.Status == analysis.Fail {
			t.Errorf("%s", f.Title.String())
		}
	}
	if got := findingIn(t, list, "data.degenerate", analysis.Advisory); got.Status != analysis.Fail || *got.Value != 63*2 {
		t.Errorf("the copies are not reported: %s, %s", got.Status, got.Title.String())
	}
}

func TestCheckItems(t *testing.T) {
	type change func(train, eval []rollout.Item)
	tests := []struct {
		name     string
		change   change // of the clean files, if any
		gate     string
		severity analysis.Severity
		status   analysis.Status
		says     string // in the title
		item     string // among those to look at
	}{
		{"two clean files leak nothing", nil, "leakage", analysis.Blocking, analysis.Pass, "no rows in common", ""},
		{"and nearly nothing", nil, "leakage", analysis.Advisory, analysis.Pass, "0 share", ""},
		{"nor contradict each other", nil, "data.conflicts", analysis.Blocking, analysis.Pass, "no prompt", ""},
		{"nor are asked differently", nil, "shift.text", analysis.Blocking, analysis.Pass, "could have been missed", ""},
		{"nor come from elsewhere", nil, "shift.fields", analysis.Blocking, analysis.Pass, "AUC", ""},
		{
			"a copy", func(train, eval []rollout.Item) {
				eval[4] = item("e4", rollout.Eval, strings.ToUpper(train[3].Messages[1].Content), map[string]any{"id": "e4", "reference_answer": "9"})
			}, "leakage", analysis.Blocking, analysis.Fail, "knows 1 of the 80 rows of eval (1 copy)", "train t3 and eval e4 (exact)",
		},
		{
			"a shared family", func(train, eval []rollout.Item) {
				train[3].Family, eval[7].Family = "annual report 7", "Annual Report 7"
			},
			"leakage", analysis.Blocking, analysis.Fail, "(0 copies, 1 of a family that train has too)", "train t3 and eval e7 (family)",
		},
		{
			"another number in the same question", func(train, eval []rollout.Item) {
				train[3] = item("t3", rollout.Train, "A grocer stacks 12 crates of pears on each of several shelves in a cellar; how many hold the lot?", nil)
				eval[2] = item("e2", rollout.Eval, "A grocer stacks 15 crates of pears on each of several shelves in a cellar; how many hold the lot?", nil)
			}, "leakage", analysis.Advisory, analysis.Fail, "of 80 rows, 1 differs only in names or numbers", "train t3 and eval e2 (swapped)",
		},
		{
			"near copies in a tenth of the rows", func(train, eval []rollout.Item) {
				for i := range 8 {
					eval[i] = item(eval[i].ID, rollout.Eval, "dear reader: "+train[i].Messages[1].Content, nil)
				}
			}, "leakage", analysis.Advisory, analysis.Fail, "8 share most of the text", "train t0 and eval e0 (near)",
		},
		{
			"one near copy is too few to tell", func(train, eval []rollout.Item) {
				eval[0] = item("e0", rollout.Eval, "dear reader: "+train[0].Messages[1].Content, nil)
			}, "leakage", analysis.Advisory, analysis.Unknown, "few enough to be chance", "train t0 and eval e0 (near)",
		},
		{
			"two references for one prompt", func(train, _ []rollout.Item) {
				train[9] = item("t9", rollout.Train, train[8].Messages[1].Content, map[string]any{"reference_answer": "none of them"})
			}, "data.conflicts", analysis.Blocking, analysis.Fail, "1 prompt has references", "train t8 and t9",
		},
		{
			"two references for almost one prompt", func(train, _ []rollout.Item) {
				train[9] = item("t9", rollout.Train, "Please tell me: "+train[8].Messages[1].Content, map[string]any{"reference_answer": "none of them"})
			}, "data.conflicts", analysis.Advisory, analysis.Fail, "almost the same", "train t8 and t9",
		},
		{
			"an empty row", func(train, _ []rollout.Item) {
				train[9] = item("t9", rollout.Train, " ", nil)
				train[9].Messages[0].Content = ""
			},
			"data.degenerate", analysis.Advisory, analysis.Fail, "1 empty", "train t9: empty",
		},
		{
			"a row twice", func(train, _ []rollout.Item) {
				train[9] = item("t9", rollout.Train, train[8].Messages[1].Content, map[string]any{"reference_answer": "1"})
			}, "data.degenerate", analysis.Advisory, analysis.Fail, "1 that repeat", "train t8 and t9",
		},
		{
			"messages five times as long", func(_, eval []rollout.Item) {
				for i := range eval {
					eval[i] = item(eval[i].ID, rollout.Eval, sentence(seeded(uint64(i)), 90), nil)
				}
			}, "shift.text", analysis.Blocking, analysis.Fail, "characters", "",
		},
		{
			"another kind of rows", func(_, eval []rollout.Item) {
				for i := range eval {
					eval[i] = item(eval[i].ID, rollout.Eval, eval[i].Messages[1].Content, map[string]any{"kind": "growth", "length": 150 + i%7})
				}
			}, "shift.fields", analysis.Blocking, analysis.Fail, "length", "",
		},
	}
	given := func(rows int) change {
		return func(train, _ []rollout.Item) {
			for i := range rows {
				train[i] = item(train[i].ID, rollout.Train, train[i].Messages[1].Content+" The answer is 4711 "+fmt.Sprint(i)+".", map[string]any{"reference_answer": "4711 " + fmt.Sprint(i)})
			}
		}
	}
	tests = append(tests, []struct {
		name     string
		change   change
		gate     string
		severity analysis.Severity
		status   analysis.Status
		says     string
		item     string
	}{
		{
			"messages a little longer", func(_, eval []rollout.Item) {
				for i := range eval {
					eval[i] = item(eval[i].ID, rollout.Eval, sentence(seeded(uint64(i)), 13+seeded(uint64(i)).IntN(15)), nil)
				}
			}, "shift.text", analysis.Advisory, analysis.Fail, "a difference of unclear size in the messages", "",
		},
		{
			"one kind in each split, which is what they were drawn by", func(train, eval []rollout.Item) {
				for i := range train {
					train[i] = item(train[i].ID, rollout.Train, train[i].Messages[1].Content, map[string]any{"source": "forum"})
				}
				for i := range eval {
					eval[i] = item(eval[i].ID, rollout.Eval, eval[i].Messages[1].Content, map[string]any{"source": "tickets"})
				}
			}, "shift.fields", analysis.Advisory, analysis.Fail, "a difference of unclear size in the fields of the rows between train (150) and eval (80): AUC 0.5", "",
		},
		{
			"prompts that give the answer away in a third of the rows", given(50), "data.degenerate", analysis.Advisory, analysis.Fail,
			"50 whose prompt holds the reference", "train t0: the prompt holds the reference",
		},
		{
			"answers that are to be found in the prompt", given(150), "data.degenerate", analysis.Advisory, analysis.Pass,
			"the reference is in the prompt word for word in 150 of 230 prompts: finding it there is taken to be the task", "",
		},
	}...)
	check := func(change change) (*analysis.Shift, []analysis.Finding) {
		train, eval := asked(seeded(1), rollout.Train, 150), asked(seeded(2), rollout.Eval, 80)
		change(train, eval)
		return judge.CheckItems(append(train, eval...), analysis.DefaultSettings())
	}
	cleanShift, clean := check(func(_, _ []rollout.Item) {})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sh, findings := cleanShift, clean
			if test.change != nil {
				sh, findings = check(test.change)
			}
			f := findingIn(t, findings, test.gate, test.severity)
			if f.Status != test.status || !strings.Contains(f.Title.String(), test.says) || test.item != "" && !slices.Contains(f.Listed(message.Language{}), test.item) {
				t.Errorf("%s: %q, %q; want %s with %q and %q", f.Status, f.Title.String(), f.Items, test.status, test.says, test.item)
			}
			for _, f := range analysis.ByFact(findings) {
				if strings.ContainsAny(f.Title.String()+f.Why.String()+f.Remedy.String(), "{}") {
					t.Errorf("%s leaves a word out: %q %q", f.Gate, f.Title.String(), f.Remedy.String())
				}
			}
			if _, err := json.Marshal(sh); err != nil {
				t.Error(err)
			}
		})
	}
}

// What was tested is judged or called unclear, and never skipped beside its
// measure.
func TestAnInconclusiveShiftIsNotSkipped(t *testing.T) {
	train, eval := asked(seeded(1), rollout.Train, 15), asked(seeded(5), rollout.Eval, 12)
	for i := range eval {
		eval[i] = item(eval[i].ID, rollout.Eval, sentence(seeded(uint64(i)), 13+seeded(uint64(i)).IntN(15)), nil)
	}
	_, findings := judge.CheckItems(append(train, eval...), analysis.DefaultSettings())
	f := findingIn(t, findings, "shift.text", analysis.Advisory)
	if f.Status != analysis.Unknown || !strings.Contains(f.Title.String(), "a large one cannot be ruled out: AUC") || f.Value == nil {
		t.Errorf("%s: %s", f.Status, f.Title.String())
	}
	for _, f := range analysis.ByFact(findings) {
		if f.Status == analysis.Skipped && (f.Value != nil || f.Gate == "shift.text") {
			t.Errorf("%s is skipped beside its measure: %s", f.Gate, f.Title.String())
		}
	}
}

// Documents dealt out whole differ between the splits by design, and are told as
// left out.
func TestFieldsThatSplitsWereDrawnBy(t *testing.T) {
	train, eval := asked(seeded(1), rollout.Train, 60), asked(seeded(2), rollout.Eval, 40)
	for i := range train {
		train[i] = item(train[i].ID, rollout.Train, train[i].Messages[1].Content, map[string]any{"document": fmt.Sprint("train ", i/10), "kind": fmt.Sprint(i % 3)})
	}
	for i := range eval {
		eval[i] = item(eval[i].ID, rollout.Eval, eval[i].Messages[1].Content, map[string]any{"document": fmt.Sprint("eval ", i/10), "kind": fmt.Sprint(i % 3)})
	}
	sh, findings := judge.CheckItems(append(train, eval...), analysis.DefaultSettings())
	if want := []string{"document"}; !slices.Equal(sh.LeftOut, want) {
		t.Errorf("left out %v, want %v", sh.LeftOut, want)
	}
	f := findingIn(t, findings, "shift.fields", analysis.Blocking)
	if f.Status != analysis.Pass || *f.Value < 0.5 || *f.High < 0.5 {
		t.Errorf("%s: %s", f.Status, f.Title.String())
	}
	if f := findingIn(t, findings, "shift.fields", analysis.Advisory); f.Status != analysis.Pass {
		t.Errorf("%s: %s", f.Status, f.Title.String())
	}
}

// Fields that only name rows, or stand for the family, differ by design.
func TestFieldsThatTellNoSplits(t *testing.T) {
	train, eval := asked(seeded(1), rollout.Train, 60), asked(seeded(2), rollout.Eval, 40)
	for i, it := range append(slices.Clone(train), eval...) {
		var at *rollout.Item
		place := i
		if at = &train[min(i, 59)]; i >= 60 {
			place = i - 60
			at = &eval[place]
		}
		company := fmt.Sprint(it.Split, i/10)
		*at = item(it.ID, it.Split, it.Messages[1].Content, map[string]any{
			"company": company, "serial": place, "doc_id": company, "note": sentence(seeded(uint64(i)), 20), "meta": map[string]any{"level": i % 3},
		})
		at.Family = company
	}
	sh, findings := judge.CheckItems(append(train, eval...), analysis.DefaultSettings())
	if want := []string{"company", "note", "serial"}; !slices.Equal(sh.LeftOut, want) {
		t.Errorf("left out %v, want %v", sh.LeftOut, want)
	}
	if f := findingIn(t, findings, "shift.fields", analysis.Blocking); f.Status == analysis.Fail || f.Value == nil {
		t.Errorf("%s: %s", f.Status, f.Title.String())
	}
}

func TestNothingToCompare(t *testing.T) {
	train := asked(seeded(1), rollout.Train, 30)
	sh, findings := judge.CheckItems(nil, analysis.DefaultSettings())
	if sh != nil {
		t.Error("no items have a shift")
	}
	for _, f := range analysis.ByFact(findings) {
		if f.Status != analysis.Skipped {
			t.Errorf("without items: %s is %s", f.Gate, f.Status)
		}
	}
	_, findings = judge.CheckItems(train, analysis.DefaultSettings())
	for gate, want := range map[string]analysis.Status{"leakage": analysis.Skipped, "shift.text": analysis.Skipped, "data.conflicts": analysis.Pass, "data.degenerate": analysis.Pass} {
		for _, f := range analysis.ByFact(findings) {
			if f.Gate == gate && f.Status != want {
				t.Errorf("one split: %s is %s: %s", gate, f.Status, f.Title.String())
			}
		}
	}
	// One row a side is not a shift and no crash.
	_, findings = judge.CheckItems(append(train[:1], asked(seeded(2), rollout.Eval, 1)...), analysis.DefaultSettings())
	for _, f := range analysis.ByFact(findings) {
		if f.Status == analysis.Fail {
			t.Errorf("one row a side: %s: %s", f.Gate, f.Title.String())
		}
	}
}

// Three splits are compared two by two, and production may resemble eval without
// more than a caution.
func TestThreeSplits(t *testing.T) {
	items := append(append(asked(seeded(1), rollout.Train, 40), asked(seeded(2), rollout.Eval, 40)...), asked(seeded(3), rollout.Production, 40)...)
	items[90] = item("p10", rollout.Production, items[50].Messages[1].Content, map[string]any{"reference_answer": "7"})
	sh, findings := judge.CheckItems(items, analysis.DefaultSettings())
	if len(sh.Crossings) != 3 || len(sh.Coverage) != 3 {
		t.Errorf("%d crossings, %d coverages, want 3", len(sh.Crossings), len(sh.Coverage))
	}
	var blocking, cautions int
	for _, f := range analysis.ByFact(findings) {
		if f.Gate == "leakage" && f.Status == analysis.Fail {
			if f.Severity == analysis.Blocking {
				blocking++
			} else {
				cautions++
			}
		}
	}
	if blocking != 0 || cautions != 1 {
		t.Errorf("%d blocking and %d cautions, want 0 and 1", blocking, cautions)
	}
}

// sampled writes a run of items with 8 rollouts each.
func sampled(t *testing.T, items []rollout.Item, roll func(it rollout.Item, i, sample int) string) *rollout.Run {
	t.Helper()
	dir := t.TempDir()
	var lines, rolls []string
	for i, it := range items {
		b, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
		for j := range 8 {
			rolls = append(rolls, roll(it, i, j))
		}
	}
	for name, list := range map[string][]string{rollout.ItemsFile: lines, rollout.RolloutsFile: rolls} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(list, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Everything else is fine, so the shift is the reason of the verdict.
func TestShiftIsTheReason(t *testing.T) {
	items := append(asked(seeded(1), rollout.Train, 120), asked(seeded(2), rollout.Eval, 60)...)
	others := slices.Clone(items)
	for i := range others[120:] {
		it := &others[120+i]
		*it = item(it.ID, rollout.Eval, it.Messages[1].Content, map[string]any{"kind": "growth", "length": 300 + i})
	}
	line := func(it rollout.Item, sample int, reward float64, calls ...string) string {
		return fmt.Sprintf(`{"item":%q,"split":%q,"sample":%d,"reward":%g,"turns":%d,"calls":[%s]}`, it.ID, it.Split, sample, reward, len(calls)+1, strings.Join(calls, ","))
	}
	call := func(name string, i int) string {
		return fmt.Sprintf(`{"name":%q,"arguments":"%d","status":"ok","turn":0}`, name, i)
	}
	fair := func(i, sample int) float64 { return math.Round(seeded(uint64(8*i+sample)).Float64()*100) / 100 }
	tests := []struct {
		name, reason string
		items        []rollout.Item
		roll         func(it rollout.Item, i, sample int) string
	}{
		{"alike", "", items, func(it rollout.Item, i, j int) string {
			return line(it, j, fair(i, j), call("search", i), call("cat", j))
		}},
		{"other fields", "shift.fields", others, func(it rollout.Item, i, j int) string {
			return line(it, j, fair(i, j), call("search", i), call("cat", j))
		}},
		{"eval far harder", "shift.reward", items, func(it rollout.Item, i, j int) string {
			if it.Split == rollout.Eval {
				return line(it, j, fair(i, j)*0.3, call("search", i), call("cat", j))
			}
			return line(it, j, fair(i, j), call("search", i), call("cat", j))
		}},
		{"other tools", "shift.tools", items, func(it rollout.Item, i, j int) string {
			if it.Split == rollout.Eval {
				return line(it, j, fair(i, j), call("list", i), call("list", j+1), call("cat", j))
			}
			return line(it, j, fair(i, j), call("search", i), call("cat", j))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := analysis.DefaultSettings()
			s.Boot = 50
			r, err := judge.Analyze(t.Context(), sampled(t, test.items, test.roll), rollout.ReadOptions{}, s, gate.All())
			if err != nil {
				t.Fatal(err)
			}
			got := stringOr(r.Reason, "")
			if i := slices.IndexFunc(r.Findings, func(f analysis.Finding) bool {
				return f.Gate == got && f.Severity == analysis.Blocking && f.Status == analysis.Fail
			}); i >= 0 {
				got = r.Findings[i].ID
			}
			if got != test.reason {
				t.Errorf("reason %q, want %q", got, test.reason)
			}
			for _, f := range analysis.ByFact(r.Findings) {
				if strings.ContainsAny(f.Title.String()+f.Why.String()+f.Remedy.String(), "{}") {
					t.Errorf("%s leaves a word out: %q %q", f.Gate, f.Title.String(), f.Remedy.String())
				}
			}
			primary := 0
			for _, p := range r.Shift.Pairs {
				if p.Primary {
					primary++
				}
				if p.Primary != (p.PHolm != nil) {
					t.Errorf("%s by %s is primary: %v, and its adjusted p is there: %v", p.On, p.Test, p.Primary, p.PHolm != nil)
				}
			}
			if primary != 4 {
				t.Errorf("%d primary tests, want 4: text, fields, reward, tools", primary)
			}
		})
	}
}

// A run without items.jsonl is judged as before, without shift.
func TestARunWithoutItemsHasNoShift(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), lines(ladder()))
	if r.Shift != nil {
		t.Error("it has a shift")
	}
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "leakage" && f.Status != analysis.Skipped {
			t.Errorf("%s is %s", f.Gate, f.Status)
		}
	}
}

func BenchmarkCheckItems(b *testing.B) {
	rng := seeded(9)
	var items []rollout.Item
	for i := range 51_000 {
		split := rollout.Train
		if i >= 50_000 {
			split = rollout.Eval
		}
		items = append(items, item(fmt.Sprint(i), split, sentence(rng, 140), map[string]any{"kind": fmt.Sprint(i % 4), "reference_answer": fmt.Sprint(i)}))
	}
	b.ReportAllocs()
	for b.Loop() {
		judge.CheckItems(items, analysis.DefaultSettings())
	}
}
