package rollout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// show writes a record as the tables below expect it: key, attempt, outcome
// and reward.
func show(r *Record) string {
	reward := "-"
	if r.Reward != nil {
		reward = fmt.Sprint(*r.Reward)
	}
	return fmt.Sprintf("%s/%s/%d/%d %s %s", r.Split, r.Item, r.Sample, r.Attempt, r.Outcome, reward)
}

func TestRead(t *testing.T) {
	tests := []struct {
		name string
		text string
		opt  ReadOptions
		want []string // yielded, in order
		in   Input    // Bad is compared by line alone
		bad  []int
	}{
		{
			name: "the smallest line", text: `{"item":"q1","reward":0.5}` + "\n",
			want: []string{"train/q1/0/0 graded 0.5"}, in: Input{Lines: 1, Records: 1},
		},
		{
			name: "byte order mark, CRLF, blank lines and no newline at the end", text: "\uFEFF{\"item\":\"q1\",\"reward\":1}\r\n\r\n  \n\t{\"item\":\"q2\",\"reward\":0}  \r\n{\"item\":\"q3\",\"reward\":-1}",
			want: []string{"train/q1/0/0 graded 1", "train/q2/0/0 graded 0", "train/q3/0/0 graded -1"}, in: Input{Lines: 3, Records: 3},
		},
		{
			name: "a torn last line is left out", text: `{"item":"q1","reward":1}` + "\n" + `{"item":"q1","rew`,
			want: []string{"train/q1/0/0 graded 1"}, in: Input{Lines: 2, Records: 1, Torn: 1},
		},
		{
			name: "a last line torn within a bare NaN", text: `{"item":"q1","reward":1}` + "\n" + `{"item":"q1","reward":Na`,
			want: []string{"train/q1/0/0 graded 1"}, in: Input{Lines: 2, Records: 1, Torn: 1},
		},
		{
			name: "samples without a number count appearances, by split and item", text: `{"item":"a","reward":1}
{"item":"b","reward":2}
{"item":"a","reward":3}
{"item":"a","reward":4,"split":"eval"}
{"item":"a","reward":3}
{"item":"a","reward":5,"sample":null,"split":null}`,
			want: []string{"train/a/0/0 graded 1", "train/b/0/0 graded 2", "train/a/1/0 graded 3", "eval/a/0/0 graded 4", "train/a/2/0 graded 3", "train/a/3/0 graded 5"},
			in:   Input{Lines: 6, Records: 6},
		},
		{
			name: "lines with a number do not move the count", text: `{"item":"a","reward":1,"sample":5}
{"item":"a","reward":2}
{"item":"a","reward":3}`,
			want: []string{"train/a/5/0 graded 1", "train/a/0/0 graded 2", "train/a/1/0 graded 3"}, in: Input{Lines: 3, Records: 3},
		},
		{
			name: "whole numbers are ids, however long", text: `{"item":7,"reward":1}
{"item":-3,"reward":1}
{"item":123456789012345678901234567890,"reward":1}
{"item":"007","reward":1}`,
			want: []string{"train/7/0/0 graded 1", "train/-3/0/0 graded 1", "train/123456789012345678901234567890/0/0 graded 1", "train/007/0/0 graded 1"},
			in:   Input{Lines: 4, Records: 4},
		},
		{
			name: "NaN, infinity, null and no reward are missing grades", text: `{"item":"a","reward":NaN}
{"item":"b","reward":-Infinity}
{"item":"c","reward":null}
{"item":"d"}
{"item":"e","outcome":"graded"}
{"item":"f","reward":1,"x":[NaN,"NaN"]}`,
			want: []string{"train/a/0/0 grader -", "train/b/0/0 grader -", "train/c/0/0 grader -", "train/d/0/0 grader -", "train/e/0/0 grader -", "train/f/0/0 graded 1"},
			in:   Input{Lines: 6, Records: 6}, bad: []int{1, 2, 3, 4, 5},
		},
		{
			name: "the model's own failures need no reward", text: `{"item":"a","outcome":"no_answer"}
{"item":"b","outcome":"step_limit","reward":NaN}
{"item":"c","outcome":"step_limit","reward":0.25}`,
			want: []string{"train/a/0/0 no_answer -", "train/b/0/0 step_limit -", "train/c/0/0 step_limit 0.25"}, in: Input{Lines: 3, Records: 3},
		},
		{
			name: "a failed boundary has no reward, whatever the line says", text: `{"item":"a","outcome":"tool","reward":0}
{"item":"b","outcome":"model_api","reward":1,"grades":[1,1]}
{"item":"c","outcome":"grader"}`,
			want: []string{"train/a/0/0 tool -", "train/b/0/0 model_api -", "train/c/0/0 grader -"}, in: Input{Lines: 3, Records: 3}, bad: []int{1, 2},
		},
		{
			name: "an error beside a reward is a failure, for the line names no outcome", text: `{"item":"a","reward":0,"error":"timeout"}
{"item":"b","reward":0,"error_kind":"grader_timeout"}
{"item":"c","reward":0,"error":{"code":429}}
{"item":"d","reward":0,"error":true}
{"item":"e","error":"ToolError: 503"}`,
			want: []string{"train/a/0/0 model_api -", "train/b/0/0 grader -", "train/c/0/0 model_api -", "train/d/0/0 model_api -", "train/e/0/0 tool -"},
			in:   Input{Lines: 5, Records: 5}, bad: []int{1, 2, 3, 4},
		},
		{
			name: "what says that there was no error is none", text: `{"item":"a","reward":0,"error":null}
{"item":"b","reward":0,"error":"","error_kind":""}
{"item":"c","reward":0,"error":"None"}
{"item":"d","reward":0,"error":"nan"}
{"item":"e","reward":0,"error":0}
{"item":"f","reward":0,"error":false,"error_kind":null}
{"item":"g","reward":0,"error":[]}
{"item":"h","reward":0,"error":NaN}`,
			want: []string{"train/a/0/0 graded 0", "train/b/0/0 graded 0", "train/c/0/0 graded 0", "train/d/0/0 graded 0", "train/e/0/0 graded 0", "train/f/0/0 graded 0", "train/g/0/0 graded 0", "train/h/0/0 graded 0"},
			in:   Input{Lines: 8, Records: 8},
		},
		{
			name: "graded is no outcome beside an error, but where some of several gradings failed", text: `{"item":"a","reward":0,"outcome":"graded","error":"timeout"}
{"item":"b","reward":0,"outcome":"graded","error_kind":"grader_timeout"}
{"item":"c","reward":0.5,"outcome":"graded","error":"None"}
{"item":"d","reward":0.5,"outcome":"graded","grades":[0.5,0.5],"error_kind":"grader_timeout","error":"1 of 3 gradings failed: timeout"}
{"item":"e","reward":0,"outcome":"step_limit","error":"max_turns"}`,
			want: []string{"train/a/0/0 model_api -", "train/b/0/0 grader -", "train/c/0/0 graded 0.5", "train/d/0/0 graded 0.5", "train/e/0/0 step_limit 0"},
			in:   Input{Lines: 5, Records: 5}, bad: []int{1, 2},
		},
		{
			name: "exact duplicates count once, white space aside", text: `{"item":"a","sample":0,"reward":1}
  {"item":"a","sample":0,"reward":1}` + "\r\n",
			want: []string{"train/a/0/0 graded 1"}, in: Input{Lines: 2, Records: 1, Duplicates: 1},
		},
		{
			name: "the highest attempt wins, in any order", text: `{"item":"a","sample":0,"attempt":1,"reward":1}
{"item":"a","sample":0,"outcome":"tool"}
{"item":"a","sample":0,"attempt":3,"reward":3}
{"item":"a","sample":0,"attempt":2,"reward":2}
{"item":"a","sample":0,"attempt":1,"reward":1}
{"item":"a","sample":0,"attempt":2,"reward":2}`,
			want: []string{"train/a/0/1 graded 1", "train/a/0/3 graded 3"}, in: Input{Lines: 6, Records: 1, Superseded: 3, Duplicates: 2},
		},
		{
			name: "first settles a conflict", opt: ReadOptions{OnConflict: First}, text: `{"item":"a","sample":0,"reward":1}
{"item":"a","sample":0,"reward":2}
{"item":"a","sample":0,"reward":1}`,
			want: []string{"train/a/0/0 graded 1"}, in: Input{Lines: 3, Records: 1, Conflicts: 1, Duplicates: 1},
		},
		{
			name: "last settles a conflict, also below the highest attempt", opt: ReadOptions{OnConflict: Last}, text: `{"item":"a","sample":0,"reward":1}
{"item":"a","sample":0,"reward":2}
{"item":"a","sample":0,"attempt":1,"reward":3}
{"item":"a","sample":0,"reward":4}`,
			want: []string{"train/a/0/0 graded 1", "train/a/0/0 graded 2", "train/a/0/1 graded 3"}, in: Input{Lines: 4, Records: 1, Conflicts: 2, Superseded: 1},
		},
		{
			name: "the last of equal keys wins", text: `{"item":"x","item":"a","reward":NaN,"reward":1}`,
			want: []string{"train/a/0/0 graded 1"}, in: Input{Lines: 1, Records: 1},
		},
		{
			name: "lines without a split are of the one that was asked for", opt: ReadOptions{Split: Eval}, text: `{"item":"a","reward":1}
{"item":"a","split":"train","reward":1}`,
			want: []string{"eval/a/0/0 graded 1", "train/a/0/0 graded 1"}, in: Input{Lines: 2, Records: 2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, lean := range []bool{false, true} {
				opt := tt.opt
				opt.Lean = lean
				records, in, err := readAll(tt.text, opt)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, r := range records {
					got = append(got, show(r))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("records (-want +got):\n%s", diff)
				}
				var bad []int
				for _, b := range in.Bad {
					bad = append(bad, b.Line)
				}
				if diff := cmp.Diff(tt.bad, bad); diff != "" {
					t.Errorf("bad lines (-want +got):\n%s", diff)
				}
				checkSum(t, in)
				in.Bad = nil
				if diff := cmp.Diff(tt.in, in); diff != "" {
					t.Errorf("input (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// checkSum holds that every line is accounted for exactly once.
func checkSum(t *testing.T, in Input) {
	t.Helper()
	if sum := in.Records + in.Duplicates + in.Conflicts + in.Superseded + in.Torn; sum != in.Lines {
		t.Errorf("%d lines, but %d are accounted for: %+v", in.Lines, sum, in)
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name string
		text string
		line int
		want string // part of the message
	}{
		{"broken JSON in the middle", "{\"item\":\"a\",\"reward\":1}\n{\"item\":\n{\"item\":\"a\",\"reward\":1}\n", 2, "broken JSON"},
		{"a broken last line with its newline", "{\"item\":\"a\",\"reward\":1}\n\n{\"item\":\n", 3, "broken JSON"},
		{"a last line that is JSON but no object", "{\"item\":\"a\",\"reward\":1}\n[1]", 2, "one JSON object"},
		{"null for a line", "null\n", 1, "one JSON object"},
		{"two objects on a line", `{"item":"a","reward":1}{"item":"b","reward":1}` + "\n", 1, "broken JSON"},
		{"no item", `{"reward":1}`, 1, `"item" is missing`},
		{"an item with a capital", `{"Item":"a","reward":1}`, 1, `"item" is missing`},
		{"an empty item", `{"item":"","reward":1}`, 1, "give every item a name"},
		{"a null item", `{"item":null,"reward":1}`, 1, "give every item a name"},
		{"a NaN item", `{"item":NaN,"reward":1}`, 1, "give every item a name"},
		{"a fraction for an item", `{"item":1.5,"reward":1}`, 1, "write it in quotes"},
		{"an exponent in an item", `{"item":1e3,"reward":1}`, 1, "write it in quotes"},
		{"true for an item", `{"item":true,"reward":1}`, 1, "write it in quotes"},
		{"a list for an item", `{"item":["a"],"reward":1}`, 1, "write it in quotes"},
		{"7 and then \"7\"", "{\"item\":7,\"reward\":1}\n{\"item\":\"x\",\"reward\":1}\n{\"item\":\"7\",\"reward\":1}\n", 3, `item 7 is a number on line 1 and the string "7" on line 3`},
		{"\"7\" and then 7, in another split", "{\"item\":\"7\",\"reward\":1}\n{\"item\":7,\"split\":\"eval\",\"reward\":1}\n", 2, `item 7 is a number on line 2 and the string "7" on line 1`},
		{"an unknown split", `{"item":"a","split":"test","reward":1}`, 1, "use one of train, eval, production"},
		{"an unknown outcome", `{"item":"a","outcome":"ok","reward":1}`, 1, "use one of graded, no_answer, step_limit, model_api, prompt_too_long, tool, grader"},
		{"an unknown source", `{"item":"a","source":"web","reward":1}`, 1, "use one of live, import, probe"},
		{"a negative sample", `{"item":"a","sample":-1,"reward":1}`, 1, "count from 0"},
		{"a negative attempt", `{"item":"a","attempt":-1,"reward":1}`, 1, "count from 0"},
		{"half a sample", `{"item":"a","sample":0.5,"reward":1}`, 1, "whole number"},
		{"a reward in quotes", `{"item":"a","reward":"0.5"}`, 1, `"reward" must be a number or null`},
		{"true after a number", "{\"item\":\"a\",\"reward\":0.5}\n{\"item\":\"b\"}\n{\"item\":\"c\",\"reward\":true}\n", 3, `"reward" is a number on line 1 and true or false on line 3: write all rewards the same way`},
		{"a number after false", "{\"item\":\"a\",\"reward\":false}\n{\"item\":\"b\",\"reward\":0}\n", 2, `"reward" is a number on line 2 and true or false on line 1`},
		{"a reward that no float64 holds", `{"item":"a","reward":1e999}`, 1, "does not fit in a float64"},
		{"a conflict", "{\"item\":\"a\",\"sample\":1,\"reward\":1}\n\n{\"item\":\"a\",\"sample\":1,\"reward\":2}\n", 3, "differs from line 1"},
		{"a counted sample against a numbered one", "{\"item\":\"a\",\"reward\":1}\n{\"item\":\"a\",\"sample\":0,\"reward\":1}\n", 2, "differs from line 1"},
		{"UTF-16", "\xff\xfe{\x00\"\x00i\x00\n\x00", 1, "UTF-16"},
		{"an unknown call status", `{"item":"a","reward":1,"calls":[{"name":"x","status":"fine"}]}`, 1, "use ok, error, malformed or failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readAll(tt.text, ReadOptions{})
			if lineOf(err) != tt.line || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error is %v, want r.jsonl:%d with %q", err, tt.line, tt.want)
			}
			if !strings.HasPrefix(err.Error(), fmt.Sprintf("r.jsonl:%d: ", tt.line)) {
				t.Errorf("error %q does not begin with file and line", err)
			}
		})
	}
}

func TestTruthsAreRewards(t *testing.T) {
	recs, _, err := readAll(`{"item":"a","reward":true}`+"\n"+`{"item":"a","reward":false,"parts":{"x":true,"y":false,"z":0.5}}`+"\n"+`{"item":"a","reward":null}`+"\n", ReadOptions{})
	if err != nil || len(recs) != 3 {
		t.Fatalf("%d records, %v", len(recs), err)
	}
	if *recs[0].Reward != 1 || *recs[1].Reward != 0 || recs[2].Outcome != GraderFailed {
		t.Errorf("%v, %v, %s", *recs[0].Reward, *recs[1].Reward, recs[2].Outcome)
	}
	if p := recs[1].Parts; p["x"] != 1 || p["y"] != 0 || p["z"] != 0.5 || len(p) != 3 {
		t.Errorf("parts %v", p)
	}
}

func TestReadNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "\uFEFF", "  \r\n", `{"item":"a`} {
		_, in, err := readAll(text, ReadOptions{})
		if !errors.Is(err, ErrNoRecords) || !strings.Contains(err.Error(), "r.jsonl") {
			t.Errorf("%q: error is %v, want ErrNoRecords with the file's name", text, err)
		}
		if in.Bad == nil {
			t.Errorf("%q: Bad is nil, which would be null in JSON", text)
		}
	}
}

func TestReadUnknownConflict(t *testing.T) {
	_, _, err := readAll("", ReadOptions{OnConflict: "newest"})
	if err == nil || !strings.Contains(err.Error(), "refuse, first or last") {
		t.Errorf("error is %v", err)
	}
}

// Whatever the size of reads and batches, the lines are the same.
func TestReadAcrossBatches(t *testing.T) {
	var b strings.Builder
	b.WriteString("\uFEFF")
	const lines = 3000
	for i := range lines {
		pad := strings.Repeat("x", i%700)
		if i == lines/2 {
			pad = strings.Repeat("long ", 3*batchBytes/5)
		}
		fmt.Fprintf(&b, `{"item":"i%d","reward":%d,"answer":"%s"}`+"\n", i, i, pad)
	}
	text := b.String()
	for name, rd := range map[string]io.Reader{
		"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)), "end with data": iotest.DataErrReader(strings.NewReader(text)),
	} {
		next := 0
		in, err := Read(context.Background(), "r", rd, ReadOptions{Workers: 3}, func(r *Record) error {
			if r.Line != next+1 || *r.Reward != float64(next) {
				return fmt.Errorf("record %d is line %d with reward %g", next, r.Line, *r.Reward)
			}
			next++
			return nil
		})
		if err != nil || in.Records != lines {
			t.Errorf("%s: %d records, error %v", name, in.Records, err)
		}
	}
	if _, err := Read(context.Background(), "r", iotest.OneByteReader(strings.NewReader(text[:2000])), ReadOptions{}, func(*Record) error { return nil }); err != nil {
		t.Errorf("byte by byte: %v", err)
	}
}

// A line may be as long as the limit, which is made small here, and a longer
// one is refused by its number.
func TestReadLongLines(t *testing.T) {
	const limit = 3 * batchBytes / 2
	read := func(length int) (Input, error) {
		head, tail := "{\"item\":\"b\",\"reward\":1,\"answer\":\"", "\"}\n"
		text := "{\"item\":\"a\",\"reward\":1}\n" + head + strings.Repeat("x", length-len(head)-len(tail)) + tail
		l := newLedger(Refuse)
		d := delivery{name: "r.jsonl", input: &l.input, take: l.takeResult, yield: func(*Record) error { return nil }}
		p := newPipeline(strings.NewReader(text), ReadOptions{}, Import)
		p.cut.most = limit
		err := p.run(context.Background(), d.batch)
		return l.input, err
	}
	if in, err := read(limit); err != nil || in.Records != 2 {
		t.Errorf("a line of the longest length: %+v, %v", in, err)
	}
	in, err := read(limit + 2*batchBytes)
	if lineOf(err) != 2 || !strings.Contains(err.Error(), "longer than 64 MB") || in.Records != 1 {
		t.Errorf("a longer line: %+v, %v", in, err)
	}
}

func TestReadStops(t *testing.T) {
	text := strings.Repeat(`{"item":"a","reward":1,"answer":"`+strings.Repeat("x", 1000)+"\"}\n", 5000)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tests := []struct {
		name  string
		rd    io.Reader
		yield func(*Record) error
		want  error
	}{
		{"an error of yield is returned as it is", strings.NewReader(text), func(r *Record) error {
			if r.Sample == 700 {
				return enough
			}
			return nil
		}, enough},
		{"a reader that fails", io.MultiReader(strings.NewReader(text), iotest.ErrReader(enough)), func(*Record) error { return nil }, enough},
		{"a reader that fails within a line", io.MultiReader(strings.NewReader(text+`{"item"`), iotest.ErrReader(enough)), func(*Record) error { return nil }, enough},
		{"the context ends", strings.NewReader(text), func(r *Record) error {
			if r.Sample == 300 {
				cancel()
			}
			if r.Sample > 300 {
				t.Error("a record came after the end of the context")
			}
			return nil
		}, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Read(ctx, "r", tt.rd, ReadOptions{Workers: 2}, tt.yield); !errors.Is(err, tt.want) {
				t.Errorf("error is %v, want %v", err, tt.want)
			}
		})
	}
}

// The order of lines does not change the set of winners.
func TestReadOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			sample, attempt := rapid.IntRange(0, 2).Draw(t, "sample"), rapid.IntRange(0, 3).Draw(t, "attempt")
			item := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "item")
			// the reward follows from the key, so equal keys are exact duplicates
			lines = append(lines, fmt.Sprintf(`{"item":%q,"sample":%d,"attempt":%d,"reward":%d}`, item, sample, attempt, sample*10+attempt))
		}
		shuffled := rapid.Permutation(lines).Draw(t, "order")
		one, oneIn, err := readAll(strings.Join(lines, "\n"), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		two, twoIn, err := readAll(strings.Join(shuffled, "\n"), ReadOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(winners(one), winners(two), sameJSON); diff != "" {
			t.Errorf("winners differ (-one +two):\n%s", diff)
		}
		if diff := cmp.Diff(oneIn, twoIn); diff != "" {
			t.Errorf("counts differ (-one +two):\n%s", diff)
		}
		before := make(map[Key]int)
		for _, r := range two {
			if r.Replaces != before[r.Key()] {
				t.Errorf("line %d replaces line %d, want %d", r.Line, r.Replaces, before[r.Key()])
			}
			before[r.Key()] = r.Line
		}
		if len(winners(one)) != oneIn.Records {
			t.Errorf("%d winners, but %d records are counted", len(winners(one)), oneIn.Records)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(strings.Join(recordSeeds[:2], "\n")), "")
	f.Add([]byte("\uFEFF{\"item\":7,\"reward\":NaN}\r\n\n{\"item\":8,\"sample\":1}\n{\"item\""), "first")
	f.Add([]byte("{\"item\":\"a\",\"sample\":0,\"reward\":1}\n{\"item\":\"a\",\"sample\":0,\"reward\":2}\n{\"item\":\"a\",\"sample\":0,\"attempt\":1,\"reward\":2}"), "last")
	f.Add([]byte("{\"item\":\"a\",\"outcome\":\"tool\",\"reward\":1}\n{\"item\":\"a\",\"grades\":[1,null]}\n"), "")
	f.Fuzz(func(t *testing.T, text []byte, onConflict string) {
		records, in, err := readAll(string(text), ReadOptions{OnConflict: Conflict(onConflict), Workers: 2})
		if err != nil {
			return
		}
		checkSum(t, in)
		var lines []string
		for _, r := range records {
			if r.Outcome == Graded && r.Reward == nil || r.Outcome.Missing() && r.Reward != nil {
				t.Errorf("record %s: outcome and reward contradict each other", show(r))
			}
			if err := r.check(Live); err != nil {
				t.Errorf("record %s was read but cannot be appended: %v", show(r), err)
			}
			b, err := r.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(b))
		}
		slices.Reverse(lines) // of conflicting lines, the first is now the one that won
		again, in2, err := readAll(strings.Join(lines, "\n"), ReadOptions{OnConflict: First})
		if err != nil {
			t.Fatalf("records that were read cannot be read again: %v\n%s", err, strings.Join(lines, "\n"))
		}
		if diff := cmp.Diff(winners(records), winners(again), sameJSON); diff != "" {
			t.Errorf("rewritten records differ (-first +second):\n%s", diff)
		}
		if len(in2.Bad) > 0 {
			t.Errorf("rewritten records are still bad: %v", in2.Bad)
		}
	})
}

// A compressed file, or one with \r alone between its lines, was said to be
// empty.
func TestAFileThatIsOneBrokenLineIsNotCalledEmpty(t *testing.T) {
	for _, text := range []string{"\x1f\x8b\x08\x00", "{\"item\":\"a\",\"reward\":1}\r{\"item\":\"b\",\"reward\":1}\r"} {
		_, err := Read(t.Context(), "r.jsonl", strings.NewReader(text), ReadOptions{}, func(*Record) error { return nil })
		if !errors.Is(err, ErrNoRecords) || !strings.Contains(err.Error(), "not JSON") {
			t.Errorf("%q: error is %v", text, err)
		}
	}
}
