package audit

import (
	"context"
	"encoding/json"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// builder fills a plan.
type builder struct {
	plan   *Plan
	cfg    Config
	survey *survey
	shared common

	sampled []*surveyed
	again   map[int]*surveyed // outputs to grade again, by place
	agreed  map[int]agreement // by place
	wanted  map[int]bool      // places of records whose text is kept
	texts   map[int]*rollout.Record
}

// hashKey is the key under which a record's line holds the hash of its grader.
const hashKey = "grader_hash"

func (b *builder) build(ctx context.Context) error {
	order := drawn(b.survey.items, b.survey.in.Seed, b.survey.in.Range[0], b.survey.in.Range[1])
	for turn, item := range order {
		item.turn = turn
	}
	b.sampled = order
	if b.cfg.Items > 0 {
		b.sampled = order[:min(b.cfg.Items, len(order))]
	}
	for _, item := range b.sampled {
		b.plan.Items = append(b.plan.Items, item.key())
	}
	if err := b.choose(ctx, order); err != nil {
		return err
	}
	if err := b.fetch(ctx); err != nil {
		return err
	}
	for _, item := range b.sampled {
		b.plan.drawn = append(b.plan.drawn, drawnItem{item, b.caseOf(item)})
	}
	for _, probe := range b.survey.in.Probes {
		if !b.cfg.skips(probe.Name) {
			if err := b.probe(ctx, probe); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose decides which texts are needed.
func (b *builder) choose(ctx context.Context, order []*surveyed) error {
	b.wanted, b.texts = map[int]bool{}, map[int]*rollout.Record{}
	for _, item := range b.sampled {
		for _, r := range item.pick(MaxRollouts) {
			b.wanted[r.place] = true
		}
	}
	if b.plans(rollout.ProbeRegrade) {
		b.again = regrades(order, b.cfg.Regrades, b.survey.in.Seed)
	}
	for place := range b.again {
		b.wanted[place] = true
	}
	if !b.plans(rollout.ProbeConsensus) {
		return nil
	}
	var err error
	b.agreed, err = b.survey.agreements(ctx, b.shared.wrap)
	for place := range b.agreed {
		b.wanted[place] = true
	}
	return err
}

// plans reports whether a probe is to be planned.
func (b *builder) plans(name string) bool {
	return !b.cfg.skips(name) && slices.ContainsFunc(b.survey.in.Probes, func(p Probe) bool { return p.Name == name })
}

// pick chooses up to n rollouts that have an answer: the best, the worst, and the first of the
// others.
func (item *surveyed) pick(n int) []seen {
	var best, worst *seen
	for i := range item.rollouts {
		r := &item.rollouts[i]
		if r.reward == nil || !r.text {
			continue
		}
		if best == nil || *r.reward > *best.reward {
			best = r
		}
		if worst == nil || *r.reward < *worst.reward {
			worst = r
		}
	}
	var list []seen
	for i := range item.rollouts {
		r := &item.rollouts[i]
		if !r.text || r.missing {
			continue
		}
		if r == best || r == worst || len(list) < n-2 {
			list = append(list, *r)
		}
	}
	return list
}

// fetch reads the wanted records with their texts.
func (b *builder) fetch(ctx context.Context) error {
	if len(b.wanted) == 0 {
		return nil
	}
	return b.survey.read(ctx, false, func(place int, r *rollout.Record) error {
		if b.wanted[place] {
			b.texts[place] = r
		}
		return nil
	})
}

// probe plans one probe, for the sampled items or from the whole run.
func (b *builder) probe(ctx context.Context, p Probe) (err error) {
	applies := p.Make == nil && !p.mutates
	b.plan.Counts = append(b.plan.Counts, Count{Probe: p.Name, Expect: p.Expect})
	switch {
	case p.Make != nil:
		for _, item := range b.sampled {
			b.payloads(p, item)
		}
	case p.mutates:
		applies, err = b.mutated(ctx, p)
	case p.policy != nil:
		b.policies(p)
	case p.Name == rollout.ProbeRegrade:
		b.regrade(p)
	case p.Name == rollout.ProbeConsensus:
		b.consensus(p)
	case p.Name == rollout.ProbeLabel:
		b.labels(p)
	}
	if c := b.count(); c.Payloads == 0 && !applies && len(b.sampled) > 0 {
		b.plan.Idle = append(b.plan.Idle, p.Name)
	}
	return err
}

func (b *builder) count() *Count { return &b.plan.Counts[len(b.plan.Counts)-1] }

// payloads plans a probe's payloads for one item.
func (b *builder) payloads(p Probe, item *surveyed) {
	list := p.payloads(b.caseOf(item), b.shared.seed)
	for i, payload := range list {
		b.plan.task(p, item, i, payload, len(b.plan.Counts)-1)
	}
	if len(list) > 0 {
		b.count().Items++
		b.count().Payloads += len(list)
	}
}

// caseOf returns an item as probes see it, with its recorded rollouts.
func (b *builder) caseOf(item *surveyed) *Case {
	var rollouts []*rollout.Record
	for _, r := range item.rollouts {
		if text := b.texts[r.place]; text != nil {
			rollouts = append(rollouts, text)
		}
	}
	return b.shared.newCase(item, rollouts)
}

// payloads returns the probe's payloads for one item, without those that contradict the probe: a
// wrong answer that is right, a rewrite that equals the reference, a repeat.
func (p Probe) payloads(c *Case, seed uint64) []Payload {
	c.Rand = source(seed, p.Name, c.Item)
	var list []Payload
	for _, payload := range p.Make(c) {
		switch {
		case p.Expect == rollout.Bottom && p.Limit > shell && c.right(payload.Answer):
		case p.Expect == rollout.Top && p.Name != rollout.ProbeReference && c.HasReference &&
			payload.Answer == c.answer(c.Reference):
		case slices.ContainsFunc(list, func(q Payload) bool { return q.Answer == payload.Answer }):
		default:
			if p.Expect == rollout.Bottom && payload.Base == nil {
				payload.Base = c.idle()
			}
			list = append(list, payload)
		}
	}
	return list
}

// task adds a payload to the plan.
func (p *Plan) task(probe Probe, item *surveyed, sample int, payload Payload, place int) *planned {
	t := &planned{probe: place, turn: item.turn, task: p.newTask(probe, item, sample, payload)}
	p.tasks = append(p.tasks, t)
	return t
}

// newTask returns a payload as a task for the grader.
func (p *Plan) newTask(probe Probe, item *surveyed, sample int, payload Payload) sampler.Task {
	r := &rollout.Record{
		Item: item.item.ID, Split: item.item.Split, Step: item.step, Sample: sample, Source: rollout.Probe,
		Category: item.item.Category, Family: item.item.Family, Answer: payload.Answer,
		Probe:   &rollout.ProbeInfo{Name: probe.Name, Expect: probe.Expect},
		TraceID: p.traceID(probe, item, sample, 0),
	}
	if probe.Expect == rollout.Bottom || probe.Expect == rollout.Top {
		r.Probe.Limit = &probe.Limit
	}
	if payload.Base != nil {
		r.Probe.Base = &rollout.Base{Sample: payload.Base.Sample, Reward: payload.Base.Reward}
		attach(r, payload.Base)
	}
	setHash(r, p.in.Grader)
	return sampler.Task{Item: item.item, Record: r, Times: 1}
}

// traceID returns the trace id of a payload.
func (p *Plan) traceID(probe Probe, item *surveyed, sample, attempt int) string {
	return sampler.TraceID(p.in.Seed, item.item.Split, "probe\x00"+probe.Name+"\x00"+item.key().ItemName(), sample,
		attempt)
}

// attach gives a payload the messages and calls of the rollout that it was made from, with the
// payload as the last message.
func attach(r, base *rollout.Record) {
	r.Messages, r.Calls, r.Turns = base.Messages, base.Calls, base.Turns
	last := len(base.Messages) - 1
	if last < 0 || base.Messages[last].Role != "assistant" || base.Messages[last].Content == r.Answer {
		return
	}
	r.Messages = slices.Clone(base.Messages)
	r.Messages[last].Content, r.Messages[last].Parts = r.Answer, nil
}

// setHash records which grader the record's grade will come from.
func setHash(r *rollout.Record, hash string) {
	if hash != "" {
		r.Extra = map[string]json.RawMessage{hashKey: json.RawMessage(encode(hash))}
	}
}

// sameHash reports whether the record's grade comes from the grader with that hash.
func sameHash(r *rollout.Record, hash string) bool {
	return jsontext.TextOrJSON(r.Extra[hashKey]) == hash
}
