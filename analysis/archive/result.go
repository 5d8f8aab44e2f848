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

// ResultFile is the file of the analysis in a run directory.
const ResultFile = "result.json"

// Analyze computes the result of a run, and ranks its variants. The result holds the checksums of
// the files that it was made from, by which ReadResult knows whether it is up to date. strangers
// are the folders among the variants that are not variants.
func Analyze(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	gates analysis.Gates,
) (result *analysis.Result, strangers []string, err error) {
	var inputs map[string]string // nil if the run is a single file, which has no other files
	if filepath.Base(run.File()) == rollout.RolloutsFile {
		// before the analysis reads them, so that a later change makes the result outdated
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

// WriteResult writes result.json to a run directory atomically. A run that is a single file gets
// none.
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
		return nil // a read-only run can still be reported
	}
	return disk.WriteFile(path, b.Bytes())
}

// ReadResult reads a run's result.json. It returns nil if there is none, or if the run's files
// are no longer those that were analyzed.
func ReadResult(dir string) (*analysis.Result, error) {
	path := filepath.Join(dir, ResultFile)
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil // no result, or the run is a single file
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

// inputsOf returns the checksums of the run's files that an analysis reads; nil if dir is a file.
// That of the rollouts, the largest file, is optional: an analysis computes it as it reads.
func inputsOf(dir string, rollouts bool) (map[string]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	names := []string{rollout.ItemsFile, rollout.ProbesFile, rollout.LabelsFile, rollout.BurstFile}
	if rollouts {
		names = append(names, rollout.RolloutsFile)
	}
	variants, _ := os.ReadDir(rollout.VariantDir(dir, "")) // without the directory there are no variants
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
