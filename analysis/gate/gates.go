package gate

import "gonogo/analysis"

// All lists the gates in the order in which they are shown and in which the
// first failing one is the verdict's reason: whether the run can be trusted,
// then whether its rewards can, then whether the task lies within reach, then
// whether it teaches.
func All() []analysis.Gate {
	return []analysis.Gate{
		dataValid, dataConflicts, dataEnough, dataQuality,
		infraFailures, rolloutsSound, rolloutsIndependent, endpointBurst,
		graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy,
		baselineReachable, baselineHeadroom, signalInformative, explorationLift,
		leakage, shiftGates, evalPower, variantsGain,
		toolsHealth, toolsLatency,
	}
}

// OfItems are the gates that judge items alone, in the order of all.
func OfItems() []analysis.Gate {
	return []analysis.Gate{dataConflicts, dataQuality.WithParts(dataDegenerate), leakage, shiftGates.WithParts(shiftText, shiftFields)}
}

// OfGrader are the gates about the grader and its references.
func OfGrader() []analysis.Gate {
	return []analysis.Gate{dataQuality, graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy}
}

// OfEndpoints are the gates about the load of a training step.
func OfEndpoints() []analysis.Gate { return []analysis.Gate{endpointBurst} }

// Thresholds lists every threshold of Gates, and those of gonogo compare.
func Thresholds() []analysis.Threshold { return analysis.ThresholdsOf(All()) }

// Requirable lists the names that Settings.Require takes of Gates and the stages.
func Requirable() []string { return analysis.RequirableOf(All()) }
