package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/analysis/gate"
	"gonogo/fixtures"
)

// docs/worlds.md shows every template and has a world for every gate.
func TestDocsShowTheWorlds(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "worlds.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	for _, part := range []struct{ begin, text string }{
		{"near", nearTable()}, {"before and after", storyTable(t, string(b))}, {"worlds", worldSections(t, string(b))}, {"gates", gateTable(t)},
	} {
		before, rest, found := strings.Cut(want, "<!-- "+part.begin+" -->\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !found || !ended {
			t.Fatalf("%s: no place for %s", path, part.begin)
		}
		want = before + "<!-- " + part.begin + " -->\n\n" + part.text + "\n<!-- end -->" + after
	}
	if want == string(b) {
		return
	}
	if !*update {
		t.Fatalf("%s tells another story than fixtures.Worlds() (-update writes it)", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// nearTable leads from a task to the nearest template.
func nearTable() string {
	var s strings.Builder
	s.WriteString("| your task is like | start from | its verdict |\n|---|---|---|\n")
	for _, w := range fixtures.Templates() {
		fmt.Fprintf(&s, "| %s | [`%s`](#%s) | %s |\n", w.Like, w.Name, w.Name, outcomeOf(w))
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
		compared(t, &s, page, w)
		for _, twin := range worlds {
			if strings.HasPrefix(twin.Name, w.Name+"-") {
				fmt.Fprintf(&s, "\nIts twin `%s`: %s Verdict: %s.\n", twin.Name, twin.Doc, outcomeOf(twin))
				s.WriteString(seen(t, twin))
				compared(t, &s, page, twin)
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
		fmt.Fprintf(s, "![What changed in %s](worlds/%s.png)\n\n%s\n%s\n\n%s", w.Name, storyOf(w, p), measuredMark(w, p), figures(t, page, w, p), measuredEnd)
	}
}

// storyOf names the comparison of a policy: its picture, and its report in GONOGO_WORLDS.
func storyOf(w fixtures.World, p fixtures.Policy) string { return w.Name + "-" + p.Short() }

func measuredMark(w fixtures.World, p fixtures.Policy) string {
	return "<!-- measured " + storyOf(w, p) + " -->\n"
}

const measuredEnd = "<!-- measured -->\n"

// figures are what the comparison of a policy measured, as the page has them or, of worlds
// that were just run, as the reports in GONOGO_WORLDS do.
func figures(t *testing.T, page string, w fixtures.World, p fixtures.Policy) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, measuredMark(w, p))
	table, _, _ := strings.Cut(rest, measuredEnd)
	table = strings.TrimSpace(table)
	if dir := os.Getenv("GONOGO_WORLDS"); dir != "" && *update {
		if b, err := os.ReadFile(filepath.Join(dir, storyOf(w, p)+".md")); err == nil { // of the worlds that were run
			table = measured(string(b), append([]string{"mean reward"}, p.Shows...)) + took(t, filepath.Join(dir, storyOf(w, p)+".time"))
		}
	}
	for _, name := range append([]string{"mean reward"}, p.Shows...) {
		if !*update && !strings.Contains(table, "\n| "+name+" |") {
			t.Errorf("%s: the page has no figures of %q: .ci/worlds measures them", storyOf(w, p), name)
		}
	}
	return table
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
// for each split.
func measured(report string, names []string) string {
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
				rows[name] = append(rows[name], cell)
			}
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
	return fmt.Sprintf("\n![The summary of %s](worlds/%s.png)\n\n- %s\n", w.Name, w.Name, strings.Join(w.See, "\n- "))
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
