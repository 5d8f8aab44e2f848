package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// samplingFlags are the flags of the commands that make rollouts.
func samplingFlags() []cli.Flag {
	return append(append(projectFlags(), spendingFlags()...),
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "gonogo-run", Usage: "the run directory `RUN`; one that is there goes on where it stopped"},
		&cli.StringFlag{Name: "samples", Usage: "`N` rollouts per item (key sampling.samples)"},
		&cli.StringFlag{Name: "items", Usage: "take a subset of `M` items per split (key items)"},
		&cli.StringFlag{Name: "concurrency", Usage: "at most `N` rollouts, and requests to each endpoint, in flight (key sampling.concurrency); by default each endpoint's limit is measured"},
		&cli.StringFlag{Name: "seed", Usage: "`N`, what all chance is drawn from (key seed)"},
		&cli.StringFlag{Name: "max-rollouts", Usage: "stop this call after `N` rollouts (key sampling.max_rollouts)"},
		&cli.BoolFlag{Name: "rehearse", Usage: "make one rollout, show its trace and what the whole run would take, and stop"},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "neither rehearse nor ask before the rollouts begin, as a terminal otherwise does"},
		&cli.StringSliceFlag{Name: "variant", Usage: "make this variant `NAME` alone, of a run that is there; base is the run itself; may be repeated"},
		&cli.StringFlag{Name: "queue", Usage: "hand rollouts out by the queue at `URL`: memory (none), embedded, embedded:PORT, nats://HOST:PORT or tls://HOST:PORT (key queue.url)"},
		logFormatFlag(),
		&cli.BoolFlag{Name: "despite-problems", Usage: "sample although the data files break the platform's rules, or the grader fails on most references"},
	)
}

func sampleCommand() *cli.Command {
	return &cli.Command{
		Name:  "sample",
		Usage: "make the rollouts of a run, without judging them",
		Description: `Makes what the run directory still lacks and appends it as it ends. Ctrl-C lets
the rollouts in flight finish; a second Ctrl-C leaves at once. Run it again to
go on.

Variants of the configuration follow the run itself, each into a run directory of
its own, RUN/variants/NAME, under the same budget.

` + budgetRule + `

With --until decided it goes round all items, judges the run after each eighth
of --max-samples, from four samples on, and ends as soon as the verdict stands.
The intervals of each look are wide enough that all looks together err as often
as one. The plan lies in run.json, and a run goes on under the plan it began with.

Example:
   gonogo sample -c gonogo.yaml -o my-run --samples 16
   gonogo sample -c gonogo.yaml -o my-run-2 --until decided --max-samples 16`,
		Flags: append(append(samplingFlags(), untilFlags()...), targetedFlag()),
		Action: func(c *cli.Context) error {
			p, err := readProject(c)
			if err != nil {
				return err
			}
			defer p.shut()
			return sampleAll(c.Context, callOf(c), p, c.String("output"))
		},
	}
}

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "check, sample, analyze and report: the whole way from a job to a verdict",
		Description: `Checks the data, makes the rollouts that the run directory still lacks, audits
the grader, judges all of it and writes the report. The exit code is the verdict.
Ctrl-C lets the rollouts in flight finish; run it again to go on.

Example:
   gonogo run -c gonogo.yaml -o my-run`,
		Flags: append(append(samplingFlags(), untilFlags()...),
			&cli.BoolFlag{Name: "no-audit", Usage: "leave the audit of the grader out (key audit.enabled)"},
			langFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print result.json to standard output"},
		),
		Action: func(c *cli.Context) error {
			p, err := readProject(c)
			if err != nil {
				return err
			}
			defer p.shut()
			return runProject(c.Context, callOf(c), p, c.String("output"), nil)
		},
	}
}

// runProject samples, judges and reports. A run that its budget stopped is
// judged on what there is, and says so by its exit code. between comes before
// the judging, of a run that is whole; nil is nothing.
func runProject(ctx context.Context, c *call, p *project, dir string, between func() error) error {
	withBase, err := p.pickVariants(c)
	if err != nil {
		return err
	}
	if !withBase {
		return judgeVariants(ctx, c, p, dir)
	}
	stopped, failed, err := makeRun(ctx, c, p, dir)
	if err != nil || c.Rehearse {
		return err
	}
	if between != nil && stopped == nil {
		if err := between(); err != nil {
			return err
		}
	}
	// What a variant lacks does not take the run its verdict.
	return errors.Join(failed, judgeRun(ctx, c, p, dir, stopped))
}

// makeRun makes what a run lacks: rollouts, audit, variants. stopped is the
// budget that ended it, failed what became of variants beside a run that is
// whole.
func makeRun(ctx context.Context, c *call, p *project, dir string) (stopped *exit.Error, failed, err error) {
	stopped, err = budgetStop(sampleRun(ctx, c, p, dir)) // with a failed write beside it the run ends here
	if err != nil || c.Rehearse {
		return nil, nil, err
	}
	if stopped == nil && p.audits(c) {
		if stopped, err = budgetStop(p.auditAfter(ctx, c, dir)); err != nil {
			return nil, nil, err
		}
	}
	if stopped == nil {
		stopped, failed = budgetStop(p.sampleVariants(ctx, c, dir))
		if coded := new(exit.Error); errors.As(failed, &coded) && coded.Code == exit.Interrupted {
			return nil, nil, failed
		}
	}
	return stopped, failed, nil
}

// judgeVariants makes variants alone, and judges their run anew.
func judgeVariants(ctx context.Context, c *call, p *project, dir string) error {
	stopped, err := budgetStop(sampleAlone(ctx, c, p, dir))
	if err != nil || c.Rehearse {
		return err
	}
	return judgeRun(ctx, c, p, dir, stopped)
}

// judgeRun judges and reports what a run holds. stopped is why there is no more
// of it; nil when all is made.
func judgeRun(ctx context.Context, c *call, p *project, dir string, stopped *exit.Error) error {
	_, result, to, err := judged(ctx, c, p, dir)
	if err != nil {
		return err
	}
	if err := deliver(ctx, c, dir, result, to); err != nil {
		return err
	}
	if stopped != nil {
		return stopped
	}
	return verdict(result)
}

// judged analyses what a run holds, and says which reports are wanted of it.
func judged(ctx context.Context, c *call, p *project, dir string) (*rollout.Run, *analysis.Result, delivery, error) {
	opened, err := rollout.Open(dir)
	if err != nil {
		return nil, nil, delivery{}, err
	}
	result, err := analyzeOpened(ctx, c, opened, p.cfg.JudgeSettings(opened.Manifest))
	if err != nil {
		return nil, nil, delivery{}, err
	}
	formats, err := pickFormats(strings.Join(p.cfg.Report.Formats, ","))
	return opened, result, delivery{formats: formats, out: reportDir(dir), look: p.cfg.Report, config: c.Config}, err
}

// sampleRun makes the rollouts that the run directory lacks.
func sampleRun(ctx context.Context, c *call, p *project, dir string) error {
	until, err := untilDecided(c)
	if err != nil {
		return err
	}
	if err := p.ready(ctx, c, dir); err != nil {
		return err
	}
	if c.Rehearse {
		return rehearse(ctx, c, p)
	}
	switch {
	case until:
		return p.sampleUntil(ctx, c, dir)
	case c.ItemsUndecided:
		return p.sampleOpen(ctx, c, dir)
	}
	if err := notOfLooks(dir); err != nil {
		return err
	}
	// The directory is ours, and fits, before the first call is paid.
	writer, jobs, err := p.begin(ctx, dir, p.manifest(dir))
	if err != nil {
		return exit.AsUsage(p.regrades(c, dir, err))
	}
	if err := p.confirm(ctx, c, dir, jobs); err != nil {
		return errors.Join(err, p.finish(writer))
	}
	stats, err := p.sample(ctx, c, dir, jobs, writer)
	closed := p.finish(writer)
	p.summarize(c, stats)
	p.tell(c.Err)
	return unlessLost(p.ended(samplingStage, dir, stats, err), closed)
}

// ready stops before the first call when the data breaks the platform's rules, an
// endpoint does not answer or the grader fails its trial.
func (p *project) ready(ctx context.Context, c *call, dir string) error {
	p.tell(c.Err)
	if problems := p.blocking(); len(problems) > 0 && !c.DespiteProblems {
		printProblems(c.Err, problems)
		return &exit.Error{Code: exit.NoGo, Err: fmt.Errorf("the data files break %s of the platform %q, and nothing was sampled; mend that, choose another target, or sample --despite-problems", ui.Counted(len(problems), "rule"), p.cfg.Target)}
	}
	if err := p.readyQueue(ctx, c); err != nil {
		return err
	}
	if p.cfg.Queue.Remote() {
		return p.readyAlone(ctx, c, dir)
	}
	if err := p.reachable(ctx, p.endpoints()); err != nil {
		return err
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	p.tell(c.Err)
	if err := p.triedBefore(ctx, c, dir); err != nil || !p.audits(c) {
		return err
	}
	return p.startDetectors(ctx)
}

// begin opens the run directory and lists its jobs once it is ours: another
// process may just have made some.
func (p *project) begin(ctx context.Context, dir string, m rollout.Manifest) (*rollout.Writer, []sampler.Job, error) {
	if err := notShrunk(dir, m); err != nil {
		return nil, nil, err
	}
	keepNotes(dir, &m)
	writer, err := rollout.Create(dir, m, p.items, rollout.WriterOptions{Redact: p.redact})
	if err != nil {
		return nil, nil, err
	}
	jobs, err := p.jobs(ctx, dir)
	if err == nil {
		err = p.keepSessions(ctx, dir)
	}
	if err == nil && p.agentLog != nil {
		err = p.agentLog.open(dir, p.redact)
	}
	if err != nil {
		return nil, nil, errors.Join(err, writer.Close())
	}
	p.handsOut(dir, writer.Manifest())
	return writer, jobs, nil
}

// notShrunk refuses fewer samples or items than a run was made with: both may
// only be raised, so that what is there stays part of what is wanted.
func notShrunk(dir string, m rollout.Manifest) error {
	opened, err := rollout.Open(dir)
	if err != nil || opened.Manifest == nil || opened.Manifest.Planned == nil {
		return nil // no run of ours yet, or one that Create has to judge
	}
	was := opened.Manifest.Planned
	for _, split := range rollout.Splits() {
		switch {
		case m.Planned.Samples[split] < was.Samples[split]:
			return fmt.Errorf("%s was made with %s of each %s item, and %d are wanted now: samples may only be raised", dir, ui.Counted(was.Samples[split], "sample"), split, m.Planned.Samples[split])
		case m.Planned.Items[split] < was.Items[split]:
			return fmt.Errorf("%s was made with %s, and %d are wanted now: items may only be raised", dir, ui.Counted(was.Items[split], string(split)+" item"), m.Planned.Items[split])
		}
	}
	return nil
}

// jobs lists the rollouts that are not recorded yet, or that a boundary failed,
// in the order of the run: it hangs on the seed, never on what is recorded.
func (p *project) jobs(ctx context.Context, dir string) ([]sampler.Job, error) {
	samples := p.samples()
	return p.jobsOf(ctx, dir, func(it *rollout.Item) int { return samples[it.Split] })
}

// jobsOf does so for as many samples of each item as samples tells.
func (p *project) jobsOf(ctx context.Context, dir string, samples func(*rollout.Item) int) ([]sampler.Job, error) {
	state := make(map[rollout.Key]rollout.Done)
	if _, err := os.Stat(dir); err == nil {
		opened, err := rollout.Open(dir)
		if err != nil {
			return nil, err
		}
		if state, _, err = opened.State(ctx); err != nil {
			return nil, err
		}
	}
	later := p.gradesLater()
	return sampler.PlanBlocks(sampler.Blocks(p.items, p.seed, p.cfg.Sampling.Block), samples, func(k rollout.Key) (rollout.Done, bool) {
		done, ok := state[k]
		done.Output = done.Output && later
		return done, ok
	}), nil
}

// sample grades what earlier calls left without a grade, and makes the rollouts,
// under progress and signals.
func (p *project) sample(ctx context.Context, c *call, dir string, jobs []sampler.Job, to sampler.Sink) (sampler.Stats, error) {
	if err := p.gradeLeft(ctx, c, dir, to, false); err != nil {
		return sampler.Stats{}, err
	}
	stats, err := p.sampleJobs(ctx, c, jobs, to)
	if err == nil && stats.StoppedBy == "" && p.led != nil && stats.Outcomes[rollout.GraderFailed] > 0 {
		err = p.gradeLeft(ctx, c, dir, to, true) // workers stopped for their grader
	}
	return stats, err
}

// sampleJobs makes the rollouts.
func (p *project) sampleJobs(ctx context.Context, c *call, jobs []sampler.Job, to sampler.Sink) (sampler.Stats, error) {
	if len(jobs) == 0 {
		fmt.Fprintln(c.Err, "All rollouts are there already.")
		p.clear(ctx)
		return sampler.Stats{}, nil
	}
	show := p.progress(c, "rollouts", len(jobs), p.sampling())
	defer show.Close()
	ctx, drain, release := ui.Interruptible(ctx, show, "rollouts")
	defer release()
	to = &watchful{to: to, say: show, items: p.items}
	defer p.heed()
	ctx, bounds, over, err := p.handOut(ctx, show)
	if err != nil {
		return sampler.Stats{Jobs: len(jobs)}, err
	}
	stats, err := sampler.Sample(ctx, drain, p.sampling(), p.seed, jobs, bounds, to, show.Watch)
	over(stats, err)
	show.Ended(stats)
	return stats, err
}

// summarize says what was done, in one line.
func (p *project) summarize(c *call, s sampler.Stats) {
	if s.Jobs == 0 {
		return
	}
	parts := []string{ui.Counted(s.ToolCalls, "tool call")}
	if s.Tokens > 0 {
		parts = append(parts, ui.Tokens(s.Tokens))
	}
	if s.USD.N > 0 {
		parts = append(parts, ui.Dollars(s.USD.Total+s.USD.Mean()*float64(s.USDUnknown)))
	}
	parts = append(parts, ui.Troubles(s)...)
	fmt.Fprintf(c.Err, "Recorded %s of %s in %s: %s.\n", message.Whole(s.Recorded), ui.Counted(s.Jobs, "rollout"), s.Elapsed.Round(100*time.Millisecond), strings.Join(parts, ", "))
	for _, line := range ui.LostTo(s) {
		fmt.Fprintln(c.Err, p.redact.String(line))
	}
	fmt.Fprint(c.Err, p.uncounted(s), p.madeBy())
	tellLeaks(c.Err, s)
	tellLeftOpen(c.Err, s)
}
