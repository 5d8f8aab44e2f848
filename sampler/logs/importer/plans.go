package importer

import (
	"errors"
	"io/fs"
)

// plans sums up how many rollouts the runs of an import set out to make, by what is said with
// each of its files.
type plans struct {
	told     int // files that say
	rollouts int
}

// add takes the plan of one file; below 1 is none.
func (p *plans) add(rollouts int) {
	const most = 1 << 30
	if rollouts < 1 || rollouts > most {
		return
	}
	p.told++
	p.rollouts += rollouts
}

// sendPlan passes the plan on where all of the files have one. Rollouts that were cancelled are
// in the log, and are no longer planned.
func (in *intake) sendPlan(files, cancelled int) {
	if in.plans.told == files {
		in.sink.planned(in.split, in.plans.rollouts-cancelled)
	}
}

// planBeside reads the JSON object in the file called name next to f. A file that is
// not there, or is none of that kind, leaves into as it is, and so does one above the
// folder that is read, which fs.FS cannot open.
func planBeside(f File, name string, into any) error {
	beside := f.Beside(name)
	if !fs.ValidPath(beside.Path) {
		return nil
	}
	err := readObject(beside, into)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrUnrecognized) {
		return nil
	}
	return err
}
