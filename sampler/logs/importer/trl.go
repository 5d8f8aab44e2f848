package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// trlCompletions reads what GRPOTrainer and RLOOTrainer of TRL write at each logging step with
// log_completions=True (trl/trainer/grpo_trainer.py, log): one row per completion of the last
// generation, with a column per reward function. The file does not hold the trainer's sum of them.
var trlCompletions = Format{
	Name:   "trl",
	Scored: true,
	Doc: "completions_STEP.parquet of TRL (log_completions=True), with step, prompt, completion and a column for " +
		"each reward function",
	Files: []string{"completions_*.parquet"},
	From: Origin{
		Item:   "a hash of `prompt`; `step` is that of the record",
		Sample: "the order of a prompt's rows; of a generation that is logged in several steps, the first counts",
		Reward: "the sum of the columns of the reward functions, where `advantage` follows from it; they are " +
			"`parts`; `--score NAME` takes one, `--score A+0.5*B` gives weights",
		Failures: "None from all reward functions is `grader`; None from one adds nothing",
	},
	Read: readTRL, sniff: sniffTRL,
}

// trlRow is one row: one completion.
type trlRow struct {
	step               string
	prompt, completion json.RawMessage
	rewards            []*float64 // in the order of trlTable.columns
	advantage          *float64
	sum                uint64 // hash of all columns but the step
	marked
}

// trlTable is a file, with its numeric columns; those of reward functions come first.
type trlTable struct {
	*parquetFile
	columns []string
}

func openTRL(f File) (*trlTable, error) {
	p, err := parquetOf(f)
	if err != nil {
		return nil, err
	}
	t := &trlTable{parquetFile: p}
	has := make(map[string]bool)
	err = p.guard(func() error {
		for _, c := range p.file.Schema().Fields() {
			has[c.Name()] = true
			if boolean := c.Leaf() && c.Type().Kind() == parquet.Boolean; boolean && failure.Names(c.Name()) {
				continue
			}
			if c.Leaf() && !slices.Contains([]string{"step", "advantage"}, c.Name()) &&
				slices.Contains([]string{"DOUBLE", "FLOAT", "INT64", "INT32", "BOOLEAN"}, c.Type().Kind().String()) {
				t.columns = append(t.columns, c.Name())
			}
		}
		return nil
	})
	if err == nil && !(has["step"] && has["prompt"] && has["completion"] && len(t.columns) > 0) {
		err = fmt.Errorf("%w: it has no columns step, prompt and completion, and of a reward function", ErrUnrecognized)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return t, nil
}

// each reads the rows of the file.
func (t *trlTable) each(ctx context.Context, yield func(line int, row *trlRow) error) error {
	line := 0
	return t.named(ctx, t.file.Objects(ctx, func(text json.RawMessage) error {
		line++
		row, err := t.decode(text)
		if err == nil {
			err = yield(line, row)
		}
		return ended(stopped(t.File, line, err))
	}))
}

func (t *trlTable) decode(text []byte) (*trlRow, error) {
	row := &trlRow{rewards: make([]*float64, len(t.columns))}
	sum := fnv.New64a()
	err := rollout.Members(text, func(key string, value []byte) (err error) {
		if key == "step" {
			row.step = jsontext.TextOrJSON(value)
			return nil
		}
		fmt.Fprintf(sum, "%q:%s,", key, value)
		switch index := slices.Index(t.columns, key); {
		case key == "prompt":
			row.prompt = bytes.Clone(value)
		case key == "completion":
			row.completion = bytes.Clone(value)
		case key == "advantage":
			row.advantage, err = number(key, value)
		case index >= 0 && (string(value) == "true" || string(value) == "false"):
			truth := float64(len("false") - len(value)) // 1 for true, 0 for false
			row.rewards[index] = &truth
		case index >= 0:
			row.rewards[index], err = number(key, value)
		default:
			row.mark(key, value)
		}
		return err
	})
	row.sum = sum.Sum64()
	return row, err
}

func sniffTRL(f File) error {
	t, err := openTRL(f)
	if err == nil {
		t.close()
	}
	return err
}

func readTRL(ctx context.Context, in *intake) error {
	terms, err := scoreTerms(in.opt.Score)
	if err != nil {
		return err
	}
	r := trlReader{stepLog: newStepLog(in), terms: terms}
	for _, f := range in.files {
		if err := r.look(ctx, f); err != nil {
			return err
		}
	}
	if err := r.settle(in.files); err != nil {
		return err
	}
	for i, f := range in.files {
		if i > 0 && r.files[i] == r.files[i-1] {
			r.repeats++
			continue
		}
		r.file()
		if err := r.read(ctx, f); err != nil {
			return err
		}
	}
	r.noteItems()
	in.sink.note("reward = %s", r.formula())
	if 2*r.unlike > r.weighed {
		in.sink.note("the advantages of %d of %d groups do not follow from this reward: the trainer used other weights "+
			"(reward_weights), or scaled each function separately", r.unlike, r.weighed)
	}
	in.sink.noteCount(r.repeats, "step[|s] [repeats|repeat] all rows of the step before: one generation served "+
		"several steps, and was counted once")
	in.sink.note("token counts, times and the ends of replies are not in these files: unknown, not zero")
	r.noteMissing()
	return nil
}

// term is a summand of the reward.
type term struct {
	name   string
	weight float64
}

// scoreTerms parses --score as NAME or as a sum such as A+0.5*B.
func scoreTerms(score string) ([]term, error) {
	if score == "" {
		return nil, nil
	}
	var terms []term
	for text := range strings.SplitSeq(score, "+") {
		t := term{strings.TrimSpace(text), 1}
		if weight, name, weighted := strings.Cut(t.name, "*"); weighted {
			w, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
			if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("--score %s: %q is not a weight: write A+0.5*B", score, weight)
			}
			t = term{strings.TrimSpace(name), w}
		}
		terms = append(terms, t)
	}
	return terms, nil
}

type trlReader struct {
	*stepLog
	terms           []term // of the reward
	names           []string
	files           []uint64 // hashes of the rows of each file
	repeats         int      // files that equal the one before
	weighed, unlike int      // groups by whose advantages the terms of --score can be checked; those that contradict them
	checked         [][2]int // by number of summed columns: groups whose advantages follow from the sum, and others
}

// look is the first reading of a file. It finds the number of columns from whose sum the advantages
// follow.
func (r *trlReader) look(ctx context.Context, f File) error {
	t, err := openTRL(f)
	if err != nil {
		return err
	}
	defer t.close()
	if r.names == nil {
		r.names, r.checked = t.columns, make([][2]int, len(t.columns)+1)
	} else if !slices.Equal(r.names, t.columns) && len(r.terms) == 0 {
		return lineError(f, 1, "its columns of numbers are %s, but those of earlier files are %s: import each "+
			"training separately, or name the reward with --score", strings.Join(t.columns, ", "),
			strings.Join(r.names, ", "))
	}
	var group []*trlRow
	end := func() {
		if follows, conclusive := advantagesFollow(group, func(row *trlRow) *float64 {
			return row.weighted(r.terms, t.columns)
		}); len(r.terms) > 0 && conclusive {
			r.weighed++
			if !follows {
				r.unlike++
			}
		}
		for n := 1; len(r.terms) == 0 && n <= len(t.columns); n++ {
			first := func(row *trlRow) *float64 { return row.reward(n) }
			if follows, conclusive := advantagesFollow(group, first); conclusive && follows {
				r.checked[n][0]++
			} else if conclusive {
				r.checked[n][1]++
			}
		}
		group = group[:0]
	}
	rows := fnv.New64a()
	err = t.each(ctx, func(_ int, row *trlRow) error {
		fmt.Fprint(rows, row.sum, ",")
		if len(group) > 0 && !bytes.Equal(group[0].prompt, row.prompt) {
			end()
		}
		group = append(group, &trlRow{prompt: row.prompt, rewards: row.rewards, advantage: row.advantage})
		return nil
	})
	end()
	r.files = append(r.files, rows.Sum64())
	return err
}

// advantagesFollow reports whether the advantages of a group equal the rewards of its rows up to a
// shift by the mean and a factor, which every way of scaling preserves. It is not conclusive if
// nothing in the group varies.
func advantagesFollow(group []*trlRow, reward func(*trlRow) *float64) (follows, conclusive bool) {
	var sums, advantages []float64
	for _, row := range group {
		if sum := reward(row); sum != nil && row.advantage != nil {
			sums, advantages = append(sums, *sum), append(advantages, *row.advantage)
		}
	}
	if len(sums) < 2 {
		return false, false
	}
	centre(sums)
	centre(advantages)
	var most, dot, norm float64
	for i, a := range advantages {
		most = max(most, math.Abs(sums[i]))
		dot += a * sums[i]
		norm += a * a
	}
	const small = 1e-3 // float32, and the 1e-4 that TRL adds to the deviation
	if norm < small*small {
		return most < small, most >= small
	}
	factor := dot / norm
	for i, a := range advantages {
		if math.Abs(sums[i]-factor*a) > small*max(most, small) {
			return false, true
		}
	}
	return factor > 0, true
}

func centre(values []float64) {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for i := range values {
		values[i] -= mean
	}
}

// reward sums the first n columns; nil if none of them has a value.
func (row *trlRow) reward(n int) *float64 {
	var sum *float64
	for _, v := range row.rewards[:n] {
		if v != nil {
			if sum == nil {
				sum = new(float64)
			}
			*sum += *v
		}
	}
	return sum
}

// weighted sums the terms of the reward; nil if none of them has a value.
func (row *trlRow) weighted(terms []term, columns []string) *float64 {
	var sum *float64
	for _, t := range terms {
		if i := slices.Index(columns, t.name); i >= 0 && row.rewards[i] != nil {
			if sum == nil {
				sum = new(float64)
			}
			*sum += t.weight * *row.rewards[i]
		}
	}
	return sum
}

// settle decides what the reward is. Columns of a reward function's log_extra come after those of
// the functions. If the advantages follow from several numbers of columns, the largest number
// counts.
func (r *trlReader) settle(files []File) error {
	if len(r.terms) > 0 {
		return nil
	}
	checked := false
	for n := len(r.names); n > 0; n-- {
		yes, no := r.checked[n][0], r.checked[n][1]
		checked = checked || yes+no > 0
		if yes > no {
			r.sum(n)
			return nil
		}
	}
	if checked {
		return lineError(files[0], 1, "the advantages do not follow from the sum of %s: the trainer gave weights "+
			"(reward_weights), or scaled each function separately; --score says what the reward is, such as --score %q",
			strings.Join(r.names, ", "), "0.5*"+strings.Join(r.names, "+"))
	}
	r.sum(len(r.names))
	return nil
}

func (r *trlReader) sum(n int) {
	for _, name := range r.names[:n] {
		r.terms = append(r.terms, term{name, 1})
	}
}

func (r *trlReader) formula() string {
	var texts []string
	for _, t := range r.terms {
		if t.weight != 1 {
			t.name = strconv.FormatFloat(t.weight, 'g', -1, 64) + " x " + t.name
		}
		texts = append(texts, t.name)
	}
	return strings.Join(texts, " + ")
}

func (r *trlReader) read(ctx context.Context, f File) error {
	t, err := openTRL(f)
	if err != nil {
		return err
	}
	defer t.close()
	for _, term := range r.terms {
		if !slices.Contains(t.columns, term.name) {
			return lineError(f, 1, "there is no column of numbers %q for the reward; those are %s", term.name,
				strings.Join(t.columns, ", "))
		}
	}
	return t.each(ctx, func(line int, row *trlRow) error { return r.row(f, line, t, row) })
}

func (r *trlReader) row(f File, line int, t *trlTable, row *trlRow) error {
	prompt, err := transcript.Messages(row.prompt, "user")
	if err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	talk, err := transcript.Messages(row.completion, "assistant")
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	if len(prompt) == 0 {
		return errors.New("prompt is empty, but it identifies the item")
	}
	step, err := r.step(row.step)
	if err != nil {
		return err
	}
	id := hash(row.prompt)
	if err := r.prompted(f, line, rollout.Item{ID: id}, prompt, nil); err != nil {
		return err
	}
	for _, m := range talk {
		for i := range m.ToolCalls {
			m.ToolCalls[i].Arguments = withoutNulls(m.ToolCalls[i].Arguments)
		}
	}
	rec := &rollout.Record{Item: id, Step: step, Messages: talk, Answer: transcript.LastAnswer(talk)}
	rec.Calls, rec.Turns = transcript.CallsOf(talk, trlStatus)
	reward := row.weighted(r.terms, t.columns)
	if reward != nil && math.IsInf(*reward, 0) {
		return errors.New("the reward is too large")
	}
	if o, cause := row.failure(rollout.GraderFailed); o != "" {
		fail(rec, o, cause)
	} else if grade(rec, reward, "every reward function returned None"); reward != nil {
		for i, name := range t.columns {
			setParts(rec, name, row.rewards[i])
		}
	}
	return r.record(rec, r.next(id, step))
}

// trlStatus returns how a tool call ended. TRL shows the model an exception of a tool as Python prints the
// dict {"error": ...} (GRPOTrainer._tool_call_loop).
func trlStatus(answer *rollout.Message) (rollout.CallStatus, string) {
	if cause, failed := strings.CutPrefix(answer.Content, "{'error': "); failed && strings.HasSuffix(cause, "}") {
		return rollout.CallError, strings.Trim(cause, "'\"}")
	}
	return rollout.CallOK, ""
}

// withoutNulls removes null arguments of a call: the column has the arguments of all tools, and
// null where a call does not use one.
func withoutNulls(arguments string) string {
	var all map[string]json.RawMessage
	if jsontext.Unmarshal([]byte(arguments), &all) != nil {
		return arguments
	}
	n := len(all)
	for name, value := range all {
		if string(value) == "null" {
			delete(all, name)
		}
	}
	if len(all) == n {
		return arguments
	}
	text, err := json.Marshal(all)
	if err != nil {
		return arguments
	}
	return string(text)
}
