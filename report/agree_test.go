package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// spoken is what one place of a page says.
type spoken struct {
	split string // that it speaks of; "" for all
	text  string // the place, a colon, and what stands there
}

// spokenBy lists what a page says, place by place: a finding is one with what it
// measured, and a row of a table with the names of its columns.
func spokenBy(p *RunPage) []spoken {
	var out []spoken
	shown := string(p.Split)
	add := func(split, place, text string) {
		if text != "" {
			out = append(out, spoken{split, place + ": " + text})
		}
	}
	for _, h := range mainNumbers(p.Result, p.Words) {
		add(shown, "headline "+h.Label, h.Number()+"; "+h.About)
	}
	for _, f := range analysis.ByFact(p.Result.Findings) { // as finding words them
		add(string(f.Split), "finding "+f.Gate, p.Words.Capital(prose(f.Title.In(p.Result.Lang)))+"; measured "+measured(f, p.Words))
		add(string(f.Split), "remedy "+f.Gate, prose(f.Remedy.In(p.Result.Lang)))
	}
	d, of := p.Doc(), ""
	for _, b := range section(d, "splits") {
		switch b := b.(type) {
		case block.Heading:
			_, of, _ = strings.Cut(string(b), " ")
		case block.Note:
			for _, note := range b.Texts {
				add(of, "split note", note)
			}
		case Grid:
			if b.Most > 0 {
				continue // causes
			}
			for _, row := range b.Rows {
				for i, column := range []string{"items", "samples", "rollouts", "mean", "best", "informative", "missing"} {
					add(row[0], "split "+column, row[i+1])
				}
			}
		}
	}
	grid := func(part string, g Grid) {
		for _, row := range g.Rows {
			for i, cell := range row[1:] {
				split := ""
				if p.Result.Splits[rollout.Split(g.Head[i+1])] != nil {
					split = g.Head[i+1]
				}
				if _, of, ok := strings.Cut(row[0], ", "); ok && p.Result.Splits[rollout.Split(of)] != nil {
					split = of
				}
				add(split, fmt.Sprintf("%s %s | %s | %s", part, g.Title, row[0], g.Head[i+1]), cell)
			}
		}
		for _, note := range g.Notes {
			add("", part+" "+g.Title+" note", note)
		}
	}
	for _, part := range []string{"behaviour", "grader", "burst", "variants"} {
		for _, b := range section(d, part) {
			g, ok := b.(Grid)
			switch {
			case !ok:
			case g.Tones == nil:
				grid(part, g)
			default:
				for _, row := range g.Rows {
					add("", "probe "+row[0], row[5]+"; "+row[4]+" of "+row[3])
				}
			}
		}
	}
	for _, f := range p.Figures {
		add(shown, "chart "+f.Name+" title", f.Title)
		add(shown, "chart "+f.Name+" subtitle", f.Subtitle)
		for _, e := range f.Legend {
			add(shown, "chart "+f.Name+" legend", e.Label)
		}
		for _, m := range f.Table.Marks {
			var cells []string
			for i, cell := range m.Cells {
				cells = append(cells, f.Table.Head[i]+"="+cell)
			}
			add(shown, "chart "+f.Name+" row", strings.Join(cells, "; ")+";")
		}
	}
	return out
}

// sameQuantity says where a quantity is shown: patterns of places, with a colon and
// what stands there. V is a value with its interval or none, N one without. Groups:
// v, low and high are the value; k completes the quantity's name; split names one.
type sameQuantity struct {
	name     string
	patterns []string
	whole    bool // it is of no split
}

// inForms are patterns of sameQuantities anywhere in a form for readers, whose value is
// that of one of the splits.
var inForms = map[string][]string{
	"mean reward":                    {`Mean reward N \[`, `mean reward of N is`, `\| (?P<split>train|eval) (?:\| [^|]+ ){3}\| N \[`},
	"best of K":                      {`Best of (?P<k>\d+) V`, `The best of (?P<k>\d+) samples earns N,`},
	"informative share":              {`Informative groups V`, `group size \d+, N of groups teach`, `\| (?P<split>train|eval) (?:\| [^|]+ ){3}\| [^|]+\[[^|]+\| [^|]+\| V \|`},
	"grader's share of the variance": {`N of that variance is grader noise`},
	"missing share":                  {`N of rollouts were lost`, `rollouts \(N\) have no reward`, `\| (?P<split>train|eval) (?:\| [^|]+ ){3}\| [^|]+\[[^|]+\| [^|]+\| [^|]+\| N \|`},
	"tool calls of a rollout":        {`A rollout makes N tool calls`},
	"false accepts":                  {`false accepts V`},
	"malformed calls":                {`malformed: V of calls`},
}

var sameQuantities = []sameQuantity{
	{"mean reward", []string{
		`headline Mean reward: V;`, `split mean: V$`, `finding grader.too_good: .*; measured V$`, `finding baseline.headroom: .*mean reward of N is`,
		`finding exploration.lift: .* against N over all items`, `chart rewards legend: mean over items V$`, `chart reward_\w+ legend: mean of all: N$`,
		`json mean: V$`, `items.csv mean: N$`,
	}, false},
	{"mean reward of the curve's items", []string{`chart best_of_k title: .* mean of N$`, `chart best_of_k row: k=1; best of k=V;`, `chart best_of_k row: k=1; .*worst of k=V;`}, false},
	{"best of K", []string{
		`headline Best of (?P<k>\d+)[^:]*: V;`, `split best: V \(best of (?P<k>\d+)\)`, `chart best_of_k title: The best of (?P<k>\d+) samples earns N,`,
		`chart best_of_k row: k=(?P<k>\d+); best of k=V;`, `json best of (?P<k>\d+): V$`,
	}, false},
	{"best above the bottom", []string{`finding baseline.reachable: .* earns (?:at least |only )?N above`, `finding baseline.reachable: .*; measured N`, `json best above the bottom: N$`}, false},
	{"lift", []string{`finding exploration.lift: .* earns (?:at least )?N more`, `finding exploration.lift: .*; measured N`, `chart best_of_k title: .*, N above the mean`, `json lift: N`}, false},
	{"headroom", []string{`finding baseline.headroom: .* is N below`, `finding baseline.headroom: .*; measured N`, `json headroom: N$`}, false},
	{"informative share", []string{
		`headline Informative groups[^:]*: V;`, `headline Informative groups[^:]*: N – `, `split informative: V$`, `split informative: N – `,
		`finding signal.informative: (?:At least )?N of groups`,
		`chart informative title: .*, (?:between )?N (?:and \S+ % )?of groups teach`, `json informative: V$`,
	}, false},
	{"informative groups of the training", []string{
		`finding signal.informative: .*: N informative groups`, `finding signal.informative: .*; measured V groups`,
	}, false},
	{"share of informative groups of", []string{`chart informative row: group size=(?P<k>\d+); measured=V;`, `json informative of (?P<k>\d+): V$`}, false},
	{"grader's share of the variance", []string{
		`grader  \| noise share λ, \w+ \| value: V$`, `finding grader.noise: .*; measured V$`, `finding signal.informative: .*; N of that variance is grader noise`, `json noise share: V$`,
	}, false},
	{"informative share with noise", []string{`finding signal.informative: .*rewards differ in N of them`, `json informative with noise: N`}, false},
	{"missing share", []string{
		`headline Mean reward: .* N of its rollouts have no reward`, `split missing: N$`, `split note: \d[\d,]* of [\d,]+ rollouts \(N\) have no reward`,
		`finding infra.failures: N of rollouts were lost`, `finding infra.failures: .*; measured N`, `json missing: N$`,
		`chart failures title: N of rollouts are missing data`, `chart failures title: Missing: .*?(?P<split>train|eval|production) N[,;]`, `chart failures title: Missing: [^;]*, (?P<split>eval|production) N[,;]`,
	}, false},
	{"rollouts lost to", []string{
		`split note: .* endpoint failed: (?P<k>model) N,`, `split note: .* endpoint failed: .* (?P<k>tool) N,`, `split note: .* endpoint failed: .* (?P<k>grader) N\.`,
		`chart failures row: how it ended=(?P<k>model) API failed; split=(?P<split>\w+); rollouts=N;`, `chart failures row: how it ended=(?P<k>tool|grader) failed; split=(?P<split>\w+); rollouts=N;`,
	}, false},
	{"the model's own failures", []string{
		`split note: In .*(?P<k>no answer) \(N\)`, `split note: In .*ran out of (?P<k>steps) \(N\)`,
		`chart failures row: how it ended=(?P<k>no answer); split=(?P<split>\w+); rollouts=N;`, `chart failures row: how it ended=(?P<k>step limit reached); split=(?P<split>\w+); rollouts=N;`,
	}, false},
	{"items that are", []string{
		`split note: Items: .*?N (?P<k>dead) `, `split note: Items: .*?N (?P<k>saturated) `, `split note: Items: .*?N (?P<k>flat) `, `split note: Items: .*?N (?P<k>mixed) `,
		`chart item_classes row: split=(?P<split>\w+); class=(?P<k>dead|saturated|flat|mixed); items=N;`,
		`chart variance title: (?P<k>Samples differ) in reward on N of`, `json items that are (?P<k>\w+): N$`, `items.csv items that are (?P<k>\w+): N$`,
	}, false},
	{"share of items that are", []string{
		`chart item_classes row: split=(?P<split>\w+); class=(?P<k>dead|saturated|mixed); items=\S+ share=N;`,
		`chart item_classes title: N of \w+ items are (?P<k>mixed)`, `chart item_classes title: .*, N (?P<k>always get the lowest reward)`, `chart item_classes title: .*, N (?P<k>always the highest)`,
		`json share of items that are (?P<k>\w+): N$`,
	}, false},
	{"rollouts", []string{`headline Mean reward: [^;]*; [\d,]+ items, N rollouts`, `split rollouts: N$`, `chart variance subtitle: .* n = N rollouts`, `chart rewards subtitle: .* n = N rollouts`, `json rollouts: N$`}, false},
	{"items", []string{`headline Mean reward: [^;]*; N items`, `split items: N(?: of .*)?$`, `chart rewards subtitle: \w+: N items`, `json items: N$`, `items.csv items: N$`}, false},
	{"rewards in the lowest bar", []string{`chart rewards title: N of \w+ rewards are in the lowest bin`, `json lowest bar: N$`}, false},
	{"rewards at the bottom, over all splits", []string{`grader  \| different rewards \| n: .* N at the bottom of the range`, `remedy grader.resolution: .*Over all splits N of the rewards`}, true},
	{"different rewards", []string{`grader  \| different rewards \| value: N$`, `finding grader.resolution: .* N different`, `finding grader.resolution: .*; measured N`}, true},
	{"tool calls of a rollout", []string{
		`behaviour  \| tool calls \| \w+: V$`, `chart tool_calls title: A rollout makes N tool calls`, `chart tool_calls subtitle: .* mean V,`, `json tool calls: V$`,
	}, false},
	{"P95 of tool calls", []string{
		`behaviour  \| tool calls, 95 % make at most \| \w+: V$`, `chart tool_calls title: .* 95 % make at most N$`, `chart tool_calls subtitle: .*, P95 V[,;]`,
		`chart tool_calls legend: P95: 95 % of rollouts make at most N$`,
	}, false},
	{"malformed calls", []string{
		`behaviour  \| share of malformed calls \| \w+: V$`, `finding tools.malformed: N of tool calls`, `finding tools.malformed: .*; measured V$`,
		`chart calls_by_tool subtitle: .* malformed: V of calls`,
	}, false},
	{"repeated calls", []string{`behaviour  \| share of repeated calls \| \w+: V$`, `chart tool_bigrams subtitle: .* arguments and all: V$`}, false},
	{"calls made", []string{`finding tools.failures: .* of N tool calls`, `chart calls_by_tool subtitle: .* n = N calls`}, false},
	{"tokens of a rollout", []string{`behaviour  \| (?P<k>input|output) tokens \| \w+: V$`, `json (?P<k>input|output) tokens: V$`}, false},
	{"false accepts", []string{`grader  \| false accepts \| value: V$`, `chart grader_audit subtitle: .* false accepts V;`}, true},
	{"false rejects", []string{`grader  \| false rejects \| value: V$`, `chart grader_audit subtitle: .* false rejects V; .*$`}, true},
	{"share that a probe took", []string{
		`probe (?P<k>[\w.]+): V;`, `chart grader_audit row: probe=(?P<k>[\w.]+); .*share of items=V;`,
		`finding grader.hackable: .* “(?P<k>\w+)” .*; measured V$`, `finding (?P<k>grader.truth): .*; measured V$`,
	}, true},
	{"items that a probe took", []string{`probe (?P<k>[\w.]+): .*; N [\w ]+ of`, `chart grader_audit row: probe=(?P<k>[\w.]+); .*counted=N of`, `finding grader.hackable: .* “(?P<k>\w+)” is rewarded on N of`}, true},
	{"rewrites rejected", []string{`grader  \| rewrites rejected \| value: V$`, `finding grader.brittle: .*; measured V$`}, true},
	{"lazy reward", []string{`grader  \| lazy reward \| value: V$`, `finding grader.guessable: .*; measured V$`}, true},
	{"correlation with length", []string{`grader  \| length and reward \| value: V$`, `finding grader.length: .*; measured V correlation$`, `finding grader.length: .*\(correlation N within items\)`}, true},
	{"agreement with people", []string{`grader Agreement with people \| Spearman's ρ \| value: V$`, `finding grader.agreement: .*; measured V correlation$`}, true},
	{"paid without the core", []string{`grader Layers of the reward note: .* V of them earn more`, `finding grader.layers: .*; measured V$`}, true},
	{"marked by a detector", []string{`grader Detectors \| (?P<k>\w+) \| share: V$`, `finding grader.detected: .*“(?P<k>\w+)” marks .*; measured V$`}, true},
	{"rollouts that a detector marked", []string{`grader Detectors \| (?P<k>\w+) \| marked: N of`, `finding grader.detected: .*“(?P<k>\w+)” marks N of`}, true},
	{"shift by AUC", []string{
		`finding shift.(?P<k>text|fields|reward|tools): .*; measured V AUC$`, `finding shift.(?P<k>text|fields|reward|tools): .* AUC N \(`,
		`chart shift row: [^=]*=(?P<k>last user message|prompt|fields of the rows|rewards|use of tools); .*splits=\w+ – (?P<split>\w+); measure=AUC; value=V;`,
	}, false},
	{"rollouts at once that double its time", []string{
		`burst .* \| (?P<k>tool \w+|grader) \| P95 doubles at: N`, `chart endpoint_load title: (?P<k>tool \w+|grader) takes twice as long from about N rollouts`,
	}, true},
	{"inconsistent repeats", []string{`burst .* \| inconsistent repeats \| value: V$`, `finding endpoint.repeat: .*; measured V$`}, true},
	{"discarded rollouts", []string{`burst .* \| discarded rollouts \| value: V$`, `finding endpoint.lost: .*; measured V$`}, true},
	{"a variant's gain", []string{`variants .* \| (?P<k>\w+) \| variant - base: V$`, `chart variants row: variant=(?P<k>\w+); variant - base=V;`}, true},
}

// theSame are the names that other places have for what completes a quantity's name.
var theSame = map[string]string{
	"step limit reached": "steps", "Samples differ": "mixed", "always get the lowest reward": "dead", "always the highest": "saturated", "grader.truth": "reference",
	"last user message": "text", "prompt": "text", "fields of the rows": "fields", "rewards": "reward", "use of tools": "tools",
}

// A quantity has one value on a page, in whatever form: two places that show it, at
// whatever precision, show the same.
func TestLongAQuantityHasOneValue(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	used := map[string]bool{}
	for _, name := range reporttest.Names() {
		if name != "large" { // its items are made up, its other numbers are not
			agree(t, name, page(t, name), used)
		}
	}
	for name, r := range map[string]*analysis.Result{"burst": withBurst(t), "variants": withVariants(t), "shift": withShift(t), "lost": withLost(t), "noise": withNoise(t)} {
		judge.Judge(r, analysis.DefaultSettings().Thresholds, gate.All())
		agree(t, name, NewRunPage(r, options()), used)
	}
	for _, q := range sameQuantities {
		for _, pattern := range q.patterns {
			if !used[q.name+pattern] {
				t.Errorf("%s: no page has a place like %q", q.name, pattern)
			}
		}
		for _, pattern := range inForms[q.name] {
			if !used[q.name+pattern] {
				t.Errorf("%s: no form has a text like %q", q.name, pattern)
			}
		}
	}
}

// withShift is a Result whose splits differ in what is asked.
func withShift(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	r.Shift = &analysis.Shift{
		Crossings: []analysis.Crossing{{A: rollout.Train, B: rollout.Eval, RowsA: 120, RowsB: 60}},
		Pairs: []analysis.ShiftPair{
			{A: rollout.Train, B: rollout.Eval, On: analysis.OnLastUser, Test: shift.Energy, Primary: true, PHolm: stat.FiniteOrNil(0.0005), NA: 120, NB: 60},
			{
				A: rollout.Train, B: rollout.Eval, On: analysis.OnLastUser, Test: shift.C2ST, Primary: true, P: stat.FiniteOrNil(0.0005), PHolm: stat.FiniteOrNil(0.0005), NA: 120, NB: 60,
				Effect: stat.Estimate{Value: stat.FiniteOrNil(0.9123), Low: stat.FiniteOrNil(0.8571), High: stat.FiniteOrNil(0.9549)},
			},
		},
	}
	return r
}

// withNoise is a Result whose grader's noise is known, at a group size that its items
// have the samples for.
func withNoise(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "audited")
	r.GroupSize = 7
	return r
}

// withLost is a Result that lost many rollouts to a tool.
func withLost(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "cautious")
	m := &r.Splits[rollout.Train].Missing
	m.Tool += 123
	m.Share = stat.FiniteOrNil(float64(m.Total()) / float64(m.Total()+r.Splits[rollout.Train].Reward.N))
	return r
}

// shownAs is a number as a place shows it: it stands for all between value-half and
// value+half.
type shownAs struct {
	value, half float64
	text        string
}

func agree(t *testing.T, name string, p *RunPage, used map[string]bool) {
	t.Helper()
	first := map[string]shownAs{}
	see := func(quantity, number, text string) {
		if number == "" {
			return
		}
		now := parseShown(t, number)
		now.text = text
		was, seen := first[quantity]
		switch {
		case !seen || now.half < was.half && math.Abs(now.value-was.value) <= now.half+was.half:
			first[quantity] = now // the sharpest so far
		case math.Abs(now.value-was.value) > now.half+was.half+1e-9:
			t.Errorf("%s: %s has two values:\n\t%s\n\t%s", name, quantity, was.text, now.text)
		}
	}
	places := slices.Concat(spokenBy(p), spokenByFiles(t, p))
	for _, q := range sameQuantities {
		for _, pattern := range q.patterns {
			re := wordingOf("^" + pattern)
			for _, s := range places {
				m := re.FindStringSubmatch(s.text)
				if m == nil {
					continue
				}
				used[q.name+pattern] = true
				group := func(name string) string {
					if i := re.SubexpIndex(name); i >= 0 {
						return m[i]
					}
					return ""
				}
				of, split := group("k"), s.split
				if same, ok := theSame[of]; ok {
					of = same
				}
				if re.SubexpIndex("split") >= 0 {
					split = group("split")
				}
				if q.whole {
					split = ""
				}
				quantity := strings.TrimSpace(fmt.Sprintf("%s %s %s", split, q.name, of))
				see(quantity, group("v"), s.text)
				see(quantity+", low end", group("low"), s.text)
				see(quantity+", high end", group("high"), s.text)
			}
		}
	}
	agreeInForms(t, name, p, first, used)
}

// agreeInForms looks for the quantities in what people read.
func agreeInForms(t *testing.T, name string, p *RunPage, first map[string]shownAs, used map[string]bool) {
	t.Helper()
	for _, form := range []string{"text", "markdown-full", "html", "junit"} {
		text := string(write(t, form, p))
		if form == "html" {
			text = wordsOf(text)
		}
		text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\\", "")), " ")
		for quantity, patterns := range inForms {
			for _, pattern := range patterns {
				re := wordingOf(pattern)
				for _, m := range re.FindAllStringSubmatch(text, -1) {
					used[quantity+pattern] = true
					now, of, split := parseShown(t, m[re.SubexpIndex("v")]), "", ""
					if i := re.SubexpIndex("k"); i >= 0 {
						of = m[i]
					}
					if i := re.SubexpIndex("split"); i >= 0 {
						split = m[i]
					}
					known, agrees := false, false
					for key, was := range first {
						if same := strings.TrimSpace(quantity + " " + of); key == same || strings.HasPrefix(key, split) && strings.HasSuffix(key, " "+same) {
							known, agrees = true, agrees || math.Abs(now.value-was.value) <= now.half+was.half+1e-9
						}
					}
					if known && !agrees {
						t.Errorf("%s in %s: %q is no split's %s", name, form, m[0], quantity)
					}
				}
			}
		}
	}
}

var (
	wordings = map[string]*regexp.Regexp{}
	valueIn  = regexp.MustCompile(`\bV\b`)
	numberIn = regexp.MustCompile(`\bN\b`)
)

// wordingOf makes an expression of a pattern of sameQuantities.
func wordingOf(pattern string) *regexp.Regexp {
	if wordings[pattern] == nil {
		const n = `(?:[<>] )?[+-]?\d[\d,]*(?:\.\d+)?(?: %)?`
		s := valueIn.ReplaceAllLiteralString(pattern, `(?P<v>`+n+`)(?: \[(?P<low>`+n+`)[,;] (?P<high>`+n+`)\])?`)
		s = numberIn.ReplaceAllLiteralString(s, `(?P<v>`+n+`)`)
		wordings[pattern] = regexp.MustCompile(`(?s)` + s)
	}
	return wordings[pattern]
}

// parseShown reads a number of a page. Three digits of it are sure, and all that
// stand behind a point.
func parseShown(t *testing.T, text string) shownAs {
	t.Helper()
	digits, percent := strings.CutSuffix(strings.TrimLeft(text, "<> +"), " %")
	digits = strings.ReplaceAll(digits, ",", "")
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Fatalf("%q is not a number: %v", text, err)
	}
	_, decimals, _ := strings.Cut(digits, ".")
	out := shownAs{value: value, half: 0.5 * math.Pow(10, -float64(len(decimals)))}
	if decimals == "" && math.Abs(value) >= 1000 && strings.HasSuffix(digits, "0") {
		out.half = 0.5 * math.Pow(10, math.Floor(math.Log10(math.Abs(value)))-2)
	}
	if percent {
		out.value, out.half = out.value/100, out.half/100
	}
	if strings.ContainsAny(text, "<>") {
		out.half *= 2
	}
	return out
}

// spokenByFiles is what the files for machines say, item by item where they do.
func spokenByFiles(t *testing.T, p *RunPage) []spoken {
	t.Helper()
	r := new(analysis.Result)
	if err := json.Unmarshal(write(t, "json", p), r); err != nil {
		t.Fatal(err)
	}
	var out []spoken
	exact := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'f', 12, 64)
	}
	for split, s := range r.Splits {
		add := func(name string, e stat.Estimate) {
			text := exact(e.Value)
			if text != "" && e.Low != nil && e.High != nil {
				text += " [" + exact(e.Low) + ", " + exact(e.High) + "]"
			}
			if text != "" {
				out = append(out, spoken{string(split), "json " + name + ": " + text})
			}
		}
		number := func(name string, x float64) { add(name, stat.Estimate{Value: &x}) }
		add("mean", s.Reward.Estimate)
		for _, at := range s.BestOf {
			add(fmt.Sprintf("best of %d", at.K), at.Estimate)
		}
		if best, ok := s.BestAt(r.GroupSize); ok {
			number("best above the bottom", *best.Value-r.RewardRange[0])
		}
		add("lift", s.Lift)
		if s.Reward.Known() {
			number("headroom", r.Ceiling-*s.Reward.Value)
		}
		for _, at := range s.Signal {
			if at.Bound == "exact" {
				add(fmt.Sprintf("informative of %d", at.GroupSize), at.Teaches())
			}
		}
		low, high := s.SignalAt(r.GroupSize)
		if low != nil && low == high {
			add("informative", low.Teaches())
		} else if low != nil {
			add("informative", stat.Estimate{Value: low.Teaches().Value})
		}
		if low != nil {
			number("informative with noise", *low.Value)
		}
		add("noise share", s.Variance.GraderShare)
		add("missing", stat.Estimate{Value: s.Missing.Share})
		total := 0
		for _, n := range s.Classes.Counts {
			total += n
		}
		for class, n := range s.Classes.Counts {
			number("items that are "+class, float64(n))
			number("share of items that are "+class, float64(n)/float64(total))
		}
		if s.Reward.N > 0 {
			number("rollouts", float64(s.Reward.N))
			number("items", float64(s.Reward.Items))
			number("lowest bar", float64(s.Reward.Histogram.Counts[0])/float64(s.Reward.N))
		}
		add("tool calls", s.Tools.Calls)
		add("input tokens", s.Tokens.Input)
		add("output tokens", s.Tokens.Output)
	}
	return append(out, spokenByItems(t, p)...)
}

// spokenByItems sums up items.csv.
func spokenByItems(t *testing.T, p *RunPage) []spoken {
	t.Helper()
	table, err := csv.NewReader(bytes.NewReader(write(t, "items", p))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	counts, sums := map[spoken]float64{}, map[string]float64{}
	for _, row := range table[1:] {
		cell := func(name string) string { return row[slices.Index(table[0], name)] }
		mean, err := strconv.ParseFloat(cell("mean"), 64)
		if err != nil {
			continue // an item without a reward
		}
		counts[spoken{row[0], "items.csv items"}]++
		counts[spoken{row[0], "items.csv items that are " + cell("class")}]++
		sums[row[0]] += mean
	}
	var out []spoken
	for at, n := range counts {
		out = append(out, spoken{at.split, fmt.Sprintf("%s: %g", at.text, n)})
	}
	for split, sum := range sums {
		out = append(out, spoken{split, fmt.Sprintf("items.csv mean: %.12f", sum/counts[spoken{split, "items.csv items"}])})
	}
	return out
}
