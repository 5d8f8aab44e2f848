package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/judge"
	"gonogo/analysis/measure"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// ResultFile is the file of the analysis in a run directory.
const ResultFile = "result.json"

// OtherGatesError reports that the stored result of a run was judged with gates that this program
// lacks. To judge the run again without them could turn a NO-GO into a GO.
type OtherGatesError struct {
	File  string   // the result
	Gates []string // their names
}

func (e *OtherGatesError) Error() string {
	return fmt.Sprintf("%s was judged with gates that this program lacks: %s. Judge the run with the program that has "+
		"them; to judge it without them, move that file away first", e.File, strings.Join(e.Gates, ", "))
}

// CheckGates returns an *OtherGatesError if the result in a run directory was judged with gates that
// are not in the list. It returns nil if there is no result or if the result does not name its gates.
func CheckGates(dir string, gates analysis.Gates) error {
	file := filepath.Join(dir, ResultFile)
	text, err := disk.ReadFile(file)
	if err != nil {
		return nil // a result that cannot be read is not replaced unnoticed: WriteResult reports it
	}
	var stored struct {
		Gates analysis.Gates `json:"gates"`
	}
	if json.Unmarshal(text, &stored) != nil {
		return nil // damaged, or from before gates were stored
	}
	if lacking := Lacking(stored.Gates, gates); len(lacking) > 0 {
		return &OtherGatesError{file, lacking}
	}
	return nil
}

// Lacking returns the names of the stored gates and parts that are not in the list.
func Lacking(stored, gates analysis.Gates) (names []string) {
	for _, g := range stored {
		if g == nil || g.Name == "" {
			continue // a damaged result, which Decode refuses
		}
		if known := gates.Named(g.Name); known.Check == nil && len(known.Parts) == 0 {
			names = append(names, g.Name)
			continue // its parts go with it
		}
		names = append(names, Lacking(g.Parts, gates)...)
	}
	return names
}

// Analyze computes the result of a run, and ranks its variants. strangers are the folders among the
// variants that are not variants. It returns an *OtherGatesError if the run's result was judged with
// gates that are not in the list.
func Analyze(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	gates analysis.Gates,
) (result *analysis.Result, strangers []string, err error) {
	if filepath.Base(run.File()) == rollout.RolloutsFile {
		if err := CheckGates(run.Dir, gates); err != nil {
			return nil, nil, err
		}
	}
	if result, err = judge.Analyze(ctx, run, read, s, gates); err != nil {
		return nil, nil, err
	}
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

// ReadOther is ReadResult for a result that was judged by other rules than those of the gates; nil for
// one by the same rules, of which it reads little, and no other file.
func ReadOther(dir string, gates analysis.Gates) (*analysis.Result, error) {
	f, err := disk.Open(filepath.Join(dir, ResultFile))
	if err != nil {
		return nil, nil // no result: ReadResult says why where that matters
	}
	defer f.Close()
	var rules struct {
		Gates      analysis.Gates           `json:"gates"`
		Thresholds analysis.ThresholdValues `json:"thresholds"`
		Ruling     analysis.Ruling          `json:"verdict"`
	}
	err = json.NewDecoder(f).Decode(&rules)
	stored := analysis.Result{Gates: rules.Gates, Thresholds: rules.Thresholds, Ruling: rules.Ruling}
	if err == nil && SameRules(&stored, gates) {
		return nil, nil
	}
	return ReadResult(dir)
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
	now, err := measure.Inputs(dir, true)
	if err != nil || !maps.Equal(now, r.Run.Inputs) {
		return nil, err
	}
	return r, nil
}
