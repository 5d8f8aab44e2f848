package queue_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// idle answers at once, without a server, so that only the way there is measured.
type idle struct{}

func (idle) Reply(ctx context.Context, _ sampler.Request) (sampler.Reply, error) {
	pass, err := sampler.Admit(ctx, sampler.ModelBoundary)
	if err != nil {
		return sampler.Reply{}, err
	}
	pass.Done(rollout.Usage{}, nil)
	return sampler.Reply{Text: "42", Final: true}, nil
}

func (idle) Grade(context.Context, sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{Reward: 1}, nil
}

// BenchmarkRollout is what a rollout costs that does nothing: here, and by workers
// over a server in this process or on loopback. Divide by b.N for one.
func BenchmarkRollout(b *testing.B) {
	boundaries := sampler.Boundaries{Model: idle{}, Grader: idle{}}
	cfg := sampler.DefaultConfig()
	cfg.Concurrency, cfg.Rollouts = 64, 64
	b.Run("here", func(b *testing.B) {
		if _, err := sampler.Sample(context.Background(), nil, cfg, 1, makeJobs(b.N), boundaries, new(sink), nil); err != nil {
			b.Fatal(err)
		}
	})
	for _, place := range []struct {
		name          string
		port, workers int
	}{{"embedded", 0, 1}, {"external", -1, 1}, {"external", -1, 3}} {
		b.Run(place.name+"/"+strconv.Itoa(place.workers), func(b *testing.B) {
			server := embed(b, b.TempDir(), place.port)
			dial := func() *queue.Conn {
				if place.port == 0 {
					return check(server.Dial(context.Background(), nil))(b)
				}
				return dialTCP(b, server.URL())
			}
			c := dial()
			defer c.Close()
			p := check(c.Lead(context.Background(), queue.Plan{Run: "r"}))(b)
			var crew sync.WaitGroup
			for range place.workers {
				c := dial()
				m := check(c.Join(context.Background(), "r", queue.Me{Host: "h", Slots: 64 / place.workers}))(b)
				crew.Go(func() {
					defer c.Close()
					defer m.Leave()
					if _, err := m.Work(context.Background(), nil, cfg, boundaries, nil, nil); err != nil {
						b.Error(err)
					}
				})
			}
			led := boundaries
			led.Elsewhere = p
			b.ResetTimer()
			if _, err := sampler.Sample(context.Background(), nil, cfg, 1, makeJobs(b.N), led, new(sink), nil); err != nil {
				b.Error(err)
			}
			b.StopTimer()
			if err := p.Close(true); err != nil {
				b.Error(err)
			}
			crew.Wait()
		})
	}
}

// BenchmarkAdmission is the way of one request into the planner's line and out
// again.
func BenchmarkAdmission(b *testing.B) {
	server := embed(b, b.TempDir(), -1)
	c, d := dialTCP(b, server.URL()), dialTCP(b, server.URL())
	defer c.Close()
	defer d.Close()
	p := check(c.Lead(context.Background(), queue.Plan{Run: "r"}))(b)
	m := check(d.Join(context.Background(), "r", queue.Me{Host: "h", Slots: 1}))(b)
	defer m.Leave()
	cfg := sampler.DefaultConfig()
	boundaries := sampler.Boundaries{Model: asks{b}, Grader: idle{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := m.Work(context.Background(), nil, cfg, boundaries, nil, nil); err != nil {
			b.Error(err)
		}
	}()
	led := boundaries
	led.Elsewhere = p
	if _, err := sampler.Sample(context.Background(), nil, cfg, 1, makeJobs(1), led, new(sink), nil); err != nil {
		b.Error(err)
	}
	if err := p.Close(true); err != nil {
		b.Error(err)
	}
	<-done
}

// asks passes the line b.N times.
type asks struct{ b *testing.B }

func (a asks) Reply(ctx context.Context, _ sampler.Request) (sampler.Reply, error) {
	begun := time.Now()
	for range a.b.N {
		pass, err := sampler.Admit(ctx, sampler.ModelBoundary)
		if err != nil {
			return sampler.Reply{}, err
		}
		pass.Done(rollout.Usage{}, nil)
	}
	a.b.ReportMetric(float64(time.Since(begun))/float64(a.b.N), "ns/admission")
	return sampler.Reply{Text: "42", Final: true}, nil
}
