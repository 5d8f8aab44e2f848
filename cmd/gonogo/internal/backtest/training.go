package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/fixtures/backtest"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// leastGain is the gain of the mean true reward from which a training was worth
// its while.
const leastGain = 0.05

// signalGate measures what settles the order of equal verdicts.
const signalGate = "signal.informative"

// outcome is what became of a training.
type outcome int

const (
	gained  outcome = iota // at least leastGain, and the whole interval is above zero
	nothing                // neither
	lost                   // the whole interval is below zero
)

var outcomes = [...]string{gained: "gained", nothing: "nothing", lost: "lost"}

func (o outcome) String() string { return outcomes[o] }

// verdicts are in the order of what they promise.
var verdicts = []analysis.Verdict{analysis.NoGo, analysis.Undecided, analysis.Go}

// training is a recording and what the present code says of its base run.
type training struct {
	*backtest.Recording
	result *analysis.Result
}

func (t *training) outcome() outcome {
	switch o := t.Outcome; {
	case o.Gain >= leastGain && o.Low > 0:
		return gained
	case o.High < 0:
		return lost
	}
	return nothing
}

// gradedGain is the gain that the grader of the training saw.
func (t *training) gradedGain() float64 {
	before, after := t.Outcome.ByItem.Before.Graded, t.Outcome.ByItem.After.Graded
	sum := 0.0
	for i := range before {
		sum += after[i] - before[i]
	}
	return sum / float64(len(before))
}

// blockers are the blocking gates that gave an answer, each once.
func (t *training) blockers(answer analysis.Status) []string {
	var list []string
	for _, f := range t.result.Findings {
		if f.Severity == analysis.Blocking && f.Status == answer && !slices.Contains(list, f.Gate) {
			list = append(list, f.Gate)
		}
	}
	return list
}

// signal is the share of groups that teach something, between 0 and 1.
func (t *training) signal() *float64 {
	for _, f := range t.result.Findings {
		if f.Gate == signalGate {
			return f.Value
		}
	}
	return nil
}

// rank orders trainings by verdict, equal verdicts by signal.
func (t *training) rank() float64 {
	return 2*float64(slices.Index(verdicts, t.result.Verdict)) + *t.signal()
}

// judged reads the recordings of one half and judges them as gonogo analyze does,
// as many at once as there are processors. The order is that of the names.
func judged(ctx context.Context, dir string, half backtest.Half) ([]*training, error) {
	recordings, err := backtest.All(dir)
	if err != nil {
		return nil, err
	}
	var all []*training
	for _, r := range recordings {
		if r.Setting.Half == half {
			all = append(all, &training{Recording: r})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no training of the half %s is recorded in %s", half, dir)
	}
	scratch, err := os.MkdirTemp("", "backtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range all {
		group.Go(func() error {
			run := filepath.Join(scratch, fmt.Sprintf("%s-s%d", t.Setting.Name, t.Setting.Seed))
			if err := t.Unpack(run); err != nil {
				return err
			}
			err := presentLimits(filepath.Join(run, rollout.ProbesFile))
			if err != nil {
				return fmt.Errorf("judge %s: %w", t.Setting.Name, err)
			}
			if t.result, err = output.AnalyzeRun(ctx, &project.Call{Out: io.Discard, Err: io.Discard}, run); err != nil {
				return fmt.Errorf("judge %s: %w", t.Setting.Name, err)
			}
			if t.signal() == nil {
				return fmt.Errorf("judge %s: %s measured nothing", t.Setting.Name, signalGate)
			}
			return os.RemoveAll(run)
		})
	}
	return all, group.Wait()
}

// presentLimits gives the payloads of a recorded audit the limits that their
// probes have now.
func presentLimits(file string) error {
	limits := make(map[string]float64)
	for _, p := range audit.Probes() {
		limits[p.Name] = p.Limit
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var record map[string]json.RawMessage
		var probe rollout.ProbeInfo
		if err := json.Unmarshal(line, &record); err != nil {
			return err
		}
		if err := json.Unmarshal(record["probe"], &probe); err != nil {
			return err
		}
		if limit, ok := limits[probe.Name]; ok && probe.Limit != nil {
			probe.Limit = &limit
		}
		if record["probe"], err = json.Marshal(probe); err != nil {
			return err
		}
		if err := json.NewEncoder(&out).Encode(record); err != nil {
			return err
		}
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}
