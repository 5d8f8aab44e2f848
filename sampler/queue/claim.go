package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// leader identifies the process that leads a run.
type leader struct {
	Host string `json:"host"`
	PID  int    `json:"pid"`
}

// claim creates the consumer of the results, of which a work queue allows only one. It
// deletes the consumer of a planner that is gone, and what that planner had not recorded is
// delivered again. A planner that was only cut off learns this way that it no longer leads.
func (p *Planner) claim(ctx context.Context) (jetstream.Consumer, error) {
	api, cancel := context.WithTimeout(ctx, 4*apiTimeout)
	defer cancel()
	cfg := jetstream.ConsumerConfig{
		Durable: p.claimed(), AckPolicy: jetstream.AckExplicitPolicy, AckWait: p.plan.AckWait, MaxDeliver: -1,
		MaxAckPending: -1,
		Metadata: map[string]string{
			"gonogo_term": p.term, "gonogo_host": p.host,
			"gonogo_pid": strconv.Itoa(os.Getpid()),
		},
	}
	for {
		mine, err := p.results.CreateConsumer(api, cfg)
		if err == nil {
			return mine, nil
		}
		if apiCode(err) != codeOneConsumer {
			return nil, p.c.explain("claim the run", err)
		}
		others := p.results.ListConsumers(api)
		for other := range others.Info() {
			if err := p.takeOver(api, other); err != nil {
				return nil, err
			}
		}
		if err := others.Err(); err != nil {
			return nil, p.c.explain("claim the run", err)
		}
	}
}

// claimed returns the name of this planner's consumer.
func (p *Planner) claimed() string { return "planner-" + p.term }

// codeOneConsumer is JetStream's error code for a second consumer of a work queue.
const codeOneConsumer = 10099

// takeOver deletes a claim if its planner does not answer, and fails if it does.
func (p *Planner) takeOver(ctx context.Context, claim *jetstream.ConsumerInfo) error {
	had := claim.Config.Metadata
	ask, cancel := context.WithTimeout(ctx, min(p.plan.Lease, dialTimeout))
	defer cancel()
	_, err := p.c.nc.RequestWithContext(ask, p.names.term(had["gonogo_term"]), nil)
	if err == nil {
		return fmt.Errorf("run %s is led by process %s on %s: wait for it to end, or stop it", p.plan.Run,
			had["gonogo_pid"], had["gonogo_host"])
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := p.results.DeleteConsumer(ctx, claim.Name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return p.c.explain("take over the run", err)
	}
	return nil
}

// errNoResults ends a planner that would otherwise wait for ever.
var errNoResults = errors.New("the server stopped delivering results; run again to continue, nothing is lost")

// fenced ends the planner when its claim is gone.
func (p *Planner) fenced() {
	err := p.c.once(p.ctx, apiTimeout, func(ctx context.Context) error {
		_, err := p.results.Consumer(ctx, p.claimed())
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stop(fmt.Errorf("run %s is led by another process now: this one was cut off from the queue, or its "+
			"streams were deleted; recorded rollouts are kept, run again to continue", p.plan.Run))
	}
}

// whoLeads answers a planner that wants to lead the same run.
func (p *Planner) whoLeads(m *nats.Msg) { p.reply(m, leader{p.host, os.Getpid()}) }
