package grader

import (
	_ "embed"
	"encoding/json"
	"errors"

	"gonogo/sampler"
)

//go:embed adapter/lambda.py
var lambdaAdapter string

// lambda calls the handler of a reward function written for AWS Lambda, as the reinforcement
// fine-tuning of Amazon Bedrock and SageMaker calls it.
var lambda = Kind{
	Name: "lambda",
	Doc: "Runs the handler of an AWS Lambda reward function here, handler(event, context), with one sample a " +
		"call. The reward is its aggregate_reward_score.",
	New:    newLambda,
	inline: inlineSource,
}

// lambdaChoices says what counts as a reward.
var lambdaChoices = map[string]string{
	"lambda result": "aggregate_reward_score of the one sample in the event; metrics_list are parts; an exception, " +
		"NaN, and a result without the score or of another sample are a failed grading",
}

func newLambda(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		Handler string `json:"handler"` // "" means lambda_handler
		ARN     string `json:"lambda_arn"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	if c.Handler == "" {
		c.Handler = "lambda_handler"
	}
	if c.ARN != "" && c.Source == "" && c.File == "" {
		return nil, errors.New("lambda_arn names a function that runs at AWS: name the Python file of its handler " +
			"by file, and it is called here")
	}
	return newReward("lambda", c.rewardSource, rewardFunctions{Function: c.Handler}, lambdaAdapter, map[string]any{},
		lambdaChoices, env)
}
