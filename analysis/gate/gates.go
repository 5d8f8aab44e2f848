package gate

import "gonogo/analysis"

// All lists the gates in the order in which they are shown and in which the
// first failing one is the verdict's reason: whether the run can be trusted,
// then whether its rewards can, then whether the task lies within reach, then
// whether it teaches.
func All() analysis.Gates {
	return analysis.Gates{
		dataValid, dataConflicts, dataEnough, dataQuality,
		infraFailures, rolloutsSound, rolloutsIndependent, endpointBurst,
		graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy,
		baselineReachable, baselineHeadroom, signalInformative, explorationLift,
		leakage, shiftGates, evalPower, variantsGain,
		toolsHealth, toolsLatency,
	}
}

// OfItems are the gates that judge items alone, in the order of all.
func OfItems() analysis.Gates {
	return analysis.Gates{
		dataConflicts, dataQuality.WithParts(dataDegenerate), leakage,
		shiftGates.WithParts(shiftText, shiftFields),
	}
}

// OfGrader are the gates about the grader and its references.
func OfGrader() analysis.Gates {
	return analysis.Gates{dataQuality, graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy}
}

// OfEndpoints are the gates about the load of a training step.
func OfEndpoints() analysis.Gates { return analysis.Gates{endpointBurst} }

// The texts of gonogo's own gates are known in any program that shows their findings.
func init() { All().Declare() }
