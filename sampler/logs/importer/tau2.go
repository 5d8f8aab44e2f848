package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"path"
	"slices"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// tau2Bench reads results of tau2-bench (sierra-research/tau2-bench,
// src/tau2/data_model/simulation.py and message.py): an object with tasks and simulations, or with
// tasks only and a directory of simulations next to it.
var tau2Bench = Format{
	Name: "tau2-bench",
	Doc: "results.json of sierra-research/tau2-bench, with tasks and simulations, or with a directory simulations " +
		"next to it",
	Files: []string{"results.json"},
	From: Origin{
		Item:   "`task_id`; of several domains, `info.environment_info.domain_name` before it",
		Sample: "`trial`, or how often the task appeared before; of several files, later ones continue",
		Reward: "`reward_info.reward`",
		Failures: "`termination_reason`: infrastructure_error is not a 0; max_steps and too_many_errors are " +
			"`step_limit`",
	},
	Read: readTau2, sniff: sniffTau2,
}

func readTau2(ctx context.Context, in *intake) error {
	t := tau2Reader{intake: in, seed: maphash.MakeSeed(), same: make(map[string]uint64)}
	domains := make(map[string]bool)
	for _, f := range in.files {
		domain, err := tau2Domain(ctx, f)
		if err != nil {
			return err
		}
		domains[domain] = true
	}
	t.domains = len(domains) > 1
	for _, f := range in.files {
		t.file()
		t.tasks, t.trials, t.counted = make(map[string]json.RawMessage), make(map[tauKey]tau2Place),
			make(map[string]int)
		t.repeats = 0
		if err := t.read(ctx, f); err != nil {
			return err
		}
		t.plans.add(t.repeats * len(t.tasks))
	}
	t.notes()
	in.sendPlan(len(in.files), 0)
	in.noteMissing()
	return nil
}

// sniffTau2 looks for info with tasks or simulations.
func sniffTau2(f File) error {
	head, err := readHead(f)
	if err != nil {
		return err
	}
	_, info := head.keys["info"]
	_, tasks := head.keys["tasks"]
	_, simulations := head.keys["simulations"]
	long := f.mentions(`"agent_info"`) || f.mentions(`"num_trials"`) // the keys come after the part that was read
	if info && (tasks || simulations || long) {
		return nil
	}
	return fmt.Errorf("%w: it has no info with tasks or simulations", ErrUnrecognized)
}

type tau2Reader struct {
	*intake
	seed    maphash.Seed
	domains bool                       // there are several domains, each of which names its own tasks
	domain  string                     // of this file
	info    tau2Info                   // of this file
	tools   json.RawMessage            // tools that the model was offered, in this file
	same    map[string]uint64          // hash of each item's task
	tasks   map[string]json.RawMessage // of this file
	trials  map[tauKey]tau2Place
	counted map[string]int // simulations of each task without a trial
	repeats int            // num_trials of this file

	duplicates, unnumbered, users, early int
}

// tau2Info is what a log says about its run.
type tau2Info struct {
	Trials int `json:"num_trials"`
	Agent  struct {
		LLM  string          `json:"llm"`
		Kind json.RawMessage `json:"implementation"`
	} `json:"agent_info"`
	User struct {
		LLM  json.RawMessage `json:"llm"`
		Kind json.RawMessage `json:"implementation"`
	} `json:"user_info"`
	Environment struct {
		Domain string          `json:"domain_name"`
		Policy json.RawMessage `json:"policy"`
		Tools  json.RawMessage `json:"tool_defs"` // by name
	} `json:"environment_info"`
}

// tau2Domain reads the domain of a file, which comes before its simulations.
func tau2Domain(ctx context.Context, f File) (domain string, err error) {
	err = eachOf(ctx, f, []string{"simulations"}, func(key string, value json.RawMessage) error {
		var info tau2Info
		if key == "info" && jsontext.Unmarshal(value, &info) == nil {
			domain = info.Environment.Domain
		}
		return nil
	}, func(*array, []byte) error { return ended(errEnough) })
	if errors.Is(err, errEnough) {
		err = nil
	}
	return domain, err
}

// tau2Place is the location of a simulation and the hash of its text.
type tau2Place struct {
	where string
	hash  uint64
}

func (t *tau2Reader) read(ctx context.Context, f File) error {
	none := true
	err := eachElement(ctx, f, []string{"simulations"},
		func(key string, value json.RawMessage) error { return t.keep(f, key, value) },
		decodeTau2, func(a *array, raw []byte, s *tau2Simulation) error {
			none = false
			return t.simulation(f, fmt.Sprintf("simulation %d of %s", a.index, f.Name), raw, s)
		})
	if err == nil && none {
		return t.directory(ctx, f)
	}
	return err
}

// keep records the model and the tasks, which come before the simulations.
func (t *tau2Reader) keep(f File, key string, value json.RawMessage) error {
	var tasks []json.RawMessage
	switch key {
	case "info":
		var info tau2Info
		if jsontext.Unmarshal(value, &info) != nil {
			return nil
		}
		t.domain, t.tools = info.Environment.Domain, offered(valuesOf(info.Environment.Tools))
		t.repeats, t.info = info.Trials, info
		if err := t.setModel(f, info.Agent.LLM); err != nil {
			return lineError(f, 1, "%w", err)
		}
		return nil
	case "tasks":
	default:
		return nil
	}
	if err := jsontext.Unmarshal(value, &tasks); err != nil {
		return lineError(f, 1, `"tasks": %w`, err)
	}
	for _, task := range tasks {
		var head struct {
			ID json.RawMessage `json:"id"`
		}
		if jsontext.Unmarshal(task, &head) == nil {
			t.tasks[jsontext.TextOrJSON(head.ID)] = task
		}
	}
	return nil
}

// directory reads the simulations next to a results.json that holds none.
func (t *tau2Reader) directory(ctx context.Context, f File) error {
	dir := f.Beside("simulations")
	entries, err := fs.ReadDir(dir.FS, dir.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return lineError(f, 1, "it holds no simulations, and there is no directory simulations next to it: import "+
			"the whole run directory of tau2")
	}
	if err != nil {
		return dir.errorOf("read", err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", f.Name, err)
		}
		if !e.Type().IsRegular() || path.Ext(e.Name()) != ".json" {
			continue
		}
		file := f.Beside("simulations/" + e.Name())
		raw, err := readWhole(file)
		if err != nil {
			return err
		}
		s, err := decodeTau2(raw)
		if err == nil {
			err = t.simulation(file, file.Name, raw, s)
		}
		if err != nil {
			return stopped(file, 1, err)
		}
	}
	return nil
}

// readWhole reads a file that is one JSON value.
func readWhole(f File) (json.RawMessage, error) {
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	dec := json.NewDecoder(newConstants(rd))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return nil, lineError(f, 1, "broken JSON: %w", err)
	}
	return value, nil
}

func (t *tau2Reader) simulation(f File, where string, raw json.RawMessage, s *tau2Simulation) error {
	t.sink.beginRow(raw)
	id, err := wholeID("task_id", s.TaskID)
	if err != nil {
		return err
	}
	name := id
	if t.domains {
		name = t.domain + "/" + id
	}
	trial, err := t.trial(id, s.Trial)
	if err != nil {
		return err
	}
	k, now := tauKey{task: id, trial: trial}, tau2Place{where, maphash.Bytes(t.seed, raw)}
	if was, ok := t.trials[k]; ok {
		if was.hash == now.hash {
			t.duplicates++
			return nil
		}
		return fmt.Errorf("task %s, trial %d differs from %s: keep one of the two", id, trial, was.where)
	}
	t.trials[k] = now
	if was, seen := t.same[name]; seen && was != maphash.Bytes(t.seed, t.tasks[id]) {
		return fmt.Errorf("task %s is described differently from before: these are results on different tasks; "+
			"import them separately", id)
	}
	t.same[name] = maphash.Bytes(t.seed, t.tasks[id])
	t.users += s.users
	t.sink.tellExactly("agent", t.info.Agent.Kind)
	t.sink.tellExactly("user", t.info.User.Kind)
	t.sink.tellExactly("user_llm", t.info.User.LLM)
	t.sink.tell("policy", jsontext.TextOrJSON(t.info.Environment.Policy))
	known, err := knownTask(t.sink, t.split, name, t.tasks[id])
	if err == nil && !known {
		var row json.RawMessage
		if row, err = tau2Row(t.tasks[id], t.tools, s.talk); err == nil {
			err = t.item(f, 0, name, row)
		}
	}
	if err != nil {
		return err
	}
	rec, err := s.record(name, s.talk)
	if err != nil {
		return err
	}
	if rec.Outcome.OwnFailure() {
		t.early++
	}
	return t.record(rec, trial)
}

func (t *tau2Reader) trial(id string, trial *int) (int, error) {
	switch {
	case trial == nil:
		t.unnumbered++
		t.counted[id]++
		return t.counted[id] - 1, nil
	case *trial < 0:
		return 0, fmt.Errorf("trial is %d: trials count from 0", *trial)
	}
	return *trial, nil
}

// valuesOf returns the values of an object as a list, in the order of its keys; any other value is
// returned unchanged.
func valuesOf(object json.RawMessage) json.RawMessage {
	var byName map[string]json.RawMessage
	if jsontext.Unmarshal(object, &byName) != nil || byName == nil {
		return object
	}
	list := make([]json.RawMessage, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, byName[name])
	}
	values, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	return values
}

// tau2Row returns the task with its tools and what the simulated user says first; see tauReader.taskItem.
func tau2Row(task, tools json.RawMessage, talk []rollout.Message) (json.RawMessage, error) {
	row := make(map[string]json.RawMessage)
	if !isNone(task) && jsontext.Unmarshal(task, &row) != nil {
		row["task"] = task
	}
	var opening []rollout.Message
	for _, m := range talk {
		if m.Role == "system" || m.Role == "user" {
			opening = append(opening, m)
		}
		if m.Role == "user" {
			break
		}
	}
	if opening == nil {
		opening = []rollout.Message{}
	}
	messages, err := json.Marshal(opening)
	if err != nil {
		return nil, err
	}
	if row["messages"] = messages; tools != nil {
		row["tools"] = tools
	}
	return json.Marshal(row)
}

func (t *tau2Reader) notes() {
	if t.unnumbered > 0 {
		t.sink.note("item = task_id; %d %s", t.unnumbered,
			wording.Plural(t.unnumbered, "simulation[|s] [has|have] no trial: sample = how often the task appeared "+
				"before"))
	} else {
		t.sink.note("item = task_id, sample = trial, split = %s", t.split)
	}
	t.sink.note("an item shows the task and the user's first words of the first trial; the simulated user speaks " +
		"differently in every trial, and records hold all that was said")
	t.sink.noteCount(t.users, "tool call[|s] of the simulated user [is|are] left out, with [its answer: it "+
		"is|their answers: they are] not the model's")
	t.sink.noteCount(t.early, "simulation[|s] ended before the task was done (max_steps, too_many_errors, "+
		"agent_error, context_window_exceeded): the model's own failure")
	t.sink.noteCount(t.duplicates, "exact duplicate[|s] [was|were] left out")
}
