package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/analysis/stat"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// The files of a pilot in its folder of the base run.
const (
	pilotDir  = "pilot"
	PilotFile = "pilot.json" // in it
	pilotLock = "pilot.lock"
	pilotBase = "base" // a run directory: the base model, sampled on the shown items

	pilotSteps = "step-"          // and a step: a run directory of the checkpoint
	pilotEvery = 10 * time.Second // between two readings of a log that is followed
)

// Options says what a pilot reads and samples.
type Options struct {
	Call     *project.Invocation
	Sampling Sampling
	Run      string   // the base run
	Logs     []string // of the trainer: files and folders
	Format   string   // of the logs; "" for the one that recognizes them
	Import   importer.Options
	Lag      int    // updates that the policy is behind the step that logs it
	Steps    int    // of the whole training; 0 if unknown
	Looks    string // steps, separated by commas; "" for the usual ones
	Follow   bool
	Idle     time.Duration // with Follow: how long the log may stay as it is
}

// Pilot is one call of gonogo pilot.
type Pilot struct {
	Options
	Result *pilot.Result // nil before the log was judged once

	dir    string // the base run's folder of the pilot
	opened *rollout.Run
	read   rollout.ReadOptions
	looks  []pilot.Planned
	before []pilot.Source // what pilot.json was made from when this call began

	settings analysis.Settings
	judged   *analysis.Result // of the base run
	base     *Base
	grader   *project.Project // nil if logged answers cannot be graded here
	notes    []message.Text

	paid    pilot.Agreement
	rewards map[rollout.Key]float64 // by the base run's grader, if the trainer pays something else
	graded  int                     // looks that were reached when answers were graded
	shown   []string                // items that the log shows
}

// Open checks the options and opens the base run.
func Open(o Options) (*Pilot, error) {
	p := &Pilot{
		Options: o, dir: filepath.Join(o.Run, pilotDir), read: rollout.ReadOptions{OnConflict: o.Import.OnConflict},
	}
	switch {
	case len(p.Logs) == 0:
		return nil, exit.Usagef("pilot compares the base run with a log of the training: name it with --log")
	case p.Steps < 0:
		return nil, exit.Usagef("--steps %d: must be at least 1", p.Steps)
	case p.Lag < 0:
		return nil, exit.Usagef("--lag %d: must be 0 or more", p.Lag)
	case p.Idle <= 0:
		return nil, exit.Usagef("--idle %s: must be more than 0", p.Idle)
	}
	if err := p.Import.Check(); err != nil {
		return nil, exit.AsUsage(err)
	}
	if info, err := os.Stat(p.Run); err == nil && !info.IsDir() {
		return nil, exit.Usagef("%s is a file: a pilot writes into the run directory; name that", p.Run)
	}
	var err error
	if p.opened, err = rollout.OpenManifest(p.Run); err != nil {
		return nil, exit.AsUsage(err)
	}
	return p, nil
}

// Judge samples what the options ask for and judges the log, once or as it grows. An error may come
// with a Result. Ctrl-C ends it with exit.Interrupted.
func (p *Pilot) Judge(parent context.Context) error {
	ctx, stop := ui.Cancellable(parent)
	defer func() { stop() }()
	if err := p.readBase(ctx); err != nil {
		return err
	}
	defer p.close()
	if err := p.plan(); err != nil {
		return err
	}
	if p.Sampling.any() {
		if err := p.look(ctx, false); err != nil { // before anything is paid for
			return exit.AsUsage(err)
		}
		stop() // sampling has its own Ctrl-C
		if err := p.sample(parent); err != nil {
			return err
		}
		ctx, stop = ui.Cancellable(parent)
	}
	var err error
	if p.Follow {
		err = p.follow(ctx)
	} else {
		err = p.look(ctx, true)
	}
	switch {
	case ctx.Err() != nil:
		return &exit.Error{Code: exit.Interrupted, Err: errors.New("the pilot was interrupted")}
	case errors.Is(err, ErrEarly):
		return exit.AsUsage(err)
	}
	return err
}

// plan sets the looks: those of the first call, which pilot.json keeps.
func (p *Pilot) plan() error {
	given, err := p.plannedLooks()
	if err != nil {
		return err
	}
	path := filepath.Join(p.dir, PilotFile)
	var kept struct {
		Schema  string          `json:"schema"`
		Planned []pilot.Planned `json:"planned"`
		Inputs  []pilot.Source  `json:"inputs"`
	}
	text, err := disk.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.looks = given
		return nil
	case err != nil:
		return exit.AsUsage(err)
	}
	if err := json.Unmarshal(text, &kept); err != nil || kept.Schema != pilot.Schema || len(kept.Planned) == 0 {
		return exit.Usagef("read %s: it is not a pilot of this version of gonogo: move it away", path)
	}
	if p.Looks != "" && !slices.Equal(given, kept.Planned) {
		return exit.Usagef("the first call fixed the looks of this pilot, at %s steps: leave out --looks, or move "+
			"%s away to begin another pilot", stepList(kept.Planned), path)
	}
	p.looks = kept.Planned
	if p.before == nil {
		p.before = slices.DeleteFunc(kept.Inputs, func(s pilot.Source) bool {
			return strings.HasPrefix(s.Name, p.dir+string(filepath.Separator))
		})
	}
	return nil
}

// otherLog notes that pilot.json was made from none of the files that are judged now: its checkpoints may
// be those of another training.
func (p *Pilot) otherLog(now []pilot.Source) []message.Text {
	same := func(a pilot.Source) bool {
		return slices.ContainsFunc(now, func(b pilot.Source) bool { return a.Name == b.Name || a.SHA256 == b.SHA256 })
	}
	if len(p.before) == 0 || slices.ContainsFunc(p.before, same) {
		return nil
	}
	return []message.Text{otherNote.With(message.Args{
		"file": message.Foreign(p.before[0].Name), "dir": message.Foreign(p.dir),
	})}
}

func stepList(looks []pilot.Planned) string {
	return strings.Join(ui.Names(looks, func(l pilot.Planned) string { return strconv.Itoa(l.Step) }), ", ")
}

// plannedLooks returns the looks after the steps of a list; without one the usual ones. A look wants 64
// rollouts a step as well, up to 2,560.
func (p *Pilot) plannedLooks() ([]pilot.Planned, error) {
	list := p.Looks
	if list == "" {
		perStep := 0
		if plan := p.judged.Plan; plan != nil && plan.BatchSize != nil {
			perStep = *plan.BatchSize * plan.GroupSize
		}
		return pilot.DefaultLooks(p.Steps, perStep), nil
	}
	const perStep, most, mostLooks = 64, 2560, 10
	var looks []pilot.Planned
	for text := range strings.SplitSeq(list, ",") {
		step, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || step < 1 || len(looks) > 0 && step <= looks[len(looks)-1].Step {
			return nil, exit.Usagef("--looks %s: write steps in ascending order, as in --looks 20,40,80", list)
		}
		looks = append(looks, pilot.Planned{Step: step, Rollouts: min(perStep*step, most)})
	}
	if len(looks) > mostLooks {
		return nil, exit.Usagef("--looks %s: more than %d looks, and each makes the others less certain", list,
			mostLooks)
	}
	return looks, nil
}

// readBase reads the base run and its verdict, and starts its grader if it is local.
func (p *Pilot) readBase(ctx context.Context) (err error) {
	if p.judged, err = output.PresentResult(ctx, p.Call, p.Run); err != nil {
		return err
	}
	if p.settings, err = project.SettingsFor(p.Call, p.opened.Manifest); err != nil {
		return err
	}
	if plan := p.judged.Plan; p.Steps == 0 && plan != nil && !plan.Assumed {
		p.Steps = plan.Steps
	}
	p.settings.RewardRange = stat.Range{Lo: p.judged.RewardRange[0], Hi: p.judged.RewardRange[1]}
	rows, err := p.moreRows()
	if err != nil {
		return err
	}
	if p.base, err = ReadBase(ctx, p.opened, rows, p.read, p.settings); err != nil {
		return exit.AsUsage(err)
	}
	if len(p.base.Train) == 0 && len(p.base.Items) == 0 {
		return exit.Usagef("%s holds no rollout of train by the base model, so there is nothing to compare with", p.Run)
	}
	if p.base.Zeroed > 0 {
		p.notes = append(p.notes, zeroedNote.With(message.Args{"rollouts": message.Count(p.base.Zeroed, "rollout")}))
	}
	if p.Import.Score != "" {
		p.notes = append(p.notes, scoreNote.With(message.Args{"score": message.Foreign(p.Import.Score)}))
	}
	if p.Lag > 0 {
		p.notes = append(p.notes, lagNote.With(message.Args{"lag": message.Int(p.Lag)}))
	}
	p.startGrader(ctx)
	return ctx.Err()
}

// follow looks again as the log grows, and shows each look when it is reached.
func (p *Pilot) follow(ctx context.Context) error {
	shown, said := 0, ""
	f := Follower{
		Every: min(pilotEvery, p.Idle), Idle: p.Idle, State: p.state,
	}
	f.Look = func(ctx context.Context) (bool, error) {
		err := p.look(ctx, false)
		if errors.Is(err, ErrEarly) && err.Error() != said {
			said = err.Error()
			fmt.Fprintf(p.Call.Err, "waiting: %s\n", console.Visible(said))
		}
		if err != nil {
			return false, err
		}
		if n := len(p.Result.Looks); n > shown {
			shown = n
			fmt.Fprintf(p.Call.Err, "look %d: %s\n", n, console.PilotHeadline(p.Result))
		}
		return p.Result.Verdict.Answer != analysis.Undecided || p.Result.NextLook == nil, nil
	}
	return f.Follow(ctx)
}

// state changes when the log grows, or what is sampled for the pilot. It leaves out pilot.json, which
// every look writes.
func (p *Pilot) state() string {
	paths := slices.Clone(p.Logs)
	entries, _ := os.ReadDir(p.dir) // there may be none yet
	for _, e := range entries {
		if e.IsDir() {
			paths = append(paths, filepath.Join(p.dir, e.Name()))
		}
	}
	return StateOf(paths...)
}

// look reads the log, judges it and writes pilot.json. grade says that logged answers are graded
// again even if no further look is reached.
func (p *Pilot) look(ctx context.Context, grade bool) error {
	in := pilot.Input{
		Range: p.settings.RewardRange, Tolerance: toleranceOf(p.judged), Eval: p.base.Eval, Looks: p.looks,
		Steps: p.Steps, Distrust: pilot.Distrust(p.judged), Train: p.base.Train, EvalCalls: p.base.EvalCalls, Paid: p.paid,
	}
	notes := slices.Clone(p.notes)
	rollouts, sources, err := p.curves(ctx, &in)
	if err != nil {
		return err
	}
	partial, err := p.samples(ctx, &in, &sources)
	if err != nil {
		return err
	}
	notes = append(notes, partial...)
	if len(rollouts) > 0 {
		src := importer.Paths(p.Import, rollouts...)
		var log *Log
		var read []pilot.Source
		err := whileSame(rollouts, func() (err error) {
			if log, err = ReadLog(ctx, p.base, p.Format, src); err == nil {
				read, err = sourcesOf(rollouts, log.Files)
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := p.judgeLog(ctx, &in, log, src, grade); err != nil {
			return err
		}
		notes, sources = append(notes, log.Notes...), append(sources, read...)
	}
	notes = append(notes, p.otherLog(sources)...)
	in.Gain = pilot.RecordedGrowth().Gain(p.Steps, in.EvalShare())
	r, err := pilot.Judge(in)
	if err != nil {
		return exit.AsUsage(err)
	}
	if m := r.Matching; m.Groups > 0 && m.Matched == 0 && len(p.shown) == 0 {
		return exit.Usagef("no group of the log matches an item of %s, by id or by prompt, such as %s: is it the log of "+
			"a training on these items? --item KEY takes the id from another key", p.Run,
			console.Visible(strings.Join(m.Named, " and ")))
	}
	r.Version, r.Inputs = project.Version(), append(r.Inputs, sources...)
	r.Notes = append(r.Notes, notes...)
	if in.Paid.Regraded {
		r.Notes = append(r.Notes, regradedNote.Text())
	}
	if len(in.Curves) > 0 {
		r.Notes = append(r.Notes, curveNote.Text())
	}
	written, err := p.write(ctx, r)
	switch {
	case err != nil:
		return err
	case !written:
		return p.look(ctx, grade)
	}
	p.Result = r
	return nil
}

// write writes pilot.json, unless another process has just fixed other looks in it, which p then has.
func (p *Pilot) write(ctx context.Context, r *pilot.Result) (written bool, err error) {
	release, err := p.lock(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := p.plan(); err != nil || !slices.Equal(p.looks, r.Planned) {
		return false, err
	}
	return true, output.WriteFile(p.dir, PilotFile, func(w io.Writer) error { return Encode(w, r) })
}

// lock reserves pilot.json for the moment in which it is written. It waits a few seconds for another
// process that writes it.
func (p *Pilot) lock(ctx context.Context) (release func() error, err error) {
	const every, tries = 50 * time.Millisecond, 100
	for range tries {
		if release, err = disk.Lock(p.dir, pilotLock); !errors.Is(err, disk.ErrHeld) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(every):
		}
	}
	if err != nil {
		return nil, exit.AsUsage(fmt.Errorf("write %s: %w", filepath.Join(p.dir, PilotFile), err))
	}
	return release, nil
}

// Encode writes pilot.json.
func Encode(w io.Writer, r *pilot.Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// toleranceOf returns the span up to which rewards are equal to a trainer with the run's group size.
func toleranceOf(r *analysis.Result) float64 {
	if train := r.Splits[rollout.Train]; train != nil {
		for _, s := range train.Signal {
			if s.GroupSize == r.GroupSize {
				return s.Tolerance
			}
		}
	}
	return 0
}

var (
	zeroedNote = message.New("pilot.note.zeroed",
		"in the base run detectors lowered {rollouts} to the bottom, which the trainer does only if it has them, too")
	scoreNote = message.New("pilot.note.score", "the reward of the log is its component {score} (--score)")
	lagNote   = message.New("pilot.note.lag",
		"--lag {lag}: the weights of a rollout are that many updates behind the step that logs it")
	graderNote   = message.New("pilot.note.grader", "logged answers were not graded again: {why}")
	regradedNote = message.New("pilot.note.regraded",
		"the trainer pays something other than the base run's grader: here its rollouts have the rewards of that "+
			"grader")
	partialNote = message.New("pilot.note.partial",
		"{dir} holds {made} of {planned} and does not count yet: the command that began it makes the others")
	otherNote = message.New("pilot.note.other_log",
		"the last call read other files, such as {file}: if this log is from another training, move {dir} away, whose "+
			"checkpoints belong to the last one")
	curveNote = message.New("pilot.note.curves", "curves are not paired with the base run, and decide nothing")
)
