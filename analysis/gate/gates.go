package gate

import "gonogo/analysis"

// All lists the gates in the order in which they are shown; the first one that fails is the
// verdict's reason. They ask whether the run can be trusted, then whether its rewards can, then
// whether the task is within reach, then whether it teaches; last, whether the platform takes the
// files, which is soonest fixed.
func All() analysis.Gates {
	return analysis.Gates{
		dataConflicts, dataEnough, dataQuality,
		infraFailures, rolloutsSound, rolloutsIndependent, endpointBurst,
		graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy,
		baselineReachable, baselineHeadroom, signalInformative, explorationLift,
		leakage, shiftGates, evalPower, variantsGain,
		toolsHealth, toolsLatency, dataValid,
	}
}

// OfItems lists the gates that judge only the items, in the order of All.
func OfItems() analysis.Gates {
	return analysis.Gates{
		dataConflicts, dataQuality.WithParts(dataDegenerate), leakage,
		shiftGates.WithParts(shiftText, shiftFields),
	}
}

// OfGrader lists the gates about the grader and its references.
func OfGrader() analysis.Gates {
	return analysis.Gates{dataQuality, graderTruth, graderHackable, graderNoise, graderShortcuts, graderAccuracy}
}

// OfEndpoints lists the gates about the load of a training step.
func OfEndpoints() analysis.Gates { return analysis.Gates{endpointBurst} }

// Register the texts of gonogo's own gates, so that any program can show their findings.
func init() { All().Declare() }
