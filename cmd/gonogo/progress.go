package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gonogo/analysis/message"
	"gonogo/sampler"
	"gonogo/sampler/rollout"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// The time between progress lines where there is no terminal, and between the
// events that take their place.
const (
	lineEvery   = 10 * time.Second
	eventsEvery = 5 * time.Second
)

// progress shows how far sampling has come: a bar on a terminal, plain lines
// elsewhere.
type progress struct {
	out   io.Writer
	what  string // is counted
	total int    // 0: nobody knows
	begin time.Time

	mu   sync.Mutex // guards what follows
	last sampler.Event
	told bool  // what the first ones say of all
	crew *crew // that makes them elsewhere; nil: they are made here

	money func(sampler.Event, int) string // of all so many; nil where it is not counted

	redact *rollout.Redactor // of what endpoints say

	bars   *mpb.Progress
	bar    *mpb.Bar
	events *events // in the place of lines; nil when they are for people

	stop chan struct{} // ends the printer of lines
	done chan struct{} // closed when it has ended
}

// progress shows how many of what there are in total, on standard error, and in
// events by what they are bounded.
func (p *project) progress(c *call, what string, total int, cfg sampler.Config) *progress {
	if e, ok := c.Err.(*events); ok {
		e.masks(p.redact)
		p.log = e.Logger
		e.begun(what, total, cfg)
	}
	return newProgress(c.Err, what, total, p.moneyText, p.redact)
}

// newProgress shows how many of what there are in total, and the money that they
// take.
func newProgress(out io.Writer, what string, total int, money func(sampler.Event, int) string, redact *rollout.Redactor) *progress {
	p := &progress{out: out, what: what, total: total, begin: time.Now(), money: money, redact: redact}
	p.events, _ = out.(*events)
	if isTerminal(out) && total > 0 {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40))
		p.bar = p.bars.AddBar(int64(total), mpb.BarExtender(mpb.BarFillerFunc(p.extend), false),
			mpb.PrependDecorators(decor.Name(what+" "), decor.CountersNoUnit("%d/%d ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.line() })),
		)
		return p
	}
	p.stop, p.done = make(chan struct{}), make(chan struct{})
	go p.lines()
	return p
}

// watch takes the counts after each record.
func (p *progress) watch(e sampler.Event) {
	p.mu.Lock()
	p.last = e
	_, _, _, tells := e.Judged.Forecast(0)
	first := !p.told && tells && e.Judged.Total > 0
	p.told = p.told || first
	crew := p.crew
	p.mu.Unlock()
	if first && p.bar == nil && e.Recorded < p.total {
		fmt.Fprintf(p.out, "Judged by the first %d %s: %s for all %d.\n", e.Judged.N, p.what, p.money(e, p.total), p.total)
	}
	for _, news := range crew.watch(e) {
		fmt.Fprintln(p, visible(p.redact.String(news)))
	}
	if p.bar != nil {
		p.bar.SetCurrent(int64(e.Recorded))
	}
}

// extend draws a line for each endpoint below the bar.
func (p *progress) extend(w io.Writer, _ decor.Statistics) error {
	for _, b := range p.event().Boundaries {
		if _, err := fmt.Fprintln(w, p.redact.String(boundaryLine(b))); err != nil {
			return err
		}
	}
	return nil
}

// ended takes the last counts.
func (p *progress) ended(s sampler.Stats) {
	p.by().over()
	p.watch(sampler.Event{Stats: s})
	if p.events != nil {
		p.events.ended(p.what, p.total, s)
	}
}

// Write prints above the bar, where it stays.
func (p *progress) Write(b []byte) (int, error) {
	if p.bars != nil {
		return p.bars.Write(b)
	}
	return p.out.Write(b)
}

// close ends the display and waits for it.
func (p *progress) close() {
	if p.bars != nil {
		p.bar.Abort(false) // a no-op when the bar is full
		p.bars.Wait()
		return
	}
	close(p.stop)
	<-p.done
}

func (p *progress) lines() {
	defer close(p.done)
	every := lineEvery
	if p.events != nil {
		every = eventsEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.print()
		case <-p.stop:
			return
		}
	}
}

// print tells how far it is, and how each endpoint does.
func (p *progress) print() {
	e := p.event()
	if p.events != nil {
		p.events.state(p.what, p.total, e)
		return
	}
	of := ""
	if p.total > 0 {
		of = fmt.Sprintf("/%d", p.total)
	}
	fmt.Fprintf(p.out, "%s %d%s, %s\n", p.what, e.Recorded, of, p.line())
	for _, b := range e.Boundaries {
		fmt.Fprintln(p.out, p.redact.String(boundaryLine(b)))
	}
}

func (p *progress) event() sampler.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// by is who makes them; nil: they are made here.
func (p *progress) by() *crew {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crew
}

// elsewhere has them made by others.
func (p *progress) elsewhere(by *crew) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crew = by
}

// line tells rate, time to go, tokens and what went wrong.
func (p *progress) line() string {
	e := p.event()
	elapsed := time.Since(p.begin).Seconds()
	parts := []string{fmt.Sprintf("%d in flight", e.InFlight)}
	if e.Recorded > 0 && elapsed > 0 {
		rate := float64(e.Recorded) / elapsed
		left := time.Duration(float64(p.total-e.Recorded) / rate * float64(time.Second))
		if parts = append(parts, message.Digits(rate)+"/s"); p.total > 0 {
			parts = append(parts, "ETA "+left.Round(time.Second).String())
		}
	}
	if e.Tokens > 0 {
		parts = append(parts, tokensText(e.Tokens))
	}
	if p.money != nil {
		if text := p.money(e, p.total); text != "" {
			parts = append(parts, text)
		}
	}
	parts = append(parts, p.by().line()...)
	return strings.Join(append(parts, troubles(e.Stats)...), ", ")
}

// troubles lists failed rollouts and repeated requests.
func troubles(s sampler.Stats) []string {
	var out []string
	for _, o := range rollout.Outcomes() {
		if n := s.Outcomes[o]; n > 0 && o != rollout.Graded {
			out = append(out, fmt.Sprintf("%s %d", o, n))
		}
	}
	retries := 0
	for _, name := range slices.Sorted(maps.Keys(s.Retries)) {
		retries += s.Retries[name]
	}
	if retries > 0 {
		out = append(out, fmt.Sprintf("retries %d", retries))
	}
	return out
}

// tokensText prints a count of tokens.
func tokensText(n int64) string {
	switch {
	case n >= 1e6:
		return message.Digits(float64(n)/1e6) + " M tokens"
	case n >= 1e4:
		return fmt.Sprintf("%.3g k tokens", float64(n)/1e3)
	}
	return counted(int(n), "token")
}

// shortSpan prints a span with three digits.
func shortSpan(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.3gs", d.Seconds())
	}
	return fmt.Sprintf("%.3gms", float64(d)/float64(time.Millisecond))
}
