package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/internal/compressed"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// lmEval reads the samples that EleutherAI's lm-evaluation-harness logs
// (lm_eval/loggers/evaluation_tracker.py): one line per document and filter. The log has no score
// per repeat: if a document was answered more than once, the outputs are imported ungraded.
var lmEval = Format{
	Name:   "lm-eval",
	Scored: true,
	Doc: "samples_TASK_DATE.jsonl of lm-evaluation-harness; for documents answered several times only the " +
		"outputs, for gonogo grade",
	Files: []string{"samples_*.jsonl"},
	From: Origin{
		Item: "the task of the file's name and `doc_id`; of several filters the first, or that of " +
			"`--score METRIC,FILTER`",
		Sample:   "the position in `resps[0]`; of several files of a task, later ones continue",
		Reward:   "of a single response: the first of `metrics`, or the one that `--score` names; repeats have none",
		Failures: "repeats are not graded (`grader`), and so is a metric that is not a number",
	},
	Read: readLMEval, keys: []string{"doc_id", "doc", "resps"},
}

type lmEvalRow struct {
	DocID     json.RawMessage            `json:"doc_id"`
	Doc       json.RawMessage            `json:"doc"`
	Target    json.RawMessage            `json:"target"`
	Arguments json.RawMessage            `json:"arguments"`
	Resps     [][]json.RawMessage        `json:"resps"`
	Filter    string                     `json:"filter"`
	Metrics   []string                   `json:"metrics"`
	Hash      string                     `json:"doc_hash"`
	scores    map[string]json.RawMessage // values of the metrics
	item      rollout.Item
	others    []lmEvalMember // the members that the row does not name; they share the memory of the line
	marked
}

type lmEvalMember struct {
	key   string
	value []byte
}

// mark keeps a member, which may be a metric.
func (r *lmEvalRow) mark(key string, value []byte) {
	r.marked.mark(key, value)
	r.others = append(r.others, lmEvalMember{key, value})
}

func readLMEval(ctx context.Context, in *intake) error {
	l := lmEvalReader{intake: in, hashes: make(map[string]string)}
	if metric, filter, named := strings.Cut(in.opt.Score, ","); named {
		l.wanted, l.ofName = metric, filter
	}
	for _, f := range in.files {
		l.file()
		l.filter, l.task = "", lmEvalTask(f.Name)
		if err := l.model.check(f, lmEvalModel(f)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		err := readJSONLines(ctx, f, in.sink.forFile(f, in.files), decodeLMEval, func(line rollout.Line[*lmEvalRow]) error {
			return stopped(f, line.Number, l.line(f, line.Number, line.Value))
		})
		if err != nil {
			return err
		}
		if l.repeated == 0 && l.wanted != "" {
			l.means.state(f, l.wanted+","+l.filter, l.stated(f))
		}
	}
	l.notes()
	l.noteMissing()
	return nil
}

// decodeLMEval decodes a line, including the keys that its metrics name.
func decodeLMEval(text []byte) (*lmEvalRow, error) {
	row, err := decodeRow[lmEvalRow](text)
	if err != nil {
		return row, err
	}
	others := row.others
	row.others = nil // a row outlives its line
	item, err := lmEvalItem(row)
	if err == nil {
		row.item, err = rowItem(item)
	}
	if err != nil || len(row.Metrics) == 0 {
		return row, err
	}
	row.marks = row.marks.Without(func(key string) bool { return slices.Contains(row.Metrics, key) })
	row.scores = make(map[string]json.RawMessage, len(row.Metrics))
	for _, name := range row.Metrics {
		row.scores[name] = nil
	}
	score := func(key string, value []byte) {
		if _, wanted := row.scores[key]; wanted {
			row.scores[key] = append(json.RawMessage(nil), value...)
		}
	}
	for _, m := range others {
		score(m.key, m.value)
	}
	for _, value := range row.scores {
		if value == nil { // missing, or under a key that the row names
			return row, rollout.Members(text, func(key string, value []byte) error {
				score(key, value)
				return nil
			})
		}
	}
	return row, nil
}

type lmEvalReader struct {
	*intake
	task    string
	filter  string            // of the lines that are read from this file
	filters []string          // of all files
	ofName  string            // the filter that --score names; "" if it names none
	hashes  map[string]string // doc_hash by item

	filtered, repeated int
}

var lmEvalName = regexp.MustCompile(`^samples_(.+?)(_\d{4}-\d{2}-\d{2}T[\d.:-]+)?\.jsonl$`)

// lmEvalTask returns the task in a file's name; "" if there is none.
func lmEvalTask(name string) string {
	if m := lmEvalName.FindStringSubmatch(compressed.PlainName(filepath.Base(name))); m != nil {
		return m[1]
	}
	return ""
}

// lmEvalModel returns the model that the results next to the samples name; "" if there are no
// results. A folder has the results of one model.
func lmEvalModel(f File) string {
	entries, err := fs.ReadDir(f.FS, path.Dir(f.Path))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		var results struct {
			Model string `json:"model_name"`
		}
		if ok, err := path.Match("results_*.json", e.Name()); !ok || err != nil || !e.Type().IsRegular() {
			continue
		}
		if planBeside(f, e.Name(), &results) == nil && results.Model != "" {
			return results.Model
		}
	}
	return ""
}

// stated returns the mean of the metric in the results of the same date; nil if there is none.
func (l *lmEvalReader) stated(f File) *float64 {
	var all struct {
		Results map[string]map[string]any `json:"results"`
	}
	name := lmEvalName.FindStringSubmatch(f.base())
	if name == nil || planBeside(f, "results"+name[2]+".json", &all) != nil {
		return nil
	}
	if mean, ok := all.Results[l.task][l.wanted+","+l.filter].(float64); ok {
		return &mean
	}
	return nil
}

func (l *lmEvalReader) line(f File, line int, row *lmEvalRow) error {
	id, err := wholeID("doc_id", row.DocID)
	if err != nil {
		return err
	}
	for _, metric := range row.Metrics { // the keys in the results next to the samples
		l.offer(metric + "," + row.Filter)
	}
	if l.filter == "" {
		l.filter = cmp.Or(l.ofName, row.Filter)
	}
	if row.Filter != l.filter {
		l.filtered++
		return nil
	}
	if !slices.Contains(l.filters, l.filter) {
		l.filters = append(l.filters, l.filter)
	}
	if l.task != "" {
		id = l.task + "/" + id
	}
	if err := l.only(line, "doc_id "+id); err != nil {
		return err
	}
	if was, ok := l.hashes[id]; ok && was != row.Hash {
		return fmt.Errorf("document %s differs from the one before (doc_hash): these are results on different data; "+
			"import them separately", id)
	}
	l.hashes[id] = row.Hash
	if len(row.Resps) == 0 || len(row.Resps[0]) == 0 {
		return fmt.Errorf("document %s has no responses", id)
	}
	l.sink.tellExactly("target", row.Target)
	if err := l.send(f, line, l.split, id, row.item); err != nil {
		return err
	}
	return l.rollouts(id, row)
}

// rollouts passes on one record per repeat.
func (l *lmEvalReader) rollouts(id string, row *lmEvalRow) error {
	l.choose(row.Metrics)
	n := len(row.Resps[0])
	if n > 1 {
		l.repeated++
	}
	for i, resp := range row.Resps[0] {
		rec := &rollout.Record{Item: id, Answer: jsontext.TextOrJSON(resp), Turns: 1}
		if len(row.Resps) > 1 { // multiple choice: each choice is rated, and the responses are not outputs
			rec.Answer, rec.Turns = "", 0
		}
		boundary, cause := row.failure(rollout.ModelAPI)
		switch {
		case boundary != "":
			fail(rec, boundary, cause)
		case n > 1:
			fail(rec, rollout.GraderFailed,
				"not graded: lm-eval keeps no score for each repeat; gonogo grade gives them rewards")
		default:
			l.metrics(rec, row)
		}
		if err := l.record(rec, i); err != nil {
			return err
		}
	}
	return nil
}

// metrics grades the only response of a document with the document's metrics. A metric that is
// defined only over all documents is not a number here.
func (l *lmEvalReader) metrics(rec *rollout.Record, row *lmEvalRow) {
	for _, name := range row.Metrics {
		value, err := number(name, row.scores[name])
		if err == nil && name != l.wanted {
			setParts(rec, name, value)
		}
	}
	value, err := l.reward(l.wanted, row.scores[l.wanted])
	if err != nil {
		fail(rec, rollout.GraderFailed, err.Error())
		return
	}
	grade(rec, value, strings.TrimSpace("not graded: there is no metric "+l.wanted))
}

// lmEvalItem returns the document with its target, and the prompt as a message.
func lmEvalItem(row *lmEvalRow) (json.RawMessage, error) {
	return marshalRow(map[string]json.RawMessage{
		"doc": row.Doc, "target": row.Target,
		"messages": asMessages(lmEvalPrompt(row.Arguments)),
	})
}

// lmEvalPrompt returns the first argument of the first request.
func lmEvalPrompt(arguments json.RawMessage) json.RawMessage {
	var named struct {
		First struct {
			Prompt json.RawMessage `json:"arg_0"`
		} `json:"gen_args_0"`
	}
	var listed [][]json.RawMessage
	switch {
	case jsontext.Unmarshal(arguments, &named) == nil:
		return named.First.Prompt
	case jsontext.Unmarshal(arguments, &listed) == nil && len(listed) > 0 && len(listed[0]) > 0:
		return listed[0][0]
	}
	return nil
}

// ofFilter names the filter of the rewards in a note; "" if the files have different ones.
func (l *lmEvalReader) ofFilter() string {
	if len(l.filters) != 1 || l.filters[0] == "none" {
		return ""
	}
	return " through the filter " + l.filters[0]
}

func (l *lmEvalReader) notes() {
	l.sink.note("item = task and doc_id, sample = the position among the responses to the first request, split = %s",
		l.split)
	l.sink.noteCount(l.repeated, "document[|s] [was|were] answered more than once, and lm-eval keeps no score "+
		"for each answer: gonogo grade RUN --grader FILE gives them rewards")
	if l.wanted != "" {
		l.sink.note("the reward of a document answered once is its metric %s%s; --score NAME selects another", l.wanted,
			l.ofFilter())
	}
	if l.filtered > 0 {
		filters := slices.DeleteFunc(slices.Clone(l.offered), func(name string) bool { return !strings.Contains(name, ",") })
		l.sink.note("lines that show the same responses through other filters, left out: %d; --score METRIC,FILTER "+
			"selects another filter: %s", l.filtered, counted(filters, mostNames))
	}
	l.sink.note("token counts and times are not in these files: unknown, not zero")
}
