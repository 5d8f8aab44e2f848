package importer

import (
	"errors"
	"io/fs"
)

// plans sums how many rollouts the runs of an import planned, according to the logs.
type plans struct {
	count    int // number of logs with a plan
	rollouts int
}

// add adds the plan of one log; values below 1 or above 2^30 mean that it has none.
func (p *plans) add(rollouts int) {
	const most = 1 << 30
	if rollouts < 1 || rollouts > most {
		return
	}
	p.count++
	p.rollouts += rollouts
}

// sendPlan passes the sum on if all logs have a plan. Cancelled rollouts appear in the log but no
// longer count as planned.
func (in *intake) sendPlan(files, cancelled int) {
	if in.plans.count == files {
		in.sink.planned(in.split, in.plans.rollouts-cancelled)
	}
}

// planBeside reads the JSON object in the file called name next to f. It leaves into unchanged if
// the file is missing or holds something else, or if it is above the folder that is being read,
// which fs.FS cannot open.
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
