package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/internal/failure"
)

// LineError reports a line that cannot be read, or that contradicts another one.
type LineError struct {
	File string // as the caller named it
	Line int    // 1-based
	Err  error
}

// Error returns file:line: cause.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// ErrNoRecords means that a file of rollouts has none.
var ErrNoRecords = errors.New("no rollouts in it")

// ErrBroken means that text is not JSON.
var ErrBroken = errors.New("broken JSON")

// settle fills in what the line left to its context, and turns an invalid grade into a missing one;
// then why says so, else it is "". It does not number samples, which depends on the lines before.
func (d *decoded) settle(source Source, split Split) (why string, err error) {
	r := d.rec
	switch {
	case r.Item == "":
		return "", errors.New(`"item" is missing: every line must name its item, as in {"item":"q1","reward":0.5}`)
	case r.Sample < 0:
		return "", fmt.Errorf(`"sample" is %d: samples count from 0`, r.Sample)
	case r.Attempt < 0:
		return "", fmt.Errorf(`"attempt" is %d: attempts count from 0`, r.Attempt)
	}
	if r.Split, err = known("split", r.Split, split, Splits()); err != nil {
		return "", err
	}
	ours := r.Source != "" // other tools do not write it
	if r.Source, err = known("source", r.Source, source, sources()); err != nil {
		return "", err
	}
	if err := r.settleProbe(source == Probe); err != nil {
		return "", err
	}
	beside := "outcome "
	switch {
	case r.settleError():
		beside = "an error and so outcome "
	case r.settleMarks(ours):
		beside = "a mark of failure and so outcome "
	}
	if r.Outcome, err = known("outcome", r.Outcome, Graded, Outcomes()); err != nil {
		return "", err
	}
	r.settleFinish()
	return d.settleReward(beside), nil
}

// settleError turns a line that has an error and no outcome other than graded into a failure: a
// reward next to an error is what a tool writes if it has none. Grades next to an error are valid:
// some of several gradings of an output failed.
func (r *Record) settleError() (failed bool) {
	if r.Outcome != "" && r.Outcome != Graded || len(r.Grades) > 0 {
		return false
	}
	if failure.None(r.Error) {
		r.Error = ""
	}
	if failure.None(r.Kind) {
		r.Kind = ""
	}
	if r.Error == "" && r.Kind == "" {
		return false
	}
	r.Outcome = Boundary(r.Kind + " " + r.Error)
	r.Error = cmp.Or(r.Error, r.Kind)
	return true
}

// settleProbe keeps probes out of rollouts and rollouts out of probes: what was submitted to test
// the grader is never part of a mean.
func (r *Record) settleProbe(wanted bool) error {
	switch probe := r.Source == Probe || r.Probe != nil; {
	case probe != wanted && probe:
		return errors.New("this is a probe of the grader, not a rollout: it belongs in " + ProbesFile +
			", never in a mean")
	case probe != wanted || wanted && r.Source != Probe:
		return fmt.Errorf("source %s is not a probe: %s holds nothing else", r.Source, ProbesFile)
	case wanted && (r.Probe == nil || r.Probe.Name == ""):
		return errors.New(
			`"probe" is missing or has no name: every line must say what was sent to the grader, as in {"item":"q1","source":"probe","probe":{"name":"empty","expect":"bottom"},"reward":0}`)
	case wanted:
		_, err := known("expectation", r.Probe.Expect, "", Expectations())
		if err == nil && r.Probe.Expect == "" {
			err = fmt.Errorf("probe %s does not say what it expects: use one of %s", r.Probe.Name,
				words(Expectations()))
		}
		return err
	}
	return nil
}

// settleReward makes outcome and reward agree: there is a reward exactly if there is a grade, and a
// failure is never a number. prefix precedes the outcome in why.
func (d *decoded) settleReward(prefix string) (why string) {
	r := d.rec
	switch {
	case r.Outcome == Graded && r.Reward == nil:
		r.Outcome = GraderFailed
		if r.Error == "" {
			r.Error = d.noReward
		}
		why = d.noReward + ": read as outcome grader, a missing grade"
	case r.Outcome.Missing() && r.Reward != nil:
		why = fmt.Sprintf("reward %g with %s%s: the reward was left out, a failure is never a number", *r.Reward,
			prefix, r.Outcome)
		r.Reward = nil
	}
	if r.Reward == nil {
		r.Grades = nil
	}
	return why
}

// known returns word, or otherwise if word is empty; a word that is not in all is an error that
// lists them.
func known[W ~string](key string, word, otherwise W, all []W) (W, error) {
	if word == "" {
		return otherwise, nil
	}
	if slices.Contains(all, word) {
		return word, nil
	}
	return "", fmt.Errorf("unknown %s %q: use one of %s", key, string(word), words(all))
}

// words joins words for a message.
func words[W ~string](all []W) string {
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = string(w)
	}
	return strings.Join(names, ", ")
}
