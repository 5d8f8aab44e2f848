package pilot

import (
	"math"
	"slices"
)

// Planned is a look that is fixed before the training is seen: it is due when the log holds this
// many steps and this many rollouts, whichever is later.
type Planned struct {
	Step     int `json:"step"`
	Rollouts int `json:"rollouts"`
}

// window is the number of steps over which a look averages the training reward.
const window = 10

// DefaultLooks returns the looks of a training: after 10, 20 and 40 steps, and 640, 1,280 and 2,560
// rollouts. Those that come after the end of a training of plannedSteps are left out, but for the
// first; 0 says that steps or rollouts are unknown.
func DefaultLooks(plannedSteps, rolloutsPerStep int) []Planned {
	looks := []Planned{{10, 640}, {20, 1280}, {40, 2560}}
	first := looks[0]
	return slices.DeleteFunc(looks, func(p Planned) bool {
		return plannedSteps > 0 && p != first && p.StepOf(rolloutsPerStep) > plannedSteps
	})
}

// StepOf returns the step at which a look is due if every step makes rolloutsPerStep rollouts.
func (p Planned) StepOf(rolloutsPerStep int) int {
	if rolloutsPerStep <= 0 {
		return p.Step
	}
	return max(p.Step, (p.Rollouts+rolloutsPerStep-1)/rolloutsPerStep)
}

// moment is a point of the log: elapsed steps, and the groups up to it.
type moment struct {
	step   int // as the trainer counts
	groups int // Groups[:groups] are those up to the step
}

// elapsed returns how many steps a step ends, whether the trainer counts from 0 or from 1.
func (j *judgement) elapsed(step int) int { return step + j.offset() }

// offset returns what elapsed steps are more than the trainer's count: 1 if it counts from 0.
func (j *judgement) offset() int {
	return offsetOf(j.steps, func(step int) int { return step })
}

func offsetOf[S any](steps []S, number func(S) int) int {
	if len(steps) > 0 && number(steps[0]) == 0 {
		return 1
	}
	return 0
}

// nearly is the share of the usual rollouts that is enough: some may be lost.
const nearly = 0.9

// moments returns the moments of the looks that the log has reached. The last step counts once it
// has nearly as many rollouts as the median step: a trainer may still be writing it.
func (j *judgement) moments() []moment {
	var all []moment
	rollouts, next := 0, 0
	perStep := j.rolloutsByStep()
	usual := slices.Sorted(slices.Values(perStep))
	groups := 0
	for i, step := range j.steps {
		for groups < len(j.Groups) && j.Groups[groups].Step == step {
			groups++
		}
		rollouts += perStep[i]
		enough := float64(rollouts) / nearly
		complete := i < len(j.steps)-1 || float64(perStep[i]) >= nearly*float64(usual[len(usual)/2])
		for complete && next < len(j.Looks) && j.elapsed(step) >= j.Looks[next].Step &&
			enough >= float64(j.Looks[next].Rollouts) {
			all = append(all, moment{step, groups})
			next++
		}
	}
	return all
}

func (j *judgement) rolloutsByStep() []int {
	counts := make([]int, len(j.steps))
	at := -1
	for i := range j.Groups {
		if i == 0 || j.Groups[i].Step != j.Groups[i-1].Step {
			at++
		}
		counts[at] += j.Groups[i].rollouts()
	}
	return counts
}

// lookSteps returns the steps of the planned looks. Those that are not reached are estimated from the
// rollouts of a step so far.
func (j *judgement) lookSteps() []int {
	rollouts, last, perStep := 0, 0, 0
	if n := len(j.steps); n > 0 {
		for _, c := range j.rolloutsByStep() {
			rollouts += c
		}
		perStep, last = rollouts/n, j.steps[n-1]
	}
	steps := make([]int, len(j.Looks))
	for i, p := range j.Looks {
		switch {
		case i < len(j.reached):
			steps[i] = j.reached[i].step
		case perStep == 0:
			steps[i] = p.Step - j.offset()
		default:
			more := max(0, p.Rollouts-rollouts+perStep-1) / perStep
			steps[i] = max(p.Step-j.offset(), last+more)
		}
	}
	return steps
}

// windowAt returns the groups of the last ten steps up to a moment.
func (j *judgement) windowAt(at moment) []Group {
	from := at.groups
	for from > 0 && j.Groups[from-1].Step > at.step-window {
		from--
	}
	return j.Groups[from:at.groups]
}

// points returns the difference at each step, over the ten steps that end there; none that would not be
// one of like with like.
func (j *judgement) points() []Point {
	out := []Point{}
	groups := 0
	for _, step := range j.steps {
		for groups < len(j.Groups) && j.Groups[groups].Step == step {
			groups++
		}
		if j.unfair.ID != "" {
			out = append(out, Point{Step: step})
			continue
		}
		d := j.difference(j.windowAt(moment{step, groups}), 1)
		out = append(out, Point{step, d.Value, d.Low, d.High})
	}
	return out
}

// look judges the log up to a moment.
func (j *judgement) look(i int, at moment) Look {
	groups := j.windowAt(at)
	l := Look{Step: at.step, Groups: at.groups, Reward: j.rewardAt(at), Window: j.windowOf(groups)}
	l.Eval = j.evalAt(i, l.Window)
	for k := range j.Groups[:at.groups] {
		l.Rollouts += j.Groups[k].rollouts()
	}
	if l.Eval != nil && l.Eval.Value != nil && l.Reward.Value != nil {
		transfer := *l.Eval.Value - *l.Reward.Value
		l.Window.Transfer = &transfer
	}
	l.Verdict = j.decide(i, at, l)
	return l
}

// evalAt returns the difference on eval that belongs to a look: that of the checkpoint closest to it,
// as a ratio of steps, to which no other look is closer, and which is within a factor of 1.5.
func (j *judgement) evalAt(i int, at Window) *Difference {
	due := elapsed(j.due, j.offset())
	var found *Eval
	for k := range j.Evals {
		e := &j.Evals[k]
		step := e.Step + j.offset()
		if belongs(due, i, step) && (found == nil || apart(due[i], step) < apart(due[i], found.Step+j.offset())) {
			found = e
		}
	}
	if found == nil {
		return nil
	}
	d := j.evalDifference(found, at)
	return &d
}

// Counts reports whether a checkpoint saved after step, as the trainer counts, belongs to a planned look.
func (r *Result) Counts(step int) bool {
	offset := offsetOf(r.Steps, func(s Point) int { return s.Step })
	due := elapsed(r.LookSteps, offset)
	for i := range due {
		if belongs(due, i, step+offset) {
			return true
		}
	}
	return false
}

// belongs reports whether a checkpoint belongs to look i of those that are due after these steps: no
// other is closer, as a ratio, and it is not far. All steps are elapsed ones.
func belongs(due []int, i, step int) bool {
	return step >= 1 && apart(due[i], step) < math.Log(farthest) &&
		!slices.ContainsFunc(due, func(look int) bool { return apart(look, step) < apart(due[i], step) })
}

// apart returns the distance of two steps: the absolute logarithm of their ratio.
func apart(a, b int) float64 { return math.Abs(math.Log(float64(a) / float64(b))) }

func elapsed(steps []int, offset int) []int {
	out := make([]int, len(steps))
	for i, step := range steps {
		out[i] = step + offset
	}
	return out
}

// farthest is the ratio between the steps of a checkpoint and of a look above which they do not belong
// together. Between planned looks the ratio is at most the square root of 2.
const farthest = 1.5
