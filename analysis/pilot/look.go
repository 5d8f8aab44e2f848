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
// rollouts.
func DefaultLooks() []Planned { return []Planned{{10, 640}, {20, 1280}, {40, 2560}} }

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
func (j *judgement) elapsed(step int) int {
	if len(j.steps) > 0 && j.steps[0] == 0 {
		return step + 1
	}
	return step
}

// reached returns the moments of the looks that the log has reached. The last step counts once it
// has as many rollouts as the median step: a trainer may still be writing it.
func (j *judgement) reached() []moment {
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
		complete := i < len(j.steps)-1 || perStep[i] >= usual[len(usual)/2]
		for next < len(j.Looks) && complete && j.elapsed(step) >= j.Looks[next].Step && rollouts >= j.Looks[next].Rollouts {
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

// next returns the step of the first look that is not reached, estimated from the rollouts of a step
// so far; nil after the last look.
func (j *judgement) next(reached int) *int {
	if reached >= len(j.Looks) {
		return nil
	}
	perStep := 0
	if n := len(j.steps); n > 0 {
		for _, c := range j.rolloutsByStep() {
			perStep += c
		}
		perStep /= n
	}
	step := j.Looks[reached].StepOf(perStep)
	if len(j.steps) > 0 && j.steps[0] == 0 {
		step--
	}
	return &step
}

// windowAt returns the groups of the last ten steps up to a moment.
func (j *judgement) windowAt(at moment) []Group {
	from := at.groups
	for from > 0 && j.Groups[from-1].Step > at.step-window {
		from--
	}
	return j.Groups[from:at.groups]
}

// points returns the difference at each step, over the ten steps that end there.
func (j *judgement) points() []Point {
	out := []Point{}
	groups := 0
	for _, step := range j.steps {
		for groups < len(j.Groups) && j.Groups[groups].Step == step {
			groups++
		}
		d := j.difference(j.windowAt(moment{step, groups}), 1)
		out = append(out, Point{step, d.Value, d.Low, d.High})
	}
	return out
}

// look judges the log up to a moment.
func (j *judgement) look(i int, at moment) Look {
	groups := j.windowAt(at)
	l := Look{Step: at.step, Groups: at.groups, Reward: j.rewardAt(at), Eval: j.evalAt(i, at), Window: j.windowOf(groups)}
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

// evalAt returns the difference on eval that belongs to a look: that of the last sampled checkpoint
// to whose step no other look is closer, as a ratio, and which is within a factor of 1.5.
func (j *judgement) evalAt(i int, at moment) *Difference {
	steps := make([]float64, len(j.Looks)) // elapsed steps of the looks
	reached := j.reached()
	for k := range j.Looks {
		if k < len(reached) {
			steps[k] = float64(j.elapsed(reached[k].step))
		} else {
			steps[k] = float64(j.elapsed(*j.next(k)))
		}
	}
	var found *Eval
	for k := range j.Evals {
		e := &j.Evals[k]
		step := float64(j.elapsed(e.Step))
		near := step > 0 && nearest(steps, step) == i && math.Abs(math.Log(steps[i]/step)) < math.Log(farthest)
		if near && (found == nil || e.Step > found.Step) {
			found = e
		}
	}
	if found == nil {
		return nil
	}
	d := j.evalDifference(found)
	return &d
}

// farthest is the ratio between the steps of a checkpoint and of a look above which they do not belong
// together. Between planned looks the ratio is at most the square root of 2.
const farthest = 1.5

// nearest returns the index of the value with the smallest ratio to x.
func nearest(values []float64, x float64) int {
	best := 0
	for i, v := range values {
		if math.Abs(math.Log(v/x)) < math.Abs(math.Log(values[best]/x)) {
			best = i
		}
	}
	return best
}
