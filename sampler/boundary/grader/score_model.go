package grader

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"gonogo/sampler"
)

var scoreModel = Kind{
	Name:   "score_model",
	Doc:    "Asks a judge model for steps and a number, which is clipped to the range.",
	New:    newScoreModel,
	Remote: true,
}

// ScoreModel is a grader whose judge model returns the reward.
type ScoreModel struct {
	judged
	low, high float64
}

func newScoreModel(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rawJudged
		Range *[]float64 `json:"range"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	j, err := newJudged(c.rawJudged, env)
	if err != nil {
		return nil, err
	}
	g := &ScoreModel{judged: j, low: 0, high: 1}
	if c.Range != nil {
		if len(*c.Range) != 2 {
			return nil, fmt.Errorf("range %v is not a pair of numbers", *c.Range)
		}
		g.low, g.high = (*c.Range)[0], (*c.Range)[1]
	}
	if g.low >= g.high {
		return nil, fmt.Errorf("range [%v, %v] is empty", g.low, g.high)
	}
	g.prompt.SchemaName, g.prompt.Schema = "float_score_classification", scoreSchema(g.low, g.high)
	return g, nil
}

// scoreSchema returns the schema of an answer with a number.
func scoreSchema(low, high float64) json.RawMessage {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	return stepsSchema(
		`{"type":"number","description":"The float score assigned from the evaluation. This should be in inclusive range ` +
			number(low) + ` to ` + number(high) + `."}`)
}

// Grade calls the judge once and clips its number to the range. A refusal, an answer that was cut
// off and one without a number are errors, so the grade is missing; the hosted service would score
// an answer without a number 0. A Grade returned with an error still has the judge's usage.
func (g *ScoreModel) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	var answer struct {
		Result *float64 `json:"result"`
	}
	grade, text, err := g.ask(ctx, out, "number", &answer)
	if err != nil {
		return grade, err
	}
	if answer.Result == nil {
		return grade, lacks("number", text)
	}
	grade.Reward = math.Min(math.Max(*answer.Result, g.low), g.high)
	grade.Clipped = grade.Reward != *answer.Result
	return grade, nil
}

// Range returns the bounds that rewards are clipped to.
func (g *ScoreModel) Range() (low, high float64) { return g.low, g.high }

// Choices says how an answer without a number counts.
func (g *ScoreModel) Choices() map[string]string {
	return map[string]string{
		"score_model result": "an answer without a number leaves the output without a grade; the hosted service " +
			"gives it 0",
	}
}
