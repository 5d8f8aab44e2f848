package stage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// errSearchStopped ends a search whose gradings were stopped.
var errSearchStopped = errors.New("the search was stopped")

// search looks for a text that the grader pays for without an answer, and writes what it tried and
// found.
func search(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan, to sampler.Sink) (sampler.Stats, error) {
	n := plan.SearchBudget(project.SearchGradings(p))
	s := plan.NewSearch(n, graderWords(p))
	if s == nil {
		return sampler.Stats{}, nil
	}
	cfg := p.Sampling()
	cfg.Cost, cfg.Uncounted = p.Spending.GradingCost(), true
	keep := sampler.SinkFunc(func(r *rollout.Record) error {
		plan.Keep(r)
		return to.Append(r)
	})
	return underProgress(ctx, p, c, "texts of a search", n, cfg,
		func(ctx context.Context, drain <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			var all sampler.Stats
			found, err := s.Run(ctx, func(tasks []sampler.Task) error {
				stats, err := sampler.Regrade(ctx, sampler.RegradeOptions{
					Config: cfg, Tasks: inTurn(tasks), Total: len(tasks), Grader: p.Bounds.Grader, Sink: keep, Drain: drain,
					Watch: func(e sampler.Event) {
						e.Stats = added(all, e.Stats)
						show.Watch(e)
					},
				})
				all = added(all, stats)
				if err == nil && stats.StoppedBy != "" {
					err = errSearchStopped
				}
				return err
			})
			if errors.Is(err, errSearchStopped) {
				return all, nil
			}
			for _, r := range found {
				err = errors.Join(err, to.Append(r))
			}
			return all, err
		})
}

// added returns the sum of two parts of a stage.
func added(a, b sampler.Stats) sampler.Stats {
	sum := b
	sum.Rollouts, sum.Begun, sum.Recorded = a.Rollouts+b.Rollouts, a.Begun+b.Begun, a.Recorded+b.Recorded
	sum.Tokens, sum.TokensUnknown, sum.USDUnknown = a.Tokens+b.Tokens, a.TokensUnknown+b.TokensUnknown, a.USDUnknown+b.USDUnknown
	sum.Outcomes = map[rollout.Outcome]int{}
	for _, part := range []sampler.Stats{a, b} {
		for outcome, n := range part.Outcomes {
			sum.Outcomes[outcome] += n
		}
	}
	return sum
}

func inTurn(tasks []sampler.Task) iter.Seq2[sampler.Task, error] {
	return func(yield func(sampler.Task, error) bool) {
		for _, t := range tasks {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// mostSource bounds the size of a grader's file that is read for the words in it.
const mostSource = 1 << 20

// graderWords returns the quoted texts in the source of the grader.
func graderWords(p *project.Project) []string {
	source := string(p.Config.Body.Grader)
	for _, file := range grader.Files(grader.Kinds(), p.Config.Body.Grader, p.Config.GraderDir) {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > mostSource {
			continue
		}
		if b, err := os.ReadFile(file); err == nil {
			source = string(b) + "\n" + source
		}
	}
	return audit.WordsOf(source)
}

// shown tells of holes as they are found: it passes on records, and writes a line for a probe that
// must score at the bottom once two items pay for it like for a right answer.
type shown struct {
	to   sampler.Sink
	tell func(string)
	top  float64 // of the rewards: from here on, like a right answer
	dir  string
	mu   sync.Mutex          // guards paid
	paid map[string][]string // items, by probe
}

func (s *shown) Append(r *rollout.Record) error {
	if r.Probe != nil && r.Probe.Expect == rollout.Bottom && r.Reward != nil && *r.Reward >= s.top {
		s.mu.Lock()
		items, name := s.paid[r.Probe.Name], r.Key().ItemName()
		if !slices.Contains(items, name) {
			s.paid[r.Probe.Name] = append(items, name)
			if len(items) == 1 {
				s.tell(fmt.Sprintf("found: %s earns %.4g on two items, like a right answer: gonogo audit %s --replay %s/%s/%s/%d",
					r.Probe.Name, *r.Reward, s.dir, r.Probe.Name, r.Split, name, r.Sample))
			}
		}
		s.mu.Unlock()
	}
	return s.to.Append(r)
}
