package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"gonogo/analysis"
	_ "gonogo/analysis/curate" // all that has messages
	_ "gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/wording"
)

// texts are what the program says: English by id.
type texts struct {
	t      *testing.T
	by     map[string]string
	counts map[string]bool // the arguments that are counts
}

func (s texts) add(id, english string) {
	if english == "" {
		return
	}
	if was, ok := s.by[id]; ok && was != english {
		s.t.Errorf("%s is %q and %q", id, was, english)
	}
	s.by[id] = english
}

// allTexts collects what the code says: the messages that are known, the ids in the
// sources with their English, what is counted, and what is named by data.
func allTexts(t *testing.T) map[string]string { return collected(t).by }

func collected(t *testing.T) texts {
	s := texts{t, map[string]string{}, map[string]bool{}}
	for _, d := range message.Defs() {
		s.add(d.ID, d.English)
	}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		// terminals and scripted policies speak English
		case e.IsDir() && (path == "../cmd/gonogo/internal/console" || path == "../fixtures"):
			return filepath.SkipDir
		case e.IsDir() && len(e.Name()) > 2 && (e.Name()[0] == '.' || e.Name() == "testdata" || e.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			return s.file(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, thing := range []string{"category", "family"} {
		s.counted(thing)
	}
	for _, c := range chart.Charts() {
		s.chart("chart."+c.Name, c.Name, c.Doc)
	}
	for _, c := range chart.Pilots() {
		s.chart("chart."+c.Name, c.Name, c.Doc)
	}
	for _, c := range chart.Comparisons() {
		s.chart("chart.compared."+c.Name, c.Name, c.Doc)
	}
	for family, names := range map[string][]string{
		"history.unit.": {"reward", "share", "variance", "calls", "seconds", "tokens"},
		"history.made.": {"data", "job", "model", "grader", "setting", "tool_version"},
	} {
		for _, name := range names {
			s.add(family+name, strings.ReplaceAll(name, "_", " "))
		}
	}
	s.add("chart.model."+analysis.BetaBinomial, "beta-binomial")
	s.add("chart.model."+analysis.Dirichlet, "Dirichlet-multinomial")
	message.Walk("report", english, s.add)
	message.Walk("report.compare", compareEnglish, s.add)
	message.Walk("report.history", historyEnglish, s.add)
	return s
}

func (s texts) chart(id, name, doc string) {
	s.add(id+".doc", doc)
	title := strings.ReplaceAll(name, "_", " ")
	s.add(id+".title", strings.ToUpper(title[:1])+title[1:])
}

func (s texts) counted(thing string) { s.add(message.CountID(thing), "%s "+wording.Plural(2, thing)) }

// file collects from one source.
func (s texts) file(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			s.argument(pair)
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.Ident:
			name = f.Name
		}
		args := call.Args
		switch name {
		case "noData", "heads":
			args = args[1:]
		case "Say", "Text":
		case "Count":
			if thing, ok := constant(args[len(args)-1]); ok && len(args) == 2 && strings.Contains(path, "analysis") || ok && strings.Contains(path, "report") {
				s.counted(thing)
			}
			return true
		case "New":
			if len(args) != 2 {
				return true
			}
		default:
			return true
		}
		for pair := range slices.Chunk(args, 2) {
			id, ok := constant(pair[0])
			if len(pair) == 2 && ok {
				if english, ok := constant(pair[1]); ok {
					s.add(id, english)
				}
			}
			if name != "heads" {
				break
			}
		}
		return true
	})
	return nil
}

// argument notes an argument that is a count.
func (s texts) argument(pair *ast.KeyValueExpr) {
	name, ok := constant(pair.Key)
	call, isCall := pair.Value.(*ast.CallExpr)
	if !ok || !isCall {
		return
	}
	if f, ok := call.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Int" || f.Sel.Name == "Count") {
		s.counts[name] = true
	}
}

// constant is the text of a constant expression.
func constant(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, x.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, ok := constant(x.X)
		right, also := constant(x.Y)
		return left + right, ok && also && x.Op == token.ADD
	}
	return "", false
}

// placeholders are where something is put into a text: verbs, with their
// numbers taken away, and names in braces.
var placeholders = regexp.MustCompile(`%(\[\d+\])?[-+#0]*[\d.]*[a-zA-Z%]|\{[A-Za-z_]+(\|[^}]*)?\}`)

func places(text string) []string {
	number, list := regexp.MustCompile(`\[\d+\]|\|[^}]*`), placeholders.FindAllString(text, -1)
	for i := range list {
		list[i] = number.ReplaceAllString(list[i], "")
	}
	slices.Sort(list)
	return list
}

// untranslatedFile lists the texts that message.Untranslated returns. A new text needs no
// translation: go test ./report -run EveryLanguage -update adds it to the list.
const untranslatedFile = "../../analysis/message/untranslated.txt"

// Every language has the ids that the code has, or the list has them as untranslated. It has
// no other, and fills in the same. One that has one thing otherwise than several has it so
// for all that is counted.
func TestEveryLanguageSaysEveryText(t *testing.T) {
	all := allTexts(t)
	var lacking []string
	for _, l := range message.Languages()[1:] {
		one := slices.ContainsFunc(slices.Collect(maps.Keys(l.All())), func(id string) bool { return strings.HasPrefix(id, "count.") && strings.HasSuffix(id, ".one") })
		for id, english := range all {
			said, ok := l.All()[id]
			wordless := !strings.ContainsFunc(placeholders.ReplaceAllString(english, ""), unicode.IsLetter)
			if _, has := l.All()[id+".one"]; strings.HasPrefix(id, "count.") && one && !has {
				lacking = append(lacking, l.Tag()+" "+id+".one\n")
			}
			switch {
			case !ok && !wordless:
				lacking = append(lacking, l.Tag()+" "+id+"\n")
			case ok && !slices.Equal(places(english), places(said)):
				t.Errorf("%s: %s: %q is translated as %q, with other places to fill in", l.Tag(), id, english, said)
			case ok && (strings.Count(english, "<") != strings.Count(said, "<") || strings.Count(english, "\n") != strings.Count(said, "\n")):
				t.Errorf("%s: %s: %q is translated as %q, with other signs", l.Tag(), id, english, said)
			case ok && said == "" && strings.TrimSpace(english) != "":
				t.Errorf("%s: %s: %q is translated as nothing", l.Tag(), id, english)
			case ok && said == english && !wordless && len(strings.Fields(placeholders.ReplaceAllString(english, ""))) > 2:
				t.Errorf("%s: %s: %q is not translated", l.Tag(), id, english)
			}
		}
		for id := range l.All() {
			if all[strings.TrimSuffix(id, ".one")] == "" && all[id] == "" {
				t.Errorf("%s: nothing says %s", l.Tag(), id)
			}
		}
	}
	slices.Sort(lacking)
	golden(t, untranslatedFile, strings.Join(lacking, ""))
}

// Another language is one more file of the same ids: one made of all of them is all
// that a report in it says.
func TestALanguageIsItsFile(t *testing.T) {
	texts := map[string]string{}
	for id, english := range allTexts(t) {
		texts[id] = "«" + english + "»"
	}
	var said []byte
	for _, name := range []string{"audited", "beyond"} {
		r := reporttest.Load(t, name).In(message.NewLanguage("tlh", texts).OnMissing(func(id, english string) { t.Errorf("%s: %q is not said in the language", id, english) }))
		said = append(said, write(t, "markdown-full", NewRunPage(r, options()))...)
	}
	if !bytes.Contains(said, []byte("«Mean reward»")) || bytes.Contains(said, []byte("**Mean reward**")) {
		t.Errorf("the report is in another language:\n%.2000s", said)
	}
}

// neverOne are texts whose number is never one, or is the name of a split.
var neverOne = []string{
	"chart.rewards.ends", "chart.classes.mixed", "chart.rewards.bins",
	"chart.best.above", "chart.best.equal", "report.best_of_doc", "report.informative_bracket", "report.plan.group_only",
	"report.capped", "report.compare.items_cut", "report.print.more_rows", "report.print.telling",
	"compare.left_out", "compare.too_many_lost", // a share
	"stat.all_agree", "stat.all_agree_no_range", "stat.few_items", "stat.needs_group", "grader.truth.were_rejected",
}

// One thing is one: no message says "1 items", or "1 of 20 rows are", where a number is 1.
func TestOneThingIsNotSeveral(t *testing.T) {
	s, things := collected(t), map[string]bool{}
	all := s.by
	for id, english := range all {
		if strings.HasPrefix(id, "count.") {
			things[english[strings.LastIndex(english, " ")+1:]] = true
		}
		for _, m := range regexp.MustCompile(`\{[a-z0-9_]+\|([a-z ]+)\}`).FindAllStringSubmatch(english, -1) {
			things[wording.Plural(2, m[1][strings.LastIndex(m[1], " ")+1:])] = true
		}
	}
	several := regexp.MustCompile(`\b1 (?:(?:bad|blocking|different|input|more|other|output|sampled|tool|valid) )?(` + strings.Join(slices.Collect(maps.Keys(things)), "|") + `)\b`)
	doing := regexp.MustCompile(`\b1( X)?( of [^,;:]*?)?( that)? (agree|are|begin|belong|depart|differ|earn|get|have|hold|make|need|repeat|resemble|share|were)\b`)
	verb := regexp.MustCompile(`%(\[\d\])?[sd]`)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(id, "count.") || strings.HasSuffix(id, ".many") || slices.Contains(neverOne, id) {
			continue
		}
		d := message.Def{ID: id, English: all[id]}
		for _, name := range d.Placeholders() {
			args := message.Args{}
			for _, other := range d.Placeholders() {
				args[other] = message.Name("X")
			}
			args[name] = message.Number(1)
			if found := several.FindString(d.In(message.Language{}, args)); found != "" && !slices.Contains([]string{"grade", "have", "longer"}, name) {
				t.Errorf("%s says %q: %q", id, found, d.English)
			}
			said := d.In(message.Language{}, args)
			if at := doing.FindStringIndex(said); at != nil && s.counts[name] && name != "low" && name != "high" && !strings.HasSuffix(said[:at[0]], " of ") {
				t.Errorf("%s says %q: %q", id, said[at[0]:at[1]], d.English)
			}
		}
		if found := several.FindString(verb.ReplaceAllString(all[id], "1")); found != "" {
			t.Errorf("%s says %q: %q", id, found, d.English)
		}
	}
}

// Every message is said of nothing, one, many, what is not known and very long names, in
// every language, and once more after it was stored.
func TestEveryMessageIsSaidOfAnything(t *testing.T) {
	named := regexp.MustCompile(`\{[A-Za-z_]+(\|[^}]*)?\}`)
	for what, arg := range map[string]message.Arg{
		"nothing": message.Int(0), "one": message.Int(1), "many": message.Count(1_200_000, "item"), "unknown": message.Known(nil),
		"a long name": message.Foreign(strings.Repeat("a name with {braces} and %s ", 500)), "an empty list": message.List(),
	} {
		for _, d := range message.Defs() {
			args := message.Args{}
			for _, name := range d.Placeholders() {
				args[name] = arg
			}
			raw, err := json.Marshal(d.With(args))
			var stored message.Text
			if err := errors.Join(err, json.Unmarshal(raw, &stored)); err != nil {
				t.Fatalf("%s of %s: %v", d.ID, what, err)
			}
			for _, l := range message.Languages() {
				said, filled := d.In(l, args), message.Of(arg).In(l)
				bare := strings.ReplaceAll(strings.ReplaceAll(said, filled, ""), strings.ToUpper(filled[:min(1, len(filled))])+filled[min(1, len(filled)):], "")
				switch {
				case strings.Contains(bare, "%!") || named.MatchString(bare):
					t.Errorf("%s of %s is said %.200q in %s", d.ID, what, said, l.Tag())
				case len(args) > 0 && !strings.Contains(strings.ToLower(said), filled):
					t.Errorf("%s of %s is lost in %s: %.200q", d.ID, what, l.Tag(), said)
				case stored.In(l) != said:
					t.Errorf("%s of %s is stored as %.200q, which says %.200q", d.ID, what, raw, stored.In(l))
				}
			}
		}
	}
}
