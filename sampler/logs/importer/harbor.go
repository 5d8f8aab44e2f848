package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// harbor reads the trials of a job of Harbor, the harness of Terminal-Bench 2
// (harbor/models/trial/result.py): result.json in the folder of each trial, and the conversation in
// agent/trajectory.json next to it, in the Agent Trajectory Interchange Format
// (harbor/models/trajectories).
var harbor = Format{
	Name:   "harbor",
	Scored: true,
	Doc:    "result.json of each trial of Harbor (Terminal-Bench 2), with its agent/trajectory.json (ATIF)",
	Files:  []string{"result.json"},
	From: Origin{
		Item:   "`task_name`",
		Sample: "the order of the trials of a task",
		Reward: "`verifier_result.rewards`: the one that `--score` names, else `reward`, else the first; the others " +
			"are `parts`",
		Failures: "`exception_info.exception_type`, of the trial or a step: a failed verifier is `grader`, a " +
			"sandbox `tool`, anything else `model_api`, whatever the reward; time or context used up is " +
			"`step_limit`, and its reward counts; no reward is `grader`; a trial without a token and a trajectory, " +
			"where others have them, is `tool`; trials that were cancelled or are running are left out",
	},
	Read: readHarbor, keys: []string{"trial_name", "task_name"},
}

type harborTrial struct {
	Task  string `json:"task_name"`
	Name  string `json:"trial_name"`
	Agent struct {
		Name  string `json:"name"`
		Model *struct {
			Name     string `json:"name"`
			Provider string `json:"provider"`
		} `json:"model_info"`
	} `json:"agent_info"`
	Result *harborContext `json:"agent_result"`
	Graded *struct {
		Rewards map[string]json.RawMessage `json:"rewards"`
	} `json:"verifier_result"`
	Source    json.RawMessage  `json:"source"`        // of the task
	Checksum  json.RawMessage  `json:"task_checksum"` // of the task
	Exception *harborException `json:"exception_info"`
	Started   string           `json:"started_at"`
	Finished  string           `json:"finished_at"`
	Steps     []struct {
		Name      string           `json:"step_name"`
		Result    *harborContext   `json:"agent_result"`
		Exception *harborException `json:"exception_info"`
	} `json:"step_results"`
	marked

	talk    *atif // its trajectory, or those of its steps
	talkErr error
	traced  bool // there is a trajectory
}

type harborContext struct {
	Input  *int64 `json:"n_input_tokens"`
	Cached *int64 `json:"n_cache_tokens"`
	Output *int64 `json:"n_output_tokens"`
}

type harborException struct {
	Type    string `json:"exception_type"`
	Message string `json:"exception_message"`
}

func readTrial(f File) (*harborTrial, error) {
	t := new(harborTrial)
	return t, readObject(f, t, "trial_name", "task_name", "task_checksum")
}

func readHarbor(ctx context.Context, in *intake) error {
	h := harborReader{intake: in}
	h.file()
	if err := h.look(in.files); err != nil {
		return err
	}
	err := eachFile(ctx, in.files, func(f File) (*harborTrial, error) {
		t, err := readTrial(f)
		if err == nil {
			t.converse(f)
		}
		return t, err
	}, func(f File, t *harborTrial) error { return stopped(f, 1, h.trial(f, t)) })
	if err != nil {
		return err
	}
	in.sink.note("item = task_name, sample = the order of a task's trials, split = %s", h.split)
	if h.several {
		in.sink.note("there are several rewards, and %s counts; --score NAME selects another", h.wanted)
	}
	in.sink.noteCount(h.untraced, "trial[|s] [has|have] no trajectory.json: [its conversation|their conversations] "+
		"and tool calls are unknown")
	in.sendPlan(h.jobs, h.out)
	return nil
}

type harborReader struct {
	*intake
	untraced int // trials without a trajectory

	reports   bool // the agent reports tokens or trajectories
	jobs, out int  // number of jobs; trials left out
}

// look counts the planned trials of all jobs, and finds out whether the agent reports what it does.
func (h *harborReader) look(files []File) error {
	jobs := make(map[string]bool)
	for _, f := range files {
		if job := filepath.Dir(filepath.Dir(f.Name)); !jobs[job] {
			jobs[job] = true
			var run struct {
				Trials int `json:"n_total_trials"`
			}
			if err := planBeside(f, "../result.json", &run); err != nil {
				return err
			}
			h.plans.add(run.Trials)
		}
		t, err := readTrial(f)
		if err != nil {
			return err
		}
		h.reports = h.reports || t.began(f)
	}
	h.jobs = len(jobs)
	return nil
}

// began reports whether the trial has a token count or a trajectory.
func (t *harborTrial) began(f File) bool {
	var rec rollout.Record
	t.fill(&rec)
	for _, n := range []*int64{rec.Usage.Input, rec.Usage.Output} {
		if n != nil && *n > 0 {
			return true
		}
	}
	for _, folder := range t.folders() {
		beside := f.Beside(path.Join(folder, "trajectory.json"))
		if _, err := fs.Stat(beside.FS, beside.Path); err == nil {
			return true
		}
	}
	return false
}

// folders returns where the conversations of the trial and its steps may be.
func (t *harborTrial) folders() []string {
	folders := []string{"agent"}
	for _, s := range t.Steps {
		if s.Name != "" && path.Base(s.Name) == s.Name && !strings.Contains(s.Name, `\`) {
			folders = append(folders, path.Join("steps", s.Name, "agent"))
		}
	}
	return folders
}

func (h *harborReader) trial(f File, t *harborTrial) error {
	if t.Task == "" {
		return errors.New(`"task_name" is empty`)
	}
	exception := t.raised()
	switch {
	case exception != nil && harborFailures[exception.Type] == "cancelled":
		h.out++
		h.count("trial[|s] [was|were] cancelled, and left out")
		return nil
	case exception == nil && t.Graded == nil && t.Finished == "":
		h.out++
		h.count("trial[|s] [was|were] running, and left out")
		return nil
	}
	model := t.Agent.Name
	if m := t.Agent.Model; m != nil {
		model = strings.TrimPrefix(m.Provider+"/"+m.Name, "/") + " (" + t.Agent.Name + ")"
	}
	if err := h.setModel(f, model); err != nil {
		return err
	}
	if t.talkErr != nil {
		return t.talkErr
	}
	if !t.traced {
		h.untraced++
	}
	talk := t.talk
	h.sink.tellExactly("source", t.Source)
	h.sink.tellExactly("task_checksum", t.Checksum)
	if err := sendItem(h.sink, f, rollout.Item{ID: t.Task, Split: h.split}, talk.prompt, nil); err != nil {
		return err
	}
	rec := &rollout.Record{
		Item: t.Task, Messages: talk.Messages, Calls: talk.Calls, Turns: talk.Turns,
		Answer: talk.answer(),
	}
	t.fill(rec)
	if err := h.grade(rec, t, exception); err != nil {
		return err
	}
	if h.reports && !rec.Outcome.Missing() && !t.began(f) {
		h.failed(rec, rollout.ToolFailed,
			"the agent never started: there are no tokens and no trajectory, unlike in other trials")
	}
	return h.record(rec, h.again(t.Task))
}

// converse reads the trajectory of a trial, or those of its steps.
func (t *harborTrial) converse(f File) {
	t.talk = new(atif)
	for _, folder := range t.folders() {
		switch err := t.talk.read(f.Beside(path.Join(folder, "trajectory.json"))); {
		case err == nil:
			t.traced = true
		case !errors.Is(err, fs.ErrNotExist):
			t.talkErr = err
			return
		}
	}
}

// raised returns the exception that ended the trial: its own, or the first of its steps.
func (t *harborTrial) raised() *harborException {
	if t.Exception != nil {
		return t.Exception
	}
	for _, s := range t.Steps {
		if s.Exception != nil {
			return s.Exception
		}
	}
	return nil
}

func (t *harborTrial) fill(rec *rollout.Record) {
	contexts := []*harborContext{t.Result}
	if t.Result == nil {
		contexts = nil
		for _, s := range t.Steps {
			contexts = append(contexts, s.Result)
		}
	}
	for i, c := range contexts {
		var u rollout.Usage
		if c != nil {
			u = rollout.Usage{Input: positive(c.Input), Output: positive(c.Output), Cached: positive(c.Cached)}
		}
		if i == 0 {
			rec.Usage = u
			continue
		}
		rec.Usage = rec.Usage.Plus(u)
	}
	rec.Started, rec.Elapsed = span(t.Started, t.Finished)
}

// positive returns a token count, or nil if it is missing or negative.
func positive(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}

// span returns the start time and the duration.
func span(started, finished string) (time.Time, rollout.Seconds) {
	begun, ended := pythonTime(started), pythonTime(finished)
	if begun.IsZero() || ended.Before(begun) {
		return begun, 0
	}
	took := ended.Sub(begun).Seconds()
	return begun, seconds(&took)
}

// harborFailures maps an exception to an outcome or "cancelled"
// (harbor/models/trial/error_policy.py). Exceptions that are not listed are failures of the model
// API.
var harborFailures = map[string]rollout.Outcome{
	"AgentTimeoutError": rollout.StepLimit, "ContextWindowExceededError": rollout.StepLimit,
	"ContextLengthExceededError": rollout.StepLimit,
	"OutputTokenExceededError":   rollout.StepLimit, "OutputLengthExceededError": rollout.StepLimit,

	"AgentSafetyRefusalError": rollout.NoAnswer, "ContentPolicyViolationError": rollout.NoAnswer,

	"VerifierTimeoutError": rollout.GraderFailed, "RewardFileNotFoundError": rollout.GraderFailed,
	"RewardFileEmptyError":     rollout.GraderFailed,
	"VerifierOutputParseError": rollout.GraderFailed, "AddTestsDirError": rollout.GraderFailed,
	"DownloadVerifierDirError": rollout.GraderFailed,

	"EnvironmentStartTimeoutError": rollout.ToolFailed, "SandboxBuildFailedError": rollout.ToolFailed,
	"AgentSetupTimeoutError": rollout.ToolFailed,
	"HealthcheckError":       rollout.ToolFailed, "SandboxLikelyOutOfMemoryError": rollout.ToolFailed,
	"MemoryLimitExceededError": rollout.ToolFailed,
	"SSHAccessError":           rollout.ToolFailed, "GKEExecStreamClosedError": rollout.ToolFailed,
	"GKEPodNotFoundError": rollout.ToolFailed, "RuntimeRequestError": rollout.ToolFailed,

	"CancelledError": "cancelled",
}

func (h *harborReader) grade(rec *rollout.Record, t *harborTrial, exception *harborException) error {
	var reward *float64
	parts := make(map[string]*float64)
	if t.Graded != nil {
		names := slices.Sorted(maps.Keys(t.Graded.Rewards))
		h.choose(names, "reward")
		for _, name := range names {
			read := number
			if name == h.wanted {
				read = h.reward
			}
			v, err := read("the reward "+name, t.Graded.Rewards[name])
			if err != nil {
				return err
			}
			if parts[name] = v; name == h.wanted {
				reward = v
			}
		}
		delete(parts, h.wanted)
	}
	outcome, cause := t.failure(rollout.ModelAPI)
	if exception != nil {
		outcome, cause = cmp.Or(harborFailures[exception.Type], rollout.ModelAPI),
			strings.Trim(exception.Type+": "+transcript.FirstLine(exception.Message), ": ")
	}
	switch {
	case outcome.Missing():
		h.failed(rec, outcome, cause)
		return nil
	case outcome == rollout.StepLimit:
		h.limited(rec, reward, cause)
	case outcome == rollout.NoAnswer:
		rec.Outcome, rec.Error, rec.Reward, rec.Finish = rollout.NoAnswer, cause, reward, rollout.FinishRefusal
	case reward == nil:
		h.ungraded(rec, "the verifier gave no reward"+nameOf(h.wanted))
		return nil
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	for name, v := range parts {
		setParts(rec, name, v)
	}
	return nil
}

func nameOf(score string) string {
	if score == "" || score == "reward" {
		return ""
	}
	return " " + score
}
