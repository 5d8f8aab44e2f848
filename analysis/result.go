package analysis

import (
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Schema names the format of result.json. New keys keep the schema; renaming or retyping a key
// makes a new one.
const Schema = "gonogo/result/2"

// Result is the content of result.json. Sections whose stage has not run are absent.
type Result struct {
	// Lang is the language of the pictures and pages made from the Result.
	Lang message.Language `json:"-"`

	Require []string `json:"-"` // stages and gates, see Settings.Require

	Schema      string `json:"schema"`
	Ruling      `json:"verdict"`
	Cautions    []string     `json:"cautions"` // advisory gates that failed
	Note        message.Text `json:"note,omitzero"`
	ExitCode    int          `json:"exit_code"`
	Confidence  float64      `json:"confidence"`
	Looks       *Looks       `json:"looks,omitempty"` // present if sampling ends once the verdict is decided
	RewardRange [2]float64   `json:"reward_range"`
	Ceiling     float64      `json:"ceiling"` // the most that a perfect policy could earn
	GroupSize   int          `json:"group_size"`
	// what the trainer divides a group's advantages by: std or none
	Normalize string `json:"normalize,omitempty"`
	// what the trainer adds to the standard deviation of a group, if it is not the default
	Epsilon       *float64 `json:"epsilon,omitempty"`
	PassThreshold *float64 `json:"pass_threshold"` // null: the top of the range
	// what outputs that are errors begin with; see Settings
	ToolErrors string            `json:"tool_errors,omitempty"`
	Thresholds ThresholdValues   `json:"thresholds"`
	Run        RunInfo           `json:"run"`
	Timing     Timing            `json:"timing"`
	Input      rollout.Input     `json:"input"`
	Problems   []rollout.Problem `json:"problems"` // rules that the data files break

	Splits   map[rollout.Split]*SplitResult `json:"splits"`
	Plan     *Plan                          `json:"plan,omitempty"`
	Shift    *Shift                         `json:"shift,omitempty"`
	Grader   *Grader                        `json:"grader,omitempty"`
	Burst    *Burst                         `json:"burst,omitempty"`
	Leaks    *Leaks                         `json:"leaks,omitempty"` // between rollouts, if they had canaries
	Variants *Variants                      `json:"variants,omitempty"`
	Findings []Finding                      `json:"findings"`

	// Gates are the gates that judged the run, without their checks. A program that lacks one of
	// them must not judge the run again: its verdict would ignore that gate.
	Gates Gates `json:"gates,omitempty"`
	// the English words of the result's messages by id, for programs that lack them
	English map[string]string `json:"english,omitempty"`
}

// Ruling is the verdict with its reasons.
type Ruling struct {
	Verdict Verdict  `json:"answer"`
	Reason  *string  `json:"reason"` // the deciding gate; null for GO
	Claim   string   `json:"claim"`  // what it says about training; "" for UNDECIDED and without a training split
	Judged  []string `json:"judged"` // blocking gates that had something to judge
	// blocking gates that had nothing to judge, and sampling that is not complete
	NotJudged []Unjudged `json:"not_judged"`
	Required  []string   `json:"required"`           // gates without which the verdict is UNDECIDED, and sampling
	Changed   []Changed  `json:"changed_thresholds"` // thresholds that are not at their default, by name
}

// What a verdict before training claims: nothing speaks against starting, and the first steps have to
// show whether the model learns; the data, grader, tools or eval need repair; or no group would teach.
const (
	Start          = "start"
	Repair         = "repair"
	NothingToLearn = "nothing_to_learn"
)

// Verdict is the answer.
type Verdict string

// The verdicts.
const (
	Go        Verdict = "GO"
	NoGo      Verdict = "NO-GO"
	Undecided Verdict = "UNDECIDED"
)

// ExitCode returns the process exit code of a verdict: 0, 3 or 4.
func (v Verdict) ExitCode() int {
	switch v {
	case Go:
		return 0
	case NoGo:
		return 3
	}
	return 4
}

// RunInfo says what was analyzed. Only RunInfo and Timing may differ between two analyses of the same data.
type RunInfo struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Source string `json:"source,omitempty"` // live or import
	// whether its rollouts are still being graded again
	Grading     bool           `json:"grading,omitempty"`
	ToolVersion string         `json:"tool_version,omitempty"`
	JudgedBy    string         `json:"judged_by,omitempty"` // the version of gonogo that gave the verdict
	Model       string         `json:"model,omitempty"`
	Endpoint    string         `json:"endpoint,omitempty"` // the host of the model's server, with its port
	Seed        *uint64        `json:"seed,omitempty"`
	Data        []rollout.Data `json:"data,omitempty"`
	// the settings that replies were drawn with; absent if they are not recorded
	Sampling *rollout.Sampling `json:"sampling,omitempty"`
	// how unverified parts of the wire contract were interpreted
	Choices map[string]string `json:"choices,omitempty"`
	Notes   []message.Text    `json:"notes,omitempty"` // what an importer derived
	// checksums (disk.Checksum) of the run's analyzed files, by name
	Inputs map[string]string `json:"inputs,omitempty"`
}

// Timing holds wall times.
type Timing struct {
	Started string `json:"started_at,omitempty"`
	Ended   string `json:"ended_at,omitempty"`
}

// SplitResult is all that was measured on one split.
type SplitResult struct {
	Items   ItemCounts `json:"items"`
	Samples Spread     `json:"samples"` // valid rollouts per measured item
	Missing Missing    `json:"missing"`
	// present if the model endpoint or tools failed at least 5 attempts
	MissingBy   *MissingBy     `json:"missing_by,omitempty"`
	OwnFailures OwnFailures    `json:"own_failures"`
	Failures    []FailureCause `json:"failures"` // by outcome and cause, most frequent first
	Ends        FinishStats    `json:"ends"`
	Reward      Reward         `json:"reward"`
	Variance    Variance       `json:"variance"`
	BestOf      []AtK          `json:"best_of"`
	WorstOf     []AtK          `json:"worst_of"`
	// pass@k and pass^k: the probability that one, or each, of k rollouts is right, which is a reward of
	// at least pass_threshold, or the top of the range if that is null
	PassAt         []AtK          `json:"pass_at"`
	PassAll        []AtK          `json:"pass_all"`
	Lift           stat.Estimate  `json:"lift"`
	Headroom       stat.Estimate  `json:"headroom"`
	LiftShare      stat.Estimate  `json:"lift_share"`
	Signal         []Signal       `json:"signal"`
	SignalRewardSD stat.Estimate  `json:"signal_reward_sd"`
	Classes        Classes        `json:"classes"`
	Extrapolated   []Extrapolated `json:"extrapolated"`
	Beyond         Extrapolation  `json:"beyond"` // the models behind Extrapolated
	Tools          ToolUse        `json:"tools"`
	Tokens         Tokens         `json:"tokens"`
	Latency        Latency        `json:"latency"`
	Turns          stat.Estimate  `json:"turns"`
	TurnsP95       *stat.Estimate `json:"turns_p95,omitempty"`
	Identical      stat.Estimate  `json:"identical"`        // share of items whose outputs are all the same text
	Pooled         *Pooled        `json:"pooled,omitempty"` // items whose rollouts had different prompts
	Served         *Served        `json:"served,omitempty"` // which models answered, if several did
	Copies         *Copies        `json:"copies,omitempty"` // items whose rollouts are identical in all that was said

	Against []RewardByCost `json:"against,omitempty"` // the reward against what a rollout cost
	WhatIf  []WhatIf       `json:"what_if,omitempty"` // the reward under tighter limits
}

// Pooled counts the items whose rollouts had different prompts.
type Pooled struct {
	Count   int       `json:"count"`
	Share   float64   `json:"share"`   // of the sampled items
	Items   []string  `json:"items"`   // the first of them
	Prompts [2]string `json:"prompts"` // two of the first item's, shortened
}

// Served says which models answered, if several did.
type Served struct {
	By    []ServedBy `json:"by"`    // most rollouts first
	Mixed int        `json:"mixed"` // items that several models answered, or several fingerprints of one model
	Share float64    `json:"share"` // of the items with at least two rollouts whose models are known
	Items []string   `json:"items"` // the first that are mixed
}

// ServedBy counts the rollouts of one model.
type ServedBy struct {
	Name     string `json:"name"` // served_by in the records
	Rollouts int    `json:"rollouts"`
}

// OneModel reports whether the names differ only in their system_fingerprint.
func (s *Served) OneModel() bool {
	return !slices.ContainsFunc(s.By,
		func(by ServedBy) bool { return WithoutFingerprint(by.Name) != WithoutFingerprint(s.By[0].Name) })
}

// WithoutFingerprint removes the system_fingerprint, a word that begins with fp_, from a served_by
// name.
func WithoutFingerprint(served string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(served),
		func(word string) bool { return strings.HasPrefix(word, "fp_") }), " ")
}

// Copies counts the items whose rollouts are identical in all that was said.
type Copies struct {
	Compared int      `json:"compared"` // items with at least two rollouts whose outputs are recorded
	Equal    int      `json:"equal"`
	Share    float64  `json:"share"`
	Text     float64  `json:"text"`  // mean length of an output, answer and arguments of calls, in bytes
	Signs    []string `json:"signs"` // evidence against chance: text, temperature, ids, times, cache
	Items    []string `json:"items"` // the first that are equal
}

// The signs that identical rollouts are copies rather than chance.
const (
	CopiesText        = "text"        // outputs are too long to be equal by chance
	CopiesTemperature = "temperature" // the requests ask for temperature 0
	CopiesIDs         = "ids"         // the rollouts of an item have the same id
	CopiesTimes       = "times"       // the rollouts of an item took the same time, to the microsecond
	CopiesCache       = "cache"       // the log marks replies as taken from a cache
)

// ItemCounts counts the items of a split.
type ItemCounts struct {
	InFile   *int     `json:"in_file"`  // M, rows of the data file; null when unknown
	Sampled  int      `json:"sampled"`  // items with at least one record
	Measured int      `json:"measured"` // items with at least one valid reward
	Lost     []string `json:"lost"`     // sampled items without any valid reward

	// NotRun is the number of planned items without a record, because the run was stopped before
	// them. No estimate includes them. It is also 0 if the plan is unknown.
	NotRun int `json:"not_run,omitempty"`
}

// Spread is the minimum, median and maximum of a count per item.
type Spread struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Max    int     `json:"max"`
}

// Missing counts rollouts lost to a failed boundary. Share is their share of all recorded rollouts
// and Absent. NotRun is null if the number of planned rollouts is unknown.
type Missing struct {
	ModelAPI      int      `json:"model_api"`
	PromptTooLong int      `json:"prompt_too_long,omitempty"` // the model's server has no room for the prompt
	Tool          int      `json:"tool"`
	Grader        int      `json:"grader"`
	Share         *float64 `json:"share"`
	NotRun        *int     `json:"not_run"`
	// rollouts that the run behind an import planned and its log lacks: part of Share
	Absent   int `json:"absent,omitempty"`
	Repeated int `json:"repeated"` // earlier attempts that failed and were repeated: not part of Share
	// repeated requests within rollouts that got a reward, at any endpoint
	Retries int `json:"retries"`
	Retried int `json:"retried"` // rollouts with at least one repeated request
}

// Total is the number of rollouts without a valid reward.
func (m Missing) Total() int { return m.ModelAPI + m.PromptTooLong + m.Tool + m.Grader }

// Left returns the number of planned rollouts that were not run, here or in the run behind an
// import.
func (m Missing) Left() int {
	if m.NotRun == nil {
		return m.Absent
	}
	return m.Absent + *m.NotRun
}

// LostTo says what rollouts were lost to: endpoints, prompts that are too long, or the grader.
func (m Missing) LostTo() message.Text {
	if absent := m.Absent; absent > 0 {
		if m.Absent = 0; m.Total() == 0 {
			return lostFromLog.Text()
		}
		return lostToAll.With(message.Args{"lost": message.Nested(m.LostTo())})
	}
	if prompts := m.PromptTooLong; prompts > 0 {
		if m.PromptTooLong = 0; m.Total() == 0 {
			return lostToPrompts.Text()
		}
		return lostToPromptsToo.With(message.Args{"lost": message.Nested(m.LostTo())})
	}
	switch {
	case m.Grader == 0:
		return lostToEndpoints.Text()
	case m.Grader == m.Total():
		return lostToGrader.Text()
	}
	return lostToBoth.Text()
}

var (
	lostToEndpoints = message.New("missing.endpoints", "failing endpoints")
	lostToGrader    = message.New("missing.grader", "failures of the grader")
	lostFromLog     = message.New("missing.absent", "gaps in the log")
	lostToAll       = message.New("missing.absent_too", "gaps in the log, and to {lost}")
	lostToBoth      = message.New("missing.both", "failing endpoints and failures of the grader")
	lostToPrompts   = message.New("missing.prompts", "prompts longer than the context of the model's server")

	lostToPromptsToo = message.New("missing.prompts_too",
		"{lost}, and to prompts longer than the context of the model's server")
)

// OwnFailures counts rollouts in which the model itself failed to answer.
type OwnFailures struct {
	NoAnswer  int `json:"no_answer"`
	StepLimit int `json:"step_limit"`
}

// FailureCause is one reason why rollouts ended without a grade.
type FailureCause struct {
	Outcome rollout.Outcome `json:"outcome"`
	Error   string          `json:"error"`
	Count   int             `json:"count"`
	Items   []string        `json:"items"` // a few of the affected items
}

// Reward is the mean reward; each item has the same weight.
type Reward struct {
	stat.Estimate
	Mean      *float64       `json:"mean"` // equal to value
	Pooled    stat.Estimate  `json:"pooled"`
	Bounds    Bounds         `json:"bounds"`
	Family    *stat.Estimate `json:"family"`
	Histogram Histogram      `json:"histogram"` // of valid rewards of rollouts
}

// Bounds are the means if every missing rollout had earned the bottom, or the top, of the range.
type Bounds struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Histogram counts values: Counts[i] is the number in [Edges[i], Edges[i+1]); the last bin includes
// its upper edge. Both are empty if there is nothing to count.
type Histogram struct {
	Edges  []float64 `json:"edges"`
	Counts []int     `json:"counts"`
	// Values are the different values, ascending, and ValueCounts how often each occurs; both are absent
	// if there are more than a dozen.
	Values      []float64 `json:"values,omitempty"`
	ValueCounts []int     `json:"value_counts,omitempty"`
}

// Variance is the reward's variance, decomposed.
type Variance struct {
	Within      *float64      `json:"within"`
	Between     *float64      `json:"between"`
	ICC         stat.Estimate `json:"icc"`
	Sampling    *float64      `json:"sampling"` // within without the grader's part; null without regrades
	Grader      *float64      `json:"grader"`
	GraderShare stat.Estimate `json:"grader_share"`
}

// AtK is a quantity at k rollouts per item.
type AtK struct {
	stat.Estimate
	K int `json:"k"`
}

// Signal is the share of groups of one size that a group-relative trainer could learn from. Its
// value is also Informative.
type Signal struct {
	stat.Estimate
	GroupSize   int      `json:"group_size"`
	Informative *float64 `json:"informative"`
	// informative x (1 - the grader's share of the variance within items); null if that share is
	// unknown
	Net       *stat.Estimate `json:"net"`
	Strict    *float64       `json:"strict"` // any difference counts, down to 1e-6 of the range
	Tolerance float64        `json:"tolerance"`
	Bound     string         `json:"bound"` // exact, lower, upper or fit
}

// Teaches returns the share of groups that a trainer learns from, which headline, gates and plan
// use: net of grader noise if that is known.
func (s *Signal) Teaches() stat.Estimate {
	if s.Net != nil && s.Net.Known() {
		return *s.Net
	}
	return s.Estimate
}

// The classes of an item; they depend on the number of its samples.
const (
	Dead      = "dead"      // every reward at the bottom of the range
	Saturated = "saturated" // every reward at the top
	Flat      = "flat"      // all equal, in between
	Mixed     = "mixed"     // rewards differ
	Unclassed = "unclassed" // sampled once
)

// ClassNames lists the classes in the order they are shown.
func ClassNames() []string { return []string{Dead, Saturated, Flat, Mixed, Unclassed} }

// Classes groups the items by the pattern of their rewards.
type Classes struct {
	Counts map[string]int `json:"counts"`
	Items  []ItemResult   `json:"items"`
}

// ItemResult is one item's row in every table and chart.
type ItemResult struct {
	Item  string   `json:"item"`
	Class string   `json:"class"`
	N     int      `json:"n"` // valid rewards
	Mean  *float64 `json:"mean"`
	SD    *float64 `json:"sd"` // with n-1; null for n = 1
	Best  *float64 `json:"best"`
	Worst *float64 `json:"worst"`
	// rewards at the pass threshold or above, without one at the top that a perfect policy earns; absent if
	// unknown. C(right, k) / C(n, k) estimates pass^k of the item
	Right   *int `json:"right,omitempty"`
	Missing int  `json:"missing"` // rollouts without a valid reward
	// extra rollouts of this item, which count only for class, stays and samples_to_tell
	Targeted int `json:"targeted,omitempty"`
	// posterior probability that the class holds for a group of the trainer's size
	Stays *float64 `json:"stays"`
	// samples after which the class would be settled if the pattern continues
	SamplesToTell *int     `json:"samples_to_tell"`
	Category      string   `json:"category,omitempty"`
	Family        string   `json:"family,omitempty"`
	Calls         *float64 `json:"calls"` // mean tool calls per rollout
}

// Extrapolated is a modelled quantity beyond the number of samples.
type Extrapolated struct {
	Quantity string   `json:"quantity"` // pass_at or informative
	K        int      `json:"k"`
	Value    *float64 `json:"value"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Model    string   `json:"model"` // beta_binomial, zero_inflated or dirichlet
}

// ToolUse describes how rollouts used their tools.
type ToolUse struct {
	Offered  int           `json:"offered,omitempty"`  // rollouts of known course whose items' rows offer tools
	Optional bool          `json:"optional,omitempty"` // the setting tools.optional
	Calls    stat.Estimate `json:"calls"`              // per rollout
	P50      stat.Estimate `json:"p50"`                // of calls per rollout
	P95      stat.Estimate `json:"p95"`
	P99      stat.Estimate `json:"p99"`
	Max      int           `json:"max"`
	// share of rollouts that reached the budget of calls; null if there is none
	OverBudget *float64            `json:"over_budget"`
	AtBudget   *stat.Estimate      `json:"at_budget,omitempty"` // the same share with its interval
	Budget     *int                `json:"budget"`
	Long       *LongRollouts       `json:"long,omitempty"` // present if rollouts record their calls
	ByTool     map[string]ToolStat `json:"by_tool"`
	Bigrams    map[string]int      `json:"bigrams"`   // "a>b": b was the next call after a
	Repeats    stat.Estimate       `json:"repeats"`   // share of calls equal to an earlier one of the rollout
	Parallel   stat.Estimate       `json:"parallel"`  // share of calling turns with more than one call
	Malformed  stat.Estimate       `json:"malformed"` // share of calls
	Histogram  Histogram           `json:"histogram"` // of calls per rollout, one bin per count
}

// ToolStat holds the statistics of one tool. Tokens of outputs are estimated as bytes/4.
type ToolStat struct {
	Calls     int `json:"calls"`
	Errors    int `json:"errors"` // answered with an error, by status or by tools.error_pattern
	Failed    int `json:"failed"`
	Malformed int `json:"malformed"`
	// valid rollouts by their calls of this tool, in the bins of the histogram over all tools
	PerRollout      []int    `json:"per_rollout,omitempty"`
	NotText         int      `json:"not_text,omitempty"` // answered with an output that is not a string
	P50             *float64 `json:"p50_s"`
	P95             *float64 `json:"p95_s"`
	OutputTokensP95 *float64 `json:"output_tokens_p95"`
	OutputBytesP95  *float64 `json:"output_bytes_p95"`
}

// Tokens are per rollout, over the rollouts whose server reported them.
type Tokens struct {
	Input      stat.Estimate  `json:"input"`
	Output     stat.Estimate  `json:"output"`
	Reasoning  *stat.Estimate `json:"reasoning"`
	KnownShare *float64       `json:"known_share"`
}

// Latency is the wall time of a rollout in seconds.
type Latency struct {
	P50       *float64       `json:"p50"`
	P95       *float64       `json:"p95"`
	P99       *float64       `json:"p99"`
	OverLimit *stat.Estimate `json:"over_limit"`
}

// Plan is what a training run of this data would need.
type Plan struct {
	GroupSize    int            `json:"group_size"`
	BatchSize    *int           `json:"batch_size"`
	WantedShare  float64        `json:"wanted_share"`
	MinGroupSize *int           `json:"min_group_size"`
	PerStep      *PlanCost      `json:"per_step,omitempty"`
	PerEpoch     *PlanCost      `json:"per_epoch,omitempty"`
	PeakRPS      *PlanLoad      `json:"peak_rps,omitempty"`
	Evaluation   *PlanCost      `json:"evaluation,omitempty"`    // one evaluation of all eval items
	Evaluations  int            `json:"evaluations,omitempty"`   // in the whole training
	Whole        *PlanCost      `json:"whole,omitempty"`         // all epochs and evaluations
	Steps        int            `json:"steps,omitempty"`         // of the whole training
	Groups       int            `json:"groups,omitempty"`        // of the whole training
	Assumed      bool           `json:"assumed,omitempty"`       // whether Steps and Groups are a default
	BySize       []PlanSize     `json:"by_group_size,omitempty"` // the needs of other group sizes, ascending
	Assumptions  []message.Text `json:"assumptions"`
}

// PlanSize is a step of training at one group size.
type PlanSize struct {
	GroupSize      int           `json:"group_size"`
	Rollouts       int           `json:"rollouts"`         // of a step
	Informative    stat.Estimate `json:"informative"`      // groups of a step
	RolloutsPerOne stat.Estimate `json:"rollouts_per_one"` // rollouts paid for per informative group
	USD            stat.Estimate `json:"usd"`              // of a step
	SecondsMin     stat.Estimate `json:"seconds_min"`      // of a step, as in PlanCost
}

// PlanCost is what one step, epoch, evaluation or training takes. The trainer's own part is null if
// nothing trains, or if the numbers for its rule are not known.
type PlanCost struct {
	InformativeGroups stat.Estimate `json:"informative_groups"`
	Rollouts          stat.Estimate `json:"rollouts"`
	ToolCalls         stat.Estimate `json:"tool_calls"`
	JudgeCalls        stat.Estimate `json:"judge_calls"`
	InputTokens       stat.Estimate `json:"input_tokens"`
	OutputTokens      stat.Estimate `json:"output_tokens"`
	USD               stat.Estimate `json:"usd"`
	SecondsMin        stat.Estimate `json:"seconds_min"`

	TrainedTokens  *stat.Estimate `json:"trained_tokens,omitempty"`  // tokens that the trainer learns from
	TrainerSeconds *stat.Estimate `json:"trainer_seconds,omitempty"` // the trainer's time for them
	TrainerUSD     *stat.Estimate `json:"trainer_usd,omitempty"`     // their cost, at a price per token
}

// PlanLoad is the peak request rate on the endpoints.
type PlanLoad struct {
	Tools  map[string]stat.Estimate `json:"tools"`
	Grader stat.Estimate            `json:"grader"`
}

// In returns a copy of r for pages and pictures in language l. It does not change r.
func (r *Result) In(l message.Language) *Result {
	out := *r
	out.Lang = l
	return &out
}
