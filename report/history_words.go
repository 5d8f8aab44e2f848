package report

import (
	"gonogo/analysis/compare"
	"gonogo/analysis/history"
	"gonogo/report/block"
)

// historyWords is the catalogue of a history's own texts.
type historyWords struct {
	Signs            block.Signs
	Title, Span, One string
	NoNight, None    string // before the first night
	// seconds are medians unless they say otherwise; failures and what is lost or accepted are
	// shares
	SeriesNames            map[string]string
	Kinds                  map[string]string // of series
	Answers                map[compare.Answer]string
	First, Accepted, Trend string
	Newest                 string

	Changes, Unusual, AllSeries, Nights, Notes, Made, Pictures, Method string

	From, Change, Between, MoreChanges, MadeThere, NothingMade, ChangedToo, NoChange string
	IsUnusual, WasUnset, MadeText, MadeOn                                            string
	SeriesHead, NightsHead                                                           []string
	Untested, Rest                                                                   string
	Methods                                                                          []string
}

var historyEnglish = historyWords{
	Signs: english.Signs,
	Title: "What changed over the nights?", Span: "%s, %s to %s", One: "%s, %s", NoNight: "No night yet",
	None: "There is no night yet: gonogo nightly makes one.",
	SeriesNames: map[string]string{
		"reward": "mean reward", "best_of": "best of a group", "informative": "groups whose rewards differ",
		"own_failures": "own failures of the model",
		"grader_noise": "variance of grader noise", "false_accept": "worthless answers accepted",
		"grader_failures": "rollouts lost to the grader",
		"hacks":           "marked as hacks", "cut_off": "cut off", "refused": "refused", "turns": "turns per rollout",
		"turns_p95":      "turns per rollout, P95",
		"tool_calls_p50": "tool calls per rollout, P50", "tool_calls_p95": "tool calls per rollout, P95",
		"tool_calls_p99": "tool calls per rollout, P99",
		"calls_of_tool":  "calls of %s per rollout", "tool_pair": "calls in a row per rollout, %s",
		"reward_part": "reward part %s", "repeated_calls": "repeated calls",
		"parallel_turns": "turns with parallel calls", "malformed_calls": "malformed calls",
		"at_call_limit": "at the call limit", "reasoning_tokens": "reasoning tokens",
		"over_time_limit": "over the time limit",
		"tool_calls":      "tool calls per rollout", "tool_failures": "failed tool calls",
		"tool_latency": "seconds of a tool call",
		"input_tokens": "input tokens per rollout", "output_tokens": "output tokens per rollout",
		"latency": "seconds of a rollout", "latency_p95": "seconds of a slow rollout, P95",
		"model_failures": "rollouts lost to the model",
	},
	Kinds: map[string]string{
		history.KindModel: "Model", history.KindGrader: "Grader", history.KindTools: "Tools",
		history.KindTokens: "Tokens", history.KindLatency: "Latency",
	},
	Answers: map[compare.Answer]string{
		compare.Regressed: "regressed", compare.Improved: "improved", compare.Equivalent: "no change that matters",
		compare.CannotTell: "cannot tell", compare.NotBetter: "not better", compare.NoFall: "no sign of a fall",
	},
	First: "compared with none", Accepted: "accepted", Trend: "regressed against the trend",
	Newest: "The newest night is %s; its exit code was %d.",

	Changes: "Nights where something changed", Unusual: "What is unusual about the newest night",
	AllSeries: "Every series", Nights: "Nights",
	Notes: "Read first", Made: "What changed in the setup since the night before", Pictures: "Pictures",
	Method: "How it was found",

	From: "From night %s on", Change: "%s from %s to %s (%s)", Between: ", first on any night from %s to %s (%s)",
	MoreChanges: "And %s more, with their levels under “%s”.",
	MadeThere:   "The setup changed: %s.",
	NothingMade: "No recorded setting changed: a model, tool or grader may have changed under the same name.",
	ChangedToo:  "Changed around then: %s.", NoChange: "No lasting step up or down is shown in any series.",
	IsUnusual: "%s is %s; the nights since the last change make %s likely (%s)", WasUnset: "not set",
	MadeText: "%s: %s → %s", MadeOn: "%s (%s)",
	SeriesHead: []string{"", "newest night", "since night", "level", "range for the next night", "no change, p"},
	NightsHead: []string{"night", "answer", "mean reward", "setup changed"},
	Untested:   "not tested", Rest: "Series and nights: gonogo history %s --all.",
	Methods: []string{
		"Change: the largest likelihood ratio of two levels against one over all nights, nights weighed by their " +
			"standard errors (Worsley 1979), p by simulation; the reward has half of the error to itself, the other " +
			"series share the other half (Holm); further ones by binary segmentation. At most %s of histories " +
			"without any change show one.",
		"Place of a change: the likeliest nights that together hold %s (Smith 1975).",
		"Rewards of nights that hold different items are compared on common ground: the effects of nights in a " +
			"table of items by nights. Nights count as independent: a drift over weeks appears as one change or " +
			"several, and a rise that falls back may not be found.",
	},
}
