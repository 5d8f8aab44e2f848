package importer

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// inspect reads logs of Inspect AI (UKGovernmentBEIS/inspect_ai, src/inspect_ai/log): a zip archive
// with a member per sample, or one JSON object with a list of samples.
var inspect = Format{
	Name:   "inspect",
	Scored: true,
	Doc:    "a log of Inspect AI: an .eval archive, or the .json of one",
	Files:  []string{"*.eval", "*.json"},
	From: Origin{
		Item:   "`id`; with logs of several tasks, `task/id`",
		Sample: "`epoch`, counted from 0; in several logs of a task, later files continue",
		Reward: "`scores`: of the scorers that have metrics, the first of those whose values over all samples are " +
			"words least often, or `--score NAME` (`NAME.KEY` of a value with keys); C, P, I, N are 1, 0.5, 0, 0; " +
			"the others are `parts`",
		Failures: "`error` is `model_api`, `tool` or `grader` by its traceback; `limit` is `step_limit`; a score " +
			"that is missing, NaN or no number is `grader`; `error_retries` are earlier attempts",
	},
	Read: readInspect, sniff: sniffInspect,
}

// inspectLog is one log: its header, and its samples one by one.
type inspectLog struct {
	file   File
	header inspectHeader
	last   map[string]bool // names of the samples that count if an evaluation has several logs; nil = all
	close  func() error

	entries  map[string]int       // of JSON: the last entry of each sample, by its name
	names    []string             // of an archive: the members with samples
	members  map[string]*zip.File // of an archive, by name
	kept     *keptMembers         // of the archives of an import
	lastPass bool                 // over the samples
}

// eachSample decodes the samples of a log on all processors, and yields them in order.
func eachSample[T any](ctx context.Context, log *inspectLog, decode func(text []byte) T,
	yield func(where string, text []byte, sample T) error,
) error {
	if log.members != nil {
		return eachMember(ctx, log, decode, yield)
	}
	type named struct {
		name   string
		sample T
	}
	return eachElement(ctx, log.file, []string{"samples"}, nil, func(text []byte) (s named, err error) {
		if s.name, err = inspectName(text); err == nil {
			s.sample = decode(text)
		}
		return s, err
	}, func(a *array, text []byte, s named) error {
		if log.entries[s.name] != a.index {
			return nil
		}
		return yield(fmt.Sprintf("entry %d", a.index), text, s.sample)
	})
}

// inspectHeader is what a log says about all its samples.
type inspectHeader struct {
	Status string
	Eval   struct {
		Task    string `json:"task"`
		TaskID  string `json:"task_id"` // of the evaluation: inspect eval-retry keeps it
		Created string `json:"created"`
		Model   string `json:"model"`
		inspectSetting
		Dataset struct {
			Name    json.RawMessage   `json:"name"`
			Samples *int              `json:"samples"`
			IDs     []json.RawMessage `json:"sample_ids"` // ids of the selected samples
		} `json:"dataset"`
		Config struct {
			Epochs *int            `json:"epochs"`
			Limit  json.RawMessage `json:"limit"`
		} `json:"config"`
		Scorers []struct {
			Name    string          `json:"name"`
			Metrics json.RawMessage `json:"metrics"`
		} `json:"scorers"`
	}
	Results struct {
		Scores []struct {
			Name    string `json:"name"`
			Scorer  string `json:"scorer"`
			Reducer string `json:"reducer"` // of the epochs
			Metrics map[string]struct {
				Value *float64 `json:"value"`
			} `json:"metrics"`
		} `json:"scores"`
	}
	Invalidated bool
	unfinished  bool // the log has no end
}

// inspectSetting is what a log says about the policy and the environment, apart from the model.
type inspectSetting struct {
	Version   json.RawMessage `json:"task_version"`
	Args      json.RawMessage `json:"task_args"`
	Solver    json.RawMessage `json:"solver"`
	ModelArgs struct {
		Revision json.RawMessage `json:"revision"`
	} `json:"model_args"`
}

// tell records the policy and the environment of the log for the next rollout.
func (h *inspectHeader) tell(sink Sink) {
	sink.tellExactly("task_version", h.Eval.Version)
	sink.tellExactly("task_args", h.Eval.Args)
	sink.tellExactly("solver", h.Eval.Solver)
	sink.tellExactly("revision", h.Eval.ModelArgs.Revision)
	sink.tellExactly("dataset", h.Eval.Dataset.Name)
}

// take decodes one member of a log or of header.json.
func (h *inspectHeader) take(key string, value []byte) error {
	into := map[string]any{
		"status": &h.Status, "eval": &h.Eval, "results": &h.Results, "invalidated": &h.Invalidated,
	}[key]
	if into == nil {
		return nil
	}
	if err := jsontext.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%q of the log: %w", key, err)
	}
	return nil
}

func readInspect(ctx context.Context, in *intake) error {
	r := &inspectReader{
		intake: in, scores: &inspectScores{wanted: in.wanted, chosen: in.wanted},
		tasks: make(map[string]bool), items: make(map[string]bool), uuids: make(map[string]string),
	}
	logs := make([]*inspectLog, 0, len(in.files))
	kept := &keptMembers{texts: make(map[*zip.File][]byte)}
	for _, f := range in.files {
		log, err := openInspect(ctx, f)
		if err != nil {
			return err
		}
		defer log.close()
		log.kept = kept
		logs = append(logs, log)
		if err := r.header(log); err != nil {
			return err
		}
	}
	in.sink.model(r.model.name)
	if err := r.scores.survey(ctx, logs); err != nil {
		return err
	}
	evaluations := evaluationsOf(logs)
	for _, group := range evaluations {
		if err := r.settle(ctx, group); err != nil {
			return err
		}
		r.plans.add(group[0].header.planned())
		r.file()
		for _, log := range group {
			if err := r.read(ctx, log); err != nil {
				return err
			}
		}
	}
	r.finish()
	r.offer(r.scores.all...)
	if r.stamped == 0 { // our own export has as many epochs as the item with the most samples
		in.sendPlan(len(evaluations), r.cancelled)
	}
	return nil
}

func sniffInspect(f File) error {
	zip, err := openInspectZip(f)
	if errors.Is(err, errNoZip) {
		return sniffKeys(f, "eval", "version", "status")
	}
	if err != nil {
		return err
	}
	return zip.close()
}

func openInspect(ctx context.Context, f File) (*inspectLog, error) {
	log, err := openInspectZip(f)
	if errors.Is(err, errNoZip) {
		return openInspectJSON(ctx, f)
	}
	return log, err
}

// openInspectJSON reads a JSON log once to find its header and duplicate samples; the last
// duplicate counts.
func openInspectJSON(ctx context.Context, f File) (*inspectLog, error) {
	log := &inspectLog{file: f, close: func() error { return nil }, entries: make(map[string]int)}
	err := eachElement(ctx, f, []string{"samples"}, func(key string, value json.RawMessage) error {
		return log.header.take(key, value)
	}, inspectName, func(a *array, _ []byte, name string) error {
		log.entries[name] = a.index
		return nil
	})
	if err != nil {
		return nil, err
	}
	log.header.unfinished = log.header.Status == "started"
	return log, nil
}

// inspectName returns the name of a sample within its log.
func inspectName(text []byte) (string, error) {
	var id, epoch []byte
	err := rollout.Members(text, func(key string, value []byte) error {
		switch key {
		case "id":
			id = value
		case "epoch":
			epoch = value
		}
		return nil
	})
	return string(id) + " " + string(epoch), err
}

// header checks that the logs of an import are of one model; they may be of several tasks.
func (r *inspectReader) header(log *inspectLog) error {
	h := log.header
	if err := r.model.check(log.file, h.Eval.Model); err != nil {
		return fmt.Errorf("read %s: %w", log.file.Name, err)
	}
	r.tasks[h.Eval.Task] = true
	name := filepath.Base(log.file.Name)
	if h.Status != "" && h.Status != "success" {
		r.sink.note("%s: its status is %s: rollouts that it lacks were not run", name, transcript.FirstLine(h.Status))
	}
	if h.unfinished && h.Status == "" {
		r.sink.note("%s: it has no header: the evaluation was broken off, and rollouts that it lacks were not run",
			name)
	}
	if h.Invalidated {
		r.sink.note("%s: this log is marked as invalidated", name)
	}
	return nil
}

// informational returns the scorers without metrics: they describe a reply but do not grade it.
// Older logs do not list their scorers.
func (h *inspectHeader) informational() (names []string) {
	for _, s := range h.Eval.Scorers {
		if m := string(s.Metrics); m == "[]" || m == "{}" {
			names = append(names, s.Name)
		}
	}
	return names
}

// read reads the samples of one log.
func (r *inspectReader) read(ctx context.Context, log *inspectLog) error {
	r.log, r.task, r.seen = log.file, log.header.Eval.Task, make(map[rollout.Key]string)
	r.named = &log.header
	r.scores.informational = log.header.informational()
	for _, s := range log.header.Results.Scores {
		for _, metric := range []string{"accuracy", "mean"} {
			if v := s.Metrics[metric].Value; v != nil && (s.Scorer == r.scores.chosen || r.scores.chosen == "") {
				r.scores.means = append(r.scores.means, fmt.Sprintf("%s %.3g", metric, *v))
				break
			}
		}
	}
	log.lastPass = true
	if err := eachSample(ctx, log, decodeLast(log.last), r.sample); err != nil {
		return err
	}
	if r.scoredErrors == 0 { // which are noted with the mean
		metric, mean := log.header.mean(r.scores.chosen)
		r.means.state(log.file, metric, mean)
	}
	return nil
}

// mean returns the mean of a score over all samples, as the log states it; nil if it does not.
func (h *inspectHeader) mean(score string) (metric string, mean *float64) {
	for _, s := range h.Results.Scores {
		if s.Reducer != "" && s.Reducer != "mean" || s.Name != score && s.Scorer+"."+s.Name != score {
			continue
		}
		for _, metric := range []string{"accuracy", "mean"} {
			if v := s.Metrics[metric].Value; v != nil {
				return metric, v
			}
		}
	}
	return "", nil
}

// finish notes how the records were made.
func (r *inspectReader) finish() {
	item := "id"
	if len(r.tasks) > 1 {
		item = "task/id"
	}
	if r.plain > 0 {
		r.sink.note("item = %s, sample = epoch - 1, split = %s", item, r.split)
	}
	r.scores.note(r.sink)
	r.noteStamps(r.stamped)
	r.sink.noteCount(r.failures, "rollout[|s] ended in an error: [it is a failure|they are failures] (by the "+
		"traceback: model_api, tool or grader), not [a zero|zeros]")
	r.sink.noteCount(r.limits, "rollout[|s] hit a limit (step_limit); if [it was|they were] scored, the score counts")
	r.sink.noteCount(r.unscored, "rollout[|s] [has|have] no score that is a number: [it is a missing grade|they are "+
		"missing grades] (grader), not [a zero|zeros]")
	r.sink.noteCount(r.scoredErrors, "rollout[|s] that ended in an error [has|have] a score"+r.scores.logged()+
		": [it is a failure|they are failures] all the same")
	r.sink.noteCount(r.cancelled, "rollout[|s] [was|were] cut short by the operator, or cancelled because another "+
		"one failed, and left out")
	r.sink.noteCount(r.replaced, "rollout[|s] [was|were] made again in a later log of the same evaluation (inspect "+
		"eval-retry): the last one counts")
	r.sink.noteCount(r.retried, "attempt[|s] that ended in an error [was|were] made again (error_retries): [it is an "+
		"earlier attempt|they are earlier attempts]")
	r.sink.noteCount(r.edited, "rollout[|s] [has|have] a score that was edited in the log: the score after the last "+
		"edit counts")
	r.sink.noteCount(r.invalidated, "rollout[|s] [is|are] marked as invalidated in the log: [it has|they have] no grade "+
		"here (grader), and a score in Inspect's own results")
	r.sink.noteCount(r.copies, "rollout[|s] [is|are] in several logs, by uuid, and [counts|count] once")
}

// itemID returns the item of a sample.
func (r *inspectReader) itemID(id string) string {
	if len(r.tasks) > 1 {
		return r.task + "/" + id
	}
	return id
}
