package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// Tables have a row for each rollout. Which column is which part of a record
// says Options.Map; without it the columns of our own rollouts.csv and
// rollouts.parquet are known, and others that are called as they are.

var csvTable = Format{
	Name:   "csv",
	Doc:    "a CSV file with a row for each rollout: rollouts.csv of a report, or any other by --map item=COLUMN,reward=COLUMN",
	Files:  []string{"rollouts.csv"},
	From:   tableOrigin,
	Read:   func(ctx context.Context, src Source, sink Sink) error { return readTable(ctx, src, sink, openCSV) },
	Mapped: true,
}

var jsonlTable = Format{
	Name:   "jsonl",
	Doc:    "JSON lines with a row for each rollout, by --map item=KEY,reward=KEY; KEY.KEY reaches into objects",
	Files:  []string{"*.jsonl"},
	From:   tableOrigin,
	Read:   func(ctx context.Context, src Source, sink Sink) error { return readTable(ctx, src, sink, openJSONL) },
	Mapped: true,
}

var parquetTable = Format{
	Name:   "parquet",
	Doc:    "a Parquet file with a row for each rollout: rollouts.parquet of a report, or any other by --map item=COLUMN,reward=COLUMN",
	Files:  []string{"rollouts.parquet"},
	From:   tableOrigin,
	Read:   func(ctx context.Context, src Source, sink Sink) error { return readTable(ctx, src, sink, openParquet) },
	Mapped: true,
}

var tableOrigin = Origin{
	Item:     "the column of `item`, and of `split`",
	Sample:   "the column of `sample`, or the order of the rows with one item; of several files, later ones continue",
	Reward:   "the column of `reward`",
	Failures: "the columns of `outcome`, `error` and `error_kind`; an empty reward is `grader`",
}

// table is a file of rows, opened.
type table struct {
	columns []string // nil where rows have keys of their own
	own     bool     // a report of ours wrote it
	marked  bool     // texts in it that look like formulas have an apostrophe before them: in a CSV of ours
	rows    func(ctx context.Context, sink Sink, wanted []string, yield func(line int, cells []cell) error) error
}

// cell is a value of a row as text. What is not known is none.
type cell struct {
	text string
	none bool
}

// opener opens a file as a table. A file of another kind is ErrUnrecognized.
type opener func(f File, mapped map[string]string) (*table, error)

func readTable(ctx context.Context, src Source, sink Sink, open opener) error {
	if err := checkMap(src.Options.Map); err != nil {
		return err
	}
	files, left, err := src.sniffed(ctx, func(f File) error {
		t, err := open(f, src.Options.Map)
		if err == nil {
			_, err = t.take(f, src.Options.Map)
		}
		return err
	})
	if err != nil {
		return err
	}
	r := tableReader{intake: newIntake(src, sink), onConflict: src.Options.OnConflict, seen: make(map[rollout.Key]bool)}
	for _, f := range files {
		t, err := open(f, src.Options.Map)
		if err != nil {
			return err
		}
		r.file()
		if err := r.read(ctx, f, sink.of(f, files), t, src.Options.Map); err != nil {
			return err
		}
	}
	r.notes()
	r.finish(files, left)
	return nil
}

// checkMap holds the names of a mapping to those there are.
func checkMap(mapped map[string]string) error {
	for _, part := range slices.Sorted(maps.Keys(mapped)) {
		if _, known := partCalled(part); !known {
			return fmt.Errorf("--map %s=%s: there is no part %q of a rollout; there are %s", part, mapped[part], part, strings.Join(PartNames(), ", "))
		}
	}
	if len(mapped) > 0 && mapped["item"] == "" {
		return errors.New("--map does not mention item: name the column that identifies items, as in --map item=question_id,reward=score")
	}
	return nil
}

// taken is a column that becomes a part.
type taken struct {
	part   part
	column string
}

// take settles which columns become which parts.
func (t *table) take(f File, mapped map[string]string) ([]taken, error) {
	if len(mapped) == 0 {
		return t.known()
	}
	var list []taken
	for _, name := range slices.Sorted(maps.Keys(mapped)) {
		p, _ := partCalled(name)
		if t.columns != nil && !slices.Contains(t.columns, mapped[name]) {
			return nil, lineError(f, 1, "there is no column %q for %s; the columns are %s", mapped[name], name, strings.Join(t.columns, ", "))
		}
		list = append(list, taken{p, mapped[name]})
	}
	if mapped["reward"] == "" && mapped["outcome"] == "" && mapped["answer"] == "" {
		return nil, errors.New("--map names neither reward nor outcome nor answer: without one of them there is nothing to judge or to grade")
	}
	return list, nil
}

// known takes the columns that are called as the parts are.
func (t *table) known() ([]taken, error) {
	var list []taken
	has := make(map[string]bool)
	for _, column := range t.columns {
		name := column
		if column == "item_index" && !slices.Contains(t.columns, "item") { // as in the tables next to evaluations of build-hours
			name = "item"
		}
		if p, known := partCalled(name); known && !has[name] {
			list, has[name] = append(list, taken{p, column}), true
		}
	}
	if !has["item"] || !has["reward"] && !has["outcome"] {
		return nil, fmt.Errorf("%w: it has no columns item and reward, and no --map says which they are", ErrUnrecognized)
	}
	return list, nil
}

// ours reports whether the columns are those of our own rollouts.csv.
func ours(columns []string) bool {
	return !slices.ContainsFunc([]string{"split", "item", "sample", "attempt", "outcome", "reward", "score", "targeted"}, func(c string) bool { return !slices.Contains(columns, c) })
}

// tableReader makes records of rows.
type tableReader struct {
	*intake
	onConflict rollout.Conflict
	seen       map[rollout.Key]bool // items handed on
	last       map[rollout.Key]int  // of this file, the last row of each rollout, where it counts

	numbered, unnumbered, counted, settled int
	left                                   []string
}

func (r *tableReader) read(ctx context.Context, f File, sink Sink, t *table, mapped map[string]string) error {
	list, err := t.take(f, mapped)
	if err != nil {
		return err
	}
	wanted := make([]string, len(list))
	for i, c := range list {
		wanted[i] = c.column
	}
	for _, column := range t.columns {
		if !slices.Contains(wanted, column) && !t.own && !slices.Contains(r.left, column) {
			r.left = append(r.left, column)
		}
	}
	if r.last = nil; r.onConflict == rollout.Last {
		r.last = make(map[rollout.Key]int)
		err := t.rows(ctx, Sink{}, wanted, func(line int, cells []cell) error {
			x, err := r.parse(list, cells, t)
			if err == nil && x.sampled {
				r.last[x.Key()] = line
			}
			return stopped(f, line, err)
		})
		if err != nil {
			return err
		}
	}
	return t.rows(ctx, sink, wanted, func(line int, cells []cell) error {
		return stopped(f, line, r.row(f, line, list, cells, t))
	})
}

// parse makes a record of a row.
func (r *tableReader) parse(list []taken, cells []cell, t *table) (*rowRecord, error) {
	x := &rowRecord{Record: rollout.Record{Split: r.split, Source: rollout.Import}}
	for i, c := range list {
		v := cells[i]
		if t.marked {
			v.text = unmarked(v.text)
		}
		if err := c.part.set(x, c.part.name, v); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.column, err)
		}
	}
	if x.Item == "" {
		return nil, errors.New("the item is empty: every row must name its item")
	}
	return x, x.settle(t.own)
}

func (r *tableReader) row(f File, line int, list []taken, cells []cell, t *table) error {
	x, err := r.parse(list, cells, t)
	if err != nil {
		return err
	}
	if counts, err := r.number(line, x); !counts || err != nil {
		return err
	}
	if err := r.rowItem(f, line, x); err != nil {
		return err
	}
	if len(x.Calls) > 0 && x.counts {
		r.counted++
	}
	if x.Reward == nil {
		r.missing[x.Outcome]++
	}
	rec := x.Record
	rec.Sample = r.numbers.sample(x.Split, x.Item, x.Sample)
	return r.toSink(r.sink.record(&rec))
}

// number gives a record its sample, and says whether it counts: of two rows
// for one rollout that is for --on-conflict to say.
func (r *tableReader) number(line int, x *rowRecord) (counts bool, err error) {
	if x.sampled {
		r.numbered++
	} else {
		r.unnumbered++
		x.Sample = r.again(string(x.Split) + "\x00" + x.Item)
	}
	if r.numbered > 0 && r.unnumbered > 0 {
		return false, errors.New("some rows have a sample and some do not: number all of them or none")
	}
	if r.last != nil && x.sampled && r.last[x.Key()] != line {
		r.settled++
		return false, nil
	}
	err = r.only(line, fmt.Sprintf("sample %d of item %s (%s)", x.Sample, x.Item, x.Split))
	switch {
	case err != nil && r.onConflict == rollout.First:
		r.settled++
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w, or let --on-conflict first or last choose", err)
	}
	return true, nil
}

func (r *tableReader) rowItem(f File, line int, x *rowRecord) error {
	k := rollout.Key{Split: x.Split, Item: x.Item}
	if r.seen[k] {
		return nil
	}
	r.seen[k] = true
	var asked []rollout.Message
	if x.prompt != "" {
		asked = []rollout.Message{{Role: "user", Content: x.prompt}}
	}
	it := rollout.Item{ID: x.Item, Split: x.Split, Category: x.Category, Family: x.Family, Line: line}
	return r.toSink(sendItem(r.sink, f, it, asked, nil))
}

func (r *tableReader) notes() {
	if r.unnumbered > 0 {
		r.sink.note("rows number no samples: sample = how often the item came before")
	} else {
		r.sink.note("item, sample and reward are those of the columns; a row without a split is %s", r.split)
	}
	if r.counted > 0 {
		r.sink.note("rows that say how many tools were called, not which and with what: %d; calls have no names, and figures by tool, of repeats and of parallel calls mean nothing", r.counted)
	}
	if r.settled > 0 {
		r.sink.note("rows that repeat the item and sample of another row, left out: %d; the %s one counts", r.settled, r.onConflict)
	}
	if len(r.left) > 0 {
		r.sink.note("columns that were left out: %s", counted(r.left))
	}
}
