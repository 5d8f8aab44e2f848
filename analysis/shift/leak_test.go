package shift

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func leaks(t testing.TB, rows []Entry) Leakage {
	t.Helper()
	return Leaks(rows)
}

// prose writes text that has no pattern: words drawn at random, so two
// draws share no more than chance.
func prose(rng *rand.Rand, words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 2 + rng.IntN(3) {
			b.WriteByte("bcdfghklmnprstvw"[rng.IntN(16)])
			b.WriteByte("aeiou"[rng.IntN(5)])
		}
	}
	return b.String()
}

// apart are rows that have nothing to do with each other.
func apart(rng *rand.Rand, split string, n int) []Entry {
	var rows []Entry
	for i := range n {
		rows = append(rows, Entry{ID: fmt.Sprint(split, i), Split: split, Prompt: prose(rng, 40) + "?", Reference: fmt.Sprint(i)})
	}
	return rows
}

func TestWhatCountsAsACopy(t *testing.T) {
	const asked = "In its annual account the mill at Harrow Bridge lists 48 looms, of which 12 stood still for repairs. How many were running on an ordinary day?"
	tests := []struct {
		name, copy string
		want       LeakKind
	}{
		{"the same", asked, ExactLeak},
		{"other case and spacing", "  " + strings.ToUpper(asked) + "\n", ExactLeak},
		{"other dashes, quotes and end marks", strings.ReplaceAll(asked, "?", " "), ExactLeak},
		{"full-width forms and invisible characters", strings.ReplaceAll(strings.ReplaceAll(asked, "48", "４８"), "mill", "mi\u200bll"), ExactLeak},
		{"another number", strings.ReplaceAll(asked, "48", "64"), SwappedLeak},
		{"another name", strings.ReplaceAll(asked, "Harrow Bridge", "Otter Vale"), SwappedLeak},
		{"a sentence put in front", "You are a careful assistant to the weavers. " + asked, NearLeak},
		{"some words replaced", strings.NewReplacer("annual account", "yearly report", "ordinary", "usual").Replace(asked), NearLeak},
		{"half of it kept", asked[:85] + " Name the owner of the mill instead, if it is known to you.", NearLeak},
		{"contained in a much longer text", prose(rand.New(rand.NewPCG(1, 1)), 60) + " " + asked + " " + prose(rand.New(rand.NewPCG(2, 1)), 60), NearLeak},
		{"the same subject in other words", "Somebody counts idle and active weaving machines near a river crossing; what remains after subtraction?", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 1))
			rows := append(apart(rng, "train", 60), Entry{ID: "a", Split: "train", Prompt: asked, Reference: "36"})
			rows = append(append(rows, apart(rng, "eval", 40)...), Entry{ID: "b", Split: "eval", Prompt: test.copy, Reference: "36"})
			found := leaks(t, rows)
			var got LeakKind
			if len(found.Pairs) > 1 {
				t.Errorf("%d pairs", len(found.Pairs))
			}
			for _, p := range found.Pairs {
				got = p.Kind
				if rows[p.A].ID != "a" || rows[p.B].ID != "b" {
					t.Errorf("%s and %s are no copies", rows[p.A].ID, rows[p.B].ID)
				}
			}
			if got != test.want {
				t.Errorf("it is %q, want %q: %+v", got, test.want, found.Pairs)
			}
		})
	}
}

// Copies planted with 30 % of the words replaced are found, nearly all of them,
// and nothing else is.
func TestPlantedCopiesAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	rows := apart(rng, "train", 800)
	others := apart(rng, "eval", 400)
	const planted = 200
	for i := range planted {
		words := strings.Fields(rows[4*i].Prompt)
		at := rng.IntN(len(words) - 12)
		for j := range 12 { // in one piece: 28 of 40 words are left
			words[at+j] = prose(rng, 1)
		}
		others[i].Prompt = strings.Join(words, " ")
	}
	found := leaks(t, append(rows, others...))
	hit := 0
	for _, p := range found.Pairs {
		if i := p.B - len(rows); i < planted && p.A == 4*i {
			hit++
		} else {
			t.Errorf("rows %d and %d have nothing to do with each other: %.2f", p.A, p.B, p.Score)
		}
	}
	if hit < planted*99/100 {
		t.Errorf("%d of %d planted copies were found", hit, planted)
	}
	if c := found.Crossings[0]; c.Near != hit || c.RowsB != 400 {
		t.Errorf("the sum is %+v, want %d near", c, hit)
	}
}

// Rows written from templates are alike without being copies.
func TestTemplatesAreNoLeak(t *testing.T) {
	forms := []string{
		"You answer questions about company reports with the tools. What was the revenue of %s in %d, in million?",
		"You answer questions about company reports with the tools. By how much did the workforce of %s change until %d?",
		"You answer questions about company reports with the tools. Which margin did %s reach for the year %d, in percent?",
	}
	rng := rand.New(rand.NewPCG(5, 1))
	rows := func(split string, n int) (list []Entry) {
		for i := range n {
			company := strings.ToUpper(prose(rng, 1)[:1]) + prose(rng, 1) + " Holdings"
			list = append(list, Entry{ID: fmt.Sprint(split, i), Split: split, Prompt: fmt.Sprintf(forms[rng.IntN(3)], company, 1990+rng.IntN(30)), Reference: fmt.Sprint(rng.IntN(1e6))})
		}
		return list
	}
	for _, n := range []int{12, 40, 150} {
		found := leaks(t, append(rows("train", n), rows("eval", n/2)...))
		if len(found.Pairs)+len(found.Conflicts)+len(found.Duplicates) > 0 {
			t.Errorf("%d rows: %+v %+v %+v", n, found.Pairs, found.Conflicts, found.Duplicates)
		}
	}
}

func TestChineseCharactersAreWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	text := func() string {
		var b strings.Builder
		for range 60 {
			b.WriteRune(rune(0x4e00 + rng.IntN(3000)))
		}
		return b.String()
	}
	var rows []Entry
	for i := range 60 {
		rows = append(rows, Entry{ID: fmt.Sprint("t", i), Split: "train", Prompt: text()})
	}
	changed := []rune(rows[7].Prompt)
	changed[30] = '龍'
	rows = append(rows, Entry{ID: "e", Split: "eval", Prompt: string(changed)}, Entry{ID: "f", Split: "eval", Prompt: rows[8].Prompt[:90] + "2019" + rows[8].Prompt[90:]},
		Entry{ID: "g", Split: "eval", Prompt: rows[9].Prompt + "。"})
	found := leaks(t, rows)
	var got []string
	for _, p := range found.Pairs {
		got = append(got, fmt.Sprint(p.Kind, p.A, p.B-60))
	}
	if want := []string{"near7 0", "near8 1", "exact9 2"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if n := len(tokens("東京は2020年 in Tōkyō")); n != 7 {
		t.Errorf("%d words, want 7", n)
	}
}

func TestFamiliesAcrossSplits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	rows := append(apart(rng, "train", 10), apart(rng, "eval", 10)...)
	for i := range rows {
		rows[i].Family = fmt.Sprint("report ", i/2)
	}
	rows[15].Family, rows[16].Family, rows[17].Family = "Report 3 ", "report 3", "report 4"
	found := leaks(t, rows)
	c := found.Crossings[0]
	if c.Family != 3 || c.Families != 2 || len(found.Pairs) != 2 {
		t.Errorf("%+v with %+v, want 3 rows of 2 families", c, found.Pairs)
	}
}

// What holds for one prompt with several references.
func TestConflicts(t *testing.T) {
	const q = "How many bolts did the carpenter count in the second drawer of the bench?"
	row := func(prompt, ref, context string) Entry {
		return Entry{Split: "train", Prompt: prompt, Reference: ref, Context: context}
	}
	tests := []struct {
		name string
		a, b Entry
		want ConflictKind
	}{
		{"the same prompt, two references", row(q, "4", ""), row(strings.ToUpper(q), "5", ""), SamePrompt},
		{"numbers written differently agree", row(q, "1,200", ""), row(q, "1200.0", ""), ""},
		{"texts written differently agree", row(q, "Paris ", ""), row(q, "paris.", ""), ""},
		{"JSON written differently agrees", row(q, `{"a": 1, "b": 2}`, ""), row(q, `{"b":2,"a":1}`, ""), ""},
		{"no reference contradicts nothing", row(q, "4", ""), row(q, "", ""), ""},
		{"other fields that differ do not mend it", row(q, "4", "line 7"), row(q, "5", "line 8"), SamePrompt},
		{"almost the same prompt", row(q, "4", ""), row("Please tell me: how many bolts did the carpenter count, in second drawer of that bench?", "5", ""), AlmostPrompt},
		{"a word of content differs", row(q, "4", ""), row(strings.Replace(q, "bolts", "nails", 1), "5", ""), ""},
		{"a number differs", row(q+" In 1999", "4", ""), row(q+" In 2000", "5", ""), ""},
		{"other pictures under the same words", row(q, "4", ""), Entry{Split: "train", Prompt: q, Reference: "5", Attached: "picture"}, ""},
		{"one accepts what the other wants", row(q, "4", ""), Entry{Split: "train", Prompt: q, Reference: "four", Accepted: []string{"4"}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, split := range []string{"train", "eval"} {
				b := test.b
				b.Split = split
				rows := append(apart(rand.New(rand.NewPCG(8, 1)), "train", 30), test.a, b)
				var got ConflictKind
				for _, c := range leaks(t, rows).Conflicts {
					got = c.Kind
					if c.A != 30 || c.B != 31 {
						t.Errorf("%s: rows %d and %d", split, c.A, c.B)
					}
				}
				if got != test.want {
					t.Errorf("%s: %q, want %q", split, got, test.want)
				}
			}
		})
	}
}

// The prompt alone is not the task where tools and grader are handed the rest of
// the row.
func TestOnePromptForManyTasksIsNoCopy(t *testing.T) {
	var rows []Entry
	for i := range 60 {
		split := "train"
		if i >= 40 {
			split = "eval"
		}
		rows = append(rows, Entry{ID: fmt.Sprint(i), Split: split, Prompt: "Mend the failing test of this repository.", Reference: fmt.Sprint("patch ", i), Context: fmt.Sprint("repository ", i)})
	}
	found := leaks(t, rows)
	if len(found.Pairs)+len(found.Conflicts)+len(found.Duplicates) > 0 {
		t.Errorf("%+v", found)
	}
	rows[50].Context = rows[3].Context
	found = leaks(t, rows)
	if len(found.Pairs) != 1 || found.Pairs[0].Kind != ExactLeak {
		t.Errorf("the same prompt and repository: %+v", found.Pairs)
	}
	if want := []Conflict{{SamePrompt, 3, 50, 2, []int{3, 50}}}; !reflect.DeepEqual(found.Conflicts, want) {
		t.Errorf("the same prompt and repository with two patches: %+v, want %+v", found.Conflicts, want)
	}
}

func TestDuplicatesAndFlaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	rows := apart(rng, "train", 30)
	rows = append(rows, rows[2], rows[2])
	rows[31].Prompt += "!"
	cut := strings.Repeat("all of the words that were written here ", 20)[:400]
	for i, prompt := range []string{"", " \u200b\n", "aaaaaaa", "test test test test", "What was said [truncated]", "a \uFFFD", "b" + cut, "c" + cut, "d" + cut} {
		rows = append(rows, Entry{ID: fmt.Sprint("x", i), Split: "train", Prompt: prompt})
	}
	found := leaks(t, rows)
	var flaws []FlawKind
	for _, f := range found.Flaws {
		flaws = append(flaws, f.Kind)
	}
	want := []FlawKind{Empty, Empty, Constant, Constant, Truncated, Truncated, Truncated, Truncated, Truncated}
	if !slices.Equal(flaws, want) {
		t.Errorf("flaws %v, want %v", flaws, want)
	}
	exact := slices.DeleteFunc(slices.Clone(found.Duplicates), func(p Pair) bool { return p.Kind != ExactLeak })
	if want := []Pair{{ExactLeak, 2, 30, 1}, {ExactLeak, 2, 31, 1}}; !slices.Equal(exact, want) {
		t.Errorf("duplicates %v, want %v", exact, want)
	}
}

func TestReferencesInsideThePrompt(t *testing.T) {
	rows := []Entry{
		{Split: "train", Prompt: "The answer is Lisbon. Which town is meant?", Reference: "lisbon"},
		{Split: "train", Prompt: "Lisbonites live in which town?", Reference: "Lisbon"},
		{Split: "train", Prompt: "Is it yes or no?", Reference: "yes"},
		{Split: "train", Prompt: "首都はどこですか、東京都庁ですか", Reference: "東京都庁"},
	}
	found := leaks(t, rows)
	if !slices.Equal(found.Answers, []int{0, 3}) || found.Answerable != 3 {
		t.Errorf("rows %v of %d, want 0 and 3 of 3", found.Answers, found.Answerable)
	}
}

// The same rows give the same answer, however many work on it.
func TestLeaksDoNotHangOnTheWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	rows := append(apart(rng, "train", 300), apart(rng, "eval", 200)...)
	for i := range 60 {
		rows[300+i].Prompt = rows[rng.IntN(300)].Prompt[:150] + prose(rng, 8)
	}
	var want Leakage
	for i, workers := range []int{1, 2, 7} {
		was := runtime.GOMAXPROCS(workers)
		got := Leaks(rows)
		runtime.GOMAXPROCS(was)
		if i == 0 {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers find something else", workers)
		}
	}
	if len(want.Pairs) != 60 {
		t.Errorf("%d pairs, want 60", len(want.Pairs))
	}
	if found := leaks(t, nil); found.Pairs != nil {
		t.Error("no rows have pairs")
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"", "A b", "ＡＢＣ　！", "e\u0301", "\u0301", "İstanbul", "“q”—…", "\xff\xfe", "a\u200d\u0301 \u0300", "ǅ", "。。", "Å\u030a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := normalize(s)
		if twice := normalize(once); twice != once {
			t.Errorf("%q becomes %q, and that %q", s, once, twice)
		}
		if got := normalize("  " + s + "\t\u200b"); got != once {
			t.Errorf("white space around %q changes %q to %q", s, once, got)
		}
		list := tokens(s)
		skeletonOf(list)
		content(list)
		referenceKey(s)
		if once != "" && !holds(once, once) {
			t.Errorf("%q does not hold itself", once)
		}
		constant(once)
	})
}

func BenchmarkLeaks(b *testing.B) {
	rng := rand.New(rand.NewPCG(11, 1))
	vocabulary := make([]string, 5000)
	for i := range vocabulary {
		vocabulary[i] = prose(rng, 1)
	}
	var rows []Entry
	for i := range 51000 {
		var text strings.Builder
		for text.Len() < 1000 {
			// Few words are frequent, as in any language.
			at := int(float64(len(vocabulary)) * rng.Float64() * rng.Float64() * rng.Float64())
			text.WriteString(vocabulary[at] + " ")
		}
		split := "train"
		if i >= 50000 {
			split = "eval"
		}
		rows = append(rows, Entry{ID: fmt.Sprint(i), Split: split, Prompt: text.String(), Reference: fmt.Sprint(i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		leaks(b, rows)
	}
}
