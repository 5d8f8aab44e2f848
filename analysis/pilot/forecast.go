package pilot

import (
	_ "embed"
	"encoding/json"
	"math"
)

// Growth forecasts the gain of a whole training on eval from a look, by how recorded trainings grew:
// the log odds of the gain, as a share of the room above the base run, rise by a rate times the
// logarithm of the steps. A gain g in a room h after the share s of the plan ends at
//
//	h / (1 + (h-g)/g · exp(-rate · (log(1/s) + 0.1)))
//
// where 0.1 is for the difference between two samples of eval at the same step.
type Growth struct {
	Low       float64 `json:"low"` // rates: the 10 %, 50 % and 90 % quantile over recorded trainings
	Median    float64 `json:"median"`
	High      float64 `json:"high"`
	Trainings int     `json:"trainings"`
	Kinds     int     `json:"kinds"` // of tasks
}

//go:embed forecast.json
var recorded []byte

// RecordedGrowth returns the growth of the recorded trainings in fixtures/backtest; make backtest fits it.
func RecordedGrowth() Growth {
	var g Growth
	if err := json.Unmarshal(recorded, &g); err != nil {
		panic("pilot: forecast.json: " + err.Error())
	}
	return g
}

const (
	sampleOffset  = 0.1
	leastProgress = 0.005 // share of the range that a gain counts as at least: less is noise
	edge          = 0.005 // share of the room that a gain keeps from both ends, where log odds are infinite
)

// Gain returns a forecast for Input: the change of eval that a training of plannedSteps ends with, in
// shares of the reward range, given the mean of the base run on eval as such a share. It forecasts
// nothing from a look without eval, or if the plan is unknown.
func (g Growth) Gain(plannedSteps int, base float64) func(Look) *Forecast {
	return func(l Look) *Forecast {
		if plannedSteps <= 0 || l.Eval == nil || l.Eval.Share == nil || l.Eval.Step <= 0 || !(base < 1) {
			return nil
		}
		start, time := progress(*l.Eval.Share, 1-base, float64(l.Eval.Step)/float64(plannedSteps))
		at := func(rate float64) float64 { return (1 - base) / (1 + math.Exp(-start-rate*time)) }
		return &Forecast{Gain: at(g.Median), Low: at(g.Low), High: at(g.High), Trainings: g.Trainings, Kinds: g.Kinds}
	}
}

// Rate returns the rate at which a training grew that had changed eval by e after the share s of its
// steps and by final after all, in shares of the reward range, with the base run at base. Growth holds
// quantiles of it.
func Rate(e, final, base, s float64) float64 {
	start, time := progress(e, 1-base, s)
	return (logOdds(final/(1-base)) - start) / time
}

// progress returns the log odds of a gain in a room, and the time to the end of the plan.
func progress(e, room, s float64) (start, time float64) {
	return logOdds(max(e, leastProgress) / room), math.Log(1/min(s, 1)) + sampleOffset
}

func logOdds(share float64) float64 {
	share = min(max(share, edge), 1-edge)
	return math.Log(share / (1 - share))
}
