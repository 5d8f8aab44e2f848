package analysis

import (
	"strings"
)

// Gates lists the gates in the order in which they are shown and in which the
// first failing one is the verdict's reason: whether the run can be trusted,
// then whether its rewards can, then whether the task lies within reach, then
// whether it teaches.
func Gates() []Gate {
	return []Gate{
		dataValid, dataConflicts, dataEnough, dataQuality,
		infraFailures, rolloutsSound, rolloutsIndependent, endpointBurst,
		graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy,
		baselineReachable, baselineHeadroom, signalInformative, explorationLift,
		leakage, shiftGates, evalPower, variantsGain,
		toolsHealth, toolsLatency,
	}
}

// itemGates are the gates that judge items alone, in the order of all.
func itemGates() []Gate {
	return []Gate{dataConflicts, dataQuality.only(dataDegenerate), leakage, shiftGates.only(shiftText, shiftFields)}
}

// ofGrader reports whether a gate is about the grader and its references.
func ofGrader(gate string) bool {
	return strings.HasPrefix(gate, "grader.") || gate == "data.quality"
}

// ThresholdTable lists every threshold of Gates, and those of gonogo compare.
func ThresholdTable() []Threshold { return ThresholdsOf(Gates()) }

// Requirable lists the names that Settings.Require takes of Gates and the stages.
func Requirable() []string { return RequirableOf(Gates()) }
