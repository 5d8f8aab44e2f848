package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strconv"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// tauBench reads results of tau-bench v1 (sierra-research/tau-bench,
// tau_bench/run.py and types.py): one JSON array of
// {task_id, reward, info, traj, trial}.
var tauBench = Format{
	Name:  "tau-bench",
	Doc:   "results of sierra-research/tau-bench, a JSON array with task_id, trial, reward and traj",
	Files: []string{"*.json"},
	From: Origin{
		Item:   "`task_id`",
		Sample: "`trial`, or the order of a task's entries; of a task in several files, later files continue",
		Reward: "`reward`",
		Failures: "an entry with `info.error`, or with an empty `traj` and reward 0, is `model_api`; a reward that " +
			"is missing, null or NaN is `grader`",
	},
	Read: readTauBench,
}

// tauEntry is one element of the array: one trial of one task.
type tauEntry struct {
	TaskID json.RawMessage   `json:"task_id"`
	Trial  *int              `json:"trial"`
	Reward json.RawMessage   `json:"reward"`
	Info   tauInfo           `json:"info"`
	Traj   []rollout.Message `json:"traj"`
	marked
}

type tauInfo struct {
	Task      json.RawMessage `json:"task"`
	Error     json.RawMessage `json:"error"`
	Traceback string          `json:"traceback"`
}

func readTauBench(ctx context.Context, src Source, sink Sink) error {
	files, left, err := src.sniffed(ctx, func(f File) error { return sniffTauBench(ctx, f) })
	if err != nil {
		return err
	}
	t := tauReader{
		sink: sink, split: src.Options.split(), seed: maphash.MakeSeed(), numbers: newOnward(),
		tasks: make(map[string]*tauTask), trials: make(map[tauKey]tauTrial), texts: make(map[uint64]*array),
	}
	var models oneModel
	for _, f := range files {
		if err := models.check(f, tauModel(f)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := t.file(ctx, f); err != nil {
			return err
		}
	}
	if err := t.finish(); err != nil {
		return err
	}
	sink.noteFiles(files, left)
	return nil
}

// tauName matches how tau-bench names its results: STRATEGY-MODEL-TEMPERATURE_range_... .
var tauName = regexp.MustCompile(`^(.+)-[\d.]+_range_-?\d+-.*_user-.*\.json$`)

// tauModel returns the strategy and the model by the name of a file; "" if it has another one.
func tauModel(f File) string {
	if m := tauName.FindStringSubmatch(path.Base(f.Path)); m != nil {
		return m[1]
	}
	return ""
}

// sniffTauBench looks at the first element.
func sniffTauBench(ctx context.Context, f File) error {
	a, err := openArray(f)
	if err != nil {
		return err
	}
	defer a.close()
	raw, err := a.next(ctx)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the array is empty", ErrUnrecognized)
	}
	if _, broken := errors.AsType[*rollout.LineError](err); broken && !f.mentions("task_id") {
		return fmt.Errorf("%w: its first element names no task_id", ErrUnrecognized)
	}
	if err == nil && !isTauEntry(raw) {
		return fmt.Errorf("%w: its first element is not an object with task_id and traj", ErrUnrecognized)
	}
	return err
}

func isTauEntry(raw json.RawMessage) bool {
	var keys map[string]json.RawMessage
	return jsontext.Unmarshal(raw, &keys) == nil && keys["task_id"] != nil && keys["traj"] != nil
}

func (t *tauReader) file(ctx context.Context, f File) error {
	a, err := openArray(f)
	if err != nil {
		return err
	}
	defer a.close()
	t.array = a
	t.numbers.file()
	for {
		raw, err := a.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.entry(raw); err != nil {
			return err
		}
	}
}

// tauReader remembers the tasks and trials of its files, not their text.
type tauReader struct {
	array   *array // of the file that is being read
	sink    Sink
	split   rollout.Split
	seed    maphash.Seed
	numbers *onward
	tasks   map[string]*tauTask
	order   []string // ids of tasks as they appeared
	trials  map[tauKey]tauTrial
	texts   map[uint64]*array // where an entry with a trial was last, by its hash

	entries    int
	counted    int // entries without a trial, numbered by us
	duplicates int
	failures   int
	ungraded   int
}

type tauTask struct {
	array  *array // of the file that named it first
	index  int    // of the entry there
	number bool
	trials int    // entries without a trial so far, in all files
	task   uint64 // hash of its description; 0 while none was seen
	sent   bool   // the item went to the sink
}

type tauKey struct {
	array *array
	task  string
	trial int
}

type tauTrial struct {
	index int
	start int64
	hash  uint64
}

func (t *tauReader) entry(raw json.RawMessage) error {
	t.sink.at(raw)
	if !isTauEntry(raw) {
		return t.array.errorf("it is not an object with task_id and traj")
	}
	var e tauEntry
	err := members(raw, map[string]any{
		"task_id": &e.TaskID, "trial": &e.Trial, "reward": &e.Reward, "traj": &e.Traj,
		"info": &e.Info, "": &e.marks,
	})
	if err != nil {
		return t.array.errorf("%w", err)
	}
	e.mark("error", e.Info.Error)
	id, task, err := t.task(e)
	if err != nil {
		return err
	}
	trial, err := t.trial(e, task)
	if err != nil {
		return err
	}
	k, now := tauKey{t.array, id, trial}, tauTrial{t.array.index, t.array.start, maphash.Bytes(t.seed, raw)}
	was, there := t.trials[k]
	switch copied := t.texts[now.hash]; {
	case there && (was.hash != now.hash || e.Trial == nil):
		return t.conflict(k, was)
	case there, e.Trial != nil && copied != nil && copied != t.array:
		t.duplicates++
		return nil
	}
	t.trials[k], t.texts[now.hash] = now, t.array
	if err := t.item(id, task, e); err != nil {
		return err
	}
	if e.Trial != nil {
		trial = t.numbers.sample(t.split, id, trial)
	}
	rec, err := t.record(id, trial, e)
	if err != nil {
		return err
	}
	return t.sink.record(rec)
}

func (t *tauReader) conflict(k tauKey, was tauTrial) error {
	line, offset, err := t.array.position(was.start)
	if err != nil {
		return err
	}
	return t.array.errorf("task %s, trial %d differs from entry %d (line %d, byte %d): keep one of the two", k.task,
		k.trial, was.index, line, offset)
}

// task books the entry's task and returns its id as text.
func (t *tauReader) task(e tauEntry) (string, *tauTask, error) {
	id, number := jsontext.TextOrJSON(e.TaskID), e.TaskID[0] != '"'
	if _, err := strconv.ParseInt(id, 10, 64); id == "" || number && err != nil {
		return "", nil, t.array.errorf("task_id must be a whole number or a string, not %s", e.TaskID)
	}
	task := t.tasks[id]
	if task == nil {
		task = &tauTask{array: t.array, index: t.array.index, number: number}
		t.tasks[id] = task
		t.order = append(t.order, id)
	}
	if task.number != number {
		return "", nil, t.array.errorf("task_id %s is a number here and a string in %s, or the other way round: "+
			"write it the same way everywhere", id, t.place(task))
	}
	if isNone(e.Info.Task) {
		return id, task, nil
	}
	hash := maphash.Bytes(t.seed, e.Info.Task)
	if task.task != 0 && task.task != hash {
		return "", nil, t.array.errorf("task %s is described differently from before (first in %s): these are "+
			"results on different tasks; import them one by one", id, t.place(task))
	}
	task.task = hash
	return id, task, nil
}

// place names the entry that named a task first.
func (t *tauReader) place(task *tauTask) string {
	if task.array == t.array {
		return fmt.Sprintf("entry %d", task.index)
	}
	return fmt.Sprintf("%s, entry %d", task.array.src.Name, task.index)
}

// trial returns the sample number: the trial, or the count of entries of the
// task when the file numbers none.
func (t *tauReader) trial(e tauEntry, task *tauTask) (int, error) {
	if (e.Trial == nil) != (t.counted > 0) && t.entries > 0 {
		return 0, t.array.errorf("some entries have a trial and some do not: number all of them or none")
	}
	t.entries++
	if e.Trial == nil {
		t.counted++
		task.trials++
		return task.trials - 1, nil
	}
	if *e.Trial < 0 {
		return 0, t.array.errorf("trial is %d: trials count from 0", *e.Trial)
	}
	return *e.Trial, nil
}

// item passes on the task as an item, once, as soon as an entry shows its
// conversation. The user is simulated and speaks differently in every trial:
// the first one stands for all.
func (t *tauReader) item(id string, task *tauTask, e tauEntry) error {
	known, err := knownTask(t.sink, t.split, id, nil)
	if known || err != nil || len(e.Traj) == 0 {
		return err
	}
	task.sent = true
	row := make(map[string]json.RawMessage)
	if !isNone(e.Info.Task) && jsontext.Unmarshal(e.Info.Task, &row) != nil {
		row = map[string]json.RawMessage{"task": e.Info.Task}
	}
	messages, err := json.Marshal(opening(e.Traj))
	if err != nil {
		return t.array.errorf("%w", err)
	}
	row["messages"] = messages
	return t.sendItem(id, row)
}

func (t *tauReader) sendItem(id string, row map[string]json.RawMessage) error {
	it := rollout.Item{ID: id, Split: t.split, File: filepath.Base(t.array.src.Name)}
	if row != nil {
		var err error
		if it.Row, err = json.Marshal(row); err != nil {
			return t.array.errorf("%w", err)
		}
	}
	if err := it.Decode(); err != nil {
		return t.array.errorf("%w", err)
	}
	return t.sink.item(it)
}

// opening returns what every trial begins with: the system message and what
// the user says first.
func opening(traj []rollout.Message) []rollout.Message {
	n := 0
	if n < len(traj) && traj[n].Role == "system" {
		n++
	}
	if n < len(traj) && traj[n].Role == "user" {
		n++
	}
	return traj[:n]
}

// finish passes on the tasks that failed in every trial, and the notes.
func (t *tauReader) finish() error {
	for _, id := range t.order {
		if t.tasks[id].sent {
			continue
		}
		if err := t.sendItem(id, nil); err != nil {
			return err
		}
	}
	if t.counted > 0 {
		t.sink.note("item = task_id; the file numbers no trials, so sample = how often the task appeared before")
	} else {
		t.sink.note("item = task_id, sample = trial, split = %s", t.split)
	}
	t.sink.note("an item shows the system message and the user's first words of the first trial; the simulated user " +
		"speaks differently in every trial, and records hold all that was said")
	t.sink.note("token counts and times are not in these files: unknown, not zero")
	if t.failures > 0 {
		t.sink.noteCount(t.failures, "[entry|entries] ended in an exception, which tau-bench writes as reward 0: "+
			"[it is a failure|they are failures] (model_api), not [a zero|zeros]")
	}
	if t.ungraded > 0 {
		t.sink.noteCount(t.ungraded, "[entry has|entries have] no reward: [it is a missing grade|they are missing "+
			"grades] (grader), not [a zero|zeros]")
	}
	if t.duplicates > 0 {
		t.sink.noteCount(t.duplicates, "exact duplicate[|s] [was|were] left out")
	}
	return nil
}

func isNone(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) == 0 || string(v) == "null"
}
