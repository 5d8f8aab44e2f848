package analysis

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

// gatesOfItems are the gates that judge items alone, in the order of all.
func gatesOfItems() []Gate {
	return []Gate{dataConflicts, dataQuality.only(dataDegenerate), leakage, shiftGates.only(shiftText, shiftFields)}
}

// gatesOfGrader are the gates about the grader and its references.
func gatesOfGrader() []Gate {
	return []Gate{dataQuality, graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy}
}

// gatesOfEndpoints are the gates about the load of a training step.
func gatesOfEndpoints() []Gate { return []Gate{endpointBurst} }

// ThresholdTable lists every threshold of Gates, and those of gonogo compare.
func ThresholdTable() []Threshold { return ThresholdsOf(Gates()) }

// Requirable lists the names that Settings.Require takes of Gates and the stages.
func Requirable() []string { return RequirableOf(Gates()) }
