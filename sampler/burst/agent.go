package burst

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/reported"
	"gonogo/sampler/rollout"
)

const agentEndpoint = endpoint.Agent

// agentRamp bounds the rollouts of a smaller wave if an agent makes them: each one costs as much as
// a rollout.
const agentRamp = 8

// Agent is a service that makes the rollouts itself, and how to use it.
type Agent struct {
	Agent                  sampler.Agent
	ModelProxy             sampler.ModelProxy // to the model; nil: it uses its own
	Timeout                time.Duration
	MaxSteps, MaxToolCalls int

	// Room is called before a wave of that many rollouts; its error ends the burst. Used gets the
	// outcome of each rollout. nil means no limit and no report.
	Room func(rollouts int) error
	Used func(*rollout.Record)
}

// attend has the agent make the rollout. A start that failed is retried; a rollout that failed
// midway is lost, because a trainer would not pay for it twice.
func (e *episode) attend(ctx context.Context) (failed bool, err error) {
	a := e.cfg.Agent
	models := a.ModelProxy
	if models != nil {
		models = unseen{models}
	}
	p := sampler.AgentRequest{
		Item: e.script.Item, Sample: e.base.Rollout, TraceID: e.trace, RolloutSession: e.box,
		MaxSteps: a.MaxSteps, MaxToolCalls: a.MaxToolCalls, Timeout: a.Timeout,
	}
	same := sameRequest(agentEndpoint, e.script.Item.ID)
	return e.ask(ctx, errand{
		endpoint: agentEndpoint, same: same, paid: true, enter: sampler.Entry(a.Agent),
		try: func(ctx context.Context, by *endpoint.Caller, rec *rollout.BurstCall) (answer, error) {
			began := time.Now()
			p.Caller = by
			done, traffic, err := sampler.RunAgent(ctx, a.Agent, models, p)
			e.made = madeBy(e.script.Item, e.trace, done, traffic)
			e.made.Elapsed = rollout.Seconds(time.Since(began))
			if a.Used != nil {
				a.Used(e.made)
			}
			if kindOfAgents(err) == sampler.KindAgentGarbled {
				rec.Odd = append(rec.Odd, rollout.NoOutput)
			}
			if err != nil && traffic.Failed != nil {
				err = &endpoint.Failure{Hidden: http.StatusOK, Err: &sampler.AgentError{
					Outcome: rollout.ModelAPI,
					Err:     traffic.Failed,
				}}
			}
			return answer{text: done.Output}, err
		},
	})
}

// madeBy returns the record of a rollout that an agent made.
func madeBy(it *rollout.Item, trace string, done sampler.AgentResult, traffic sampler.ModelTraffic) *rollout.Record {
	rec := &rollout.Record{
		Item: it.ID, Split: it.Split, TraceID: trace, Outcome: rollout.Graded, Answer: strings.TrimSpace(done.Output),
		Messages: done.Messages, Calls: done.Calls, Usage: sampler.UsageOf(done, traffic),
		Turns: max(done.Turns, traffic.Turns),
	}
	if rec.Messages == nil {
		rec.Messages = traffic.Messages
	}
	if rec.Calls == nil {
		rec.Calls = traffic.Calls
	}
	reward := reported.Reward{Rewards: done.Rewards, Parts: done.Parts}
	if done.NoReward != nil {
		reward.Kind, reward.Error = done.NoReward.Kind, done.NoReward.Error()
	}
	reported.Set(rec, reward)
	return rec
}

// kindOfAgents returns why an agent did not make a rollout; "" if the answer of its service says
// why.
func kindOfAgents(err error) string {
	a, ok := errors.AsType[*sampler.AgentError](err)
	switch {
	case !ok, a.Kind == sampler.KindAgentStart:
		return ""
	case a.Kind == "":
		return string(a.Outcome) // the boundary that the agent names, or model_api
	}
	return a.Kind
}

// unseen is a model proxy whose requests are not recorded as the burst's.
type unseen struct{ sampler.ModelProxy }

// Open opens the proxy.
func (u unseen) Open(ctx context.Context,
	p sampler.AgentRequest,
) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	return u.ModelProxy.Open(context.WithValue(ctx, seenKey{}, (*seen)(nil)), p)
}
