package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path/filepath"
	"regexp"
	"strconv"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// tauBench reads results of tau-bench v1 (sierra-research/tau-bench, tau_bench/run.py and
// types.py): one JSON array of {task_id, reward, info, traj, trial}.
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
	Read: readTauBench, sniff: sniffTauBench,
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

func readTauBench(ctx context.Context, in *intake) error {
	t := tauReader{
		intake: in, seed: maphash.MakeSeed(),
		tasks: make(map[string]*tauTask), trials: make(map[tauKey]tauTrial), texts: make(map[uint64]*array),
	}
	for _, f := range in.files {
		if err := in.model.check(f, tauModel(f)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		t.file()
		err := eachElement(ctx, f, nil, nil, decodeTauEntry, func(a *array, raw []byte, e *tauEntry) error {
			t.array = a
			return t.entry(raw, e)
		})
		if err != nil {
			return err
		}
	}
	return t.finish()
}

// tauName matches the file names of tau-bench: STRATEGY-MODEL-TEMPERATURE_range_... .
var tauName = regexp.MustCompile(`^(.+)-[\d.]+_range_-?\d+-.*_user-.*\.json$`)

// tauModel returns the strategy and the model in a file's name; "" if the name has another form.
func tauModel(f File) string {
	if m := tauName.FindStringSubmatch(f.base()); m != nil {
		return m[1]
	}
	return ""
}

// sniffTauBench looks at the first element.
func sniffTauBench(f File) error {
	a, err := openArrayIn(f, nil, nil)
	if err != nil {
		return err
	}
	defer a.close()
	raw, err := a.next(context.Background())
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

// tauReader remembers the tasks and trials of its files, but not their text.
type tauReader struct {
	*intake
	array  *array // of the file that is being read
	seed   maphash.Seed
	tasks  map[string]*tauTask
	order  []string // ids of tasks in order of first appearance
	trials map[tauKey]tauTrial
	texts  map[uint64]*array // the array in which an entry with a trial last occurred, by the entry's hash

	entries    int
	counted    int // entries without a trial, numbered here
	duplicates int
	failures   int
	unrewarded int
}

type tauTask struct {
	array  *array // of the file that named the task first
	index  int    // of the entry in it
	number bool
	task   uint64 // hash of the task's description; 0 until one was seen
	sent   bool   // the item was passed to the sink
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

func decodeTauEntry(raw []byte) (*tauEntry, error) {
	if !isTauEntry(raw) {
		return nil, errors.New("it is not an object with task_id and traj")
	}
	e, err := decodeRow[tauEntry](raw)
	if err == nil {
		e.mark("error", e.Info.Error)
	}
	return e, err
}

func (t *tauReader) entry(raw json.RawMessage, e *tauEntry) error {
	t.sink.beginRow(raw)
	id, task, err := t.task(e)
	if err != nil {
		return err
	}
	trial, err := t.trial(e, id)
	if err != nil {
		return err
	}
	k, now := tauKey{t.array, id, trial}, tauTrial{t.array.index, t.array.start, maphash.Bytes(t.seed, raw)}
	was, seen := t.trials[k]
	switch copied := t.texts[now.hash]; {
	case seen && (was.hash != now.hash || e.Trial == nil):
		return t.conflict(k, was)
	case seen, e.Trial != nil && copied != nil && copied != t.array:
		t.duplicates++
		return nil
	}
	t.trials[k], t.texts[now.hash] = now, t.array
	if err := t.taskItem(id, task, e); err != nil {
		return err
	}
	rec := &rollout.Record{Item: id}
	if err := t.fill(rec, e); err != nil {
		return err
	}
	return t.record(rec, trial)
}

func (t *tauReader) conflict(k tauKey, was tauTrial) error {
	line, offset, err := t.array.position(was.start)
	if err != nil {
		return err
	}
	return fmt.Errorf("task %s, trial %d differs from entry %d (line %d, byte %d): keep one of the two", k.task,
		k.trial, was.index, line, offset)
}

// task records the entry's task and returns its id as text.
func (t *tauReader) task(e *tauEntry) (string, *tauTask, error) {
	id, number := jsontext.TextOrJSON(e.TaskID), e.TaskID[0] != '"'
	if _, err := strconv.ParseInt(id, 10, 64); id == "" || number && err != nil {
		return "", nil, fmt.Errorf("task_id must be a whole number or a string, not %s", e.TaskID)
	}
	task := t.tasks[id]
	if task == nil {
		task = &tauTask{array: t.array, index: t.array.index, number: number}
		t.tasks[id] = task
		t.order = append(t.order, id)
	}
	if task.number != number {
		return "", nil, fmt.Errorf("task_id %s is a number here and a string in %s, or the other way round: "+
			"write it the same way everywhere", id, t.place(task))
	}
	if isNone(e.Info.Task) {
		return id, task, nil
	}
	hash := maphash.Bytes(t.seed, e.Info.Task)
	if task.task != 0 && task.task != hash {
		return "", nil, fmt.Errorf("task %s is described differently from before (first in %s): these are "+
			"results on different tasks; import them separately", id, t.place(task))
	}
	task.task = hash
	return id, task, nil
}

// place names the entry that first named a task.
func (t *tauReader) place(task *tauTask) string {
	if task.array == t.array {
		return fmt.Sprintf("entry %d", task.index)
	}
	return fmt.Sprintf("%s, entry %d", task.array.src.Name, task.index)
}

// trial returns the sample number: the trial or, if the file has none, the number of earlier
// entries of the task.
func (t *tauReader) trial(e *tauEntry, id string) (int, error) {
	if (e.Trial == nil) != (t.counted > 0) && t.entries > 0 {
		return 0, errors.New("some entries have a trial and some do not: number all of them or none")
	}
	t.entries++
	if e.Trial == nil {
		t.counted++
		return t.again(id), nil
	}
	if *e.Trial < 0 {
		return 0, fmt.Errorf("trial is %d: trials count from 0", *e.Trial)
	}
	return *e.Trial, nil
}

// taskItem passes on the task as an item, once, as soon as an entry has a conversation. The user is
// simulated and speaks differently in every trial: the item shows the first one.
func (t *tauReader) taskItem(id string, task *tauTask, e *tauEntry) error {
	known, err := knownTask(t.sink, t.split, id, nil)
	if known || err != nil || len(e.Traj) == 0 {
		return err
	}
	task.sent = true
	row := make(map[string]json.RawMessage)
	if !isNone(e.Info.Task) && jsontext.Unmarshal(e.Info.Task, &row) != nil {
		row = map[string]json.RawMessage{"task": e.Info.Task}
	}
	if row["messages"], err = json.Marshal(opening(e.Traj)); err != nil {
		return err
	}
	it := t.newItem(id)
	if it.Row, err = json.Marshal(row); err != nil {
		return err
	}
	if err := it.Decode(); err != nil {
		return err
	}
	return ended(t.sink.item(it))
}

func (t *tauReader) newItem(id string) rollout.Item {
	return rollout.Item{ID: id, Split: t.split, File: filepath.Base(t.array.src.Name)}
}

// opening returns the system message and the user's first message.
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
		if err := t.sink.item(t.newItem(id)); err != nil {
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
	t.sink.noteCount(t.failures, "[entry|entries] ended in an exception, which tau-bench writes as reward 0: "+
		"[it is a failure|they are failures] (model_api), not [a zero|zeros]")
	t.sink.noteCount(t.unrewarded, "[entry has|entries have] no reward: [it is a missing grade|they are missing "+
		"grades] (grader), not [a zero|zeros]")
	t.sink.noteCount(t.duplicates, "exact duplicate[|s] [was|were] left out")
	return nil
}

func isNone(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) == 0 || string(v) == "null"
}
