package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// statusTimeout bounds the wait for a planner's answer.
const statusTimeout = 10 * time.Second

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show the progress of runs: rollouts, rates, failures, workers, cost",
		ArgsUsage: "[RUN]",
		Description: `For a run directory: what is recorded, how fast it grew in the last minutes, and
whether a process is writing it; for a run on a queue also what its planner knows:
workers, endpoints, rollouts paid for twice. With --queue: all runs on that queue,
or the one named by --run. The time left assumes the rate shown with it.

Credentials come from ` + queue.TokenEnv + `, or ` + queue.UserEnv + ` and
` + queue.PasswordEnv + `. Exit codes: 0 done, 2 there is no such run.

Example:
   gonogo status my-run
   gonogo status --queue nats://nats:4222 --json`,
		Flags: append(queueFlags(),
			&cli.StringFlag{Name: "run", Usage: "with --queue, only the run with this `ID`"},
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON to standard output"},
		),
		Action: func(c *cli.Context) error {
			list, err := statuses(c)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return ui.PrintJSON(c.App.Writer, map[string]any{"runs": list})
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(c.App.Writer, "No run is led here: no planner (gonogo run --queue) answers, and the queue keeps none.")
				return err
			}
			for _, s := range list {
				s.print(c.App.Writer)
			}
			return nil
		},
	}
}

// statuses are those of the runs that the command line names.
func statuses(c *cli.Context) ([]*status, error) {
	url, dir := c.String("queue"), c.Args().First()
	switch {
	case c.NArg() > 1 || (url == "") == (dir == ""):
		return nil, exit.Usagef("status takes one run directory, or --queue URL; see gonogo status --help")
	case url == "" && c.String("run") != "":
		return nil, exit.Usagef("--run goes with --queue; name the run directory alone")
	case url != "":
		return ledRuns(c, url, c.String("run"))
	}
	s, err := runStatus(c.Context, dir)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	at, ok := project.ReadQueued(dir)
	if !ok || at.Queue == queue.Embedded {
		return []*status{s}, nil
	}
	if s.Queue = at.Queue; !s.Live { // no one is sent credentials because a directory says so that no process of ours is writing
		s.Note = fmt.Sprintf("it was handed out by a queue; if a process on another machine leads it: gonogo status --queue %s --run %s", at.Queue, at.Run)
		return []*status{s}, nil
	}
	led, err := ledRuns(c, at.Queue, at.Run)
	if err != nil {
		s.Note = fmt.Sprintf("its queue cannot be asked (%v)", err)
	}
	if len(led) == 0 || !led[0].Live {
		if s.Note == "" {
			s.Note = "no planner leads it now"
		}
		for _, l := range led {
			s.Note += "; " + l.Note
		}
		return []*status{s}, nil
	}
	for _, l := range led {
		l.Directory, l.Recorded, l.Of = dir, s.Recorded, s.Of
	}
	return led, nil
}

// ledRuns asks the planners at a queue.
func ledRuns(c *cli.Context, url, run string) ([]*status, error) {
	ctx, cancel := context.WithTimeout(c.Context, statusTimeout)
	defer cancel()
	conn, login, err := dialQueue(ctx, c, url, queue.Dial)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	list, err := conn.Status(ctx, run)
	if err != nil {
		return nil, exit.AsUsage(errors.New(login.String(err.Error())))
	}
	out := []*status{}
	for _, one := range list {
		out = append(out, statusOf(one, config.MaskQueueURL(url)))
	}
	unled, err := conn.Leaderless(ctx, run, list)
	if err != nil {
		return nil, exit.AsUsage(errors.New(login.String(err.Error())))
	}
	for _, one := range unled {
		out = append(out, unledStatus(one, config.MaskQueueURL(url)))
	}
	return out, nil
}

// status is how a run does.
type status struct {
	Run       string                  `json:"run"`
	Name      string                  `json:"name,omitempty"`
	Directory string                  `json:"directory,omitempty"`
	Queue     string                  `json:"queue,omitempty"`
	Host      string                  `json:"host,omitempty"` // of the process that leads or writes it
	PID       string                  `json:"pid,omitempty"`
	Live      bool                    `json:"live"` // such a process is there
	Version   string                  `json:"version,omitempty"`
	Recorded  int                     `json:"recorded"`
	Of        int                     `json:"of"` // rollouts that are to be made
	InFlight  int                     `json:"in_flight"`
	Outcomes  map[rollout.Outcome]int `json:"outcomes"`
	Tokens    int64                   `json:"tokens"`
	USD       *float64                `json:"usd"` // null where it is not known
	PaidTwice int                     `json:"paid_twice"`
	PerMinute float64                 `json:"per_minute"`
	Told      string                  `json:"told"`  // what the rate is of
	ETA       *float64                `json:"eta_s"` // at that rate; null if unknown
	Endpoints []endpointStatus        `json:"endpoints"`
	Workers   []workerStatus          `json:"workers"`
	Note      string                  `json:"note,omitempty"`
}

type endpointStatus struct {
	Name      string  `json:"name"`
	InFlight  int     `json:"in_flight"`
	Waiting   int     `json:"waiting"`
	Limit     int     `json:"limit"`
	PerSecond float64 `json:"per_second"`
	P95       float64 `json:"p95_s"`
	Requests  int     `json:"requests"`
	Errors    int     `json:"errors"`
	Limited   int     `json:"limited"`
	Paused    float64 `json:"paused_s"`
	Cause     string  `json:"cause,omitempty"`

	line string
}

type workerStatus struct {
	Host      string  `json:"host"`
	PID       int     `json:"pid"`
	Version   string  `json:"version"`
	State     string  `json:"state"` // works, lacks, lost or left
	Lacks     string  `json:"lacks,omitempty"`
	Slots     int     `json:"slots"`
	InFlight  int     `json:"in_flight"`
	Waiting   int     `json:"waiting"` // requests, for their turn
	Made      int     `json:"made"`
	Missing   int     `json:"missing"` // of them, those that an endpoint failed
	PerMinute float64 `json:"per_minute"`
	Silent    float64 `json:"silent_s"`
}

// statusOf words what a planner answers.
func statusOf(q queue.Status, url string) *status {
	s := &status{
		Run: q.Run, Name: q.Name, Queue: url, Host: q.Host, PID: fmt.Sprint(q.PID), Live: true, Version: q.Version, Recorded: q.Recorded, Of: q.Jobs, InFlight: q.InFlight,
		Outcomes: q.Outcomes, Tokens: q.Tokens, USD: q.USD, PaidTwice: q.PaidTwice, Told: "the mean of this call so far", Endpoints: []endpointStatus{}, Workers: []workerStatus{},
	}
	s.rate(q.Recorded, q.Jobs-q.Recorded, q.Elapsed)
	if !q.Told {
		s.Note = "its rollouts have not begun"
	}
	for _, b := range q.Boundaries {
		s.Endpoints = append(s.Endpoints, endpointStatus{
			Name: b.Name, InFlight: b.InFlight, Waiting: b.Waiting, Limit: b.Limit, PerSecond: b.Rate, P95: b.P95.Seconds(), Requests: b.Requests,
			Errors: b.Errors, Limited: b.Limited, Paused: b.Paused.Seconds(), Cause: b.Cause, line: ui.BoundaryLine(b),
		})
	}
	for _, w := range q.Workers {
		s.Workers = append(s.Workers, workerStatus{
			Host: w.Host, PID: w.PID, Version: w.Version, State: workerState(w), Lacks: w.Lacks, Slots: w.Slots, InFlight: w.InFlight, Waiting: w.Waiting,
			Made: w.Made, Missing: w.Missing, PerMinute: perMinute(w.Made, time.Since(w.Joined)), Silent: w.Silent.Seconds(),
		})
	}
	return s
}

// unledStatus reports on a run whose planner is gone.
func unledStatus(q queue.LeaderlessRun, url string) *status {
	return &status{
		Run: q.Run, Queue: url, Outcomes: map[rollout.Outcome]int{}, Endpoints: []endpointStatus{}, Workers: []workerStatus{},
		Note: fmt.Sprintf("the queue keeps %s and %s that are not recorded; the command that began it goes on with it", ui.Count(q.Jobs, "job"), ui.Count(q.Results, "result")),
	}
}

// workerState is how a worker does, in a word.
func workerState(w queue.WorkerState) string {
	switch {
	case w.Left:
		return "left"
	case w.Lost:
		return "lost"
	case w.Lacks != "":
		return "lacks"
	}
	return "works"
}

// rate tells how fast that many were made, and how long what is left will take.
func (s *status) rate(made, left int, in time.Duration) {
	s.PerMinute = perMinute(made, in)
	if s.PerMinute > 0 && left >= 0 {
		eta := float64(left) / s.PerMinute * 60
		s.ETA = &eta
	}
}

func perMinute(n int, in time.Duration) float64 {
	if in <= 0 {
		return 0
	}
	return float64(n) / in.Minutes()
}

// lately is how far back the rate of a run directory goes.
const lately = 5 * time.Minute

// runStatus reads how a run does from its directory.
func runStatus(ctx context.Context, dir string) (*status, error) {
	run, err := rollout.Open(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no run in %s", dir)
	case err != nil:
		return nil, err
	case run.Manifest == nil || run.Manifest.Planned == nil:
		return nil, fmt.Errorf("%s was not sampled by gonogo: there is no plan that it could have come to the end of", dir)
	}
	m := run.Manifest
	s := &status{
		Run: m.ID, Name: m.Name, Directory: dir, Version: m.ToolVersion, Outcomes: map[rollout.Outcome]int{},
		Told: "since it began", Endpoints: []endpointStatus{}, Workers: []workerStatus{},
	}
	s.PID, s.Live = rollout.LockedBy(dir)
	for split, n := range m.Planned.Samples {
		s.Of += n * m.Planned.Items[split]
	}
	price := func(*rollout.Record) (float64, bool) { return 0, false }
	if cfg, err := config.FromManifest(filepath.Join(dir, rollout.ManifestFile), m.Config); err == nil {
		price = cfg.TokenPrices().Rollout
	}
	now, since, recent, usd, known := time.Now(), m.Started, 0, 0.0, true
	if now.Sub(since) > lately {
		since, s.Told = now.Add(-lately), "the last "+ui.FormatSpan(lately)
	}
	_, err = run.Records(ctx, rollout.ReadOptions{Lean: true}, func(r *rollout.Record) error {
		s.Recorded++
		s.Outcomes[r.Outcome]++
		if r.Started.Add(time.Duration(r.Elapsed)).After(since) {
			recent++
		}
		if r.Usage.Input != nil && r.Usage.Output != nil {
			s.Tokens += *r.Usage.Input + *r.Usage.Output
		}
		cost, ok := price(r)
		usd, known = usd+cost, known && ok
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	if known && s.Recorded > 0 {
		s.USD = &usd
	}
	if s.rate(recent, max(0, s.Of-s.Recorded), now.Sub(since)); !s.Live {
		s.ETA = nil
	}
	return s, nil
}

// print shows a run for people.
func (s *status) print(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintln(w, ui.Visible(fmt.Sprintf(format, args...))) }
	if !s.Live && s.Directory == "" { // no more is known
		line("%s: no planner leads it; %s", s.title(), s.Note)
		return
	}
	line("%s: %s of %s, %s in flight; %s", s.title(), message.Whole(s.Recorded), ui.Count(s.Of, "rollout"), message.Whole(s.InFlight), s.who())
	if s.Note != "" {
		line("  note: %s", s.Note)
	}
	rate := fmt.Sprintf("  %s/min, %s", message.Digits(s.PerMinute), s.Told)
	if s.ETA != nil && s.Of > s.Recorded {
		rate += fmt.Sprintf("; at that rate %s to go", time.Duration(*s.ETA*float64(time.Second)).Round(time.Second))
	}
	line("%s", rate)
	line("  %s", strings.Join(s.totals(), ", "))
	for _, e := range s.Endpoints {
		line("%s", e.line)
	}
	for _, x := range s.Workers {
		line("  worker %s (pid %d): %s", x.Host, x.PID, x.text())
	}
}

// title names the run.
func (s *status) title() string {
	name := "Run " + cmp.Or(s.Run, s.Directory)
	if s.Name != "" && s.Name != s.Run {
		name += " (" + s.Name + ")"
	}
	return name
}

// who says who leads or writes it.
func (s *status) who() string {
	switch {
	case !s.Live:
		return "no process is writing it"
	case s.Host != "":
		return fmt.Sprintf("led by process %s on %s", s.PID, s.Host)
	case s.PID != "":
		return "process " + s.PID + " is writing it"
	}
	return "a process is writing it"
}

// totals are the outcome of the rollouts, and what they took.
func (s *status) totals() []string {
	var out []string
	for _, o := range rollout.Outcomes() {
		if n := s.Outcomes[o]; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", o, message.Whole(n)))
		}
	}
	if s.PaidTwice > 0 {
		out = append(out, fmt.Sprintf("paid twice %d", s.PaidTwice))
	}
	out = append(out, ui.Tokens(s.Tokens))
	if s.USD != nil {
		out = append(out, ui.Dollars(*s.USD))
	}
	return out
}

// text says how a worker does.
func (w workerStatus) text() string {
	switch w.State {
	case "lacks":
		return "takes no jobs: " + w.Lacks
	case "left":
		if w.Lacks != "" {
			return "has left, because it takes no jobs: " + w.Lacks
		}
		return fmt.Sprintf("has left, made %s", message.Whole(w.Made))
	}
	heard := fmt.Sprintf("heard %s ago", ui.FormatSpan(time.Duration(w.Silent*float64(time.Second))))
	if w.State == "lost" {
		heard = fmt.Sprintf("lost: silent for %s", ui.FormatSpan(time.Duration(w.Silent*float64(time.Second))))
	}
	return fmt.Sprintf("%d of %d in flight, %d waiting, %s/min, made %s, failed %s, %s, version %s", w.InFlight, w.Slots, w.Waiting, message.Digits(w.PerMinute), message.Whole(w.Made), message.Whole(w.Missing), heard, w.Version)
}
