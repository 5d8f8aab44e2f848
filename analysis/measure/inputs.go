package measure

import (
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// Inputs returns the checksums of the run's files that an analysis reads; nil if dir is a file.
// The checksum of the rollouts, the largest file, is optional: an analysis computes it as it reads.
func Inputs(dir string, rollouts bool) (map[string]string, error) {
	names := []string{
		rollout.ItemsFile, rollout.ProbesFile, rollout.LabelsFile, rollout.BurstFile,
		rollout.VariantsDir + "/*/" + rollout.RolloutsFile, rollout.VariantsDir + "/*/" + rollout.ProbesFile,
	}
	if rollouts {
		names = append(names, rollout.RolloutsFile)
	}
	return disk.Checksums(dir, names...)
}
