package pilot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Schema names the form of pilot.json.
const Schema = "gonogo/pilot/1"

// Input is what a pilot is judged by. Rewards are in the units of Range.
type Input struct {
	Range     stat.Range
	Tolerance float64 // rewards that differ by no more are equal to the trainer
	Train     []Item  // the base run on train
	Eval      []Item  // the base run on eval
	EvalCalls float64 // its mean calls of tools a rollout; NaN if unknown
	Groups    []Group // the trainer's log, in any order
	Evals     []Eval  // the eval split, sampled from checkpoints
	Looks     []Planned
	Steps     int // of the whole training as planned; 0 if unknown

	// Fresh says that the base samples of the shown items were made after the items were chosen, so
	// that no choice can have been made by them.
	Fresh bool
	// AllGroups says that the trainer is known to log all groups, whatever their rewards.
	AllGroups bool
	Paid      Agreement
	Holes     []Hole
	// Distrust names the gates that failed in the base run and say that its rewards cannot be trusted.
	Distrust []string
	// Curves are what the trainer logged in addition to rollouts, or instead of them.
	Curves []Curve
	// Gain forecasts the gain of the whole training from a look with eval; nil is no forecast. There is
	// none either where the reward cannot be trusted: a hole that is found late raises it at once.
	Gain func(Look) *Forecast
}

// EvalShare returns the mean reward of the base run on eval as a share of the range; NaN without eval.
func (in *Input) EvalShare() float64 {
	var means []float64
	for _, it := range in.Eval {
		if len(it.Rewards) > 0 {
			mean, _ := stat.MeanVariance(it.Rewards)
			means = append(means, (mean-in.Range.Lo)/in.Range.Width())
		}
	}
	mean, _ := stat.MeanVariance(means)
	return mean
}

// Item is the base run's rewards of one item.
type Item struct {
	ID      string
	Rewards []float64
}

// Group is the rollouts of one item in one step of the trainer.
type Group struct {
	// Step counts as the trainer counts. With a policy lag it is the step at which the weights that
	// made the rollouts were the current ones.
	Step    int
	Item    string    // the item of the base run; "" if none or several match
	Name    string    // what the log calls the item, for messages
	Several bool      // several items of the base run match
	Rewards []float64 // without missing ones
	Missing int       // rollouts without a reward

	// Sums over the rollouts; Measured says which of them the log holds.
	Tokens, Cut, Calls, FailedCalls int
	Measured                        Measured
}

// Measured says what a log holds of each rollout in addition to its reward.
type Measured struct{ Tokens, Cut, Calls bool }

// rollouts returns the number of rollouts, graded or not.
func (g *Group) rollouts() int { return len(g.Rewards) + g.Missing }

// Eval is the eval items sampled from a checkpoint after Step steps.
type Eval struct {
	Step    int
	Items   []Item
	Missing int     // rollouts without a reward
	Calls   float64 // mean calls of tools a rollout; NaN if unknown
}

// Agreement says how many of the logged rewards that were graded again by the base run's grader came
// out the same. Checked is 0 if none were.
type Agreement struct {
	Checked int `json:"checked"`
	Agree   int `json:"agree"`
	// Regraded says that all rewards of the log were replaced by those of the base run's grader.
	Regraded bool `json:"regraded"`
}

// Differs reports whether the trainer pays something else than the base run's grader.
func (a Agreement) Differs() bool {
	return a.Checked > 0 && !a.Regraded && float64(a.Agree) < leastAgreement*float64(a.Checked)
}

// Result is what the first steps say. It is written to pilot.json.
type Result struct {
	// Lang is the language of the pictures and pages made from the Result.
	Lang message.Language `json:"-"`

	Schema    string         `json:"schema"`
	Version   string         `json:"gonogo"` // version of gonogo that judged
	Verdict   Verdict        `json:"verdict"`
	ExitCode  int            `json:"exit_code"`
	Range     [2]float64     `json:"reward_range"`
	GroupSize int            `json:"group_size"` // the log's most frequent one; 0 if it holds no group
	Planned   []Planned      `json:"planned"`
	Looks     []Look         `json:"looks"`
	LookSteps []int          `json:"look_steps"` // of the planned looks; those not reached are estimated
	NextLook  *int           `json:"next_look"`  // step; null after the last look
	Steps     []Point        `json:"steps"`      // for the picture: the difference step by step
	Matching  Matching       `json:"matching"`
	Zero      *Zero          `json:"zero"` // null if it could not be checked
	Paid      *Agreement     `json:"paid"` // null if it was not checked
	Groups    Shown          `json:"groups"`
	Holes     []Hole         `json:"holes"`
	Forecast  *Forecast      `json:"forecast"`
	Inputs    []Source       `json:"inputs"`
	Curves    []Curve        `json:"curves"` // unpaired curves of the trainer
	Notes     []message.Text `json:"notes"`
}

// Verdict is the answer with its claim.
type Verdict struct {
	Answer analysis.Verdict `json:"answer"`
	// Claim is "go_on", "stop" or "look_again".
	Claim  string       `json:"claim"`
	Reason message.Text `json:"reason"`
	// NotChecked lists conditions that could not be checked; they count neither for nor against.
	NotChecked []message.Text `json:"not_checked"`
	// ByReward says that the answer rests on the training reward alone.
	ByReward bool `json:"by_training_reward_alone"`
	Step     int  `json:"step"` // of the look that decides; 0 before the first look
}

// Source is a file that was judged.
type Source struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Curve is a curve that a trainer logged, which is shown and never judged.
type Curve struct {
	Name   string    `json:"name"`
	Steps  []int     `json:"steps"`
	Values []float64 `json:"values"`
}

// Forecast is the gain of the whole training on eval, from recorded trainings.
type Forecast struct {
	Gain      float64 `json:"gain"`
	Low       float64 `json:"low"` // 80 % interval
	High      float64 `json:"high"`
	Trainings int     `json:"trainings"`
	Kinds     int     `json:"kinds"`
}

// Look is what one look at the training shows.
type Look struct {
	Step     int `json:"step"`
	Rollouts int `json:"rollouts"` // logged up to it
	Groups   int `json:"groups"`
	// Reward is d, the change of the training reward paired by item, over the last ten steps.
	Reward Difference `json:"d"`
	// Eval is e, the change on the eval split; null if no checkpoint was sampled.
	Eval    *Difference `json:"e"`
	Verdict Verdict     `json:"verdict"`
	Window  Window      `json:"window"`
}

// Window is what the rollouts of the last ten steps were like. It never decides.
type Window struct {
	Informative     *float64 `json:"informative"`      // share of groups, at the trainer's group size
	BaseInformative *float64 `json:"base_informative"` // of the same items in the base run
	Tokens          *float64 `json:"tokens"`           // mean of a rollout
	Cut             *float64 `json:"cut"`              // share of rollouts
	Calls           *float64 `json:"calls"`            // mean of a rollout
	FailedCalls     *float64 `json:"failed_calls"`     // share of calls
	Transfer        *float64 `json:"transfer"`         // e - d
}

// Point is the difference over the ten steps that end at Step, with its 95 % interval.
type Point struct {
	Step  int      `json:"step"`
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Judge returns what the log and the eval looks say. It fails if the input makes no sense, such as a
// range without width or a log without steps in which nothing matches the base run.
func Judge(in Input) (*Result, error) {
	if in.Range.Width() <= 0 {
		return nil, fmt.Errorf("judge the pilot: the reward range %g to %g is empty", in.Range.Lo, in.Range.Hi)
	}
	j, err := newJudgement(in)
	if err != nil {
		return nil, fmt.Errorf("judge the pilot: %w", err)
	}
	r := &Result{
		Schema: Schema, Range: [2]float64{in.Range.Lo, in.Range.Hi}, GroupSize: j.groupSize,
		Planned: in.Looks, Looks: []Look{}, Steps: []Point{}, Matching: j.matching(), Zero: j.zero,
		Groups: j.shown, Holes: in.Holes, Inputs: []Source{}, Curves: in.Curves, Notes: []message.Text{},
	}
	if in.Curves == nil {
		r.Curves = []Curve{}
	}
	if in.Paid.Checked > 0 {
		r.Paid = &in.Paid
	}
	if in.Holes == nil {
		r.Holes = []Hole{}
	}
	for i, at := range j.reached {
		r.Looks = append(r.Looks, j.look(i, at))
	}
	r.Steps, r.LookSteps = j.points(), j.due
	if n := len(j.reached); n < len(j.due) && (len(in.Groups) > 0 || len(in.Curves) == 0) {
		r.NextLook = &j.due[n]
	}
	if len(j.reached) == 0 && j.unfair.ID != "" {
		r.Notes = append(r.Notes, nothingMeasured.With(message.Args{"why": message.Nested(j.unfair)}))
	}
	r.Verdict = j.headline(r.Looks, r.NextLook)
	if len(in.Groups) == 0 && len(in.Curves) > 0 {
		r.Verdict.Reason = curvesAlone.Text()
	}
	r.ExitCode = r.Verdict.Answer.ExitCode()
	if in.Gain != nil && len(in.Distrust) == 0 {
		for _, l := range slices.Backward(r.Looks) {
			if l.Eval != nil {
				r.Forecast = in.Gain(l)
				break
			}
		}
	}
	return r, nil
}

// judgement is an input with what all looks share.
type judgement struct {
	Input
	base, eval map[string][]float64 // sorted rewards by item
	reached    []moment             // the moments of the looks that the log has reached
	due        []int                // steps of the planned looks, reached or estimated
	steps      []int                // distinct steps of the log, ascending
	groupSize  int
	outside    int // logged rewards outside the range
	shown      Shown
	// unfair says why logged rewards and base run cannot be compared at all; empty if they can.
	unfair message.Text
	zero   *Zero
	noZero message.Text // why zero is nil
}

func newJudgement(in Input) (*judgement, error) {
	in.Groups = slices.Clone(in.Groups)
	slices.SortStableFunc(in.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Name, b.Name))
	})
	j := &judgement{Input: in, base: byItem(in.Train), eval: byItem(in.Eval)}
	sizes := make(map[int]int)
	for i := range in.Groups {
		g := &in.Groups[i]
		if g.Step < 0 {
			return nil, errors.New("a step is negative")
		}
		for _, y := range g.Rewards {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return nil, fmt.Errorf("step %d, item %s: a reward is %g", g.Step, g.Name, y)
			}
			if slack := rounding * in.Range.Width(); y < in.Range.Lo-slack || y > in.Range.Hi+slack {
				if _, known := j.base[g.Item]; known {
					j.outside++
				}
			}
		}
		if len(j.steps) == 0 || j.steps[len(j.steps)-1] != g.Step {
			j.steps = append(j.steps, g.Step)
		}
		sizes[g.rollouts()]++
	}
	for size, n := range sizes {
		if n > sizes[j.groupSize] || n == sizes[j.groupSize] && size < j.groupSize {
			j.groupSize = size
		}
	}
	j.reached = j.moments()
	j.due = j.lookSteps()
	j.shown = j.counted()
	j.unfair = j.unfairness()
	j.zero, j.noZero = j.zeroCheck()
	return j, nil
}

// rounding is the share of the range that is float noise.
const rounding = 1e-9

func byItem(items []Item) map[string][]float64 {
	by := make(map[string][]float64, len(items))
	for _, it := range items {
		if len(it.Rewards) > 0 {
			by[it.ID] = slices.Sorted(slices.Values(it.Rewards))
		}
	}
	return by
}
