package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// curves reads those logs that are curves, and returns the others. With --format or --map a CSV is a
// log of rollouts.
func (p *Pilot) curves(ctx context.Context, in *pilot.Input) (others []string, sources []pilot.Source, err error) {
	for _, path := range p.Logs {
		info, err := os.Stat(path)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, nil, exit.AsUsage(err)
			}
			return nil, nil, Early(fmt.Errorf("open the log %s: there is no such file", path))
		}
		file := path
		if info.IsDir() {
			file = filepath.Join(path, TrainerState)
			if _, err := os.Stat(file); err != nil {
				others = append(others, path)
				continue
			}
		} else if (len(p.Import.Map) > 0 || p.Format != "") && strings.EqualFold(filepath.Ext(path), ".csv") {
			others = append(others, path)
			continue
		}
		found, ok, err := ReadCurves(file)
		switch {
		case err != nil:
			return nil, nil, exit.AsUsage(err)
		case ok:
			sum, err := SHA256(file, nil)
			if err != nil {
				return nil, nil, err
			}
			in.Curves = append(in.Curves, found...)
			sources = append(sources, pilot.Source{Name: file, SHA256: sum})
		}
		if !ok || info.IsDir() && p.holdsRollouts(ctx, path) {
			others = append(others, path)
		}
	}
	return others, sources, nil
}

// holdsRollouts reports whether a folder holds anything but curves. It reads no more than the first
// rollout.
func (p *Pilot) holdsRollouts(ctx context.Context, dir string) bool {
	first := errors.New("a rollout")
	_, err := importer.Import(ctx, importer.Formats(), p.Format, importer.Paths(p.Import, dir),
		importer.Sink{Record: func(*rollout.Record) error { return first }})
	return !errors.Is(err, importer.ErrUnrecognized)
}

// samples reads what was sampled for the pilot: the base model on the shown items, and eval from
// checkpoints. A checkpoint that is not sampled completely gets a note instead.
func (p *Pilot) samples(ctx context.Context, in *pilot.Input, sources *[]pilot.Source) ([]message.Text, error) {
	entries, err := os.ReadDir(p.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, disk.Wrap("read", p.dir, err)
	}
	var notes []message.Text
	for _, e := range entries {
		dir := filepath.Join(p.dir, e.Name())
		step, isStep := strings.CutPrefix(e.Name(), pilotSteps)
		n, err := strconv.Atoi(step)
		isStep = isStep && err == nil && n >= 0
		if _, err := os.Stat(filepath.Join(dir, rollout.RolloutsFile)); err != nil || !isStep && e.Name() != pilotBase {
			continue
		}
		split := rollout.Train
		if isStep {
			split = rollout.Eval
		}
		made, planned := 0, 0
		if isStep {
			if made, planned, err = madeOf(ctx, dir); err != nil {
				return nil, exit.AsUsage(err)
			}
			if made < planned {
				notes = append(notes, partialNote.With(message.Args{
					"dir": message.Foreign(dir), "made": message.Int(made), "planned": message.Count(planned, "rollout"),
				}))
				continue
			}
		}
		items, calls, err := ReadRewards(ctx, dir, split, p.read, p.settings)
		if err != nil {
			return nil, exit.AsUsage(err)
		}
		sum, err := SHA256(filepath.Join(dir, rollout.RolloutsFile), nil)
		if err != nil {
			return nil, err
		}
		*sources = append(*sources, pilot.Source{Name: filepath.Join(dir, rollout.RolloutsFile), SHA256: sum})
		switch {
		case !isStep:
			p.base.Fresh, in.Train = items, p.base.Replace(items)
		case len(items) > 0:
			for i := range items {
				made -= len(items[i].Rewards)
			}
			in.Evals = append(in.Evals, pilot.Eval{Step: n, Items: items, Missing: max(0, made), Calls: calls})
		}
	}
	return notes, nil
}
