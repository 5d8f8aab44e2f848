package audit

import (
	"context"
	"slices"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/internal/arguments"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// policy plays the model in real rollouts: with the tools, the limits and the session of the run, so
// that the grader sees what a model would leave behind that behaves like this.
type policy struct {
	most int // items that it is tried on; 0: all that are sampled

	// script returns what the policy does on an item that offers these tools; nil if it does not apply.
	script func(c *Case, tools []arguments.Tool, in *Input) *script
}

// script is what a policy does on one item: its calls, one per turn, then its answer.
type script struct {
	calls  []rollout.ToolCall
	repeat bool // it makes the last call again until a limit ends the rollout, with the answer in every turn
	answer string
}

// mostPolicyTurns bounds a script that repeats a call, if no limit of the run ends its rollout before.
const mostPolicyTurns = 30

// reply returns the script's turn number n, from 0.
func (s *script) reply(n int) sampler.Reply {
	r := sampler.Reply{Usage: rollout.Usage{Input: new(int64), Output: new(int64)}}
	switch {
	case n < len(s.calls) && !s.repeat:
		r.Calls = []rollout.ToolCall{s.calls[n]}
	case s.repeat && n < mostPolicyTurns:
		r.Calls, r.Text = []rollout.ToolCall{s.calls[0]}, s.answer
	default:
		r.Text, r.Final, r.Finish = s.answer, true, rollout.FinishStop
	}
	for i := range r.Calls {
		r.Calls[i].ID = "call_" + strconv.Itoa(n)
	}
	return r
}

// most returns how many calls the script makes at most within the limits of a run.
func (s *script) most(in *Input) int {
	if s.repeat {
		return in.callsWithin(mostPolicyTurns, 0)
	}
	return len(s.calls)
}

// callsWithin returns how many of n calls, each in a turn of its own, fit into the limits of a
// rollout, with a number of turns left.
func (in *Input) callsWithin(n, left int) int {
	if in.MaxToolCalls > 0 {
		n = min(n, in.MaxToolCalls)
	}
	if in.MaxSteps > 0 {
		n = min(n, (in.MaxSteps-left)/2)
	}
	return n
}

// offered lists the tools that the item offers and that policies may call.
func (in *Input) offered(it *rollout.Item) []arguments.Tool {
	return slices.DeleteFunc(arguments.ToolsOf(it), func(t arguments.Tool) bool {
		return in.Served != nil && !slices.Contains(in.Served, t.Name)
	})
}

// policies plans a policy for the sampled items that offer tools.
func (b *builder) policies(p Probe) {
	in := b.survey.in
	for _, item := range b.sampled {
		if p.policy.most > 0 && b.count().Items == p.policy.most {
			return
		}
		tools := in.offered(item.item)
		if len(tools) == 0 {
			continue
		}
		c := b.caseOf(item)
		c.Rand = source(b.shared.seed, p.Name, c.Item)
		s := p.policy.script(c, tools, in)
		if s == nil || c.mentions(s.answer) || c.nothingIsRight() || s.works(c.Rollouts, in.Range) {
			continue
		}
		b.plan.task(p, item, 0, Payload{Answer: s.answer}, len(b.plan.Counts)-1).script = s
		b.count().Items++
		b.count().Payloads++
	}
}

// works reports whether the script happens to make all calls of a rollout that earned the top: then
// it may have done the work, as if the right choice was one of two. No call does the work of none.
func (s *script) works(rollouts []*rollout.Record, rewards [2]float64) bool {
	made := map[string]bool{}
	for _, c := range s.calls {
		made[c.Name+sameArguments(c.Arguments)] = true
	}
	return slices.ContainsFunc(rollouts, func(r *rollout.Record) bool {
		for _, c := range r.Calls {
			if !made[c.Name+sameArguments(c.Arguments)] {
				return false
			}
		}
		return (len(r.Calls) > 0 || len(s.calls) == 0) && r.Reward != nil && *r.Reward >= rewards[0]+full*(rewards[1]-rewards[0])
	})
}

// sameArguments returns the same text for arguments that are equal as JSON.
func sameArguments(text string) string {
	var value map[string]any
	if jsontext.Unmarshal([]byte(text), &value) != nil || len(value) == 0 {
		return "{}"
	}
	return encode(value)
}

// setAside takes the policies out of the tasks if no tools are at hand: those that are recorded are
// kept, and no other is run.
func (p *Plan) setAside() {
	if p.in.Served != nil {
		return
	}
	aside := 0
	p.tasks = slices.DeleteFunc(p.tasks, func(t *planned) bool {
		if t.script != nil {
			p.index[idOf(t.task.Record)] = t
			aside++
		}
		return t.script != nil
	})
	if aside > 0 && p.in.Unserved != "" {
		p.Notes = append(p.Notes, "policies for tools are not run: "+p.in.Unserved)
	}
}

// Policies returns what the plan's policies have yet to do: their rollouts, the model that plays
// them, and a sink that passes their records on to sink as probes. A rollout that a tool failed is
// not passed on: the next audit makes it again.
func (p *Plan) Policies(sink sampler.Sink) ([]sampler.Rollout, sampler.Model, sampler.Sink) {
	var rollouts []sampler.Rollout
	plays, records := player{}, map[rollout.Key]*rollout.Record{}
	for _, t := range p.tasks {
		if t.done || t.script == nil {
			continue
		}
		item, rec := *t.task.Item, t.task.Record // a copy: several policies play the same item
		r := sampler.Rollout{Item: &item, Sample: rec.Step*len(p.Counts) + t.probe, Attempt: t.attempt}
		rollouts = append(rollouts, r)
		plays[&item] = t.script
		records[rollout.Key{Split: item.Split, Item: item.ID, Sample: r.Sample}] = rec
	}
	return rollouts, plays, sampler.SinkFunc(func(made *rollout.Record) error {
		if made.Outcome.Missing() && made.Outcome != rollout.GraderFailed {
			return nil
		}
		rec, as := *made, records[made.Key()]
		rec.Source, rec.Sample, rec.Step, rec.Probe, rec.Extra = as.Source, as.Sample, as.Step, as.Probe, as.Extra
		return sink.Append(&rec)
	})
}

// player replies as the script of each item says.
type player map[*rollout.Item]*script

// Reply returns the next turn of the item's script.
func (p player) Reply(_ context.Context, req sampler.Request) (sampler.Reply, error) {
	return p[req.Item].reply(len(req.Turns)), nil
}
