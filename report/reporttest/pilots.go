package reporttest

import (
	"testing"

	"gonogo/analysis/pilot"
)

// Pilots lists the names of the pilots that LoadPilot returns, in a fixed order.
func Pilots() []string {
	return []string{
		"rises", "reward_alone", "flat", "one_step", "long", "withheld", "withheld_alone", "zero", "by_heart",
		"negative", "tiny_range", "hole", "hostile", "curves",
	}
}

// LoadPilot returns a fresh copy of the named pilot.
func LoadPilot(t testing.TB, name string) *pilot.Result {
	t.Helper()
	return read[pilot.Result](t, "pilots/"+name+".json")
}
