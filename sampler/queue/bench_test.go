package queue_test

import (
	"context"
	"testing"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/queue"
)

// idle answers at once, without a server, so only the way there is measured.
type idle struct{}

func (idle) Reply(context.Context, sampler.Request) (sampler.Reply, error) {
	return sampler.Reply{Text: "42", Final: true}, nil
}

func (idle) Grade(context.Context, sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{Reward: 1}, nil
}

// BenchmarkAdmission is the way of one request into the planner's line and out
// again.
func BenchmarkAdmission(b *testing.B) {
	server := embed(b, b.TempDir(), -1)
	c, d := dialTCP(b, server.URL()), dialTCP(b, server.URL())
	defer c.Close()
	defer d.Close()
	p := check(c.Lead(context.Background(), queue.Plan{Run: "r"}))(b)
	m := check(d.Join(context.Background(), "r", queue.WorkerInfo{Host: "h", Slots: 1}))(b)
	defer m.Leave()
	cfg := sampler.DefaultConfig()
	boundaries := sampler.Boundaries{Model: asks{b, m.Queue()}, Grader: idle{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := m.Work(context.Background(), nil, cfg, boundaries, nil, nil); err != nil {
			b.Error(err)
		}
	}()
	led := boundaries
	led.Remote = p
	if _, err := sampler.Sample(context.Background(), sampler.SampleOptions{
		Config: cfg, Seed: 1, Rollouts: makeJobs(1), Boundaries: led, Sink: new(sink),
	}); err != nil {
		b.Error(err)
	}
	if err := p.Close(true); err != nil {
		b.Error(err)
	}
	<-done
}

// asks passes the line b.N times.
type asks struct {
	b     *testing.B
	queue endpoint.Queue
}

func (a asks) Reply(ctx context.Context, _ sampler.Request) (sampler.Reply, error) {
	begun := time.Now()
	for range a.b.N {
		leave, err := a.queue.Enter(ctx, endpoint.Model)
		if err != nil {
			return sampler.Reply{}, err
		}
		leave(endpoint.Outcome{})
	}
	a.b.ReportMetric(float64(time.Since(begun))/float64(a.b.N), "ns/admission")
	return sampler.Reply{Text: "42", Final: true}, nil
}
