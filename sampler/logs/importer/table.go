package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/rollout"
)

// Tables have one row per rollout. Options.Map says which column is which part of a record. Without
// it, the columns of our own rollouts.csv and rollouts.parquet are known, and other columns with
// the same names.

var csvTable = Format{
	Name: "csv",
	Doc: "a CSV file with a row for each rollout: rollouts.csv of a report, or any other by --map " +
		"item=COLUMN,reward=COLUMN",
	Files:  []string{"rollouts.csv"},
	From:   tableOrigin,
	Read:   readTable,
	open:   openCSV,
	Mapped: true,
}

var jsonlTable = Format{
	Name:   "jsonl",
	Doc:    "JSON lines with a row for each rollout, by --map item=KEY,reward=KEY; KEY.KEY reaches into objects",
	Files:  []string{"*.jsonl"},
	From:   tableOrigin,
	Read:   readTable,
	open:   openJSONL,
	Mapped: true,
}

var parquetTable = Format{
	Name: "parquet",
	Doc: "a Parquet file with a row for each rollout: rollouts.parquet of a report, or any other by --map " +
		"item=COLUMN,reward=COLUMN",
	Files:  []string{"rollouts.parquet"},
	From:   tableOrigin,
	Read:   readTable,
	open:   openParquet,
	Mapped: true,
}

var tableOrigin = Origin{
	Item: "the column of `item`, and of `split`",
	Sample: "the column of `sample`, or the order of the rows with one item and `step`; of several files, later " +
		"ones continue",
	Reward:   "the column of `reward`",
	Failures: "the columns of `outcome`, `error` and `error_kind`; an empty reward is `grader`",
}

// table is an opened file of rows.
type table struct {
	columns []string        // nil if each row has its own keys
	keys    *keySet         // the keys of the rows read so far, if each row has its own; else nil
	first   []string        // the keys of the first row, if each row has its own
	native  bool            // written by a report of gonogo
	lists   map[string]bool // columns that do not hold one value per row that can be read
	marked  bool            // an apostrophe precedes texts that look like formulas, as in our own CSV files
	list    *list           // the rows are its entries; nil if they are the lines of the file
	rows    func(ctx context.Context, sink Sink, wanted []string, yield func(line int, cells []cell) error) error
}

// cell is a value of a row as text; none means that it is unknown.
type cell struct {
	text string
	none bool
	has  bool   // the row has the key, whatever its value; only if each row has its own keys
	key  string // of a cell that was not wanted but may hold a mark of failure or a facet
}

// opener opens a file as a table. It returns ErrUnrecognized for a file of another kind.
type opener func(f File, mapped map[string]string) (*table, error)

func readTable(ctx context.Context, in *intake) error {
	r := tableReader{
		intake: in, verdicts: make(map[string]int), steps: make(map[int]bool), matched: make(map[string]bool),
	}
	if in.opt.Item != itemKept {
		r.version = tableVersions(ctx, in.files, in.open, in.opt.Map)
	}
	for _, f := range in.files {
		t, err := in.open(f, in.opt.Map)
		if err != nil {
			return err
		}
		r.file()
		if err := r.read(ctx, f, in.sink.forFile(f, in.files), t, in.opt.Map); err != nil {
			return err
		}
	}
	if err := r.unmatched(); err != nil {
		return err
	}
	r.notes()
	r.noteMissing()
	return nil
}

// unmatched returns an error if the mapping names a key that no row has.
func (r *tableReader) unmatched() error {
	for _, part := range slices.Sorted(maps.Keys(r.opt.Map)) {
		column := r.opt.Map[part]
		if r.keys == nil || r.numbered+r.unnumbered == 0 || r.matched[column] {
			continue
		}
		return fmt.Errorf("read %s: no row has a key %q for %s; the keys are %s", Source{Files: r.files}.name(), column,
			part, counted(r.keys, mostNames))
	}
	return nil
}

// tableMap returns the mapping of a table, including the column that names items.
func (o Options) tableMap() (map[string]string, error) {
	mapped := o.Map
	if o.Item != "" && o.Item != ItemPrompt && o.Item != itemKept {
		if len(mapped) == 0 {
			return nil, fmt.Errorf("%w: for a table, --map item=%s says which column holds the id of an item",
				ErrUnrecognized, o.Item)
		}
		mapped = maps.Clone(mapped)
		mapped["item"] = o.Item
	}
	return mapped, checkMap(mapped)
}

// checkMap returns an error if a mapping names an unknown part, or nothing that tells items apart.
func checkMap(mapped map[string]string) error {
	for _, part := range slices.Sorted(maps.Keys(mapped)) {
		if _, known := partCalled(part); !known {
			return fmt.Errorf("--map %s=%s: unknown part %q of a rollout; the parts are %s", part, mapped[part], part,
				strings.Join(PartNames(), ", "))
		}
	}
	if len(mapped) > 0 && mapped["item"] == "" && mapped["prompt"] == "" {
		return errors.New("--map mentions neither item nor prompt: name the column that identifies items, as in --map " +
			"item=question_id,reward=score, or that of their prompts")
	}
	return nil
}

// taken is a column that becomes a part.
type taken struct {
	part   part
	column string
}

// take decides which columns become which parts.
func (t *table) take(f File, mapped map[string]string) ([]taken, error) {
	if len(mapped) == 0 {
		return t.known()
	}
	var list []taken
	for _, name := range slices.Sorted(maps.Keys(mapped)) {
		p, _ := partCalled(name)
		if t.columns != nil && !slices.Contains(t.columns, mapped[name]) {
			return nil, lineError(f, 1, "there is no column %q for %s; the columns are %s", mapped[name], name,
				strings.Join(t.columns, ", "))
		}
		list = append(list, taken{p, mapped[name]})
	}
	free := !slices.Contains(slices.Collect(maps.Values(mapped)), "step")
	if mapped["step"] == "" && free && (t.columns == nil || slices.Contains(t.columns, "step")) {
		list = append(list, taken{stepByName, "step"})
	}
	if mapped["reward"] == "" && mapped["outcome"] == "" && mapped["answer"] == "" {
		return nil, errors.New("--map names neither reward nor outcome nor answer: without one of them there is " +
			"nothing to judge or to grade")
	}
	return itemOfPrompt(list), nil
}

// itemOfPrompt makes each prompt an item, if no column names the items.
func itemOfPrompt(list []taken) []taken {
	for i := range list {
		if list[i].part.name == promptAsItem.name && !namesItems(list) {
			list[i].part = promptAsItem
		}
	}
	return list
}

func namesItems(list []taken) bool {
	return slices.ContainsFunc(list, func(c taken) bool { return c.part.name == "item" })
}

// known takes the columns whose names are those of the parts.
func (t *table) known() ([]taken, error) {
	var list []taken
	has := make(map[string]bool)
	for _, column := range t.columns {
		name := column
		// as in the tables next to the evaluations of build-hours
		if column == "item_index" && !slices.Contains(t.columns, "item") {
			name = "item"
		}
		if p, known := partCalled(name); known && !has[name] {
			if name == stepByName.name {
				p = stepByName
			}
			list, has[name] = append(list, taken{p, column}), true
		}
	}
	if !has["item"] && !has["prompt"] || !has["reward"] && !has["outcome"] {
		return nil, fmt.Errorf("%w: it has no columns item and reward, and no --map says which they are: "+
			"--map item=%s,reward=%s, of %s", ErrUnrecognized,
			t.likely("item", "item_id", "question_id", "task_id", "problem_id", "example_id", "prompt_id", "id"),
			t.likely("reward", "score", "correct", "is_correct", "passed", "success", "grade"), listed(t.columns))
	}
	return itemOfPrompt(list), nil
}

// likely returns the first of these names that is a column.
func (t *table) likely(names ...string) string {
	for _, name := range names {
		if slices.Contains(t.columns, name) {
			return name
		}
	}
	return "COLUMN"
}

// listed names columns, of many the first.
func listed(columns []string) string {
	const most = 20
	if more := len(columns) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(columns[:most], ", "), more)
	}
	return strings.Join(columns, ", ")
}

// ours reports whether the columns are those of our own rollouts.csv.
func ours(columns []string) bool {
	return !slices.ContainsFunc([]string{
		"split", "item", "sample", "attempt", "outcome", "reward", "score",
		"targeted",
	}, func(c string) bool { return !slices.Contains(columns, c) })
}

// tableReader builds records from rows.
type tableReader struct {
	*intake
	version string                    // the column that names the step; "" if only a column step may
	names   map[string]map[string]int // numbers of named samples, by item
	last    map[rollout.Key]int       // the last row of each rollout in this file, with --on-conflict last

	keys    []string        // of rows that each have their own keys
	matched map[string]bool // the keys of the mapping that a row has

	turns                         turnRows
	numbered, unnumbered, settled int
	leftOut                       []string
	parts                         map[string]string // the columns of parts, of the first file
	steps                         map[int]bool
	// graded rows by the column whose "failed" was read as a verdict
	verdicts map[string]int
}

func (r *tableReader) read(ctx context.Context, f File, sink Sink, t *table, mapped map[string]string) error {
	list, err := t.take(f, mapped)
	if err != nil {
		return err
	}
	if r.version != "" {
		list = slices.DeleteFunc(list, func(c taken) bool { return c.part.name == "step" })
		list = append(list, taken{stepByName, r.version})
	}
	wanted := make([]string, len(list))
	numbered := false
	for i, c := range list {
		wanted[i] = c.column
		numbered = numbered || c.part.name == "sample"
	}
	if r.parts == nil {
		r.parts = make(map[string]string)
		for _, c := range list {
			r.parts[c.part.name] = c.column
		}
	}
	for _, column := range t.columns {
		if !slices.Contains(wanted, column) && !t.native && !slices.Contains(r.leftOut, column) && !marking(column) {
			r.leftOut = append(r.leftOut, column)
		}
	}
	for _, column := range t.columns {
		if !t.native && !slices.Contains(wanted, column) && !t.lists[column] && (marking(column) || telling(column)) {
			wanted = append(wanted, column) // after those of the list, as marks or facets of the row
		}
	}
	if r.last = nil; r.opt.OnConflict == rollout.Last {
		r.last = make(map[rollout.Key]int)
		err := t.rows(ctx, Sink{}, wanted, func(line int, cells []cell) error {
			x, err := r.parse(list, wanted, cells, t)
			if err == nil && x.sampled {
				r.last[x.Key()] = line
			}
			return stopped(f, line, err)
		})
		if err != nil {
			return err
		}
	}
	hints := slices.Concat(rolloutKeys, turnKeys)
	if t.columns != nil {
		hints = slices.DeleteFunc(hints, func(c string) bool { return !slices.Contains(t.columns, c) })
	}
	if numbered {
		hints = nil
	}
	if t.list != nil {
		sink.note("rows are the entries of %s, and messages about a row count entries, not lines", t.list.name())
	}
	err = t.rows(ctx, sink, slices.Concat(wanted, hints), func(line int, cells []cell) error {
		for i, column := range wanted {
			if cells[i].has && !r.matched[column] {
				r.matched[column] = true
			}
		}
		return stopped(f, line, r.row(f, line, list, wanted, cells, t, cellText(hints, cells[len(wanted):])))
	})
	if err == nil && t.keys != nil {
		r.leave(t.keys.sorted(), wanted)
	}
	return err
}

// leave records which keys of a file become no part.
func (r *tableReader) leave(keys, wanted []string) {
	for _, key := range keys {
		if !slices.Contains(r.keys, key) {
			r.keys = append(r.keys, key)
		}
		taken := slices.ContainsFunc(wanted, func(w string) bool { return w == key || strings.HasPrefix(w, key+".") })
		if !taken && !marking(key) && !slices.Contains(r.leftOut, key) {
			r.leftOut = append(r.leftOut, key)
		}
	}
}

// marking reports whether a column that becomes no part may say that a row failed.
func marking(column string) bool { return failure.Names(column) || failure.EndKey(column) >= 0 }

// telling reports whether a column that becomes no part may distinguish rollouts of an item.
func telling(column string) bool { return isFacet(column) || slices.Contains(promptColumns, column) }

// promptColumns are the columns that may hold a prompt, the likeliest first.
var promptColumns = []string{"prompt", "question", "problem", "instruction", "query", "input", "messages"}

// parse builds a record from a row.
func (r *tableReader) parse(list []taken, wanted []string, cells []cell, t *table) (*rowRecord, error) {
	x := &rowRecord{Record: rollout.Record{Split: r.split, Source: rollout.Import}}
	for i, c := range list {
		v := cells[i]
		if t.marked {
			v.text = unmarked(v.text)
		}
		if err := c.part.set(x, c.part.name, v); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.column, err)
		}
		switch name := c.part.name; {
		case t.native || v.none:
		case name == "reference":
			key := name
			if isFacet(c.column) {
				key = c.column
			}
			x.facets = append(x.facets, cell{text: v.text, key: key})
		case (name == "category" || name == "family") && isFacet(c.column):
			x.facets = append(x.facets, cell{text: v.text, key: c.column})
		}
	}
	if x.Item == "" && !namesItems(list) {
		return nil, errors.New("the prompt is empty, and no column names the item")
	}
	if x.Item == "" && t.keys != nil {
		return nil, fmt.Errorf("the item is empty: every row must name its item; the keys of the first row are %s",
			counted(t.first, mostNames))
	}
	if x.Item == "" {
		return nil, errors.New("the item is empty: every row must name its item")
	}
	if x.name != "" {
		x.Sample = r.named(x)
	}
	for i, v := range cells[len(list):] {
		if index := i + len(list); index < len(wanted) {
			v.key = wanted[index]
		}
		switch {
		case v.key == "" || v.none:
		case isFacet(v.key):
			x.facets = append(x.facets, v)
		case telling(v.key):
			if x.shown.key == "" || slices.Index(promptColumns, v.key) < slices.Index(promptColumns, x.shown.key) {
				x.shown = v
			}
		case failure.EndKey(v.key) >= 0:
			if failure.Ended(v.text) || x.Finish == "" && x.UnknownEnd() == "" {
				finished(&x.Record, v.text)
			}
		default:
			x.mark(v.key, []byte(v.text))
			if failure.Verdict(v.key, []byte(v.text)) {
				x.verdict = v.key
			}
		}
	}
	return x, x.settle(t.native)
}

func (r *tableReader) row(f File, line int, list []taken, wanted []string, cells []cell, t *table,
	hint func(string) string,
) error {
	x, err := r.parse(list, wanted, cells, t)
	if err != nil {
		return err
	}
	if counts, err := r.number(line, x); !counts || err != nil {
		return err
	}
	for _, v := range x.facets {
		r.sink.tell(v.key, v.text)
	}
	if err := r.rowItem(f, line, x); err != nil {
		return err
	}
	if len(x.Calls) > 0 && x.counts {
		r.count(unnamedCalls)
	}
	if x.Reward == nil {
		r.missing[x.Outcome]++
	} else {
		_, truth := truthOf(x.raw.text)
		if err := r.truths.check(x.raw.text, truth); err != nil {
			return err
		}
		if x.verdict != "" {
			r.verdicts[x.verdict]++
		}
	}
	r.steps[x.Step] = true
	r.turns.add(string(x.Split)+x.Item, x.Reward, hint)
	rec := x.Record
	rec.Sample = r.numbers.inStep(x.Split, x.Item, x.Step, x.Sample)
	return ended(r.sink.record(&rec))
}

// named returns the number of a named sample: the names of an item's samples are numbered in order
// of first appearance.
func (r *tableReader) named(x *rowRecord) int {
	if r.names == nil {
		r.names = make(map[string]map[string]int)
	}
	item := fmt.Sprintf("%s\x00%d\x00%s", x.Split, x.Step, x.Item)
	if r.names[item] == nil {
		r.names[item] = make(map[string]int)
	}
	n, known := r.names[item][x.name]
	if !known {
		n = len(r.names[item])
		r.names[item][x.name] = n
	}
	return n
}

// number sets the sample of a record, and reports whether the row counts: if two rows have the same
// rollout, --on-conflict decides.
func (r *tableReader) number(line int, x *rowRecord) (counts bool, err error) {
	if x.sampled {
		r.numbered++
	} else {
		r.unnumbered++
		x.Sample = r.again(fmt.Sprintf("%s\x00%d\x00%s", x.Split, x.Step, x.Item))
	}
	if r.numbered > 0 && r.unnumbered > 0 {
		return false, errors.New("some rows have a sample and some do not: number all of them or none")
	}
	if r.last != nil && x.sampled && r.last[x.Key()] != line {
		r.settled++
		return false, nil
	}
	what := fmt.Sprintf("sample %d of item %s (%s)", x.Sample, x.Item, x.Split)
	if x.Step > 0 {
		what += fmt.Sprintf(" at step %d", x.Step)
	}
	err = r.only(line, what)
	switch {
	case err != nil && r.opt.OnConflict == rollout.First:
		r.settled++
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w, or let --on-conflict first or last choose", err)
	}
	return true, nil
}

func (r *tableReader) rowItem(f File, line int, x *rowRecord) error {
	var prompt []rollout.Message
	if x.prompt != "" {
		prompt = []rollout.Message{{Role: "user", Content: x.prompt}}
	}
	it := rollout.Item{ID: x.Item, Split: x.Split, Category: x.Category, Family: x.Family, Line: line}
	fields := make(map[string]json.RawMessage)
	if x.right != "" {
		text, err := json.Marshal(x.right)
		if err != nil {
			return err
		}
		fields["reference"] = text
	}
	// the prompt is compared but not kept
	if shown := x.shown.messages(); len(prompt)+len(x.Messages) == 0 && len(shown) > 0 {
		if known, err := r.sink.known(x.Split, x.Item, shown); known || err != nil {
			return ended(err)
		}
		return ended(sendKnown(r.sink, f, it, nil, fields))
	}
	return ended(sendItem(r.sink, f, it, prompt, fields))
}

func (r *tableReader) notes() {
	if r.unnumbered > 0 {
		r.sink.note("rows number no samples: sample = how often the item came before")
	}
	if r.parts["item"] == "" {
		r.sink.note("no column names the items: each prompt is one")
	} else if r.unnumbered == 0 {
		r.sink.note("item, sample and reward are those of the columns; a row without a split is %s", r.split)
	}
	r.sink.noteSteps(r.steps)
	r.turns.note(r.sink)
	if r.settled > 0 {
		r.sink.note("rows that repeat the item and sample of another row, left out: %d; the %s one counts", r.settled,
			r.opt.OnConflict)
	}
	for _, column := range slices.Sorted(maps.Keys(r.verdicts)) {
		noteVerdicts(r.sink, r.verdicts[column], column)
	}
	if len(r.leftOut) > 0 {
		r.sink.note("columns that were left out: %s%s", counted(r.leftOut, few), r.keeping())
	}
}

// keeping names the --map that also reads the columns that probably hold answers and prompts; "" if
// there are none, or the mapping has others.
func (r *tableReader) keeping() string {
	mapped := maps.Clone(r.parts)
	maps.DeleteFunc(mapped, func(part, column string) bool { return part == stepByName.name && !r.matched[column] })
	var added []string
	for _, likely := range []struct {
		part    string
		columns []string
	}{{"answer", answerColumns}, {"prompt", promptColumns}} {
		for _, column := range likely.columns {
			has := mapped[likely.part] != "" || mapped["messages"] != ""
			if i := slices.IndexFunc(r.leftOut, func(c string) bool { return strings.EqualFold(c, column) }); i >= 0 && !has {
				part := likely.part
				if column == "messages" {
					part = column
				}
				mapped[part] = r.leftOut[i]
				added = append(added, r.leftOut[i])
			}
		}
	}
	if len(added) == 0 {
		return ""
	}
	var list []string
	for _, p := range append(PartNames(), slices.Sorted(maps.Keys(mapped))...) {
		if column := mapped[p]; column != "" {
			list = append(list, p+"="+column)
			delete(mapped, p)
		}
	}
	flag := strings.Join(list, ",")
	if strings.ContainsAny(flag, " \t'\"$`\\&|;<>()[]{}*?!#~") {
		flag = "'" + strings.ReplaceAll(flag, "'", `'\''`) + "'"
	}
	return "; --map " + flag + " reads " + strings.Join(added, " and ") + ", too"
}

// answerColumns are the columns that may hold an answer, the likeliest first.
var answerColumns = []string{
	"completion", "response", "output", "completions", "responses", "outputs", "generation", "generated_text",
	"model_output", "output_text", "prediction", "text", "answer", // the last is often the reference
}
