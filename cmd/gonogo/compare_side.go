package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// side is a side of a comparison: a run, or a log that is read into one.
type side struct {
	arg  string // in the command's help
	name string // of the directory that a report keeps it in
	path string // as it was given
	dir  string // the run
	log  bool
	run  *rollout.Run
}

// sides are the base side and the new one.
type sides struct {
	base, new *side
	temp      string // holds the runs of logs; "" if there are none
	out       string // the directory of the report, which keeps them; "" if none is written
	made      bool   // out is new
	same      bool   // both sides are one log

	kept []string // runs of logs in out
	done bool     // the report is written, and they stay
}

// openSides opens what the command compares. The caller must call Close.
func openSides(c *cli.Context) (*sides, error) {
	s := &sides{
		base: &side{arg: "BASE", name: "base", path: c.Args().Get(0)},
		new:  &side{arg: "NEW", name: "new", path: c.Args().Get(1)},
		out:  c.String("output"),
	}
	both, kinds := []*side{s.base, s.new}, []inputKind{isRun, isRun}
	for i, one := range both {
		var err error
		if kinds[i], err = kindOf(c, one.path); err != nil {
			return s, exit.AsUsage(wrapped{one.arg + ": ", err})
		}
	}
	log, set := slices.Max(kinds), setLogFlags(c)
	if log == isRun && len(set) > 0 {
		return s, exit.Usagef("%s is about logs of other tools, and both sides are runs", set[0])
	}
	if len(set) == 0 {
		log = isLog
	}
	var logs []*side
	for i, one := range both {
		if one.log = kinds[i] >= log; one.log { // the flags are about plain lines where neither side is a log
			logs = append(logs, one)
			continue
		}
		one.dir = one.path
		var err error
		if one.run, err = rollout.Open(one.path); err != nil {
			return s, exit.AsUsage(wrapped{one.arg + ": ", err})
		}
	}
	for _, one := range logs {
		if one == s.new && s.base.log && filepath.Clean(one.path) == filepath.Clean(s.base.path) {
			one.dir, one.run, s.same = s.base.dir, s.base.run, true
		} else if err := s.read(c, one); err != nil {
			return s, err
		}
	}
	return s, s.keep(logs)
}

// Close removes the runs of logs that are not kept, and all of them unless the report is written.
func (s *sides) Close() error {
	if s.temp == "" {
		return nil
	}
	err := os.RemoveAll(s.temp)
	if !s.done {
		for _, kept := range s.kept {
			err = errors.Join(err, os.RemoveAll(kept))
		}
	}
	if s.made {
		_ = os.Remove(s.out) // fails if a report is in it
	}
	return err
}

// read reads a log into a run.
func (s *sides) read(c *cli.Context, one *side) error {
	opt, err := logOptions(c, s.split(c))
	if err == nil {
		err = s.makeTemp()
	}
	if err != nil {
		return err
	}
	if s.out != "" {
		if err := checkVacant(filepath.Join(s.out, one.name)); err != nil {
			return err
		}
	}
	run := importer.Directory{Dir: filepath.Join(s.temp, one.name)}
	_, format, err := readLog(c, importer.Paths(opt, one.path), &run)
	if err != nil {
		return unreadable(one.arg, one.path, err)
	}
	fmt.Fprintf(c.App.ErrWriter, "%s: read %s from %s (%s).\n", one.arg, console.Count(run.Rollouts, "rollout"),
		one.path, format)
	noteLog(c, &run)
	one.dir = run.Dir
	one.run, err = rollout.Open(one.dir)
	return err
}

// makeTemp makes the directory that logs are read into: next to where they are kept, so that they can
// be moved.
func (s *sides) makeTemp() (err error) {
	if s.temp != "" {
		return nil
	}
	if s.out != "" {
		_, err := os.Stat(s.out)
		s.made = errors.Is(err, fs.ErrNotExist)
		if err := os.MkdirAll(s.out, 0o755); err != nil {
			return disk.Wrap("make", s.out, err)
		}
	}
	if s.temp, err = os.MkdirTemp(s.out, "gonogo-reading-"); err != nil {
		return fmt.Errorf("make a directory to read logs into: %w", err)
	}
	return nil
}

// checkVacant refuses to replace anything: the runs of the last comparison may be what is compared now.
func checkVacant(kept string) error {
	if _, err := os.Lstat(kept); !errors.Is(err, fs.ErrNotExist) {
		return exit.Usagef("%s already exists: name another directory with --output", kept)
	}
	return nil
}

// flags returns those flags of the command that say how its sides are read and judged. The runs that a
// report keeps need none of the logs'.
func (s *sides) flags(c *cli.Context) (words []string) {
	list := append(analysisFlags(), &cli.StringFlag{Name: "split"}, langFlag())
	if s.out == "" {
		list = append(logFlags(), list...)
	}
	for _, f := range list {
		name := f.Names()[0]
		values := []string{c.String(name)}
		if _, repeated := f.(*cli.StringSliceFlag); repeated {
			values = c.StringSlice(name)
		}
		for _, value := range values {
			if c.IsSet(name) {
				words = append(words, "--"+name, value)
			}
		}
	}
	return words
}

// keep moves the runs of logs to the directory of the report.
func (s *sides) keep(logs []*side) error {
	if s.out == "" {
		return nil
	}
	for _, one := range logs {
		kept := filepath.Join(s.out, one.name)
		if one == s.new && s.same {
			one.dir, one.run = s.base.dir, s.base.run
			continue
		}
		err := os.Rename(one.dir, kept)
		if err != nil {
			return disk.Wrap("keep the rollouts of "+one.path+" in", kept, err)
		}
		s.kept = append(s.kept, kept)
		one.dir = kept
		if one.run, err = rollout.Open(kept); err != nil {
			return err
		}
	}
	return nil
}

// split returns the split of rollouts of a log that name none: the one that the command compares, else
// the one by which a run on the other side would answer, else "", which is the importer's own.
func (s *sides) split(c *cli.Context) rollout.Split {
	if name := rollout.Split(c.String("split")); slices.Contains(rollout.Splits(), name) {
		return name
	}
	has := make(map[rollout.Split]bool)
	for _, other := range []*side{s.base, s.new} {
		if !other.log {
			// An error comes again when the runs are compared.
			read := rollout.ReadOptions{Lean: true, SkipPrompts: true}
			_, _ = other.run.Records(c.Context, read, func(r *rollout.Record) error {
				has[r.Split] = true
				return nil
			})
		}
	}
	for _, split := range []rollout.Split{rollout.Eval, rollout.Train, rollout.Production} {
		if has[split] {
			return split
		}
	}
	return ""
}

// name gives the sides of a comparison the names of their logs, unless their rollouts are kept, and
// says what keeps two logs from being paired.
func (s *sides) name(c *cli.Context, comparison *compare.Comparison) {
	for _, one := range []struct {
		*side
		to *compare.Side
	}{{s.base, &comparison.Base}, {s.new, &comparison.New}} {
		if one.log && s.out == "" {
			one.to.File, one.to.Log = one.path, true
		}
	}
	if split := comparison.Split; s.temp == "" || split == nil || comparison.Splits[*split].Paired {
		return
	}
	if c.IsSet("item") {
		fmt.Fprintf(c.App.ErrWriter, "note: no item is in both %s and %s\n", s.base.path, s.new.path)
		return
	}
	fmt.Fprintf(c.App.ErrWriter, "note: no item is in both %s and %s, by id and prompt; if they asked the same prompts "+
		"under other ids, --item prompt pairs them\n", s.base.path, s.new.path)
}
