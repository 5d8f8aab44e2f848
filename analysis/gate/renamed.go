package gate

import (
	"fmt"

	"gonogo/analysis"
)

// Renamed says what replaced a former gate or threshold. Every fact that an old gate judged is now a
// fact of the new gate, under the old gate's name.
type Renamed struct {
	Old string
	New string  // the gate or threshold that it belongs to now
	At  float64 // the fixed value of a threshold that can no longer be set; else 0
	Set bool    // whether it can still be set, under the new name
	Now string  // what the new threshold measures, if not what the old one did
}

// RenamedGates lists the gates that became facts of another gate.
func RenamedGates() []Renamed {
	var list []Renamed
	for _, g := range All() {
		for _, part := range g.Parts {
			if part.Name != g.Name {
				list = append(list, Renamed{Old: part.Name, New: g.Name})
			}
		}
	}
	return list
}

// RenamedThresholds lists the thresholds that were renamed or removed.
func RenamedThresholds() []Renamed {
	set := func(old, current string) Renamed { return Renamed{Old: old, New: current, Set: true} }
	fixed := func(old, gate string, at float64) Renamed { return Renamed{Old: old, New: gate, At: at} }
	list := []Renamed{
		fixed("data.enough.caution_items", "data.enough", 100), fixed("data.enough.caution_samples", "data.enough", 8),
		fixed("data.suspect", "data.quality", 0),
		fixed("infra.failures.caution", "infra.failures", 0.01),
		fixed("infra.failures.retried", "infra.failures", retriedMost),
		set("rollouts.markup", "rollouts.finished.markup"), fixed("rollouts.markup.caution", "rollouts.finished", 0),
		set("rollouts.leaks", "rollouts.independent.leaks"), fixed("rollouts.leaks.caution", "rollouts.independent", 0),
		fixed("sampling.identical", "rollouts.independent", identicalCaution),
		fixed("rollouts.independent.identical", "rollouts.independent", identicalCaution),
		set("endpoint.lost", "endpoint.burst.lost"), fixed("endpoint.lost.caution", "endpoint.burst", discardedCaution),
		set("endpoint.latency", "endpoint.burst.latency"), fixed("endpoint.crosstalk", "endpoint.burst", 0),
		fixed("endpoint.wire", "endpoint.burst", 0), fixed("endpoint.repeat", "endpoint.burst", repeatedMost),
		fixed("grader.hackable.items", "grader.hackable", holeItems),
		fixed("grader.hackable.failed", "grader.hackable", failedUnknown),
		fixed("grader.hackable.failed.caution", "grader.hackable", failedCaution),
		set("grader.layers", "grader.shortcuts.layers"), fixed("grader.layers.caution", "grader.shortcuts", 0.02),
		set("grader.length", "grader.shortcuts.length"), fixed("grader.length.p", "grader.shortcuts", 0.01),
		set("grader.guessable", "grader.shortcuts.guessable"), set("grader.too_good", "grader.shortcuts.too_good"),
		fixed("grader.detected", "grader.shortcuts", 0),
		set("grader.agreement", "grader.accuracy.agreement"), set("grader.brittle", "grader.accuracy.brittle"),
		set("tools.failures", "tools.health.failures"), set("tools.malformed", "tools.health.malformed"),
		set("tools.budget", "tools.health.budget"), set("tools.output_size", "tools.health.output_size"),
		set("latency.limit", "tools.tail.limit"),
		set("baseline.reachable.caution", reachableLimit.Name), set("exploration.lift.caution", liftLimit.Name),
		{
			Old: "signal.informative", New: informativeLimit.Name, Set: true,
			Now: "informative groups expected in the whole training, instead of their share",
		},
	}
	for _, view := range []string{"shift.text", "shift.fields", "shift.reward", "shift.tools"} {
		list = append(list, set(view, "shift"), fixed(view+".pass", "shift", 0.70), set(view+".p", "shift.p"),
			fixed(view+".caution", "shift", analysis.ClearShift), set(view+".caution.p", "shift.caution.p"))
	}
	return list
}

// RenamedThresholdError returns an error that names the replacement of a former threshold; nil for
// any other name.
func RenamedThresholdError(name string) error {
	for _, m := range RenamedThresholds() {
		switch {
		case m.Old != name:
		case m.Now != "":
			return fmt.Errorf("the threshold %s is replaced by %s: %s (docs/gates.md)", name, m.New, m.Now)
		case m.Set:
			return fmt.Errorf("the threshold %s is now called %s (docs/gates.md)", name, m.New)
		default:
			return fmt.Errorf(
				"the threshold %s can no longer be set: it is fixed at %g in the gate %s (docs/gates.md)", name, m.At,
				m.New)
		}
	}
	return nil
}

// RenamedGateError returns an error that names the fact that a former gate became; nil for any
// other name.
func RenamedGateError(name string) error {
	for _, m := range RenamedGates() {
		if m.Old == name {
			return fmt.Errorf("the gate %s is now a part of %s (docs/gates.md)", name, m.New)
		}
	}
	return nil
}
