package report

import (
	"fmt"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// words is the catalogue of all the page's own texts, with english as its original; wordsIn returns
// it in another language. Verbs (%s) are in the order of the English text, in a translation in any
// order; numbers are passed as text.
type words struct {
	Lang           message.Language
	Signs          block.Signs
	Title, TitleOf string

	// The verdict.
	Claims                                map[string]string           // of a verdict on training
	Meaning                               map[analysis.Verdict]string // of one that claims nothing
	Means                                 map[string]string           // of a NO-GO, by gate
	AllPassed, Because, NoneJudged, Noted string
	MeanBounds                            string // of a mean if much is missing
	GradedOnly                            string // marks another number in that case
	Passed, Unjudged, RestsOn, NotChecked string // the share that was judged
	Changed, ChangedTo, ChangedMore       string // thresholds that are not at their default
	Measure, Wanted                       string // of a finding; of the deciding one
	JudgedBy                              string // another version of gonogo
	OnGates, RunFailed                    string // what a verdict is based on
	GraderToo, Rejects                    string // in addition to another reason
	Judges, LookAt                        string // what would judge another gate; two items
	Unrequire                             string // a required gate that no command judges
	Exhibit                               exhibitWords
	ByFailed, ByFailedOf                  string // marks the rewards of a grader that failed its audit
	Gates, Cautions, Unsettled            plural

	// The three numbers.
	Mean, BestOf, Informative, Lazy                             string
	LazyOf, LazyAgainst, LazyDoc                                string
	MeanDoc, BestOfDoc, AimFor, AboveCeiling, InformativeDoc    string
	BestOfShort, InformativeBracket, InformativeNet, NoInterval string
	Measured, NotKnown, TwoSamples                              string

	// Headings.
	Findings, Pictures, NothingToShow, Items, Method, Thresholds, Choices, Input, Splits                   string
	Why, Remedy, Also, OtherFacts, Value, Want, CautionAt, ItemsToLook, NoFindings, Next, Quiet, NotJudged string
	Split, ItemsOf, SamplesOf, RolloutsOf, MissingOf, OutOf, Classified, Causes                            string

	// Findings, by state.
	States   map[block.Tone]string
	Severity map[analysis.Severity]string
	Classes  map[string]string // of items, in a word
	Class    map[string]string // number of items of a class, and what it means

	// Missing data.
	MissingNone, MissingSome, MissingAll, TooLong, Bounds, Lost, NotRun, NoneOf, OwnFailures, Retried string

	// Columns of the item table, with what they mean.
	Columns, GroupColumns []block.Column

	Capped, NoItems string

	// Input.
	CutShort string // of Markdown
	Rest     string // last line of a terminal report
	Evidence string // how to see the rollouts

	Bad, Torn, Duplicates, Conflicts, Superseded, MoreLines, AndMore, MoreBad string

	Made, MadeAt, About, AboutFile        string
	SubjectModel, SubjectHost, SubjectDay string // what was measured, where and when

	BySeen, BothSides, OfFile string // the rule that judges a finding if its interval suggests another answer

	Fact factWords
	Use  useWords
	If   ifWords
	Plan planWords

	Beyond   beyondWords
	Variants variantWords
	Burst    burstWords
	Pilot    pilotWords
	Audit    auditWords
	PDF      pdfWords
	Page     block.PageWords
	Print    block.PrintWords
}

// exhibitWords present the deciding evidence: an answer that fools the grader, rows that two splits
// share, one answer's rewards.
type exhibitWords struct {
	Title, Reward, Answer, Worthless, Right, Own  string
	Leaked, Lost, Marked, Again, Rollout, Rewards string
	Output                                        string
	Leaks                                         map[string]string // by shift.LeakKind
}

// auditWords describe the grader.
type auditWords struct {
	Title                               string
	None, NoProbe, Sound, Holed, Untold string
	Found                               map[rollout.Expectation]string
	// what a sound grader does; Loose: without a limit; Compared: with the item's outputs
	Must, MustLoose, MustCompared      map[rollout.Expectation]string
	States                             map[probeState]string
	ProbeHead                          []string
	On, OnOne, Ways, ByNoise, MovedToo string
	Counted                            map[rollout.Expectation]string // what a probe's count and share refer to
	Earned, EarnedInstead, Cut, LongID string
	Lookalikes, Backslash              string
	HolesTitle, MovesTitle             string
	NoAnswer, Earns                    string

	RateHead                                                         []string
	FalseAccept, FalseReject, Youden, Noise, NoiseVar, Flip          string
	FalseAcceptDoc, FalseRejectDoc, YoudenDoc, NoiseDoc, NoiseVarDoc string
	FlipDoc, Length, LengthDoc, LengthP, LengthPooled                string
	Slope, SlopeDoc, SlopeRatio, Distinct, DistinctDoc, Ends         string
	Form, FormHave, FormDoc                                          string
	Brittle, BrittleDoc, Moved, MovedDoc                             string
	Clipped, ClippedDoc, Guessable, GuessableDoc                     string
	ToolCallAlone, ToolCallAloneDoc, Slow, SlowOn, SlowDoc           string

	Agreement, Spearman, Kappa, Alpha, Ceiling, Labels, Differ string
	SpearmanDoc, KappaDoc, AlphaDoc, CeilingDoc                string

	BaseRate, WrongAccepted, RightRejected, AcceptedShare, Corrected                string
	BaseRateDoc, WrongAcceptedDoc, RightRejectedDoc, AcceptedShareDoc, CorrectedDoc string
	LabelAcceptDoc, LabelRejectDoc                                                  string

	Suspect, SuspectDoc, TooGood, TooGoodDoc                       string
	ByItem, ByItemHead, ByItemDoc                                  string
	SuspectHead, TooGoodHead, LayerHead, DetectorHead, FailureHead []string
	Layers, Core, Gate, CoreGate, Formula, Rest                    string
	Zero, AtZero, Bought, Moving, ZeroItems                        string
	Detectors, Zeroed, NotZeroed, Failures, FailuresDoc            string
}

// useWords name what rollouts used.
type useWords struct {
	Title, Turns, Calls, P50, P95, P99, AtBudget, Long, Repeats, Parallel, Malformed string
	Input, Output, Reasoning, Median, Slow, Seconds, OverLimit                       string
	NoAnswer, CutOff, Refused                                                        string
	ByTool, TokensEstimated                                                          string
	ToolHead                                                                         []string
	Notes                                                                            string
}

// ifWords describe the effect of tighter limits.
type ifWords struct {
	Title, Lead, Tightest, Groups, Now string
	Limit                              map[string]string // by quantity
	Of                                 map[string]string // what there is less of, by quantity
	Head, GroupHead                    []string
}

// planWords name the costs of training.
type planWords struct {
	Title, Step, Epoch, Smallest, GroupOnly                                     string
	Rollouts, Informative, ToolCalls, JudgeCalls, Input, Output, Seconds        string
	Money, NoMoney                                                              string
	Evaluation, Whole, WholeWith, Trained, TrainerSeconds, TrainerMoney, BySize string
	SizeHead                                                                    []string
}

// beyondWords name the models' predictions for more rollouts than were made.
type beyondWords struct {
	Title, Doc, Plain, Inflated string
	Of                          map[string]string // by quantity
}

// variantWords describe variants.
type variantWords struct {
	Title, Lead, LeadByLift, Gain, None, On, Base, Change, NotSet string
	Head                                                          []string
	Answers                                                       map[analysis.VariantAnswer]string
}

// factWords name the facts about the measurement.
type factWords struct {
	Run, Source, Model, Seed, Sampled, Version, Data, DataIs, Range, RangeIs, GroupSize, PassThreshold string
	Confidence, Input, InputIs, MeanMethod, BestMethod, SignalMethod                                   string
}

// wordsIn returns the catalogue in a language.
func wordsIn(l message.Language) *words {
	w := message.In(l, "report", english)
	return &w
}

// say formats a text of a result.
func (w *words) say(t message.Text) string { return prose(t.In(w.Lang)) }

// notes returns texts of a result as sentences.
func (w *words) notes(texts []message.Text) (notes []string) {
	for _, t := range texts {
		notes = append(notes, w.Capital(w.say(t))+w.Signs.Stop)
	}
	return notes
}

func (w *words) named(name, text string) string { return w.Signs.Named(name, text) }

// list joins names.
func (w *words) list(names []string) string { return strings.Join(names, w.Signs.List) }

// plural is a text for one and a text for several, with %s for the number.
type plural struct{ One, Many string }

func (p plural) of(n int) string {
	if n == 1 {
		return p.One
	}
	return fmt.Sprintf(p.Many, message.Whole(n))
}
