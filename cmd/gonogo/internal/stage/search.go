package stage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// errSearchStopped ends a search whose gradings were stopped.
var errSearchStopped = errors.New("the search was stopped")

// search looks for a text that the grader pays for without an answer, and writes what it tried and
// found.
func search(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan, dir string,
	to sampler.Sink,
) (sampler.Stats, error) {
	n := plan.SearchBudget(project.SearchGradings(p))
	s := plan.NewSearch(n, graderWords(p))
	if s == nil {
		return sampler.Stats{}, nil
	}
	cfg := p.Sampling()
	cfg.Cost, cfg.Uncounted, cfg.Breaker = p.Spending.GradingCost(), true, 0 // odd texts may fail one after another
	if len(grader.SessionReads(p.Bounds.Grader)) == 0 {
		cfg.Isolation, cfg.Rollouts = nil, p.Config.Sampling.InFlight
	}
	keep := sampler.SinkFunc(func(r *rollout.Record) error {
		plan.Keep(r)
		return to.Append(r)
	})
	return underProgress(ctx, p, c, "texts of a search", n, cfg,
		func(ctx context.Context, drain <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			var all sampler.Stats
			cfg.Log = p.Log
			found, made, err := s.Run(func(tasks []sampler.Task) error {
				stats, err := sampler.Regrade(ctx, sampler.RegradeOptions{
					Config: cfg, Tasks: sequence(tasks), Total: len(tasks), Grader: p.Bounds.Grader, Sink: keep,
					Drain: drain,
					Watch: func(e sampler.Event) {
						e.Stats = all.Plus(e.Stats)
						show.Watch(e)
					},
				})
				all = all.Plus(stats)
				if err == nil && stats.StoppedBy != "" {
					err = errSearchStopped
				}
				return err
			})
			if errors.Is(err, errSearchStopped) {
				return all, nil
			}
			for _, t := range found {
				if !plan.Recorded(t.Record) {
					err = errors.Join(err, to.Append(t.Record))
				}
			}
			return all, errors.Join(err, writeScript(p, c, dir, found, made))
		})
}

// searchScript is the name of the program, in the run directory, that replays what a search found.
const searchScript = "search.py"

// writeScript writes a program that sends the text found to the grader without gonogo, if the grader
// can write one, and says what was found. It removes one of an earlier search.
func writeScript(p *project.Project, c *project.Invocation, dir string, found []sampler.Task, made string) error {
	path := filepath.Join(dir, searchScript)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	var outputs []sampler.Output
	var rewards []float64
	top, most := 0, 0.0
	for _, t := range found {
		outputs, rewards = append(outputs, sampler.OutputOf(t.Item, t.Record)), append(rewards, *t.Record.Reward)
		most = max(most, *t.Record.Reward)
	}
	for _, reward := range rewards {
		if reward >= most-1e-9 {
			top++
		}
	}
	about := fmt.Sprintf("The text found earns %.4g on %d of %s: %q", most, top, console.Count(len(found), "item"),
		analysis.Excerpt(made, "", analysis.ExcerptLength))
	fmt.Fprintln(c.Talk(), console.Visible(p.Redact.String(about)))
	g, ok := p.Bounds.Grader.(grader.Scripter)
	if !ok {
		return nil
	}
	text, err := g.Script(outputs, rewards, about)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Talk(), "%s sends it to the grader without gonogo.\n", console.Visible(path))
	return disk.WriteFile(path, []byte(p.Redact.String(text)))
}

// sequence yields tasks one by one.
func sequence(tasks []sampler.Task) iter.Seq2[sampler.Task, error] {
	return func(yield func(sampler.Task, error) bool) {
		for _, t := range tasks {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// unescaped undoes the escapes of a JSON string that matter to quoted texts.
var unescaped = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`)

// mostSource bounds the size of a grader's file that is read for the words in it.
const mostSource = 1 << 20

// graderWords returns the quoted texts in the source of the grader.
func graderWords(p *project.Project) []string {
	source := unescaped.Replace(string(p.Config.Body.Grader)) // files are inlined in it as JSON
	for _, file := range grader.Files(grader.Kinds(), p.Config.Body.Grader, p.Config.GraderDir) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Config.GraderDir, file)
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > mostSource {
			continue
		}
		if b, err := os.ReadFile(file); err == nil {
			source = string(b) + "\n" + source
		}
	}
	return audit.WordsOf(source)
}

// holeReporter reports holes as they are found: it passes on records, and writes a line for a probe that
// must score at the bottom once two items pay for it like for a right answer.
type holeReporter struct {
	to   sampler.Sink
	tell func(string)
	top  float64 // of the rewards: from here on, like a right answer
	dir  string
	with string              // flags that select the configuration
	mu   sync.Mutex          // guards paid
	paid map[string][]string // items, by probe
}

// Append reports a hole that the record shows, and passes it on.
func (s *holeReporter) Append(r *rollout.Record) error {
	if r.Probe != nil && r.Probe.Expect == rollout.Bottom && r.Probe.Name != rollout.ProbeSearch && r.Reward != nil &&
		*r.Reward >= s.top {
		s.mu.Lock()
		items, name := s.paid[r.Probe.Name], r.Key().ItemName()
		if !slices.Contains(items, name) {
			s.paid[r.Probe.Name] = append(items, name)
			if len(items) == 1 {
				s.tell(fmt.Sprintf("found: %s earns %.4g on two items, like a right answer: gonogo audit %s%s --replay %s",
					r.Probe.Name, *r.Reward, message.Shell(s.dir), s.with,
					message.Shell(fmt.Sprintf("%s/%s/%s/%d", r.Probe.Name, r.Split, name, r.Sample))))
			}
		}
		s.mu.Unlock()
	}
	return s.to.Append(r)
}
