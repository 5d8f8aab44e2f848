package report

import (
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

var englishPage = block.PageWords{
	Contents: "Contents", Filter: "Filter by id or class", Shown: "%s of %s shown", More: "show more",
	SortHint: "Click a heading to sort by it.",
	OpenAll:  "Open all", CloseAll: "Close all",
	Evidence: "Evidence", Picture: "the picture",
	Gate:  "gate",
	Table: "The numbers of this picture", AboutPicture: "About this picture",
	InItems:    "Its numbers are in the item table.",
	Read:       "Read the picture point by point with the arrow keys",
	Hint:       "click or Enter: its rollouts",
	Together:   "drawn as the mean of %s neighbours",
	AnyClass:   "all classes",
	ClassLabel: "Class",
	NoMatch:    "No item matches.",
	Printed:    "Only the first %s of these items are printed; the page on a screen has all of them.",

	Press:     "Click an item to see its rollouts.",
	PressLink: "Their text, one rollout per line, is in ",
	Show:      "To print all of it:",
	Beyond:    "more rollouts of this item: %s",
	NoTrace:   "This page was made without the run's rollouts: gonogo report RUN makes one with them.",
	Rewards:   "rewards",
	Spread:    "mean ± σ",
	Rollouts:  []string{"sample", "reward", "outcome", "tool calls", "line"},
	Outcomes: map[rollout.Outcome]string{
		rollout.Graded: "graded", rollout.NoAnswer: "no answer", rollout.StepLimit: "step limit reached",
		rollout.ModelAPI: "model API failed", rollout.PromptTooLong: "prompt too long",
		rollout.ToolFailed: "tool failed", rollout.GraderFailed: "grader failed",
	},
}
