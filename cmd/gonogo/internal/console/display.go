package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"gonogo/analysis/message"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// The interval of progress lines without a terminal, and of the events that replace them.
const (
	lineEvery   = 10 * time.Second
	eventsEvery = 5 * time.Second
)

// Progress shows the progress of sampling: a bar on a terminal, plain lines elsewhere.
type Progress struct {
	out   io.Writer
	what  string // the things that are counted
	total int    // 0: unknown
	begin time.Time

	mu        sync.Mutex // guards the fields below
	last      sampler.Event
	announced bool     // the forecast by the first rollouts was printed
	workers   *Workers // remote workers; nil if rollouts are made in this process

	money func(sampler.Event, int) string // for a total number of rollouts; nil if money is not counted

	redact *rollout.Redactor // for text from endpoints

	bars   *mpb.Progress
	bar    *mpb.Bar
	events *Events // replaces the lines; nil if they are for people

	stop chan struct{} // ends the printer of lines
	done chan struct{} // closed when the printer has ended
}

// NewProgress shows on out how many of total things, such as rollouts, are made, until it is
// closed. A total of 0 is unknown. money describes the expected cost of all of them; it may be nil.
func NewProgress(out io.Writer, what string, total int, money func(sampler.Event, int) string,
	redact *rollout.Redactor,
) *Progress {
	p := &Progress{out: out, what: what, total: total, begin: time.Now(), money: money, redact: redact}
	p.events, _ = out.(*Events)
	if IsTerminal(out) && total > 0 {
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

// Watch receives the counts of a run, after each record.
func (p *Progress) Watch(e sampler.Event) {
	p.mu.Lock()
	p.last = e
	_, _, _, tells := e.Judged.Forecast(0)
	first := !p.announced && tells && e.Judged.Total > 0
	p.announced = p.announced || first
	workers := p.workers
	p.mu.Unlock()
	if first && p.bar == nil && p.money != nil && e.Recorded < p.total {
		fmt.Fprintf(p.out, "Going by the first %d %s: %s for all %d.\n", e.Judged.N, p.what, p.money(e, p.total),
			p.total)
	}
	if workers != nil {
		for _, news := range workers.Watch(e) {
			fmt.Fprintln(p, Visible(p.redact.String(news)))
		}
	}
	if p.bar != nil {
		p.bar.SetCurrent(int64(e.Recorded))
	}
}

// extend draws a line for each endpoint below the bar.
func (p *Progress) extend(w io.Writer, _ decor.Statistics) error {
	e, _ := p.state()
	for _, b := range e.Boundaries {
		if _, err := fmt.Fprintln(w, p.redact.String(BoundaryLine(b))); err != nil {
			return err
		}
	}
	return nil
}

// Ended receives the counts of a run that has ended.
func (p *Progress) Ended(s sampler.Stats) {
	if _, workers := p.state(); workers != nil {
		workers.Over()
	}
	p.Watch(sampler.Event{Stats: s})
	if p.events != nil {
		p.events.ended(p.what, p.total, s)
	}
}

// Write prints above the bar, where the text stays.
func (p *Progress) Write(b []byte) (int, error) {
	if p.bars != nil {
		return p.bars.Write(b)
	}
	return p.out.Write(b)
}

// Close ends the display and waits for it.
func (p *Progress) Close() {
	if p.bars != nil {
		p.bar.Abort(false) // a no-op when the bar is full
		p.bars.Wait()
		return
	}
	close(p.stop)
	<-p.done
}

func (p *Progress) lines() {
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

// print prints the progress and the state of each endpoint.
func (p *Progress) print() {
	e, _ := p.state()
	if p.events != nil {
		p.events.state(p.what, p.total, e)
		return
	}
	totalText := ""
	if p.total > 0 {
		totalText = fmt.Sprintf("/%d", p.total)
	}
	fmt.Fprintf(p.out, "%s %d%s, %s\n", p.what, e.Recorded, totalText, p.line())
	for _, b := range e.Boundaries {
		fmt.Fprintln(p.out, p.redact.String(BoundaryLine(b)))
	}
}

// state returns the last event, and the remote workers, if any.
func (p *Progress) state() (sampler.Event, *Workers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.workers
}

// MadeBy sets the remote workers that make the rollouts.
func (p *Progress) MadeBy(by *Workers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers = by
}

// line formats rate, remaining time, tokens and failures.
func (p *Progress) line() string {
	e, workers := p.state()
	elapsed := time.Since(p.begin).Seconds()
	parts := []string{fmt.Sprintf("%d in flight", e.InFlight)}
	if e.Recorded > 0 && elapsed > 0 {
		rate := float64(e.Recorded) / elapsed
		remaining := time.Duration(float64(p.total-e.Recorded) / rate * float64(time.Second))
		if parts = append(parts, message.Digits(rate)+"/s"); p.total > 0 {
			parts = append(parts, "ETA "+remaining.Round(time.Second).String())
		}
	}
	if e.Tokens > 0 {
		parts = append(parts, Tokens(e.Tokens))
	}
	if p.money != nil {
		if text := p.money(e, p.total); text != "" {
			parts = append(parts, text)
		}
	}
	if workers != nil {
		parts = append(parts, workers.Line()...)
	}
	return strings.Join(append(parts, Troubles(e.Stats)...), ", ")
}
