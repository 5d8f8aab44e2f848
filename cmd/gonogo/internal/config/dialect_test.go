package config

import (
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// An agent written for SageMaker brings its own reward, and needs neither job nor grader.
func TestTheRewardOfAnAgent(t *testing.T) {
	const whole = "data: {train: train.jsonl}\nmodel: {name: m}\nagent: {dialect: sagemaker, url: \"http://localhost:8080/invocations\"}\n"
	live := &rollout.Manifest{Source: rollout.Live}
	c, _, err := loaded(t, whole, keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if !c.RewardOfAgent() || c.HiddenFields() != nil || slices.Contains(c.JudgeSettings(live).Require, "audit") {
		t.Errorf("without a grader: the agent's reward %v, hidden %v, required %v", c.RewardOfAgent(), c.HiddenFields(), c.JudgeSettings(live).Require)
	}
	c, _, err = loaded(t, whole+"grader: {type: string_check, name: g, operation: eq, input: a, reference: b}\n", keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if c.RewardOfAgent() || !slices.Contains(c.JudgeSettings(live).Require, "audit") {
		t.Errorf("with a grader: the agent's reward %v, required %v", c.RewardOfAgent(), c.JudgeSettings(live).Require)
	}
	for _, bad := range []struct{ text, says string }{
		{"agent: {dialect: sagemaker}", "agent.dialect: needs agent.command or agent.url"},
		{"agent: {dialect: sagemaker, command: [a]}", "agent.dialect: sagemaker works only with agent.url"},
		{`agent: {dialect: sagemaker, url: "http://localhost:1", poll: 3s}`, "agent.poll: has no use with agent.dialect: sagemaker"},
		{`agent: {dialect: sagemaker, url: "http://localhost:1", own_model: true}`, "agent.own_model: cannot be combined"},
		{`agent: {dialect: sagemaker, url: "http://localhost:1", listen: "192.0.2.1:80"}`, "agent.listen: \"192.0.2.1:80\" is not on the loopback interface"},
		{`agent: {url: "http://localhost:1", listen: "127.0.0.1:80"}`, "agent.listen: needs agent.dialect: sagemaker"},
		{`agent: {url: "http://localhost:1"}` + "\ngrader: {type: agent}", "grader: only an environment, or an agent with agent.dialect: sagemaker, reports rewards"},
		{`agent: {url: "http://localhost:1", dialect: bedrock}`, "agent.dialect: must be gonogo or sagemaker"},
	} {
		_, _, err := loaded(t, "data: {train: train.jsonl}\nmodel: {name: m}\n"+bad.text+"\n", keysInPlace)
		if err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: %v; want …%s…", bad.text, err, bad.says)
		}
	}
}
