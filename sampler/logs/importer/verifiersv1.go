package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// verifiersV1 reads traces.jsonl of verifiers from layout v1 on, which 0.4 writes (verifiers/v1/episode.py, trace.py,
// graph.py): one episode per line.
var verifiersV1 = Format{
	Name:   "verifiers-v1",
	Scored: true,
	Doc: "traces.jsonl of verifiers 0.4 (layout v1), an episode a line, as prime-rl writes them, too, or the samples " +
		"of a training that Prime Intellect hosts (prime train rollouts)",
	Files: []string{"traces.jsonl"},
	From: Origin{
		Item: "`task.key`, or `task.data.idx` if there is none; of episodes with several trainable agents, " +
			"`key/agent`",
		Sample: "the order of an item's traces; in several files, later files continue",
		Reward: "the sum of `rewards` by `score` × `weight`, of traces with `agent.trainable` alone; single " +
			"rewards and `metrics` are `parts`; `--score NAME` takes one of them",
		Failures: "`ok` false, of the trace or of an episode without a trace that failed, is `model_api`, `tool` or " +
			"`grader` by the type of the last of `errors`; `errors` before are earlier attempts; without `ok`, " +
			"`errors` are a failure; a `stop_condition` that is a limit is `step_limit`; a reward that is null, or " +
			"none at all, is `grader`",
	},
	Read: readVerifiersV1, sniff: func(f File) error {
		if trained(f) {
			return nil
		}
		return sniffKeys(f, "traces", "task")
	},
}

type episode struct {
	ID  string `json:"id"`
	Run struct {
		Work struct {
			Type string          `json:"type"` // of prime-rl: train or eval
			Step *int            `json:"step"` // of prime-rl: the training step whose policy made it
			Env  json.RawMessage `json:"env"`
			// of prime-rl: the version of the policy when the rollout started
			Policy struct {
				Start json.RawMessage `json:"start"`
			} `json:"policy"`
		} `json:"work"`
	} `json:"run"`
	Env struct {
		ID json.RawMessage `json:"id"`
	} `json:"env"`
	Task struct {
		Key  string          `json:"key"`
		Set  json.RawMessage `json:"taskset"`
		Data json.RawMessage `json:"data"`
	} `json:"task"`
	OK     *bool          `json:"ok"`
	Errors []episodeError `json:"errors"`
	Traces []trace        `json:"traces"`
}

type episodeError struct {
	Type      string `json:"type"`
	Message   string `json:"message"`
	Traceback string `json:"traceback"`
}

type trace struct {
	Agent struct {
		Name      string          `json:"name"`
		Model     json.RawMessage `json:"model"`
		Trainable bool            `json:"trainable"`
	} `json:"agent"`
	Nodes []struct {
		Parent  *int                   `json:"parent"`
		Message transcript.ChatMessage `json:"message"`
	} `json:"nodes"`
	Calls []struct {
		Model  json.RawMessage `json:"model"`
		Finish string          `json:"finish_reason"`
		Error  json.RawMessage `json:"error"`
		Usage  *struct {
			Prompt     *int64 `json:"prompt_tokens"`
			Completion *int64 `json:"completion_tokens"`
			Cached     *int64 `json:"cached_input_tokens"`
			Reasoning  *int64 `json:"reasoning_tokens"`
		} `json:"usage"`
	} `json:"calls"`
	Tools     json.RawMessage         `json:"tools"`
	Rewards   map[string]*traceReward `json:"rewards"`
	Metrics   map[string]*float64     `json:"metrics"`
	OK        *bool                   `json:"ok"`
	Errors    []episodeError          `json:"errors"`
	Completed *bool                   `json:"is_completed"`
	Stop      string                  `json:"stop_condition"`
	Timing    map[string]any          `json:"timing"`
	Info      json.RawMessage         `json:"info"`
	marked
}

// UnmarshalJSON decodes a trace, and the marks of failure under other keys.
func (t *trace) UnmarshalJSON(text []byte) error {
	err := decodeInto(text, t)
	if t.stamp() == nil && !isNone(t.Info) {
		t.mark("info", t.Info)
	}
	return err
}

// stamp returns the stamp that our own export wrote into the info.
func (t *trace) stamp() *stamp { return stampIn(member(t.Info, "gonogo")) }

type traceReward struct {
	Score  *float64 `json:"score"`
	Weight *float64 `json:"weight"`
}

func readVerifiersV1(ctx context.Context, in *intake) error {
	in.files = in.allEpisodes()
	sink, files := in.sink, in.files
	r := episodeReader{
		intake: in, ids: make(map[string]string), steps: make(map[int]bool), folders: stepFolders(files),
		stamped: make(map[rollout.Key]bool),
	}
	for _, f := range files {
		r.tasks = make(map[string]bool)
		r.file()
		each, err := rolloutsEach(f)
		if err != nil {
			return err
		}
		if trained(f) {
			err = r.samples(ctx, f)
		} else {
			err = eachRow(ctx, f, sink.forFile(f, files), func(line int, e *episode) error { return r.episode(f, line, e) })
		}
		if err != nil {
			return err
		}
		r.plans.add(each * len(r.tasks))
	}
	sink.model(r.model.name)
	if r.plain > 0 {
		sink.note("item = task.key (task.data.idx if there is none); the file numbers no rollouts, so sample = how "+
			"often the item appeared before; split = %s", r.split)
	}
	sink.noteSteps(r.steps)
	in.noteStamps(len(r.stamped))
	if r.wanted != "" {
		sink.note("reward = %s, by --score", r.wanted)
	} else {
		sink.note("reward = sum of score x weight over the rewards of a trace; traces of agents that are not " +
			"trainable were left out")
	}
	if !r.teams && len(r.stamped) == 0 { // an episode is one rollout
		in.sendPlan(len(files), r.out)
	}
	return nil
}

// rolloutsEach returns how many rollouts per task the run of a file planned; 0 if its settings are
// missing. They do not say how many tasks it planned: select.limit is a maximum.
func rolloutsEach(f File) (each int, err error) {
	var settings struct {
		Each int `json:"num_rollouts"`
	}
	for _, name := range []string{"configs/resolved/eval.json", "configs/eval.json"} { // the second is older
		if settings.Each == 0 && err == nil {
			err = planBeside(f, name, &settings)
		}
	}
	return settings.Each, err
}

type episodeReader struct {
	*intake
	ids     map[string]string // the location of each episode
	steps   map[int]bool      // steps of the episodes
	out     int               // cancelled episodes
	folders map[string]int    // see stepFolders
	tasks   map[string]bool   // of the file that is being read
	teams   bool              // an episode has several traces that count
	stamped map[rollout.Key]bool
	plain   int // traces without a stamp
}

// step returns the training step of an episode; 0 if it has none.
func (e *episode) step() int {
	if s := e.Run.Work.Step; s != nil && *s > 0 {
		return *s
	}
	return 0
}

func (r *episodeReader) episode(f File, line int, e *episode) error {
	if step, ok := r.folders[f.Name]; ok && e.Run.Work.Step == nil {
		e.Run.Work.Step = &step
	}
	if e.ID != "" {
		if was := r.ids[e.ID]; was != "" {
			return fmt.Errorf("episode %s already occurs at %s: keep one of the two", e.ID, was)
		}
		r.ids[e.ID] = fmt.Sprintf("%s:%d", f.Name, line)
	}
	if e.cancelled() {
		r.out++
		r.count("rollout[|s] [was|were] cancelled and left out")
		return nil
	}
	var data struct {
		Idx    json.RawMessage `json:"idx"`
		System json.RawMessage `json:"system_prompt"`
		Prompt json.RawMessage `json:"prompt"`
	}
	if !isNone(e.Task.Data) && jsontext.Unmarshal(e.Task.Data, &data) != nil {
		return errors.New(`"task.data" is not an object`)
	}
	r.steps[e.step()] = true
	id := e.Task.Key
	if id == "" {
		id = jsontext.TextOrJSON(data.Idx)
	}
	if id == "" {
		return errors.New(`"task" has neither a key nor a data.idx`)
	}
	r.tasks[id] = true
	trained := slices.DeleteFunc(slices.Clone(e.Traces), func(t trace) bool { return !t.Agent.Trainable })
	if len(trained) == 0 && e.failed() {
		trained = []trace{{}} // the episode broke off before its first trace
	}
	several := slices.ContainsFunc(trained, func(t trace) bool { return t.Agent.Name != trained[0].Agent.Name })
	r.teams = r.teams || len(trained) > 1
	for i := range trained {
		item := id
		if several {
			item = id + "/" + trained[i].Agent.Name
		}
		if err := r.trace(f, e, item, &trained[i]); err != nil {
			return err
		}
	}
	return nil
}

// cancelled reports whether the episode ended because somebody stopped it, so that it says nothing about
// the model or the environment.
func (e *episode) cancelled() bool {
	all := slices.Clone(e.Errors)
	for _, t := range e.Traces {
		if t.OK != nil && *t.OK {
			return false
		}
		all = append(all, t.Errors...)
	}
	return e.failed() && len(all) > 0 && !slices.ContainsFunc(all, func(err episodeError) bool {
		return err.Type != "CancelledError" && err.Type != "KeyboardInterrupt"
	})
}

func (e *episode) failed() bool { return e.OK != nil && !*e.OK || e.OK == nil && len(e.Errors) > 0 }

func (r *episodeReader) trace(f File, e *episode, item string, t *trace) error {
	talk, err := t.conversation()
	if err != nil {
		return err
	}
	for _, c := range t.Calls {
		if err := r.model.check(f, jsontext.TextOrJSON(c.Model)); err != nil {
			return err
		}
	}
	ours := t.stamp()
	n := ours.prompt(len(talk), transcript.UntilAnswer(talk))
	split := r.split
	if e.Run.Work.Type == "eval" && r.opt.Split == "" {
		split = rollout.Eval
	}
	rec := &rollout.Record{
		Item: item, Split: ours.splitOr(split), Step: ours.step(e.step()), Source: rollout.Import, TraceID: e.ID,
		Messages: talk[n:], Answer: transcript.LastAnswer(talk),
	}
	if err := r.name(rec, ours); err != nil {
		return err
	}
	e.tell(r.sink, t)
	if err := r.sendItem(f, e, t, rec, talk[:n]); err != nil {
		return err
	}
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, transcript.UnreportedStatus)
	finished(rec, t.finish())
	rec.Usage = t.usage()
	rec.Started, rec.Elapsed = t.time()
	ours.finish(rec)
	var history []episodeError
	if !ours.ungraded(rec) {
		history = r.grade(rec, e, t)
		if ours != nil {
			for name := range t.Rewards { // the reward alone, which is no part
				delete(rec.Parts, name)
			}
			if len(rec.Parts) == 0 {
				rec.Parts = nil
			}
		}
		ours.outcome(rec)
	}
	for i, failed := range history {
		earlier := *rec
		earlier.Attempt, earlier.Reward, earlier.Parts = i, nil, nil
		earlier.Outcome, earlier.Error = failed.outcome(), transcript.FirstLine(failed.text())
		r.count("attempt[|s] that ended in an error [was|were] made again: [it is an earlier attempt|they are " +
			"earlier attempts]")
		if err := ended(r.sink.record(&earlier)); err != nil {
			return err
		}
	}
	rec.Attempt = len(history)
	return ended(r.sink.record(rec))
}

// name sets the sample of a record. Traces of our own export have it, and the item.
func (r *episodeReader) name(rec *rollout.Record, st *stamp) error {
	sample := st.names(rec, -1)
	if sample < 0 {
		r.plain++
		rec.Sample = r.numbers.another(rec.Split, rec.Item, rec.Step)
		return nil
	}
	rec.Sample = r.numbers.inStep(rec.Split, rec.Item, rec.Step, sample)
	return st.again(r.stamped, rec.Key())
}

// sendItem passes on the item of a trace, with the messages that come before the model's first.
func (r *episodeReader) sendItem(f File, e *episode, t *trace, rec *rollout.Record, asked []rollout.Message) error {
	if ok, err := sendStamped(r.sink, t.stamp(), rec, asked); ok {
		return err
	}
	return sendItem(r.sink, f, rollout.Item{ID: rec.Item, Split: rec.Split}, asked,
		map[string]json.RawMessage{"task": e.Task.Data, "tools": offered(t.Tools)})
}

// tell records the policy and the environment of a trace.
func (e *episode) tell(sink Sink, t *trace) {
	sink.tell("agent", t.Agent.Name)
	sink.tellExactly("model", t.Agent.Model)
	if e.Run.Work.Step == nil {
		sink.tellExactly("policy", e.Run.Work.Policy.Start)
	}
	sink.tell("env", jsontext.TextOrJSON(e.Run.Work.Env))
	sink.tell("env_id", jsontext.TextOrJSON(e.Env.ID))
	sink.tellExactly("taskset", e.Task.Set)
	sink.tellExactly("task.data", e.Task.Data)
}

// stepFolder matches the folder in which prime-rl and SkyRL keep the rollouts of a training step, and those
// of people who evaluate one checkpoint after the other.
var stepFolder = regexp.MustCompile(
	`(?:^|[/\\])(?:global_)?(?:step|checkpoint|ckpt)[_-](\d{1,9})(?:_evals)?[/\\](?:[^/\\]*[/\\]){0,2}[^/\\]*$`)

// stepIn returns the step that a folder on the path of a file names.
func stepIn(name string) (step int, ok bool) {
	m := stepFolder.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	step, _ = strconv.Atoi(m[1])
	return step, true
}

// stepFolders returns the step of each file, by name, if the files are in the folders of several
// steps; nil otherwise.
func stepFolders(files []File) map[string]int {
	stepOf, steps := make(map[string]int), make(map[int]bool)
	for _, f := range files {
		if n, ok := stepIn(f.Name); ok {
			stepOf[f.Name], steps[n] = n, true
		}
	}
	if len(steps) < 2 {
		return nil
	}
	return stepOf
}

// conversation returns the messages on the path to the last leaf of the graph.
func (t *trace) conversation() ([]rollout.Message, error) {
	leaf := len(t.Nodes) - 1 // a parent precedes its children, so the last node is a leaf
	var path []rollout.Message
	for node := leaf; node >= 0; {
		m, err := t.Nodes[node].Message.Message()
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", node, err)
		}
		path = append(path, m)
		parent := t.Nodes[node].Parent
		if parent == nil {
			break
		}
		if *parent < 0 || *parent >= node {
			return nil, fmt.Errorf("node %d: its parent is %d, which does not precede it", node, *parent)
		}
		node = *parent
	}
	slices.Reverse(path)
	return path, nil
}

// finish returns why the last successful call ended, or "length" if a token limit ended the trace
// (Trace.is_truncated of verifiers/v1/trace.py).
func (t *trace) finish() string {
	for _, c := range slices.Backward(t.Calls) {
		if isNone(c.Error) && c.Finish != "" {
			return c.Finish
		}
	}
	switch t.Stop {
	case "max_input_tokens", "max_output_tokens", "max_total_tokens", "context_length":
		return "length"
	}
	return ""
}

// usage sums the usage of the calls. A count that is missing in one call is unknown.
func (t *trace) usage() rollout.Usage {
	var u rollout.Usage
	for i, c := range t.Calls {
		if c.Usage == nil {
			return rollout.Usage{}
		}
		input := c.Usage.Prompt
		if input != nil && c.Usage.Cached != nil { // prompt_tokens excludes cached tokens
			sum := *input + *c.Usage.Cached
			input = &sum
		}
		more := rollout.Usage{
			Input: input, Output: c.Usage.Completion, Cached: c.Usage.Cached, Reasoning: c.Usage.Reasoning,
		}
		if i > 0 {
			more = u.Plus(more)
		}
		u = more
	}
	return u
}

// time returns the start and the duration until the last recorded end.
func (t *trace) time() (time.Time, rollout.Seconds) {
	start, ok := t.Timing["start"].(float64)
	began := seconds(&start)
	if !ok || began == 0 {
		return time.Time{}, 0
	}
	last := start
	for _, span := range t.Timing {
		if s, ok := span.(map[string]any); ok {
			if end, ok := s["end"].(float64); ok {
				last = max(last, end)
			}
		}
	}
	took := last - start
	return time.Unix(0, int64(began)).UTC(), seconds(&took)
}

// text returns the error in words.
func (e *episodeError) text() string { return strings.Trim(e.Type+": "+e.Message, ": ") }

func (e *episodeError) outcome() rollout.Outcome { return rollout.Boundary(e.Type + " " + e.Message) }

// verdict reports whether a trace failed. ok decides if it is set, first that of the trace, then
// that of the episode; errors are the history of attempts. An episode fails when one of its traces
// fails: the second result reports that another trace failed, and this one keeps its grade.
func (e *episode) verdict(t *trace) (failed, beside bool) {
	failed = t.OK != nil && !*t.OK || t.OK == nil && len(t.Errors) > 0
	if failed || !e.failed() {
		return failed, false
	}
	beside = t.OK != nil &&
		slices.ContainsFunc(e.Traces, func(other trace) bool { return other.OK != nil && !*other.OK })
	return !beside, beside
}

// grade sets outcome, reward and parts, and returns the errors of the earlier attempts.
func (r *episodeReader) grade(rec *rollout.Record, e *episode, t *trace) (history []episodeError) {
	failed, beside := e.verdict(t)
	history = t.Errors
	if failed || !beside {
		history = slices.Concat(e.Errors, t.Errors)
	}
	if failed && len(history) > 0 {
		last := len(history) - 1
		r.failed(rec, history[last].outcome(), history[last].text())
		return history[:last]
	}
	if failed {
		r.failed(rec, rollout.ModelAPI, "ok is false")
		return nil
	}
	if boundary, cause := t.failure(rollout.ModelAPI); boundary != "" && t.OK == nil {
		r.failed(rec, boundary, cause)
		return history
	}
	if beside {
		r.count("rollout[|s] of an episode in which another one failed [keeps its grade|keep their grades]")
	}
	r.offer(slices.Collect(maps.Keys(t.Rewards))...)
	r.offer(slices.Collect(maps.Keys(t.Metrics))...)
	reward, all, why := t.reward(r.wanted)
	switch {
	case reward == nil:
		r.ungraded(rec, why)
		return history
	case isLimit(t.Stop) && !oneTurn(rec, t.Stop):
		r.limited(rec, reward, t.Stop)
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	rec.Parts = all
	return history
}

// reward sums the rewards, in the order of their names, or returns the one that is wanted. A null
// reward was not given: then there is no sum.
func (t *trace) reward(wanted string) (reward *float64, all map[string]float64, why string) {
	all = parts(t.Metrics, wanted)
	if all == nil {
		all = make(map[string]float64)
	}
	names := slices.Sorted(maps.Keys(t.Rewards))
	sum, missing := 0.0, ""
	for _, name := range names {
		value := t.Rewards[name]
		if value == nil || value.Score == nil {
			missing = name
			continue
		}
		all[name] = *value.Score
		weight := 1.0
		if value.Weight != nil {
			weight = *value.Weight
		}
		sum += *value.Score * weight
	}
	if wanted != "" {
		value, ok := all[wanted]
		if m := t.Metrics[wanted]; !ok && m != nil {
			value, ok = *m, true
		}
		delete(all, wanted)
		if !ok {
			return nil, nil, fmt.Sprintf("it has no reward or metric %q", wanted)
		}
		return &value, all, ""
	}
	switch {
	case len(names) == 0:
		return nil, nil, "it has no rewards"
	case missing != "":
		return nil, nil, fmt.Sprintf("reward %s was not given", missing)
	case math.IsInf(sum, 0) || math.IsNaN(sum):
		return nil, nil, "its rewards do not sum to a number"
	}
	return &sum, all, ""
}
