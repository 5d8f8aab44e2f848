package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

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
