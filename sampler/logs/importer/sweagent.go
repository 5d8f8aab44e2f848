package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// sweAgent reads trajectories of SWE-agent (sweagent/agent/agents.py, get_trajectory_data) and
// mini-swe-agent (minisweagent/agents/default.py, serialize). They hold no grade: it is in a report
// of SWE-bench (swebench/harness/reporting.py, make_run_report).
var sweAgent = Format{
	Name:  "swe-agent",
	Doc:   "INSTANCE.traj of SWE-agent or INSTANCE.traj.json of mini-swe-agent, with SWE-bench's report of the run",
	Files: []string{"*.traj", "*.traj.json", "results.json"},
	From: Origin{
		Item:   "`instance_id`, or the file's name",
		Sample: "the order of the files: a repeat is another run's folder",
		Reward: "of the report with `resolved_ids`, or SWE-bench Pro's `eval_results.json`, that is given, or is " +
			"next to the trajectory or one folder above: 1 if resolved, 0 if unresolved or the patch is empty",
		Failures: "no report, or an instance that it does not list, is `grader`, never 0; so are `error_ids` and " +
			"`infra_failure_ids`; an `exit_status` of an API is `model_api`, of the environment `tool`, whatever " +
			"the grade; a cost, context, time or step limit is `step_limit`, and its grade counts",
	},
	Read: readSWEAgent, sniff: sniffSWE,
}

// sweReport is SWE-bench's report of a run.
type sweReport struct {
	where      string
	Submitted  []string `json:"submitted_ids"`
	Resolved   []string `json:"resolved_ids"`
	Unresolved []string `json:"unresolved_ids"`
	Empty      []string `json:"empty_patch_ids"`
	Broken     []string `json:"error_ids"`
	Infra      []string `json:"infra_failure_ids"`
}

func readReport(f File) (*sweReport, error) {
	text, err := readValue(f)
	if err != nil {
		return nil, err
	}
	if r := verdictsIn(f, text); r != nil {
		return r, nil
	}
	r := &sweReport{where: f.Name}
	return r, decodeObject(f, text, r, "resolved_ids", "submitted_ids")
}

// verdictsOf reads the report of SWE-bench Pro (eval_results.json): an object with true or false for
// each instance, by itself or as resolved, and null for one without a result. It returns nil for other
// files.
func verdictsOf(f File) *sweReport {
	text, err := readValue(f)
	if err != nil {
		return nil
	}
	return verdictsIn(f, text)
}

func verdictsIn(f File, text []byte) *sweReport {
	var verdicts map[string]json.RawMessage
	if jsontext.Unmarshal(text, &verdicts) != nil || len(verdicts) == 0 {
		return nil
	}
	r := &sweReport{where: f.Name}
	for _, id := range slices.Sorted(maps.Keys(verdicts)) {
		verdict := verdicts[id]
		var detailed struct {
			Resolved json.RawMessage `json:"resolved"`
		}
		if jsontext.Unmarshal(verdict, &detailed) == nil && len(detailed.Resolved) > 0 {
			verdict = detailed.Resolved
		}
		r.Submitted = append(r.Submitted, id)
		switch string(verdict) {
		case "true":
			r.Resolved = append(r.Resolved, id)
		case "false":
			r.Unresolved = append(r.Unresolved, id)
		case "null":
		default:
			return nil
		}
	}
	return r
}

// sweTrajectory is a trajectory file of either program.
type sweTrajectory struct {
	Instance string            `json:"instance_id"`
	History  []json.RawMessage `json:"history"`       // of SWE-agent
	Messages []json.RawMessage `json:"messages"`      // of mini-swe-agent
	Replay   json.RawMessage   `json:"replay_config"` // SWE-agent's configuration, as a string
	Info     json.RawMessage   `json:"info"`          // holds marks besides the keys that are read
	info     struct {
		Exit  json.RawMessage `json:"exit_status"`
		Stats struct {
			Sent     *float64 `json:"tokens_sent"`
			Received *float64 `json:"tokens_received"`
		} `json:"model_stats"`
		Config struct {
			Model struct {
				Name string `json:"model_name"`
			} `json:"model"`
		} `json:"config"`
		Exception string `json:"exception_str"`
	}
	marked

	talk    []rollout.Message // see conversation
	talkErr error
}

func sniffSWE(f File) error {
	head, err := readHead(f)
	if err != nil {
		return err
	}
	has := func(key string) bool { return head.keys[key] != nil }
	switch {
	case has("resolved_ids") && has("submitted_ids"), has("trajectory") &&
		(has("history") || has("info") || has("environment")), has("trajectory_format"), has("history") && has("info"):
		return nil
	case f.base() == "eval_results.json" && verdictsOf(f) != nil: // elsewhere, any object of truths
		return nil
	case strings.HasSuffix(f.base(), ".traj"), strings.HasSuffix(f.base(), ".traj.json"):
		return nil // its keys come after the part that was read
	}
	return fmt.Errorf("%w: it has no trajectory with history or messages", ErrUnrecognized)
}

func readSWEAgent(ctx context.Context, in *intake) error {
	s := sweReader{intake: in, reports: make(map[string][]*sweReport)}
	s.file()
	var trajectories []File
	err := eachFile(ctx, in.files, func(f File) (*sweReport, error) {
		report, err := readReport(f)
		if errors.Is(err, ErrUnrecognized) {
			return nil, nil
		}
		return report, err
	}, func(f File, report *sweReport) error {
		switch {
		case report == nil:
			trajectories = append(trajectories, f)
		case !f.found:
			s.named = append(s.named, report)
		}
		return nil
	})
	if err == nil {
		err = eachFile(ctx, trajectories, readTrajectory, func(f File, t *sweTrajectory) error {
			return stopped(f, 1, s.trajectory(f, t))
		})
	}
	if err != nil {
		return err
	}
	in.sink.note("item = instance_id, sample = the order of the files, split = %s", s.split)
	in.sink.noteCount(s.without, "rollout[|s] without a report of SWE-bench: give it next to the trajectories, as "+
		"results.json or eval_results.json in the run's folder or as a separate file")
	in.files = trajectories
	return nil
}

func readTrajectory(f File) (*sweTrajectory, error) {
	t := new(sweTrajectory)
	err := readObject(f, t)
	if err == nil && !isNone(t.Info) {
		t.mark("info", t.Info)
		if err = jsontext.Unmarshal(t.Info, &t.info); err != nil {
			err = lineError(f, 1, `"info": %w`, err)
		}
	}
	if err == nil {
		t.talk, t.talkErr = t.conversation()
	}
	return t, err
}

type sweReader struct {
	*intake
	named   []*sweReport
	reports map[string][]*sweReport // by folder
	without int
}

func (s *sweReader) trajectory(f File, t *sweTrajectory) error {
	id := t.Instance
	if id == "" {
		id = strings.TrimSuffix(strings.TrimSuffix(f.base(), ".json"), ".traj")
	}
	if err := s.setModel(f, t.model()); err != nil {
		return err
	}
	talk := t.talk
	if t.talkErr != nil {
		return t.talkErr
	}
	first := transcript.UntilAnswer(talk)
	if err := sendItem(s.sink, f, rollout.Item{ID: id, Split: s.split}, talk[:first], nil); err != nil {
		return err
	}
	talk = talk[first:]
	rec := &rollout.Record{Item: id, Messages: talk, Answer: transcript.LastAnswer(talk)}
	rec.Calls, rec.Turns = transcript.CallsOf(talk, transcript.UnreportedStatus)
	if sent := t.info.Stats.Sent; sent != nil && *sent > 0 { // replays and some servers report 0
		rec.Usage = rollout.Usage{Input: tokens(sent), Output: tokens(t.info.Stats.Received)}
	}
	reports, err := s.reportsFor(f)
	if err != nil {
		return err
	}
	if err := s.grade(rec, t, reports); err != nil {
		return err
	}
	return s.record(rec, s.again(id))
}

// model returns the model named in the configuration in the file; "" if there is none.
func (t *sweTrajectory) model() string {
	var replay struct {
		Agent struct {
			Model struct {
				Name string `json:"name"`
			} `json:"model"`
		} `json:"agent"`
	}
	_ = jsontext.Unmarshal([]byte(jsontext.TextOrJSON(t.Replay)), &replay)
	return cmp.Or(t.info.Config.Model.Name, replay.Agent.Model.Name)
}

// conversation returns the messages without demonstrations.
func (t *sweTrajectory) conversation() ([]rollout.Message, error) {
	var talk []rollout.Message
	var items []json.RawMessage // of the Responses API, which mini-swe-agent stores unchanged
	for i, text := range slices.Concat(t.History, t.Messages) {
		var m struct {
			transcript.ChatMessage
			Demo     bool     `json:"is_demo"`
			CallIDs  []string `json:"tool_call_ids"`
			Thinking []struct {
				Text string `json:"thinking"`
			} `json:"thinking_blocks"`
		}
		var kind struct {
			Type   string          `json:"type"`
			Object string          `json:"object"`
			Output json.RawMessage `json:"output"`
		}
		if jsontext.Unmarshal(text, &kind) == nil && (kind.Object == "response" || kind.Type != "") {
			var output []json.RawMessage
			if jsontext.Unmarshal(kind.Output, &output) == nil && kind.Object == "response" {
				items = append(items, output...)
			} else {
				items = append(items, text)
			}
			continue
		}
		if err := jsontext.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if m.Demo || m.Role == "exit" {
			continue
		}
		if m.ToolCallID == "" && len(m.CallIDs) == 1 {
			m.ToolCallID = m.CallIDs[0]
		}
		message, err := m.Message()
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		for _, block := range m.Thinking {
			if message.Reasoning == "" {
				message.Reasoning = block.Text
			}
		}
		talk = append(talk, message)
	}
	if len(items) == 0 {
		return talk, nil
	}
	list, err := json.Marshal(items)
	if err != nil {
		return nil, err
	}
	b, asked, _, err := trajectory(list)
	return slices.Concat(talk, asked, b.Messages), err
}

// reportsFor returns the reports that may list a trajectory: those that the caller named, or else
// those in its folder or the one above.
func (s *sweReader) reportsFor(f File) ([]*sweReport, error) {
	if len(s.named) > 0 {
		return s.named, nil
	}
	for _, folder := range []string{path.Dir(f.Path), path.Dir(path.Dir(f.Path))} {
		key := strings.TrimSuffix(filepath.Clean(f.Name), f.Path) + "\x00" + folder // the root of f.FS and the folder
		found, known := s.reports[key]
		if !known {
			entries, err := fs.ReadDir(f.FS, folder)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, f.errorOf("look for a report near", err)
			}
			for _, e := range entries {
				beside := File{Name: path.Join(folder, e.Name()), FS: f.FS, Path: path.Join(folder, e.Name())}
				if !e.Type().IsRegular() || path.Ext(e.Name()) != ".json" ||
					strings.HasSuffix(e.Name(), ".traj.json") ||
					sniffKeys(beside, "resolved_ids", "submitted_ids") != nil && verdictsOf(beside) == nil {
					continue
				}
				report, err := readReport(beside)
				if err != nil {
					return nil, err
				}
				found = append(found, report)
			}
			s.reports[key] = found
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// verdict returns the grade that the reports give an instance, or why there is none.
func verdict(id string, reports []*sweReport) (reward *float64, why string, err error) {
	var report *sweReport
	for _, r := range reports {
		listed := slices.ContainsFunc([][]string{r.Submitted, r.Resolved, r.Unresolved, r.Empty, r.Broken, r.Infra},
			func(ids []string) bool { return slices.Contains(ids, id) })
		switch {
		case listed && report != nil:
			return nil, "", fmt.Errorf("%s and %s both report on it: import each run separately, with its report",
				report.where, r.where)
		case listed:
			report = r
		}
	}
	value := func(v float64) (*float64, string, error) { return &v, "", nil }
	switch {
	case len(reports) == 0:
		return nil, "there is no report of SWE-bench", nil
	case report == nil:
		return nil, "the report of SWE-bench does not list it", nil
	case slices.Contains(report.Resolved, id):
		return value(1)
	case slices.Contains(report.Infra, id):
		return nil, "the report counts it among infra_failure_ids", nil
	case slices.Contains(report.Broken, id):
		return nil, "the report counts it among error_ids", nil
	case slices.Contains(report.Unresolved, id), slices.Contains(report.Empty, id):
		return value(0)
	}
	return nil, "the report has no result for it", nil
}

// sweExits maps exit_status to an outcome, by the first word that it contains
// (sweagent/agent/agents.py, forward_with_handling; minisweagent/exceptions.py; for other
// exceptions, their names).
var sweExits = []struct {
	word    string
	outcome rollout.Outcome
}{
	{"exit_api", rollout.ModelAPI},
	{"exit_environment_error", rollout.ToolFailed},
	{"exit_error", rollout.ModelAPI},
	{"exit_cost", rollout.StepLimit},
	{"exit_context", rollout.StepLimit},
	{"exit_command_timeout", rollout.StepLimit},
	{"exit_total_execution_time", rollout.StepLimit},
	{"LimitsExceeded", rollout.StepLimit},
	{"TimeExceeded", rollout.StepLimit},
	{"ContextWindowExceeded", rollout.StepLimit},
	{"submitted", rollout.Graded},
	{"Submitted", rollout.Graded},
	{"exit_", rollout.Graded}, // format, forfeit, command: the model's own failures
	{"RepeatedFormatError", rollout.Graded},
	{"skipped", rollout.Graded},
	{"early_exit", rollout.Graded},
}

func (s *sweReader) grade(rec *rollout.Record, t *sweTrajectory, reports []*sweReport) error {
	exit := jsontext.TextOrJSON(t.info.Exit)
	outcome := rollout.Graded
	if !failure.None(exit) {
		outcome = rollout.Boundary(exit)
		for _, e := range sweExits {
			if strings.Contains(exit, e.word) {
				outcome = e.outcome
				break
			}
		}
	}
	if boundary, cause := t.failure(rollout.ModelAPI); boundary != "" && failure.None(exit) {
		s.failed(rec, boundary, cause)
		return nil
	}
	if outcome.Missing() {
		s.failed(rec, outcome, strings.Trim(exit+": "+transcript.FirstLine(t.info.Exception), ": "))
		return nil
	}
	reward, why, err := verdict(rec.Item, reports)
	switch {
	case err != nil:
		return err
	case reward == nil:
		if len(reports) == 0 {
			s.without++
		}
		s.ungraded(rec, why)
	case outcome == rollout.StepLimit:
		s.limited(rec, reward, exit)
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}
