package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/judge"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// ResultFile is the analysis in a run directory.
const ResultFile = "result.json"

// Analyze computes the result of a run and of its variants, which it ranks. The result
// keeps the checksums of the files that it was made of, by which ReadResult knows whether
// it is still that of the run. strangers are folders that lie among the variants and are
// none.
func Analyze(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	gates analysis.Gates,
) (result *analysis.Result, strangers []string, err error) {
	var inputs map[string]string // none where the run is a single file, which has no neighbors
	if filepath.Base(run.File()) == rollout.RolloutsFile {
		// before they are read: what is added meanwhile makes the result old
		if inputs, err = inputsOf(run.Dir, false); err != nil {
			return nil, nil, err
		}
	}
	if result, err = judge.Analyze(ctx, run, read, s, gates); err != nil {
		return nil, nil, err
	}
	if inputs != nil {
		inputs[rollout.RolloutsFile] = result.Input.Sum
	}
	result.Run.Inputs = inputs
	variants, strangers, err := run.Variants()
	if err != nil {
		return nil, nil, err
	}
	return result, strangers, compare.RankVariants(ctx, result, run, variants, read, s, gates)
}

// WriteResult writes result.json into a run directory, whole or not at all. A
// run that is a single file gets none.
func WriteResult(dir string, r *analysis.Result) error {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return err
	}
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		return err
	}
	path := filepath.Join(dir, ResultFile)
	if was, err := disk.ReadFile(path); err == nil && bytes.Equal(was, b.Bytes()) {
		return nil // a run that this user may only read can still be reported
	}
	return disk.WriteFile(path, b.Bytes())
}

// ReadResult reads a run's result.json. It returns nil when there is none, or when the
// files that were analysed are not those that are there now.
func ReadResult(dir string) (*analysis.Result, error) {
	path := filepath.Join(dir, ResultFile)
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil // none there, or the run is a single file
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := analysis.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := os.Stat(filepath.Join(dir, rollout.RolloutsFile)); errors.Is(err, fs.ErrNotExist) {
		return r, nil // a result without the run
	}
	now, err := inputsOf(dir, true)
	if err != nil || !maps.Equal(now, r.Run.Inputs) {
		return nil, err
	}
	return r, nil
}

// inputsOf sums the files of a run that an analysis reads, those of its rollouts where
// asked for: the largest file, summed as it is read. It is nil where dir is a file.
func inputsOf(dir string, rollouts bool) (map[string]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	names := []string{rollout.ItemsFile, rollout.ProbesFile, rollout.LabelsFile, rollout.BurstFile}
	if rollouts {
		names = append(names, rollout.RolloutsFile)
	}
	variants, _ := os.ReadDir(rollout.VariantDir(dir, "")) // none there is no variants
	for _, v := range variants {
		for _, name := range []string{rollout.RolloutsFile, rollout.ProbesFile} {
			names = append(names, filepath.Join(rollout.VariantsDir, v.Name(), name))
		}
	}
	inputs := make(map[string]string)
	for _, name := range names {
		sum, err := disk.Checksum(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		inputs[filepath.ToSlash(name)] = sum
	}
	return inputs, nil
}
