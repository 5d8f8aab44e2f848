package importer

import (
	"context"
	"encoding/json"
	"fmt"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// evalRuns reads what build-hours keeps of an eval run (eval_runs/<run_id>/outputs.jsonl): one line
// per item; each repeat is another run.
var evalRuns = Format{
	Name:   "build-hours-evals",
	Scored: true,
	Doc:    "outputs.jsonl of eval_runs in openai/build-hours, with datasource_item_id, prediction and score",
	Files:  []string{"outputs.jsonl"},
	From: Origin{
		Item:     "`item_id`, or `datasource_item_id`",
		Sample:   "the order of the files: a repeat is another run",
		Reward:   "`score`: a number, or, of several graders, the one that `--score` names, else the first",
		Failures: "a score that is missing, null or NaN",
	},
	Read: readEvalRuns, keys: []string{"datasource_item_id", "prediction", "score"},
}

type evalRunRow struct {
	ID         json.RawMessage `json:"datasource_item_id"`
	ItemID     json.RawMessage `json:"item_id"`
	Reference  json.RawMessage `json:"reference"`
	Prediction json.RawMessage `json:"prediction"`
	Score      json.RawMessage `json:"score"`
	marked
}

func readEvalRuns(ctx context.Context, in *intake) error {
	e := evalRunReader{in}
	if err := eachRowOf(ctx, in, e.line); err != nil {
		return err
	}
	in.sink.note("item = item_id, sample = the position of the file among the imported files, split = %s; these "+
		"files hold only the reference of each item", e.split)
	in.noteGraders()
	in.sink.note("tool calls, token counts and times are not in these files: unknown, not zero")
	e.noteMissing()
	return nil
}

type evalRunReader struct{ *intake }

func (e *evalRunReader) line(f File, line int, row *evalRunRow) error {
	key, raw := "item_id", row.ItemID
	if isNone(raw) {
		key, raw = "datasource_item_id", row.ID
	}
	id, err := wholeID(key, raw)
	if err != nil {
		return err
	}
	if err := e.only(line, key+" "+id); err != nil {
		return err
	}
	item, err := marshalRow(map[string]json.RawMessage{"reference": row.Reference, "messages": json.RawMessage("[]")})
	if err != nil {
		return err
	}
	if err := e.item(f, line, id, item); err != nil {
		return err
	}
	rec := &rollout.Record{Item: id, Answer: jsontext.TextOrJSON(row.Prediction)}
	if o, cause := row.failure(rollout.GraderFailed); o != "" {
		fail(rec, o, cause)
	} else if err := e.score(rec, row.Score); err != nil {
		return err
	}
	return e.record(rec, 0)
}

func (e *evalRunReader) score(rec *rollout.Record, v json.RawMessage) error {
	const missing = "the score is missing, null or NaN"
	if isNone(v) || v[0] != '{' {
		score, err := e.reward("score", v)
		grade(rec, score, missing)
		return err
	}
	names, scores, err := valuesByKey(v)
	if err != nil {
		return fmt.Errorf("score: %w", err)
	}
	named := make([]string, len(names))
	for i, name := range names {
		named[i] = graderName(name)
	}
	e.choose(named)
	for i, name := range names {
		score, err := number("score."+name, scores[name])
		if err != nil {
			return err
		}
		if named[i] == e.wanted {
			grade(rec, score, missing)
		} else {
			setParts(rec, named[i], score)
		}
	}
	if rec.Outcome == "" {
		grade(rec, nil, "there is no score of "+e.wanted)
	}
	return nil
}
