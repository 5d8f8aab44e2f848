package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"gonogo/analysis/message"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// WriteStatus writes the status of a run, with its endpoints and workers.
func WriteStatus(w io.Writer, s *queue.RunStatus) {
	line := func(format string, args ...any) { fmt.Fprintln(w, Visible(fmt.Sprintf(format, args...))) }
	if !s.Live && s.Directory == "" { // nothing else is known
		line("%s: no planner leads it; %s", titleOf(s), s.Note)
		return
	}
	line("%s: %s of %s, %s in flight; %s", titleOf(s), message.Whole(s.Recorded), Count(s.Of, "rollout"),
		message.Whole(s.InFlight), leaderOf(s))
	if s.Note != "" {
		line("  note: %s", s.Note)
	}
	rate := fmt.Sprintf("  %s/min, %s", message.Digits(s.PerMinute), s.Told)
	if s.ETA != nil && s.Of > s.Recorded {
		rate += fmt.Sprintf("; at that rate %s to go", time.Duration(*s.ETA*float64(time.Second)).Round(time.Second))
	}
	line("%s", rate)
	line("  %s", strings.Join(totalsOf(s), ", "))
	for _, e := range s.Endpoints {
		line("%s", BoundaryLine(e.Boundary))
	}
	for _, x := range s.Workers {
		line("  worker %s (pid %d): %s", x.Host, x.PID, workerText(x))
	}
}

// titleOf names the run.
func titleOf(s *queue.RunStatus) string {
	name := "Run " + cmp.Or(s.Run, s.Directory)
	if s.Name != "" && s.Name != s.Run {
		name += " (" + s.Name + ")"
	}
	return name
}

// leaderOf says which process leads or writes the run.
func leaderOf(s *queue.RunStatus) string {
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

// totalsOf lists the outcomes of the rollouts, and what they took.
func totalsOf(s *queue.RunStatus) []string {
	var out []string
	for _, o := range rollout.Outcomes() {
		if n := s.Outcomes[o]; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", o, message.Whole(n)))
		}
	}
	if s.PaidTwice > 0 {
		out = append(out, fmt.Sprintf("paid twice %s", message.Whole(s.PaidTwice)))
	}
	out = append(out, Tokens(s.Tokens))
	if s.USD != nil {
		out = append(out, Dollars(*s.USD))
	}
	return out
}

// workerText describes the state of a worker.
func workerText(w queue.WorkerStatus) string {
	switch w.State {
	case "lacks":
		return "takes no jobs: " + w.Lacks
	case "left":
		if w.Lacks != "" {
			return "has left, because it takes no jobs: " + w.Lacks
		}
		return fmt.Sprintf("has left, made %s", message.Whole(w.Made))
	}
	lastSeen := fmt.Sprintf("last heard from %s ago", Span(time.Duration(w.Silent*float64(time.Second))))
	if w.State == "lost" {
		lastSeen = fmt.Sprintf("lost: silent for %s", Span(time.Duration(w.Silent*float64(time.Second))))
	}
	return fmt.Sprintf("%s of %s in flight, %s waiting, %s/min, made %s, failed %s, %s, version %s",
		message.Whole(w.InFlight), message.Whole(w.Slots), message.Whole(w.Waiting), message.Digits(w.PerMinute),
		message.Whole(w.Made), message.Whole(w.Missing), lastSeen, w.Version)
}
