package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// docs/worlds.md and the pages in docs/worlds show every template and have a world for every gate.
func TestDocsShowTheWorlds(t *testing.T) {
	stories := string(must(os.ReadFile(filepath.Join("..", "..", "docs", "worlds", "stories.md")))(t))
	fillPage(t, "worlds.md", "near", nearTable())
	fillPage(t, "worlds.md", "before and after", storyTable(t, stories))
	fillPage(t, "worlds/stories.md", "worlds", worldSections(t, stories))
	fillPage(t, "worlds/gates.md", "gates", gateTable(t))
}

// nearTable leads from a task to the nearest template.
func nearTable() string {
	var s strings.Builder
	s.WriteString("| your task is like | start from | its verdict |\n|---|---|---|\n")
	for _, w := range fixtures.Templates() {
		fmt.Fprintf(&s, "| %s | [`%s`](worlds/stories.md#%s) | %s |\n", w.Like, w.Name, w.Name, outcomeOf(w))
	}
	return s.String()
}

// outcomeOf is a world's verdict with what it depends on.
func outcomeOf(w fixtures.World) string {
	s := w.Verdict
	if w.Gate != "" {
		s += " by `" + w.Gate + "`"
	}
	if more := w.OtherCautions(); len(more) > 0 {
		s += ", with cautions: `" + strings.Join(more, "`, `") + "`"
	}
	return s
}

func worldSections(t *testing.T, page string) string {
	t.Helper()
	var s strings.Builder
	worlds := fixtures.Worlds()
	for i, w := range fixtures.Templates() {
		if i > 0 {
			s.WriteString("\n")
		}
		fmt.Fprintf(&s, "## %s\n\n%s Verdict: %s.\n", w.Name, w.Doc, outcomeOf(w))
		s.WriteString(seen(t, w))
		if len(w.Needs) > 0 {
			fmt.Fprintf(&s, "\nIt needs `%s`.\n", strings.Join(w.Needs, "`, `"))
		}
		if w.More != "" {
			s.WriteString("\n" + w.More)
		}
		compared(t, &s, page, w)
		for _, twin := range worlds {
			if strings.HasPrefix(twin.Name, w.Name+"-") {
				fmt.Fprintf(&s, "\nIts twin `%s`: %s Verdict: %s.\n", twin.Name, twin.Doc, outcomeOf(twin))
				s.WriteString(seen(t, twin))
				compared(t, &s, page, twin)
				if len(twin.Policies) == 0 {
					fmt.Fprintf(&s, "\n%s\n%s\n\n%s", measuredMark(twin.Name), besideTwin(t, page, w, twin), measuredEnd)
				}
			}
		}
	}
	return s.String()
}

// compared tells of a world's other policies: how each is run, the picture of the
// comparison, and its figures.
func compared(t *testing.T, s *strings.Builder, page string, w fixtures.World) {
	t.Helper()
	for _, p := range w.Policies {
		fmt.Fprintf(s, "\n**After training.** %s Verdict: %s.\n\n", p.Doc, decidedBy(p.Verdict, p.Gate))
		fmt.Fprintf(s, "<!-- not run: make worlds runs it -->\n```sh\ngonogo demo --world %s\ngonogo demo --world %s --policy %s\n```\n\n", w.Name, w.Name, p.Short())
		fmt.Fprintf(s, "![What changed in %s](%s.png)\n\n%s\n%s\n\n%s", w.Name, storyOf(w, p), measuredMark(storyOf(w, p)), figures(t, page, w, p), measuredEnd)
	}
}

// storyOf names the comparison of a policy: its picture, and its report in GONOGO_WORLDS.
func storyOf(w fixtures.World, p fixtures.Policy) string { return w.Name + "-" + p.Short() }

func measuredMark(of string) string { return "<!-- measured " + of + " -->\n" }

const measuredEnd = "<!-- measured -->\n"

// onPage is the table of figures that the page has.
func onPage(page, of string) string {
	_, rest, _ := strings.Cut(page, measuredMark(of))
	table, _, _ := strings.Cut(rest, measuredEnd)
	return strings.TrimSpace(table)
}

// justRun is a file of .ci/worlds about a world that was just run, "" for one that was not.
func justRun(name string) string {
	file := filepath.Join(os.Getenv("GONOGO_WORLDS"), name)
	if _, err := os.Stat(file); err != nil || os.Getenv("GONOGO_WORLDS") == "" || !*update {
		return ""
	}
	return file
}

// figures are what the comparison of a policy measured, as the page has them or, of worlds
// that were just run, as the reports in GONOGO_WORLDS do.
func figures(t *testing.T, page string, w fixtures.World, p fixtures.Policy) string {
	t.Helper()
	table := onPage(page, storyOf(w, p))
	if file := justRun(storyOf(w, p) + ".md"); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, after := resultOf(t, w.Name), resultOf(t, storyOf(w, p))
		table = measured(string(b), p, before, after) + took(t, justRun(storyOf(w, p)+".time"))
	}
	for _, name := range shown(p) {
		if !*update && !strings.Contains(table, "\n| "+name+" |") {
			t.Errorf("%s: the page has no figures of %q: .ci/worlds measures them", storyOf(w, p), name)
		}
	}
	return table
}

// shown are the rows of a policy's table.
func shown(p fixtures.Policy) []string {
	names := append([]string{"mean reward"}, p.Shows...)
	for _, r := range p.Rates {
		names = append(names, r.Name)
	}
	return append(names, p.Apart...)
}

func resultOf(t *testing.T, of string) *analysis.Result {
	t.Helper()
	b, err := os.ReadFile(justRun(of + ".json"))
	var r analysis.Result
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatalf("%s: %v", of, err)
	}
	return &r
}

// apart are figures that a run has by itself, by the name that tables give them.
func apart(sr *analysis.SplitResult) map[string]stat.Estimate {
	three, _ := sr.BestAt(3)
	eight, _ := sr.BestAt(8)
	all := map[string]stat.Estimate{
		"mean reward": sr.Reward.Estimate, "best of 3": three.Estimate, "best of 8": eight.Estimate, "grader noise": sr.Variance.GraderShare,
	}
	if lower, _ := sr.SignalAt(8); lower != nil {
		all["informative groups"] = lower.Teaches()
	}
	if long := sr.Tools.Long; long != nil {
		all["far longer rollouts"] = long.Share
	}
	return all
}

// shares are the figures of apart that are in per cent.
var shares = []string{"informative groups", "grader noise", "far longer rollouts"}

// estimated writes a figure of apart with its interval.
func estimated(sr *analysis.SplitResult, name string) string {
	e, unit := apart(sr)[name], ""
	if slices.Contains(shares, name) {
		unit = message.UnitShare
	}
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(cmp.Or(message.IntervalIn(unit, e.Value, e.Low, e.High), "–"))
}

// besideTwin is a table of a world and its twin, for a twin that is not trained.
func besideTwin(t *testing.T, page string, w, twin fixtures.World) string {
	t.Helper()
	if justRun(twin.Name+".json") == "" || justRun(w.Name+".json") == "" {
		table := onPage(page, twin.Name)
		if table == "" && !*update {
			t.Errorf("the page has no figures of %s: .ci/worlds measures them", twin.Name)
		}
		return table
	}
	var s strings.Builder
	fmt.Fprintf(&s, "| | `%s` | `%s` |\n|---|---|---|", w.Name, twin.Name)
	results := []*analysis.Result{resultOf(t, w.Name), resultOf(t, twin.Name)}
	for _, split := range []rollout.Split{rollout.Train, rollout.Eval} {
		row := func(name string, of func(*analysis.SplitResult) string) {
			fmt.Fprintf(&s, "\n| %s, %s | %s | %s |", split, name, of(results[0].Splits[split]), of(results[1].Splits[split]))
		}
		row("items sampled", func(sr *analysis.SplitResult) string {
			return message.Whole(sr.Items.Sampled) + " of " + message.Whole(*sr.Items.InFile)
		})
		for _, name := range []string{"mean reward", "best of 8", "informative groups", "grader noise"} {
			row(name, func(sr *analysis.SplitResult) string { return estimated(sr, name) })
		}
	}
	return s.String()
}

// took says what the two commands took, by a file of .ci/worlds with a line for each: seconds
// and seconds of processor time.
func took(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var wall, cpu [2]int
	if _, err := fmt.Sscan(string(b), &wall[0], &cpu[0], &wall[1], &cpu[1]); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return fmt.Sprintf("\n\nThe two commands took %d s and %d s, with %d s and %d s of processor time.", wall[0], wall[1], cpu[0], cpu[1])
}

// measured are rows of the tables of differences of a comparison's report, with a column
// for each split, then what the two runs have by themselves.
func measured(report string, p fixtures.Policy, before, after *analysis.Result) string {
	var splits []string
	rows := make(map[string][]string)
	for _, part := range strings.Split(report, "\n## Split ")[1:] {
		split, _, _ := strings.Cut(part, ":")
		_, table, _ := strings.Cut(part, "\n### Differences\n")
		table, _, _ = strings.Cut(table, "\n###")
		splits = append(splits, split)
		for line := range strings.Lines(table) {
			if cells := strings.Split(line, " | "); len(cells) == 6 {
				name := strings.NewReplacer(`\`, "", "&gt;", ">").Replace(strings.TrimPrefix(cells[0], "| ")) // as a terminal has it
				cell := fmt.Sprintf("%s → %s, %s", cells[1], cells[2], cells[3])
				for _, r := range p.Rates {
					if name == "reward part "+r.Part {
						rows[r.Name] = append(rows[r.Name], lacking(cells[1], cells[2]))
					}
				}
				if !strings.Contains(name, "reward") && !strings.HasPrefix(name, "best of") {
					cell += inRelation(number(cells[1]), number(cells[2]))
				}
				rows[name] = append(rows[name], cell)
			}
		}
	}
	names := shown(p)
	for _, name := range p.Apart {
		for _, split := range splits {
			of := rollout.Split(split)
			rows[name] = append(rows[name], estimated(before.Splits[of], name)+" → "+estimated(after.Splits[of], name))
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "| | %s |\n|---%s|\n", strings.Join(splits, " | "), strings.Repeat("|---", len(splits)))
	for _, name := range names {
		if cells := rows[name]; len(cells) > 0 {
			fmt.Fprintf(&s, "| %s | %s |\n", name, strings.Join(cells, " | "))
		}
	}
	return strings.TrimSpace(s.String())
}

// lacking writes what two means lack to 1.
func lacking(before, after string) string {
	a, b := 1-number(before), 1-number(after)
	return message.Percent(a) + " → " + message.Percent(b) + inRelation(a, b)
}

// inRelation writes a change as a share of what was there before: " (-18 %)". What more
// than doubles needs no such share.
func inRelation(before, after float64) string {
	if before == 0 || math.IsNaN(before+after) || after > 2*before {
		return ""
	}
	return fmt.Sprintf(" (%+.0f %%)", 100*(after/before-1))
}

// number reads a cell of a table, NaN for one that is not known.
func number(cell string) float64 {
	x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(cell, " %"), ",", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// storyTable is what came of training in every world.
func storyTable(t *testing.T, page string) string {
	t.Helper()
	var s strings.Builder
	s.WriteString("| world | before | after | mean reward, evaluation split | the comparison says |\n|---|---|---|---|---|\n")
	for _, w := range fixtures.Worlds() {
		for _, p := range w.Policies {
			_, row, _ := strings.Cut(figures(t, page, w, p), "\n| mean reward | ")
			row, _, _ = strings.Cut(row, " |\n")
			cells := strings.Split(row, " | ")
			fmt.Fprintf(&s, "| `%s` | %s | %s | %s | %s, exit code %d |\n", w.Name, decidedBy(w.Verdict, w.Gate), decidedBy(p.Verdict, p.Gate),
				cells[len(cells)-1], strings.ReplaceAll(p.Answer, "_", " "), compare.Answer(p.Answer).ExitCode())
		}
	}
	return s.String()
}

func decidedBy(verdict, gate string) string {
	return outcomeOf(fixtures.World{Verdict: verdict, Gate: gate})
}

// seen is a world's summary picture, with three lines on what to see in it.
func seen(t *testing.T, w fixtures.World) string {
	t.Helper()
	if len(w.See) != 3 {
		t.Errorf("%s says in %d lines what to see, not in three", w.Name, len(w.See))
	}
	return fmt.Sprintf("\n![The summary of %s](%s.png)\n\n- %s\n", w.Name, w.Name, strings.Join(w.See, "\n- "))
}

// gateTable lists the worlds that are no stories by the gate that each is about: it
// decides, or is the first caution. Those of no gate come first. Every gate has a world.
func gateTable(t *testing.T) string {
	t.Helper()
	var s strings.Builder
	s.WriteString("| gate | world | verdict | what it is |\n|---|---|---|---|\n")
	names := []string{""}
	for _, g := range gate.All() {
		names = append(names, g.Name)
	}
	for _, name := range names {
		any, shown := false, ""
		if name != "" {
			shown = "`" + name + "`"
		}
		for _, w := range fixtures.Worlds() {
			about := cmp.Or(w.Gate, first(w.Cautions))
			any = any || about == name
			if about == name && len(w.See) == 0 { // the others have their sections
				fmt.Fprintf(&s, "| %s | `%s` | %s | %s |\n", shown, w.Name, w.Verdict, w.Doc)
				shown = ""
			}
		}
		if !any {
			t.Errorf("no world is about the gate %q", name)
		}
	}
	return s.String()
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
