package sampler

import (
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Settings is the part of a configuration that says how rollouts are made, and the bounds of one
// call.
type Settings struct {
	Samples           int               `json:"samples" default:"8" min:"1" max:"100000" doc:"rollouts per item; may be raised later, the rollouts already made are kept"`
	EvalSamples       int               `json:"eval_samples" or:"sampling.samples" min:"0" max:"100000" example:"4" doc:"rollouts per item of the eval split; 0 makes none"`
	ProductionSamples int               `json:"production_samples" or:"sampling.samples" min:"0" max:"100000" example:"0" doc:"rollouts per item of the production split; 0 makes none"`
	Concurrency       int               `json:"concurrency" default:"0" min:"0" max:"4096" doc:"at most this many rollouts, and requests to each endpoint, in flight; a lower limit that a server sets still applies; 0 measures what each endpoint can handle"`
	InFlight          int               `json:"in_flight" or:"sampling.concurrency; 256 if that is 0" min:"0" max:"100000" example:"1000" doc:"most rollouts in progress at one time, which take memory; 0 uses the default"`
	Block             int               `json:"block" default:"32" min:"0" doc:"items that are sampled together before the next ones, drawn from the splits in proportion: sample 0 of each, then sample 1, and so on; 0 takes all items in one round"`
	MaxSteps          int               `json:"max_steps" or:"the job's max_episode_steps, else 50" min:"0" mark:"binding" example:"50" doc:"most steps of a rollout, function calls and model turns together; 0 is no limit"`
	MaxToolCalls      int               `json:"max_tool_calls" default:"0" min:"0" mark:"binding" doc:"most tool calls of a rollout; 0 is no limit"`
	ToolTimeout       limit.Duration    `json:"tool_timeout" default:"5m" doc:"longest wait for the answer to one tool call, or for its next byte"`
	GraderTimeout     limit.Duration    `json:"grader_timeout" default:"5m" doc:"longest wait for one grade, or for the next byte of the reply if an endpoint grades"`
	RolloutTimeout    limit.Duration    `json:"rollout_timeout" default:"0s" doc:"longest rollout, including tools and grading but not time spent queueing for an endpoint; 0s is no limit"`
	Retries           int               `json:"retries" default:"3" min:"0" max:"100" doc:"how often a request that failed in transport is retried; retries after a 429 do not count, unless this is 0"`
	RetryWait         limit.Duration    `json:"retry_wait" default:"500ms" doc:"longest wait before the first retry; it doubles each time up to 30s, and each wait is random between 0 and that; a server's Retry-After is obeyed"`
	RetryFor          limit.Duration    `json:"retry_for" default:"15m" doc:"longest time from a request's first failure to its last retry; 0s is no limit, and then retries after a 429 count as well"`
	Breaker           int               `json:"breaker" default:"5" min:"0" doc:"after this many identical failures of an endpoint in a row the command stops and keeps what there is, as it does after a minute of failures only, or after 15 minutes if requests hang or get 429s (or sampling.retry_for, if that is more than 15m); requests in flight together count once; 0 never stops it"`
	SampleTools       string            `json:"sample_tools,omitzero" default:"all" enum:"all,last" mark:"binding" doc:"which tool calls the grader sees in sample.output_tools: all of the rollout, or those of its last tool turn"`
	MaxRollouts       int               `json:"max_rollouts" default:"0" min:"0" doc:"stop once all calls together have begun this many rollouts of the run; 0 is no cap"`
	MaxTokens         int64             `json:"max_tokens" default:"0" min:"0" doc:"stop once the run has used this many tokens, in and out, of the model and of a model that grades; 0 is no cap"`
	MaxUSD            float64           `json:"max_usd" default:"0" min:"0" doc:"stop once the run has cost this many US dollars, by the prices and the tokens that servers report: of the model, a model that grades, and tools; rollouts in flight count at the cost expected from those that have ended, with a margin while those are few; 4 may be in flight before the first has ended, and 4 more for each that has, and early on spending can exceed the cap by that many; 0 is no cap"`
	Deadline          string            `json:"deadline,omitzero" or:"none" example:"2h" doc:"when to stop a call of the command: after a duration (2h), at a time of day (17:30) or at a date and time (RFC 3339); no rollout begins that would, on average, end later, and those in flight finish"`
	AddressMap        map[string]string `json:"address_map,omitzero" or:"none" mark:"url" example:"{\"https://tools.example.com/\": \"http://localhost:9000/\"}" doc:"connect to other addresses: maps the beginning of a URL in the job to the one to use instead, such as a tunnel or a staging copy"`
}

// SamplesOf returns the number of rollouts per item, by split, each at most most unless that is 0.
func (s Settings) SamplesOf(most int) map[rollout.Split]int {
	all := map[rollout.Split]int{
		rollout.Train: s.Samples, rollout.Eval: s.EvalSamples,
		rollout.Production: s.ProductionSamples,
	}
	for split, n := range all {
		if most > 0 {
			all[split] = min(n, most)
		}
	}
	return all
}

// Config returns the configuration of rollouts. The caller adds budget, cost, limits per minute,
// the timeouts of model and agent, and sessions.
func (s Settings) Config() Config {
	return Config{
		Concurrency: s.Concurrency, Rollouts: s.InFlight, Breaker: s.Breaker, MaxSteps: s.MaxSteps,
		MaxToolCalls: s.MaxToolCalls,
		ToolTimeout:  s.ToolTimeout.Duration, GraderTimeout: s.GraderTimeout.Duration,
		RolloutTimeout: s.RolloutTimeout.Duration,
		Retry: limit.Retry{
			Max: s.Retries, Wait: s.RetryWait.Duration, Cap: limit.DefaultRetry().Cap,
			Total: s.RetryFor.Duration,
		},
	}
}

// Bounds returns the bounds of one call that begins now. limit.ParseDeadline must accept the
// deadline.
func (s Settings) Bounds(now time.Time) limit.Bounds {
	deadline, _ := limit.ParseDeadline(s.Deadline, now)
	return limit.Bounds{Rollouts: s.MaxRollouts, Tokens: s.MaxTokens, USD: s.MaxUSD, Deadline: deadline}
}
