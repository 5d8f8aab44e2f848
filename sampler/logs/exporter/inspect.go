package exporter

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"gonogo/sampler/rollout"
)

// inspect writes a log of Inspect AI (UKGovernmentBEIS/inspect_ai, src/inspect_ai/log/_log.py and
// _recorders/eval.py): a ZIP with header.json, summaries.json and one member per sample. Members
// are compressed with deflate, which every version of Inspect reads, rather than with zstd as newer
// versions do.
var inspect = Format{
	Name: "inspect",
	Doc: "a log of Inspect AI, one file that ends in .eval: a sample for each rollout, whose epoch is our sample " +
		"+ 1; the reward is the first score, sub-scores are the others",
	Files: []File{{Write: writeInspect}},
	Loses: func(r *Run) []string {
		notes := r.lost(
			loss{r.unscored, "rollout[|s] without an answer [has|have] no score there: Inspect's means leave " +
				"[it|them] out, those of gonogo count [it|them] at the bottom of the range"},
			loss{r.failed, "rollout[|s] without a grade [has|have] an error instead of a score"},
			loss{
				r.badArguments,
				"rollout[ has|s have] calls whose arguments are not a JSON object: these are in parse_error",
			},
			loss{r.timed, "rollout[ records|s record] how long [its|their] tool calls took, which messages do " +
				"not hold"},
			loss{r.regraded, "rollout[ has|s have] additional or earlier grades: only the reward is kept"},
			loss{r.judged, "rollout[ records|s record] what [its|their] judge used, which is left out"},
			loss{r.extra, "rollout[ has|s have] extra keys, which are left out"},
		)
		if !r.plainIDs() {
			notes = append(notes, "the log numbers the items in order instead of using their ids: some ids cannot "+
				"be part of a member's name")
		}
		return notes
	},
}

// plainIDs reports whether every id can be part of the name of a ZIP member without leading a
// careless reader outside the archive's folder.
func (r *Run) plainIDs() bool {
	for _, id := range r.ids {
		const longest = 1000
		odd := strings.ContainsFunc(id, func(c rune) bool { return unicode.IsControl(c) || c == '\\' || c == ':' })
		if odd || len(id) > longest || !fs.ValidPath("samples/"+id+"_epoch_1.json") {
			return false
		}
	}
	return true
}

// scorer returns the name of the score that is the reward: "reward", with underscores appended
// until no sub-score has that name.
func (r *Run) scorer() string {
	name := "reward"
	for _, taken := r.tally[name]; taken; _, taken = r.tally[name] {
		name += "_"
	}
	return name
}

func writeInspect(ctx context.Context, w io.Writer, r *Run) error {
	to := zip.NewWriter(w)
	s := inspector{run: r, plain: r.plainIDs(), scorer: r.scorer()}
	if err := s.member(to, "_journal/start.json",
		pairs{{"version", 2}, {"eval", s.spec()}, {"plan", s.plan()}}); err != nil {
		return err
	}
	summaries := []pairs{}
	err := r.each(ctx, func(rec *rollout.Record) error {
		summaries = append(summaries, s.summary(rec))
		return s.member(to, fmt.Sprintf("samples/%v_epoch_%d.json", s.id(rec.Item), rec.Sample+1), s.sample(rec))
	})
	if err != nil {
		return err
	}
	if err := s.member(to, "summaries.json", summaries); err != nil {
		return err
	}
	if err := s.member(to, "header.json", s.header()); err != nil {
		return err
	}
	return to.Close()
}

// inspector builds the members of a log.
type inspector struct {
	run    *Run
	plain  bool
	scorer string
}

func (s inspector) member(to *zip.Writer, name string, value any) error {
	w, err := to.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: s.run.started()})
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(value)
}

// id returns the log's id of an item.
func (s inspector) id(item string) any {
	if s.plain {
		return item
	}
	return s.run.number[item]
}

func (s inspector) spec() pairs {
	r := s.run
	ids := make([]any, len(r.ids))
	for i, id := range r.ids {
		ids[i] = s.id(id)
	}
	return pairs{
		{"eval_id", r.manifest.ID},
		{"run_id", r.manifest.ID},
		{"created", r.started().Format(time.RFC3339)},
		{"task", r.name()},
		{"task_id", r.manifest.ID},
		{"task_version", 0},
		{"dataset", pairs{{"name", string(r.split)}, {"samples", len(r.ids)}, {"sample_ids", ids}}},
		{"model", r.model()},
		{"model_args", pairs{}},
		{"model_generate_config", pairs{}},
		{"config", pairs{{"epochs", r.samples}}},
		{"packages", pairs{}},
		{"metadata", pairs{{"made_by", "gonogo " + r.manifest.ToolVersion}, {"split", r.split}}},
	}
}

func (s inspector) plan() pairs {
	return pairs{{"name", "plan"}, {"steps", []any{}}, {"config", pairs{}}}
}

func (s inspector) header() pairs {
	r := s.run
	scores := []pairs{s.score(s.scorer, r.rewards)}
	for _, name := range r.parts {
		scores = append(scores, s.score(name, r.tally[name]))
	}
	ended := r.manifest.Ended
	if ended.IsZero() {
		ended = r.started()
	}
	return pairs{
		{"version", 2},
		{"status", "success"},
		{"eval", s.spec()},
		{"plan", s.plan()},
		{"results", pairs{
			{"total_samples", r.rollouts},
			{"completed_samples", r.rollouts - r.failed},
			{"scores", scores},
		}},
		{"stats", pairs{
			{"started_at", r.started().Format(time.RFC3339)},
			{"completed_at", ended.UTC().Format(time.RFC3339)},
			{"model_usage", pairs{}},
		}},
	}
}

func (s inspector) score(name string, m mean) pairs {
	metrics := pairs{}
	if m.n > 0 {
		metrics = pairs{{"mean", pairs{{"name", "mean"}, {"value", m.value()}}}}
	}
	return pairs{
		{"name", name},
		{"scorer", name},
		{"scored_samples", m.n},
		{"unscored_samples", s.run.rollouts - m.n},
		{"params", pairs{}},
		{"metrics", metrics},
	}
}
