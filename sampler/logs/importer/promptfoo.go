package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonogo/sampler/jsontext"
)

// promptfoo reads results of promptfoo (src/types/index.ts, src/util/output.ts): a JSON object with
// results.results, or the same rows one per line.
var promptfoo = Format{
	Name:   "promptfoo",
	Scored: true,
	Doc:    "results of promptfoo, written by -o results.json or -o results.jsonl",
	Files:  []string{"*.json", "*.jsonl"},
	From: Origin{
		Item: "a hash of `promptIdx` and `vars`; where tests with equal ones differ in `assert`, of that too; " +
			"of several providers, of `provider.id` too",
		Sample: "the order of `testIdx` among rows of one item; in several files, later files continue",
		Reward: "`score`, the weighted mean of the assertions; `namedScores` are `parts`; `--score NAME` takes " +
			"one of them",
		Failures: "`failureReason` 2 is an error (`model_api`, or `grader` when there is a response), with another " +
			"reason `error` is not an error; a row with an assertion that was not judged is `grader`, whatever its " +
			"score: `metadata.graderError`, a script that threw, a factuality or closed-QA judge that gave no " +
			"verdict; so is a row without assertions, or with a score that is null or NaN",
	},
	Read: readPromptfoo, sniff: sniffPromptfoo,
}

type promptfooRow struct {
	PromptIdx *int            `json:"promptIdx"`
	TestIdx   *int            `json:"testIdx"`
	Vars      json.RawMessage `json:"vars"`
	Prompt    struct {
		Raw json.RawMessage `json:"raw"`
	} `json:"prompt"`
	Provider struct {
		ID    json.RawMessage `json:"id"`
		Label json.RawMessage `json:"label"`
	} `json:"provider"`
	TestCase struct {
		Vars   json.RawMessage   `json:"vars"`
		Assert []json.RawMessage `json:"assert"`
	} `json:"testCase"`
	Response      promptfooResponse   `json:"response"`
	Error         json.RawMessage     `json:"error"`
	FailureReason *int                `json:"failureReason"`
	Score         json.RawMessage     `json:"score"`
	Named         map[string]*float64 `json:"namedScores"`
	LatencyMS     *float64            `json:"latencyMs"`
	Grading       *promptfooGrade     `json:"gradingResult"`
	marked
}

type promptfooResponse struct {
	Output json.RawMessage `json:"output"`
	Raw    json.RawMessage `json:"raw"`
	Cached bool            `json:"cached"`
	Finish json.RawMessage `json:"finishReason"`
	Refuse json.RawMessage `json:"isRefusal"`
	Usage  struct {
		Total   *int64 `json:"total"`
		Input   *int64 `json:"prompt"`
		Output  *int64 `json:"completion"`
		Details struct {
			Reasoning *int64 `json:"reasoning"`
		} `json:"completionDetails"`
	} `json:"tokenUsage"`
}

// promptfooFile reads the rows of a file in either shape. It can read them several times.
type promptfooFile struct {
	file  File
	lines bool
	stats struct { // number of rows in the evaluation
		Successes int `json:"successes"`
		Failures  int `json:"failures"`
		Errors    int `json:"errors"`
	}
}

// openPromptfoo determines the shape from the beginning of the file.
func openPromptfoo(f File) *promptfooFile {
	return &promptfooFile{file: f, lines: sniffKeys(f, "promptIdx", "testIdx", "provider") == nil}
}

func sniffPromptfoo(f File) error {
	if openPromptfoo(f).lines {
		return nil
	}
	return sniffKeys(f, "evalId")
}

// each passes the rows to yield; place identifies a row in an error.
func (p *promptfooFile) each(ctx context.Context, sink Sink, yield func(place string, row *promptfooRow) error) error {
	if p.lines {
		return eachRow(ctx, p.file, sink,
			func(line int, row *promptfooRow) error { return yield(fmt.Sprintf("line %d", line), row) })
	}
	version, outputs := "", false
	return eachElement(ctx, p.file, []string{"results", "results"}, func(key string, value json.RawMessage) error {
		switch key {
		case "results.version":
			version = string(value)
		case "results.stats":
			_ = jsontext.Unmarshal(value, &p.stats) // a file without stats is accepted
		case "results.outputs", "results.table":
			outputs = true
		}
		if outputs || version != "" && version != "3" {
			return fmt.Errorf("read %s: its results are of version %s, or in a shape other than results.results: "+
				"write it again with a promptfoo of 2025 or later", p.file.Name, version)
		}
		return nil
	}, decodeRow[promptfooRow], func(a *array, text []byte, row *promptfooRow) error {
		sink.beginRow(text)
		return yield(fmt.Sprintf("entry %d", a.index), row)
	})
}

func readPromptfoo(ctx context.Context, in *intake) error {
	r := promptfooReader{
		intake: in, providers: make(map[string]bool), checks: make(map[string]map[string]bool),
	}
	sink, looks := in.sink, make([]*promptfooLook, len(in.files))
	for i, f := range in.files {
		p := openPromptfoo(f)
		var err error
		if looks[i], err = r.look(ctx, p); err != nil {
			return err
		}
		r.plans.add(p.stats.Successes + p.stats.Failures + p.stats.Errors)
	}
	for i, f := range in.files {
		in.file()
		err := openPromptfoo(f).each(ctx, sink.forFile(f, in.files),
			func(_ string, row *promptfooRow) error { return r.row(f, looks[i], row) })
		if err != nil {
			return err
		}
	}
	if len(r.providers) == 1 {
		for name := range r.providers {
			sink.model(name)
		}
	} else {
		sink.note("there are %d providers: each has its own items, and means cover all of them; import each "+
			"separately to compare them", len(r.providers))
	}
	sink.note("item = hash of promptIdx and vars, sample = order of testIdx within it, split = %s", r.split)
	asserted := 0
	for _, checks := range r.checks {
		asserted += min(1, len(checks)-1)
	}
	sink.noteCount(asserted, "set[|s] of vars [has|have] tests with different assertions: each of them is an item")
	if r.wanted == "" {
		sink.note("reward = score, the weighted mean of the assertions")
	} else {
		sink.note("reward = named score %s, by --score", r.wanted)
	}
	in.sendPlan(len(in.files), 0)
	return nil
}

// promptfooReader remembers items and their tests, but not their text.
type promptfooReader struct {
	*intake
	providers map[string]bool
	checks    map[string]map[string]bool // hashes of the assertions, by prompt, provider and vars
}

// promptfooLook is the result of a first reading of a file.
type promptfooLook struct {
	tests  map[string][]int  // the testIdx of an item's rows, ascending
	prompt map[string]string // hash of an item's prompt
}

// look reads a file for the order of tests within each item. It returns an error if the rows were
// stripped of what identifies items.
func (r *promptfooReader) look(ctx context.Context, p *promptfooFile) (*promptfooLook, error) {
	l := &promptfooLook{tests: make(map[string][]int), prompt: make(map[string]string)}
	places := make(map[string]string)
	err := p.each(ctx, Sink{}, func(place string, row *promptfooRow) error {
		if row.PromptIdx == nil || row.TestIdx == nil {
			return errors.New("promptIdx or testIdx is missing")
		}
		if len(row.vars()) == 0 && len(row.testVars()) > 0 || string(row.Prompt.Raw) == `"[prompt stripped]"` &&
			len(row.vars()) == 0 {
			return errStripped
		}
		r.providers[jsontext.TextOrJSON(row.Provider.ID)] = true
		k, prompt := row.asked(), hash(row.Prompt.Raw)
		if was, ok := l.prompt[k]; ok && was != prompt && len(row.vars()) == 0 {
			return errStripped
		}
		l.prompt[k] = prompt
		if r.checks[k] == nil {
			r.checks[k] = make(map[string]bool)
		}
		r.checks[k][row.check()] = true
		k = row.key()
		test := fmt.Sprintf("%s %d", k, *row.TestIdx)
		if was := places[test]; was != "" {
			return fmt.Errorf("test %d of prompt %d already occurs in %s: keep one of the two", *row.TestIdx,
				*row.PromptIdx, was)
		}
		places[test] = place
		l.tests[k] = append(l.tests[k], *row.TestIdx)
		return nil
	})
	for _, tests := range l.tests {
		slices.Sort(tests)
	}
	return l, err
}

// errStripped means that rows of different items look the same.
var errStripped = errors.New("its vars were stripped (PROMPTFOO_STRIP_TEST_VARS, PROMPTFOO_STRIP_PROMPT_TEXT), so " +
	"rows cannot be matched to items: evaluate again without that")

// key identifies the item of a row within its file, provider included.
func (row *promptfooRow) key() string { return row.asked() + " " + row.check() }

// check identifies the assertions of a row's test.
func (row *promptfooRow) check() string {
	text, err := json.Marshal(row.TestCase.Assert)
	if err != nil {
		return ""
	}
	return hash(text)
}

// asked is the key without the assertions.
func (row *promptfooRow) asked() string {
	return fmt.Sprintf("%d %s %s", *row.PromptIdx, jsontext.TextOrJSON(row.Provider.ID), row.varsHash())
}

func (row *promptfooRow) vars() map[string]any     { return object(row.Vars) }
func (row *promptfooRow) testVars() map[string]any { return object(row.TestCase.Vars) }

// varsHash hashes the vars; their order does not matter.
func (row *promptfooRow) varsHash() string {
	text, err := json.Marshal(row.vars())
	if err != nil {
		return hash(row.Vars)
	}
	return hash(text)
}

func object(text json.RawMessage) map[string]any {
	var v map[string]any
	if len(text) == 0 || jsontext.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
