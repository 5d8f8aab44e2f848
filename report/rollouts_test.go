package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/report/table"
	"gonogo/sampler/rollout"
)

// rolloutsOf reads the run directory or file at path.
func rolloutsOf(path string) Rollouts {
	return func(yield func(collect.Counted) error) (rollout.Input, error) {
		run, err := rollout.Open(path)
		if err != nil {
			return rollout.Input{}, err
		}
		return collect.Rollouts(context.Background(), run, rollout.ReadOptions{}, stat.Range{Lo: 0, Hi: 1}, yield)
	}
}

// runOf writes lines as a run directory, and returns its rollouts.
func runOf(t interface{ Fatal(...any) }, dir, lines string) Rollouts {
	if err := os.WriteFile(filepath.Join(dir, rollout.RolloutsFile), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return rolloutsOf(dir)
}

// table is a format's rows by the name of the column.
func tableOfCSV(t *testing.T, b []byte) (head []string, rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := make(map[string]string)
		for i, c := range cells {
			row[all[0][i]] = c
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// tableOfParquet reads a Parquet file back, with each value as CSV has it.
func tableOfParquet(t *testing.T, b []byte) (head []string, rows []map[string]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Schema().Fields()
	for _, field := range fields {
		head = append(head, field.Name())
	}
	for _, group := range f.RowGroups() {
		from := group.Rows()
		buffer := make([]parquet.Row, 7)
		for {
			n, err := from.ReadRows(buffer)
			for _, values := range buffer[:n] {
				row := make(map[string]string)
				for _, v := range values {
					row[head[v.Column()]] = table.Cell(plainValue(v, fields[v.Column()]))
				}
				rows = append(rows, row)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := from.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return head, rows
}

func plainValue(v parquet.Value, f parquet.Field) any {
	switch {
	case v.IsNull():
		return nil
	case strings.HasPrefix(f.Type().String(), "TIMESTAMP"):
		return time.UnixMicro(v.Int64())
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int64:
		return v.Int64()
	case parquet.Double:
		return v.Double()
	}
	return string(v.ByteArray())
}

func TestGoldenCSV(t *testing.T) {
	golden(t, "rollouts.csv", string(write(t, "rollouts", page(t, "go"))))
	for _, name := range []string{"hostile", "all_missing"} {
		golden(t, name+".items.csv", string(write(t, "items", page(t, name))))
	}
}

// What a spreadsheet would run, and what breaks a reader, stands as text.
func TestCellsOfTheDataAreNoFormulas(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-5": "'-5", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": `\r=1`, "\n=1": "'\n=1", " =1": "' =1", "＝1": "'＝1",
		"a\x00b": `a\x00b`, "\x1b[31m": `\x1b[31m`, "plain": "plain", "a=b": "a=b", "'=1": "'=1", "": "", "\u0085": `\u0085`, "多": "多",
	} {
		if got := table.Cell(in); got != want {
			t.Errorf("Cell(%q) = %q, want %q", in, got, want)
		}
	}
	for want, in := range map[string]any{"-0.5": -0.5, "-7": int64(-7), "": nil, "true": true, "0.1": 0.1, "1e-09": 1e-9} {
		if got := table.Cell(in); got != want {
			t.Errorf("Cell(%v) = %q, want %q: numbers of ours are not touched", in, got, want)
		}
	}
}

// One row for each rollout, of the attempt that counts, in both formats the same.
func TestRolloutsOfTheTestRun(t *testing.T) {
	p := page(t, "go")
	head, rows := tableOfCSV(t, write(t, "rollouts", p))
	parquetHead, parquetRows := tableOfParquet(t, write(t, "parquet", p))
	if !slices.Equal(head, parquetHead) {
		t.Errorf("columns differ:\n%v\n%v", head, parquetHead)
	}
	if len(rows) != 6 || len(parquetRows) != 6 {
		t.Fatalf("%d and %d rows, want 6", len(rows), len(parquetRows))
	}
	for i := range rows {
		for _, c := range head {
			if rows[i][c] != parquetRows[i][c] {
				t.Errorf("row %d, %s: %q in CSV, %q in Parquet", i, c, rows[i][c], parquetRows[i][c])
			}
		}
	}
	want := []map[string]string{
		{"item": "q1", "sample": "0", "reward": "0.1", "score": "0.1", "grades": "2", "parts.correct": "0.1", "parts.style": "1", "tool_calls": "2", "tool_calls_malformed": "1", "input_tokens": "120", "reasoning_tokens": "0", "cached_tokens": "", "latency_s": "1.5", "started_at": "2026-11-20T09:00:00.25Z", "answer_chars": "8"},
		{"item": "q1", "sample": "1", "attempt": "1", "reward": "1", "tool_calls": "", "input_tokens": "", "latency_s": "", "parts.style": ""},
		{"split": "eval", "item": `'=HYPERLINK("http://example.com","click")`, "category": "'@SUM(1)", "family": "'+1", "parts.a;b": "0.25", "parts.=cmd|' /C calc'!A0": "0.5"},
		{"item": "line\nbreak \"quoted\", \\x00\\x1b[31m \u202e", "outcome": "no_answer", "reward": "", "score": "0", "tool_calls": "0", "judge_calls": "2", "judge_input_tokens": "5", "judge_output_tokens": ""},
		{"item": "'-5", "outcome": "step_limit", "tool_calls": "2", "tool_calls_refused": "1", "tool_calls_failed": "1", "clipped": "true", "retries": "2"},
		{"item": "q2", "outcome": "grader", "reward": "", "score": "", "error": "reward is NaN"},
	}
	for i, cells := range want {
		for c, text := range cells {
			if rows[i][c] != text {
				t.Errorf("row %d, %s is %q, want %q", i, c, rows[i][c], text)
			}
		}
	}
}

// Whatever the records hold, both tables give back the very numbers.
func TestDeepTablesHoldTheNumbersOfTheRecords(t *testing.T) {
	if os.Getenv("GONOGO_DEEP") == "" {
		fewChecks(t, 10)
	}
	dir := t.TempDir()
	result := page(t, "tiny").Result
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringN(1, 12, 40), 0, 5, rapid.ID[string]).Draw(rt, "parts")
		var lines bytes.Buffer
		var want []*rollout.Record
		for i := range rapid.IntRange(1, 20).Draw(rt, "rollouts") {
			r := &rollout.Record{Item: rapid.StringN(1, 20, 60).Draw(rt, "item") + "x", Split: rollout.Train, Sample: i, Source: rollout.Import, Outcome: rollout.Graded}
			if rapid.Bool().Draw(rt, "missing") {
				r.Outcome, r.Error = rollout.ToolFailed, rapid.String().Draw(rt, "error")
			} else {
				x := rapid.Float64Range(0, 1).Draw(rt, "reward")
				r.Reward = &x
				r.Parts = make(map[string]float64)
				for _, name := range names {
					if rapid.Bool().Draw(rt, "has it") {
						r.Parts[name] = rapid.Float64().Draw(rt, "part")
					}
				}
			}
			if rapid.Bool().Draw(rt, "tells tokens") {
				n := rapid.Int64Range(0, math.MaxInt64).Draw(rt, "tokens")
				r.Usage.Input = &n
			}
			b, err := r.MarshalJSON()
			if err != nil {
				rt.Fatal(err)
			}
			lines.Write(append(b, '\n'))
			want = append(want, r)
		}
		p := &RunPage{common: common{Options: Options{Rollouts: runOf(rt, dir, lines.String())}}, Result: result}
		csvHead, csvRows := tableOfCSV(t, write(t, "rollouts", p))
		parquetHead, parquetRows := tableOfParquet(t, write(t, "parquet", p))
		if len(csvRows) != len(want) || len(parquetRows) != len(want) || !slices.Equal(csvHead, parquetHead) {
			rt.Fatalf("%d rows in CSV, %d in Parquet, want %d; columns %v, %v", len(csvRows), len(parquetRows), len(want), csvHead, parquetHead)
		}
		s, err := p.surveyed(true)
		if err != nil {
			rt.Fatal(err)
		}
		p.survey = nil
		if _, err := p.surveyed(false); err != nil {
			rt.Fatal(err)
		}
		if head, rows := tableOfCSV(t, write(t, "rollouts", p)); !slices.Equal(head, csvHead) || !reflect.DeepEqual(rows, csvRows) {
			rt.Fatalf("read again, the rows are %v, want %v", rows, csvRows)
		}
		var parts []string
		for _, name := range csvHead {
			if strings.HasPrefix(name, "parts.") {
				parts = append(parts, name)
			}
		}
		for i, r := range want {
			for _, row := range []map[string]string{csvRows[i], parquetRows[i]} {
				same(rt, "reward", row["reward"], r.Reward)
				for k, name := range s.Parts {
					var x *float64
					if value, ok := r.Parts[name]; ok {
						x = &value
					}
					same(rt, name, row[parts[k]], x)
				}
				if tokens := ""; r.Usage.Input != nil {
					if tokens = strconv.FormatInt(*r.Usage.Input, 10); row["input_tokens"] != tokens {
						rt.Errorf("tokens are %q, want %s", row["input_tokens"], tokens)
					}
				}
			}
		}
	})
}

// fewChecks has rapid draw n times: each draw writes a whole Parquet file.
func fewChecks(t *testing.T, n int) {
	t.Helper()
	all := flag.Lookup("rapid.checks")
	before := all.Value.String()
	if err := all.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Value.Set(before) })
}

func same(t *rapid.T, what, got string, want *float64) {
	if want == nil {
		if got != "" {
			t.Errorf("%s is %q, want nothing", what, got)
		}
		return
	}
	if x, err := strconv.ParseFloat(got, 64); err != nil || x != *want {
		t.Errorf("%s is %q, want %v", what, got, *want)
	}
}

// Sub-scores of very many names share a column; a run without rollouts is a
// table without rows; ids of any length are whole.
func TestRolloutsOfOddRuns(t *testing.T) {
	long := strings.Repeat("ü", 5<<10)
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `{"item":"q","sample":%d,"reward":0,"parts":{"always":1,"p%d":0.5}}`+"\n", i, i)
	}
	for _, test := range []struct {
		name, lines string
		rows        int
		check       func(rows []map[string]string) bool
	}{
		{"an empty file", "", 0, nil},
		{"a long id", `{"item":"` + long + `","reward":1}`, 1, func(rows []map[string]string) bool { return rows[0]["item"] == long }},
		{"very many sub-scores", many.String(), 100, func(rows []map[string]string) bool {
			return rows[0]["parts.always"] == "1" && rows[0]["parts.p0"] == "0.5" && rows[0]["more_parts"] == "" &&
				rows[99]["more_parts"] == `{"p99":0.5}` && len(rows[0]) == len(table.RolloutColumns(nil, true))+64
		}},
		{"names alike when written out", `{"item":"q","reward":1,"parts":{"a\u0000":0.25,"a\\x00":0.5,"b,":1,"b;":0}}`, 1, func(rows []map[string]string) bool {
			return rows[0][`parts.a\x00`] == "0.25" && rows[0][`parts.a\x00 (2)`] == "0.5" && rows[0]["parts.b;"] == "1" && rows[0]["parts.b; (2)"] == "0"
		}},
	} {
		p := &RunPage{common: common{Options: Options{Rollouts: runOf(t, t.TempDir(), test.lines)}}, Result: page(t, "tiny").Result}
		_, csvRows := tableOfCSV(t, write(t, "rollouts", p))
		_, parquetRows := tableOfParquet(t, write(t, "parquet", p))
		for _, rows := range [][]map[string]string{csvRows, parquetRows} {
			if len(rows) != test.rows || test.check != nil && !test.check(rows) {
				t.Errorf("%s: %d rows, want %d, or other cells than it should have: %.300v", test.name, len(rows), test.rows, rows)
			}
		}
	}
}

// The page, the table and the Parquet file of a report come from one reading of the rollouts.
func TestAReportReadsTheRolloutsOnce(t *testing.T) {
	p := fresh(t, "tiny")
	read, times := p.Rollouts, 0
	p.Rollouts = func(yield func(collect.Counted) error) (rollout.Input, error) {
		times++
		return read(yield)
	}
	formats := slices.DeleteFunc(Formats(), func(f Format[*RunPage]) bool { return f.Name != "html" && !f.Rollouts })
	if err := Write(t.TempDir(), p, formats); err != nil {
		t.Fatal(err)
	}
	if times != 1 || len(formats) != 3 {
		t.Errorf("the rollouts were read %d times", times)
	}
}

// A run that grows between two readings is no half a table.
func TestRolloutsThatGrowAreRefused(t *testing.T) {
	dir := t.TempDir()
	p := &RunPage{common: common{Options: Options{Rollouts: runOf(t, dir, `{"item":"a","reward":1}`+"\n")}}, Result: page(t, "tiny").Result}
	if _, err := p.surveyed(false); err != nil {
		t.Fatal(err)
	}
	runOf(t, dir, `{"item":"a","reward":1}`+"\n"+`{"item":"b","reward":1}`+"\n")
	for _, name := range []string{"rollouts", "parquet"} {
		f := Formats()[slices.IndexFunc(Formats(), func(f Format[*RunPage]) bool { return f.Name == name })]
		if err := f.Write(io.Discard, p); !errors.Is(err, table.ErrGrown) {
			t.Errorf("%s: %v, want %v", name, err, table.ErrGrown)
		}
	}
}

// Every row of items.csv is an item of the result, number for number.
func TestItemsHoldTheNumbersOfTheResult(t *testing.T) {
	for _, name := range []string{"go", "hostile", "negative", "all_missing"} {
		p := page(t, name)
		_, rows := tableOfCSV(t, write(t, "items", p))
		for _, split := range rollout.Splits() {
			s := p.Result.Splits[split]
			if s == nil {
				continue
			}
			for _, it := range s.Classes.Items {
				row := rows[0]
				rows = rows[1:]
				for column, want := range map[string]*float64{"mean": it.Mean, "sd": it.SD, "best": it.Best, "worst": it.Worst, "stays": it.Stays, "tool_calls": it.Calls} {
					if want == nil && row[column] != "" || want != nil && row[column] != table.Cell(*want+0) || strings.Contains(row[column], "N") {
						t.Errorf("%s: %s of %q is %q, want %v", name, column, it.Item, row[column], want)
					}
				}
				if row["item"] != table.Cell(it.Item) || row["split"] != string(split) || row["n"] != strconv.Itoa(it.N) {
					t.Errorf("%s: row %v is not that of %q", name, row, it.Item)
				}
			}
		}
		if len(rows) != 0 {
			t.Errorf("%s: %d rows too many", name, len(rows))
		}
	}
}
