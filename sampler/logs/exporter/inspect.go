package exporter

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
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
	Doc: "a log of Inspect AI (0.3), one file that ends in .eval: a sample for each rollout, whose epoch is our " +
		"sample + 1; the reward is the first score, sub-scores are the others",
	Files: []File{{Write: writeInspect}},
	Loses: func(r *Run) []string {
		notes := r.lost(
			loss{r.unscored, floorNote},
			loss{r.failed, "rollout[|s] without a grade [has|have] an error instead of a score"},
			loss{
				r.badArguments,
				"rollout[ has|s have] calls whose arguments are not a JSON object: these are in parse_error",
			},
			loss{r.timed, "rollout[ records|s record] how long [its|their] tool calls took" + onlyStamped},
			loss{r.regraded, "rollout[ has|s have] additional or earlier grades" + onlyStamped},
			loss{r.judged, "rollout[ records|s record] what [its|their] judge used" + onlyStamped},
			loss{r.extra, "rollout[ has|s have] extra keys" + onlyStamped},
			loss{r.pictured, pictureNote},
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
	for slices.Contains(r.parts, name) {
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
	if err := s.member(to, "reductions.json", s.reductions()); err != nil {
		return err
	}
	if err := s.member(to, "header.json", s.header()); err != nil {
		return err
	}
	return to.Close()
}

// floorNote says what stands for the reward of the model's own failures that have none.
const floorNote = "rollout[|s] that ended without an answer or at a limit, and [has|have] no grade, [has|have] the " +
	"bottom of the reward range there, as in gonogo's own means"

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
		{"config", pairs{
			{"epochs", max(r.samples, 1)}, {"epochs_reducer", []string{reducer}}, {"fail_on_error", false},
		}},
		{"scorers", s.scorers()},
		{"packages", pairs{}},
		{"metadata", pairs{{"made_by", "gonogo " + r.manifest.ToolVersion}, {"split", r.split}}},
	}
}

func (s inspector) plan() pairs {
	return pairs{{"name", "plan"}, {"steps", []any{}}, {"config", pairs{}}}
}

// reducer names how Inspect makes one score of those of an item's epochs.
const reducer = "mean"

// names lists the scores: that of the reward first.
func (s inspector) names() []string { return append([]string{s.scorer}, s.run.parts...) }

// scores returns the scores with a name.
func (r *Run) scores(s inspector, name string) *byItem {
	if name == s.scorer {
		return &r.rewards
	}
	if scores := r.tally[name]; scores != nil {
		return scores
	}
	return new(byItem)
}

// scorers declares the scorers and their metrics. Inspect computes the results of a log again from
// this list and the samples.
func (s inspector) scorers() (list []pairs) {
	metrics := []pairs{{{"name", "inspect_ai/mean"}}, {{"name", "inspect_ai/stderr"}}}
	for _, name := range s.names() {
		list = append(list, pairs{{"name", name}, {"options", pairs{}}, {"metrics", metrics}})
	}
	return list
}

func (s inspector) header() pairs {
	r := s.run
	scores := make([]pairs, 0, len(r.parts)+1)
	for _, name := range s.names() {
		scores = append(scores, s.score(name))
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
			{"headline", pairs{{"scorer", s.scorer}, {"score", s.scorer}, {"metric", "mean"}, {"reducer", reducer}}},
		}},
		{"stats", pairs{
			{"started_at", r.started().Format(time.RFC3339)},
			{"completed_at", ended.UTC().Format(time.RFC3339)},
			{"model_usage", s.usage(r.tokens)},
		}},
	}
}

// score returns the results of a scorer as Inspect computes them (_eval/task/results.py): each item
// counts once, with the mean of its scored epochs; items without a score are in neither count.
func (s inspector) score(name string) pairs {
	scores := s.run.scores(s, name)
	metrics := pairs{}
	if len(scores.ids) > 0 {
		value, stderr := scores.over()
		metrics = pairs{metric("mean", value), metric("stderr", stderr)}
	}
	return pairs{
		{"name", name},
		{"scorer", name},
		{"reducer", reducer},
		{"scored_samples", len(scores.ids)},
		{"unscored_samples", 0},
		{"params", pairs{}},
		{"metrics", metrics},
	}
}

func metric(name string, value float64) pair {
	return pair{name, pairs{{"name", name}, {"value", value}, {"params", pairs{}}}}
}

// reductions lists the score of each item, which Inspect keeps next to the header.
func (s inspector) reductions() []pairs {
	list := make([]pairs, 0, len(s.run.parts)+1)
	for _, name := range s.names() {
		scores := s.run.scores(s, name)
		samples := make([]pairs, 0, len(scores.ids))
		for _, id := range scores.ids {
			samples = append(samples, pairs{{"value", scores.means[id].value()}, {"sample_id", s.id(id)}})
		}
		list = append(list, pairs{{"scorer", name}, {"reducer", reducer}, {"samples", samples}})
	}
	return list
}
