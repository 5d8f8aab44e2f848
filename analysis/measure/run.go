package measure

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/internal/burst"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

// Run reads a run and measures every split, the relations between them, the grader and the
// endpoints. A run without rollouts must have an audit; its Result has no splits. The Result holds the
// checksums of the files that it was made from; it has no findings and no verdict. Memory grows with items × samples, not with text.
func Run(ctx context.Context, run *rollout.Run, read rollout.ReadOptions,
	s analysis.Settings,
) (*analysis.Result, error) {
	return measured(ctx, run, read, s, false)
}

// Audit measures only the grader; the run may have no rollouts.
func Audit(ctx context.Context, run *rollout.Run, s analysis.Settings) (*analysis.Result, error) {
	return measured(ctx, run, rollout.ReadOptions{}, s, true)
}

// Burst measures only the endpoints, from a run's burst; without one, Burst is nil.
func Burst(ctx context.Context, run *rollout.Run, s analysis.Settings) (*analysis.Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	b, err := burst.Of(ctx, run, s.Confidence)
	if err != nil {
		return nil, err
	}
	r := newResult(run, rollout.Input{}, s)
	r.Burst = b
	return r, nil
}

// Items compares the splits by their items alone; nil if no item has a row.
func Items(items []rollout.Item, s analysis.Settings) *analysis.Shift {
	return newItemShift(items, s).result(nil)
}

// measured reads the contents of a run and measures them. The audit is read before the rollouts,
// because regrades and detector marks change them.
func measured(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, s analysis.Settings,
	withoutRollouts bool,
) (*analysis.Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var inputs map[string]string // nil if the run is a single file, which has no other files
	if !withoutRollouts && filepath.Base(run.File()) == rollout.RolloutsFile {
		var err error
		// before the files are read, so that a later change makes the result outdated
		if inputs, err = Inputs(run.Dir, false); err != nil {
			return nil, err
		}
	}
	c := &evidence{Collector: collect.New(s.RewardRange)}
	c.Own = ownMarkup(run)
	if run.Manifest != nil {
		c.Core = coreOf(run.Manifest.Grader, s)
	}
	if err := c.ReadAudit(ctx, run); err != nil {
		return nil, err
	}
	items, known, right, err := compareItems(run, s)
	if err != nil {
		return nil, err
	}
	read.Lean = true
	read.ToolError = s.ToolError()
	input, err := run.Records(ctx, read, c.Add)
	if err != nil && !((withoutRollouts || c.Audit.Records > 0) && errors.Is(err, rollout.ErrNoRecords)) {
		return nil, widened(ctx, run, read, err)
	}
	c.Done()
	if err := c.findForm(ctx, run, right, read, s); err != nil {
		return nil, err
	}
	rolled, looks, err := atLook(s, run.Manifest)
	if err != nil {
		return nil, err
	}
	r := newResult(run, input, rolled)
	r.Looks = looks
	if inputs != nil {
		inputs[rollout.RolloutsFile] = input.Sum
		r.Run.Inputs = inputs
	}
	c.fill(r, run.Manifest, known, s)
	r.Shift = items.result(c)
	if withoutRollouts {
		return r, nil
	}
	if err := resolveLeaks(ctx, r.Leaks, run, read); err != nil {
		return nil, err
	}
	r.Burst, err = burst.Of(ctx, run, s.Confidence)
	return r, err
}

// widened extends an error about a reward outside the range by a range that holds all rewards of
// the run; it returns any other error unchanged.
func widened(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, err error) error {
	outside, ok := errors.AsType[*collect.RangeError](err)
	if !ok {
		return err
	}
	_, again := run.Records(ctx, read, func(rec *rollout.Record) error {
		if rec.Reward != nil {
			outside.Seen = outside.Seen.With(*rec.Reward)
		}
		return nil
	})
	return errors.Join(err, again)
}

// compareItems compares the items and returns their labels and right answers. It runs before the
// rollouts are read, and keeps no rows.
func compareItems(run *rollout.Run, s analysis.Settings) (found *itemShift, known labels, right references, err error) {
	items, err := run.ReadItems()
	if err != nil {
		return nil, nil, nil, err
	}
	known, right = labelsOf(items), referencesIn(items)
	// at the end, so that rows can be freed once their texts are extracted
	return newItemShift(items, s), known, right, nil
}

// ownMarkup returns a function that says which tokens an item's row contains. The rows are read
// again when it is first called, which most runs never need; only these tokens are kept.
func ownMarkup(run *rollout.Run) func(collect.ItemKey) (markup.Own, error) {
	all := sync.OnceValues(func() (map[collect.ItemKey]markup.Own, error) {
		items, err := run.ReadItems()
		own := make(map[collect.ItemKey]markup.Own, len(items))
		for _, it := range items {
			own[collect.ItemKey{Split: it.Split, ID: it.ID}] = markup.OwnOf(it.Row)
		}
		return own, err
	})
	return func(k collect.ItemKey) (markup.Own, error) {
		own, err := all()
		return own[k], err
	}
}

func newResult(run *rollout.Run, input rollout.Input, s analysis.Settings) *analysis.Result {
	r := &analysis.Result{
		Schema:        analysis.Schema,
		Confidence:    s.Confidence,
		RewardRange:   [2]float64{s.RewardRange.Lo, s.RewardRange.Hi},
		Ceiling:       s.Best(),
		GroupSize:     s.GroupSize,
		Normalize:     s.Normalize,
		PassThreshold: s.PassThreshold,
		ToolErrors:    s.ToolErrors,
		Require:       s.Require,
		Input:         input,
		Splits:        make(map[rollout.Split]*analysis.SplitResult),
		Problems:      []rollout.Problem{},
	}
	if s.Epsilon != analysis.DefaultSettings().Epsilon {
		r.Epsilon = &s.Epsilon
	}
	if r.Input.Bad == nil {
		r.Input.Bad = []rollout.BadLine{}
	}
	m := run.Manifest
	if m == nil {
		r.Run.Source = string(rollout.Import)
		return r
	}
	seed := m.Seed
	r.Run = analysis.RunInfo{
		ID: m.ID, Name: m.Name, Source: string(m.Source), Grading: m.Grading, ToolVersion: m.ToolVersion,
		Model:    m.Model,
		Sampling: m.Sampling, Data: m.Data, Choices: m.Choices, Notes: message.Notes(m.Notes),
	}
	if m.Source == rollout.Live {
		r.Run.Seed = &seed
	}
	if m.Binding["agent.own_model"] != "true" { // which only the agent knows
		r.Run.Endpoint = hostOf(m.Binding["model.base_url"])
	}
	if m.Problems != nil {
		r.Problems = m.Problems
	}
	if !m.Started.IsZero() {
		r.Timing.Started = m.Started.UTC().Format(time.RFC3339)
	}
	if !m.Ended.IsZero() {
		r.Timing.Ended = m.Ended.UTC().Format(time.RFC3339)
	}
	return r
}

// Fill measures the records in c into r: the splits, the plan and the grader.
func Fill(r *analysis.Result, c *collect.Collector, run *rollout.Run, s analysis.Settings) {
	(&evidence{Collector: c}).fill(r, run.Manifest, labelsOf(run.Items), s)
}

// labels holds the labels of the known items, by split and id.
type labels map[rollout.Split]map[string]collect.Labels

func labelsOf(items []rollout.Item) labels {
	known := make(labels)
	for _, it := range items {
		if known[it.Split] == nil {
			known[it.Split] = make(map[string]collect.Labels)
		}
		known[it.Split][it.ID] = collect.Labels{Category: it.Category, Family: it.Family, Tools: it.OffersTools()}
	}
	return known
}

// fill measures every split that has a record or was planned, if there are records.
func (c *evidence) fill(r *analysis.Result, manifest *rollout.Manifest, known labels, s analysis.Settings) {
	bySplit := make(map[rollout.Split][]*collect.Item)
	var all []*collect.Item
	for _, split := range rollout.Splits() {
		bySplit[split] = c.Items(split, known[split])
		all = append(all, bySplit[split]...)
	}
	if c.Regraded {
		c.everywhere = regrades(all, c, s.Thresholds.At(analysis.HackableMargin))
	}
	agreement := c.agreement(all, s)
	s = withCeiling(r, agreement, s)
	rolled := s
	rolled.Confidence = r.Confidence // of the current look
	for _, split := range rollout.Splits() {
		m := Split{s: rolled, once: s.Confidence, c: c, Items: bySplit[split]}
		m.plan(manifest, split)
		if len(m.Items) > 0 || len(all) > 0 && m.planned != nil && *m.planned > 0 {
			r.Splits[split] = m.split()
		}
	}
	var info *rollout.GraderInfo
	if manifest != nil {
		info = manifest.Grader
	}
	r.Grader = c.grader(all, agreement, info, s)
	r.Leaks = c.leaks(all, r.Confidence)
	if n := c.Extra; n > 0 {
		r.Run.Notes = append(r.Run.Notes, targetedRollouts.With(message.Args{"rollouts": message.Count(n, "rollout")}))
	}
	if n := len(c.Zeroed); n > 0 {
		r.Run.Notes = append(r.Run.Notes, markedAtBottom.With(message.Args{"rollouts": message.Count(n, "rollout")}))
	}
	if split, ok := analysis.TrainingSplit(r); ok {
		var eval *evaluated
		if sr := r.Splits[rollout.Eval]; sr != nil && split != rollout.Eval {
			eval = &evaluated{sr: sr, items: bySplit[rollout.Eval]}
		}
		r.Plan = plan(r.Splits[split], bySplit[split], eval, c, rolled)
	}
}

// hostOf returns the host of a URL; "" without one, and for the scripted worlds.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.HasSuffix(u.Hostname(), ".invalid") {
		return ""
	}
	return u.Host
}

// withCeiling lowers the ceiling to the limit set by people's disagreement, if none is configured.
// It takes the high end of the interval, so that a few labels do not remove the headroom.
func withCeiling(r *analysis.Result, a *analysis.Agreement, s analysis.Settings) analysis.Settings {
	if s.Ceiling != nil || a == nil || a.Ceiling == nil || a.Ceiling.High == nil {
		return s
	}
	high := *a.Ceiling.High
	if high >= s.RewardRange.Hi-1e-6*s.RewardRange.Width() || high <= s.RewardRange.Lo {
		return s
	}
	s.Ceiling = &high
	r.Ceiling = high
	r.Run.Notes = append(r.Run.Notes, ceilingByLabels.With(message.Args{"ceiling": message.Setting(high)}))
	return s
}

// The notes on rollouts that the manifest does not have.
var (
	targetedRollouts = message.New("measure.targeted", "{rollouts} of items whose class was open "+
		"(--items-undecided): only for the classes of these items; no mean, share or verdict counts them")
	markedAtBottom = message.New("measure.marked_at_bottom",
		"{rollouts} that a detector marked as a hack: counted at the bottom of the reward range")
	ceilingByLabels = message.New("measure.ceiling_by_labels",
		"the ceiling {ceiling} is the most that outputs at one rater's top may earn from another rater, by the labels")
)
