package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// gonogo reads lines in our own format, so plain JSONL from anywhere can be imported into a run
// directory.
var gonogo = Format{
	Name:  "gonogo",
	Doc:   `JSON lines like {"item":"q1","reward":0.5}, such as the rollouts.jsonl of another run`,
	Files: []string{rollout.RolloutsFile},
	From: Origin{
		Item:   "`item`, `split`",
		Sample: "`sample`, or the order of the lines; of an item in several files, later files continue",
		Reward: "`reward`",
		Failures: "`outcome`; an `error` or `error_kind` if that is missing, or `graded` without `grades`; a reward " +
			"that is missing, null or NaN is `grader`",
	},
	Read: readGonogo, sniff: sniffGonogo,
}

func readGonogo(ctx context.Context, in *intake) error {
	sink, numbers := in.sink, in.numbers
	for i, f := range in.files {
		var err error
		if in.files[i], err = f.asLines(isPlainLine); err != nil {
			return err
		}
	}
	opt := rollout.ReadOptions{OnConflict: in.opt.OnConflict, Split: in.split}
	var turns turnRows
	steps := make(map[int]bool)
	version := ""
	if in.opt.Item != itemKept {
		version = lineVersions(ctx, in.files, opt)
	}
	for _, f := range in.files {
		numbers.file()
		read, err := readLines(ctx, f, opt, func(r *rollout.Record) error {
			if version != "" {
				r.Step = versionOf(r, version)
			}
			r.Sample = numbers.inStep(r.Split, r.Item, r.Step, r.Sample)
			steps[r.Step] = true
			turns.add(string(r.Split)+r.Item, r.Reward, extraText(r))
			if sink.row != nil { // before the line is taken apart
				sink.row(field(r, in.opt.Item))
			}
			sink.facets.begin()
			for _, key := range slices.Sorted(maps.Keys(r.Extra)) {
				sink.tell(key, rawCell(r.Extra[key]).text)
			}
			if err := in.flat(f, r); err != nil {
				return err
			}
			callsOfMessages(r)
			return sink.record(r)
		})
		if err != nil {
			return err
		}
		noteGonogo(sink.forFile(f, in.files), read)
		if f.list != nil {
			sink.forFile(f, in.files).note("lines are the entries of %s", f.list.name())
		}
	}
	turns.note(sink)
	sink.note("item, split, sample and attempt are those of the lines; a line without a split is %s, lines without "+
		"a sample are numbered in the order of the file", opt.Split)
	sink.noteSteps(steps)
	return nil
}

// isPlainLine reports whether an object with these keys is itself a line.
func isPlainLine(keys []string) bool { return slices.Contains(keys, "item") }

// flat takes from a line the parts that it names as the column of a table, such as input_tokens and
// parts.style; see tableParts. What is not one value, such as a list of tool calls, and what cannot
// be read as that part stay as they are.
func (in *intake) flat(f File, r *rollout.Record) error {
	if r.Source != rollout.Import || len(r.Extra) == 0 {
		return nil
	}
	x := rowRecord{Record: *r}
	took := 0
	var prompt []rollout.Message
	for _, key := range slices.Sorted(maps.Keys(r.Extra)) {
		p, known := partCalled(key)
		value := r.Extra[key]
		switch {
		case !known || key == "step" || key == "finish": // which the line itself has
			continue
		case key == "prompt" && transcript.UntilAnswer(r.Messages) > 0: // the messages begin with it
			continue
		case key == "prompt" && jsontext.Unmarshal(value, &prompt) == nil:
			for len(prompt) > 0 && prompt[len(prompt)-1].Role == "assistant" { // not one of the examples
				prompt = prompt[:len(prompt)-1]
			}
		case len(value) > 0 && (value[0] == '{' && key != "more_parts" || value[0] == '['):
			continue
		default:
			before := x
			if err := p.set(&x, key, rawCell(value)); err != nil {
				x = before
				if strings.HasPrefix(key, "parts.") { // of which there may be any number
					key = "parts.NAME"
				}
				in.count("value[|s] under the name of a column, such as " + strconv.Quote(key) + ", could not be read as " +
					"that part and [is|are] kept as [it is|they are]")
				continue
			}
		}
		took++
		delete(x.Extra, key)
	}
	if took == 0 {
		return nil
	}
	if x.makeCalls(); len(x.Calls) > 0 && len(r.Calls) == 0 {
		in.count(unnamedCalls)
	}
	if len(x.Extra) == 0 {
		x.Extra = nil
	}
	*r = x.Record
	if x.prompt != "" {
		prompt = []rollout.Message{{Role: "user", Content: x.prompt}}
	}
	if len(prompt) == 0 {
		return nil
	}
	it := rollout.Item{ID: r.Item, Split: r.Split, Category: r.Category, Family: r.Family, Line: r.Line}
	return ended(sendItem(in.sink, f, it, prompt, nil))
}

// callsOfMessages takes the tool calls of a line that another tool wrote from its messages if the
// line does not list them.
func callsOfMessages(r *rollout.Record) {
	if r.Source != rollout.Import || len(r.Calls) > 0 {
		return
	}
	calls, turns := transcript.CallsOf(r.Messages, transcript.UnreportedStatus)
	if len(calls) == 0 && slices.ContainsFunc(r.Messages, answersTool) {
		return // calls were made in another form: their number is unknown
	}
	r.Calls, r.Turns = calls, cmp.Or(r.Turns, turns)
}

// answersTool reports whether a message holds the output of a tool.
func answersTool(m rollout.Message) bool {
	talks := slices.Contains([]string{"system", "developer", "user", "assistant"}, m.Role)
	return !talks || bytes.Contains(m.Parts, []byte(`"tool_`))
}

// readLines passes on the lines of one file that count.
func readLines(ctx context.Context, f File, opt rollout.ReadOptions,
	yield func(*rollout.Record) error,
) (rollout.Input, error) {
	rd, err := f.Open()
	if err != nil {
		return rollout.Input{}, err
	}
	defer rd.Close()
	if opt.OnConflict != rollout.Last {
		return rollout.Read(ctx, f.Name, rd, opt, yield)
	}
	last, err := lastLines(ctx, f, opt)
	if err != nil {
		return rollout.Input{}, err
	}
	return rollout.Read(ctx, f.Name, rd, opt, func(r *rollout.Record) error {
		if last[attempt{r.Key(), r.Attempt}] != r.Line {
			return nil
		}
		return yield(r)
	})
}

// attempt identifies what a run may hold only one line of.
type attempt struct {
	rollout.Key
	number int
}

// lastLines returns the line number that wins for each attempt when the later of two conflicting
// lines counts. The earlier lines must not be passed on: a run that held both would conflict again.
func lastLines(ctx context.Context, f File, opt rollout.ReadOptions) (map[attempt]int, error) {
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	opt.Lean = true
	last := make(map[attempt]int)
	_, err = rollout.Read(ctx, f.Name, rd, opt, func(r *rollout.Record) error {
		last[attempt{r.Key(), r.Attempt}] = r.Line
		return nil
	})
	return last, err
}

// sniffGonogo looks at the first line, or the first entry of a list.
func sniffGonogo(f File) error {
	const longest = 64 << 20
	f, err := f.asLines(isPlainLine)
	if err != nil {
		return err
	}
	rd, err := f.Open()
	if err != nil {
		return err
	}
	defer rd.Close()
	lines := bufio.NewReader(io.LimitReader(rd, longest))
	if _, err := skipSpace(lines); err != nil {
		return sniffError(f, err)
	}
	if first, err := lines.Peek(1); err != nil || first[0] != '{' {
		return fmt.Errorf("%w: its first line is not a JSON object", ErrUnrecognized)
	}
	line, err := lines.ReadBytes('\n')
	switch {
	case err != nil && f.list != nil:
		return fmt.Errorf("%w: the first entry of %s is broken", ErrUnrecognized, f.list.name())
	case err != nil && !errors.Is(err, io.EOF):
		return sniffError(f, err)
	}
	var keys map[string]json.RawMessage
	if jsontext.Unmarshal(line, &keys) != nil {
		if bytes.Contains(line, []byte(`"item"`)) {
			return nil // our format, but broken or with a bare NaN; reading it will report that
		}
		return fmt.Errorf("%w: its first line is not a JSON object", ErrUnrecognized)
	}
	if item := keys["item"]; len(item) == 0 || item[0] == '{' || item[0] == '[' {
		return fmt.Errorf(`%w: its first line names no "item"`, ErrUnrecognized)
	}
	if f.list != nil && keys["reward"] == nil && keys["outcome"] == nil {
		return fmt.Errorf(`%w: the first entry of %s has no "reward" and no "outcome"`, ErrUnrecognized, f.list.name())
	}
	return nil
}

// noteGonogo notes what was left out of or settled in one file.
func noteGonogo(sink Sink, in rollout.Input) {
	sink.noteCount(in.Duplicates, "exact duplicate[|s] [was|were] left out")
	sink.noteCount(in.Conflicts, "conflicting line[|s] [was|were] resolved by --on-conflict")
	if in.Torn > 0 {
		sink.note("the last line was incomplete and left out")
	}
	if len(in.Bad) > 0 {
		sink.note("%d %s; the first is that of line %d: %s", len(in.Bad),
			wording.Plural(len(in.Bad), "grade[|s] [was|were] left out"), in.Bad[0].Line, in.Bad[0].Why)
	}
}

// sniffError distinguishes an empty file from an unreadable one.
func sniffError(f File, err error) error {
	if errors.Is(err, io.EOF) {
		return errEmpty
	}
	return f.errorOf("read", err)
}

// skipSpace skips a byte order mark and white space and returns how many bytes they took.
func skipSpace(rd *bufio.Reader) (skipped int64, err error) {
	if bom, err := rd.Peek(3); err == nil && string(bom) == "\uFEFF" {
		n, err := rd.Discard(len(bom))
		if err != nil {
			return 0, err
		}
		skipped = int64(n)
	}
	for ; ; skipped++ {
		c, err := rd.ReadByte()
		if err != nil {
			return skipped, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return skipped, rd.UnreadByte()
		}
	}
}
