package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

// remedy is a text that names a command, by a part of it, and where a script holds in
// this order, a line each: the text as it was printed, the command as it is run then,
// and what has changed by it. The last may be the line that runs it.
type remedy struct{ text, script, printed, run, changed string }

var remedies = []remedy{
	// The findings.
	{"on two items, like a right answer: gonogo audit ", "audit_search", "stderr '^found: buried earns 1", "gonogo audit holds -c holds.yaml --replay buried", `stdout '"reward": 1$'`},
	{"gonogo audit RUN --replay ", "remedies", "--replay [^ ]*", "$(cat replay)", "grep '^now"},
	{"Then gonogo grade RUN -o RUN-2 regrades the recorded answers", "remedies", "Close the hole: the grader must not pay for", "gonogo audit r1-2", "PASS +grader.hackable"},
	{"Grade the same rollouts with a grader that scores each answer by itself", "grade_groups", "the mean reward of train does not show", "gonogo grade ranked -c alone.yaml -o ranked-2", "PASS +baseline.headroom"},
	{"A worthless answer should get the lowest grade, not a failure", "remedies", "A worthless answer should get", "gonogo audit shy-2", "! stdout 'could not be judged'"},
	{"Make the grader give worthless answers the lowest grade", "remedies", "UNKNOWN It is not clear whether the grader can be fooled: it failed on", "gonogo audit picky-2", "PASS +grader.hackable"},
	{"gonogo audit RUN then repeats what failed", "remedies", "gonogo audit down then repeats what failed", "gonogo audit down", "FAIL +The grader can be fooled"},
	{"gonogo audit RUN --items 40 tries the probes on more", "remedies", "gonogo audit one --items 40", "gonogo audit one --items 40", "PASS +grader.hackable"},
	{"Then gonogo audit RUN sends the references again", "answer_form", "Set audit.answer to the form", "gonogo audit r1 -c gonogo.yaml --set 'audit.answer=ANSWER", "PASS +grader.truth"},
	{"Fix the detector, then run gonogo audit RUN again.", "remedies", "Fix the detector, then run gonogo audit spied", "gonogo audit spied", "grader.detected.pass"},
	{"Grade the recorded answers with your grader: gonogo grade RUN --grader FILE -o RUN-2", "import_error", "gonogo grade ungraded", "gonogo grade ungraded --grader equal.json", "'\"mean\": 0.25,'"},
	{"Fix the grader, then run gonogo grade RUN -o RUN-2", "remedies", "Fix the grader, then run gonogo grade down", "gonogo grade down -o down-2", "PASS +infra.failures"},
	{"measure into a new run directory: gonogo run -o RUN-2", "remedies", "measure into a new run directory", "-o run-2", "PASS +data.valid"},
	{"the grader was not audited: run gonogo audit RUN", "remedies", "the grader was not audited: run gonogo audit bare", "gonogo audit bare", "! stdout 'the grader was not audited: run'"},
	{"the grader was not audited: run gonogo audit RUN --grader FILE", "coverage", "gonogo audit logged --grader FILE", "gonogo audit logged --grader equal.json", "! stdout 'the grader was not audited: run'"},
	{"the grader has not been audited: gonogo audit RUN sends", "remedies", "The grader has not been audited", "gonogo audit bare", "! stdout 'has not been audited'"},
	{"there are no labels by people (gonogo audit RUN --labels FILE)", "remedies", "skip.no_labels", "gonogo audit bare --items 8 --labels few.csv", "! grep skip.no_labels"},
	{"Label outputs of at least 20 items, good and bad ones", "remedies", "Label outputs of at least 20 items", "--labels many.csv", "over 24 outputs"},
	{"no detector was run over the rollouts (gonogo audit, with detectors configured)", "remedies", "skip.no_detector", "gonogo audit bare --items 8 --set 'audit.detectors", "grader.detected.pass"},
	{"no training step was rehearsed: run gonogo burst", "burst", "no training step was rehearsed", "gonogo burst run", "! stdout 'no training step was rehearsed'"},
	{"no detector has checked those of the variant: run gonogo audit RUN", "variants", "no detector has checked those of the variant", "gonogo audit run/variants/warned", "! grep 'warned: "},
	{"that points to the grader or the data as a whole, so no item is dropped for it", "remedies_more", "that points to the grader or the data as a whole", "gonogo audit r2", "! stdout 'that points to the grader or the data as a whole"},
	{"the grader was not audited: items on which it can be fooled are not known (gonogo audit)", "remedies_more", "the grader was not audited", "gonogo audit run", "! stdout 'the grader was not audited'"},
	{"The configuration has a different grader from the one that graded this run: gonogo grade RUN", "remedies", "The configuration has a different grader", "gonogo grade r1 -o r1-2", "! stderr 'is not the one that graded'"},
	{"This page was made without the run's rollouts: gonogo report RUN", "remedies_more", "gonogo report RUN makes one with them", "gonogo report run", `grep '"traces":'`},
	{"All findings and tables: gonogo analyze %[1]s --all.", "remedies_more", "gonogo analyze run --all", "gonogo analyze run --all", "eval.power.correlation"},
	{"Differences, categories and items: gonogo compare %s %s --all.", "compare", "gonogo compare base worse --all", "gonogo compare base worse --all", "stdout 'ITEMS THAT CHANGED MOST'"},
	{"Keep the rollouts first: gonogo compare %s %s -o %s. %s", "compare_logs", "Keep the rollouts first: gonogo compare", "gonogo compare a.eval b.eval -o compared", "exits 3 gonogo compare compared/base compared/new"},
	{"Series and nights: gonogo history %s --all.", "nightly", "gonogo history nights --all", "gonogo history nights --all", "stdout 'HOW IT WAS FOUND'"},
	{"%w: name the directory of gonogo nightly --history", "nightly", "name the directory of gonogo nightly --history", "gonogo nightly -c w/eval.yaml --set \"$WORLD\" --history empty", "! stdout 'There is no night yet'"},
	{"There is no night yet: gonogo nightly makes one.", "nightly", "There is no night yet", "gonogo nightly", "! stdout 'There is no night yet'"},

	{"Once you have a second run, gonogo compare measures", "remedies_more", "Once you have a second run, gonogo compare measures", "gonogo compare run evals-2", "could go"},

	// The files of a run.
	{"decode result: %w: run gonogo analyze again", "remedies", "decode result", "gonogo analyze r1-2", "exits 0 gonogo report r1-2"},
	{"and this version reads %q: run gonogo analyze again", "remedies", "and this version reads", "gonogo analyze r1-2", "exits 0 gonogo report r1-2"},
	{"not %s, %s or %s: run gonogo analyze again", "remedies", "not GO, NO-GO or UNDECIDED", "gonogo analyze r1-2", "exits 0 gonogo report r1-2"},
	{"says nothing about split %q: run gonogo analyze again", "remedies", "says nothing about split", "gonogo analyze r1-2", "exits 0 gonogo report r1-2"},
	{"a gate without a name: run gonogo analyze again", "remedies", "a gate without a name", "gonogo analyze r1-2", "exits 0 gonogo report r1-2"},
	{"which contradict each other: run gonogo analyze again", "remedies", "which contradict each other", "gonogo analyze r1-2", "exits 0 gonogo report r1-2"},
	{"it holds %d requests where %s has %d: run gonogo burst again", "remedies_more", "run gonogo burst again", "gonogo burst run", "gonogo analyze run"},
	{". gonogo curate leaves them out, and with --weights", "plan", "gonogo curate", "gonogo curate run --train w/train.jsonl -o out.jsonl --weights", "Kept, by expected pass rate"},
	{"the run has no rollout of train: curate chooses rows by their own rollouts (gonogo sample", "remedies_more", "the run has no rollout of train", "gonogo sample", "gonogo curate evals-2"},
	{"%w: gonogo sample makes the rollouts that rows are chosen by", "remedies_more", "gonogo sample makes the rollouts", "gonogo sample", "12 of 12 rows kept"},
	{"more samples (gonogo sample -o RUN --items-undecided makes them)", "remedies_more", "more samples", "--items-undecided", "! stdout 'more samples'"},
	{"not graded: lm-eval keeps no score for each repeat; gonogo grade", "import_openai", "! exec grep '\"reward\"' r7", "gonogo grade r7", "4 rewards changed"},
	{"lm-eval keeps no score for each answer: gonogo grade RUN", "import_openai", "gonogo grade RUN", "gonogo grade r7", "4 rewards changed"},

	{"Give each prompt an id of its own. gonogo import --item prompt does so", "import_items", "--item prompt makes an item of each prompt", "gonogo import pooled.jsonl --item prompt", "task"},

	// What commands say.
	{"its grading has not ended: run the same gonogo grade again", "grade", "has\\s+not\\s+ended", "gonogo grade", "! stdout 'grading\\s+has'"},
	{"of %s were lost, for which gonogo run answers", "ungraded", "were lost, for which gonogo run answers", "gonogo run", "'\"missing\": 0'"},
	{"note: the grader in %s is not the one that graded %s: gonogo grade", "remedies", "note: the grader in gonogo.yaml", "gonogo grade r1 -o r1-2", "! stderr 'is not the one that graded'"},
	{"%s was graded by another grader: gonogo grade", "remedies", "r1 was graded by another grader", "gonogo audit r1-2", "PASS +grader.hackable"},
	{"the grader has changed since %s was made", "ungraded", "the grader has changed since run was made", "gonogo grade run", "To make: 6 rollouts"},
	{"%s stopped: %s: gonogo audit %s does so", "remedies", "gonogo audit spied does so", "gonogo audit spied", "grader.detected.pass"},
	{"%s stopped: %s: gonogo grade %s does so without sampling again", "failing_grader", "gonogo grade never -c w5/gonogo.yaml does so", "gonogo grade never -c w5/gonogo.yaml", "0 gradings failed"},
	{"gonogo grade RUN grades what is recorded again, without sampling", "failing_grader", "gonogo grade RUN grades what is recorded again", "gonogo grade run", "0 gradings failed"},
	{"an audit needs a run directory to write to; gonogo import makes one", "remedies_more", "an audit needs a run directory", "gonogo import log.jsonl", "gonogo audit new --grader"},
	{"there is no run %s: an audit of another grader needs one; gonogo sample or gonogo import makes it", "remedies_more", "there is no run new", "gonogo import log.jsonl -o new", "gonogo audit new --grader"},
	{"a burst needs a run directory to write to; gonogo import makes one", "remedies_more", "a burst needs a run directory", "gonogo import log.jsonl", "exists steps/burst.json"},
	{"the file is compressed with %s: gonogo import %s -o RUN unpacks it", "import_lists", "-o RUN unpacks it", "gonogo import r.jsonl.gz -o r", "r/rollouts.jsonl"},
	{"import writes a run directory: name it with --output RUN, as in gonogo import", "remedies_more", "as in gonogo import", "gonogo import log.jsonl -o imported", "Next: gonogo report imported"},
	{"there is no %s here: gonogo init writes one", "remedies_more", "there is no gonogo.yaml here", "gonogo init --train", "gonogo check --offline"},
	{"on the data: see gonogo check", "remedies_more", "on the data: see gonogo check", "gonogo check", "advice +odd.jsonl"},
	{"  gonogo check%s      # no model is called", "remedies_more", "gonogo check +# no model is called", "gonogo check", "advice +odd.jsonl"},
	{"  gonogo run%s -o my-run", "remedies_more", "gonogo run -c drafted.yaml -o my-run", "gonogo run -c drafted.yaml -o my-run", "exists my-run/report/index.html"},
	{"next:\n  gonogo run%s -o my-run", "remedies_more", "stderr 'gonogo run -o my-run'", "gonogo run -o my-run", "exists my-run/result.json"},
	{"  gonogo compare my-run %s", "remedies_more", "gonogo compare my-run scripted-policy-step-10'", "gonogo compare my-run scripted-policy-step-10", "exists scripted-policy-step-10/comparison.json"},
	{"if a process on another machine leads it: gonogo status", "queue_refused", "if a process on another machine leads it", "status.sh copied", "led by process"},
	{"no worker is ready yet: start some with gonogo worker", "queue_refused", "no worker is ready yet", "gonogo worker", "Recorded 8 of 8 rollouts"},
	{"is no template: gonogo demo --world %s runs it", "remedies_more", "is no template", "gonogo demo --world tiny", "exists demo/result.json"},
	{"to compare with: gonogo demo --world %s makes it", "demo_policy", "there is no run demo-medical-coding", "gonogo demo --world medical-coding --samples", "stdout 'base +demo-medical-coding/rollouts"},
	{"found; gonogo run --rehearse makes one rollout with it", "own_agent", "found; gonogo run --rehearse", "gonogo run --rehearse", "Rehearsal: item"},
}

// noRemedies are texts that name a command, by a part of each, with why no script runs
// it there.
var noRemedies = map[string]string{
	"no score is a number, so no rollout has a grade":                      "the remedy of lm-eval's logs, which import_openai runs",
	"has only a part of the rollouts of run":                               "tests of sampler/rollout: a run beside a half grading",
	"for gonogo compare: the ":                                             "what a threshold is of",
	"No planner (gonogo run --queue) answers, and":                         "no advice",
	"so its rewards cannot be trusted: fix that first (gonogo report RUN)": "where to read what failed",
	"the agent calls its model itself: let it use the checkpoint":          "tests of gonogo pilot, which refuse it",
	"by other rules, and is shown as it is: gonogo analyze":                "tests of analysis/archive: a stored verdict by other rules",
	"by other rules, and is judged again here: gonogo analyze":             "tests of analysis/archive: a stored verdict by other rules",
	"so nothing says how to sample the checkpoint: sample its":             "tests of gonogo pilot: a checkpoint of an imported run",
	"with -o FILE, gonogo plan --pilot writes that file, too":              "plan_pilot, which writes it with -o FILE",
	"Do not choose rows by the run's samples (gonogo curate":               "no advice",
	"`gonogo report` has the numbers and the items":                        "documentation",
	"the grader: gonogo check tries them":                                  "documentation",
	"runs no program; gonogo check also tries those":                       "documentation",
	"gonogo import reads:":                                                 "documentation",
	"gonogo export RUN --format NAME writes:":                              "documentation",
	"gonogo report writes:":                                                "documentation",
	"gonogo compare BASE NEW -o DIR writes:":                               "documentation",
	"Of a comparison (gonogo compare):":                                    "documentation",
	"the worlds of gonogo demo and the templates of gonogo init":           "documentation",
	"gonogo demo --world NAME runs one.":                                   "documentation",
	"# gonogo.yaml: what \"gonogo run\" measures":                          "documentation",
	"gonogo runs your base model several times":                            "documentation",
	"They need no configuration:":                                          "what init answers to logs; the sessions of import run it",
}

// bareCommands are the bare commands that texts are made of, and names.
var bareCommands = []string{"gonogo compare", "gonogo nightly", "gonogo audit RUN", "gonogo audit RUN --grader FILE", "gonogo burst RUN", "gonogo run -o RUN"}

// TestEveryRemedyIsRun holds that a text which names a command is in the table, and
// that the table's scripts run it where it is printed and see what has changed.
func TestEveryRemedyIsRun(t *testing.T) {
	unused := map[string]bool{}
	for _, r := range remedies {
		unused[r.text] = true
	}
	for text := range noRemedies {
		unused[text] = true
	}
	for _, text := range textsWithCommands(t) {
		found := false
		for part := range unused {
			if strings.Contains(text, part) {
				unused[part], found = false, true
			}
		}
		if !found {
			t.Errorf("no script is named that runs the command of %q", text)
		}
	}
	for part, left := range unused {
		if left {
			t.Errorf("%q is said nowhere any more", part)
		}
	}
	for _, r := range remedies {
		files, err := filepath.Glob(filepath.Join("testdata", "*", r.script+".txtar"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the scripts called %s are %v, %v", r.script, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		lines, at := strings.Split(string(text), "\n"), 0
		for _, want := range []string{r.printed, r.run, r.changed} {
			n := slices.IndexFunc(lines[at:], func(line string) bool { return strings.Contains(line, want) })
			if n < 0 {
				t.Errorf("%s.txtar has no line with %q where it should for %q", r.script, want, r.text)
				break
			}
			at += n
		}
	}
}

// textsWithCommands lists the string literals of the program that name a command, but
// for its documentation.
func textsWithCommands(t *testing.T) (texts []string) {
	t.Helper()
	help := regexp.MustCompile(`gonogo \w+ --help`)
	names := regexp.MustCompile(`gonogo (analyze|audit|burst|check|compare|curate|demo|export|grade|history|import|init|nightly|plan|report|run|sample|status|worker)\b`)
	documentation := []string{"Doc", "Usage", "UsageText", "Description"}
	for _, dir := range []string{"analysis", "analysis/*", "cmd/gonogo", "cmd/gonogo/internal/*", "report", "report/*", "sampler/*", "sampler/*/*"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.Base(file), "chinese_") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			add := func(text string) {
				text = strings.ReplaceAll(text, "{replay}", "gonogo audit RUN --replay ID")
				for name, a := range analysis.Commands {
					text = strings.ReplaceAll(text, "{"+name+"}", message.Shell(a.Command...))
				}
				if names.MatchString(help.ReplaceAllString(text, "")) && !slices.Contains(bareCommands, text) {
					texts = append(texts, text)
				}
			}
			var visit func(n ast.Node) bool
			visit = func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field: // its tag documents a key of gonogo.yaml
					n.Tag = nil
				case *ast.KeyValueExpr:
					key, ok := n.Key.(*ast.Ident)
					return !ok || !slices.Contains(documentation, key.Name)
				case *ast.BinaryExpr:
					if n.Op == token.ADD {
						text, others := joined(n)
						add(text)
						for _, other := range others {
							ast.Inspect(other, visit)
						}
						return false
					}
				case *ast.BasicLit:
					add(literal(n))
				}
				return true
			}
			ast.Inspect(parsed, visit)
		}
	}
	return texts
}

// joined returns the text of string literals that are added up, with a space for each other
// operand, and those operands.
func joined(x ast.Expr) (text string, others []ast.Expr) {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			left, some := joined(x.X)
			right, more := joined(x.Y)
			return left + right, append(some, more...)
		}
	case *ast.BasicLit:
		return literal(x), nil
	}
	return " ", []ast.Expr{x}
}

// literal returns the text of a string literal, "" of any other.
func literal(lit *ast.BasicLit) string {
	text, err := strconv.Unquote(lit.Value)
	if lit.Kind != token.STRING || err != nil {
		return ""
	}
	return text
}
