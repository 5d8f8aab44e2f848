package audit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/form"
	"gonogo/sampler/rollout"
)

// Plan is what an audit will submit to the grader, and its cost.
type Plan struct {
	// Items are the sampled items, in the order in which they were drawn.
	Items []rollout.Key
	// Known are records that need no grading: their rewards are recorded. Keep is false for them,
	// so they are written again.
	Known []*rollout.Record
	// Template is the template of an answer around a reference; "" if a bare reference is an
	// answer. Inferred says that it was derived from recorded answers.
	Template string
	Inferred bool
	Asked    bool // by the prompts, for want of an answer that earned the top
	// References says where the references of the items were found.
	References []FieldCount
	// Counts has an entry for each probe and each detector that is not skipped.
	Counts []Count
	// Idle names the probes that apply to none of the items.
	Idle []string
	// Notes say what a reader of the audit should know about its plan.
	Notes []string

	in     *Input
	cfg    Config
	survey *survey
	tasks  []*planned
	index  map[ID]*planned
	toMark map[int]*surveyed // by place: the rollouts that detectors read
	marked map[ID]bool       // detectors' records that are kept
	drawn  []drawnItem       // the items of the audit
	tried  map[tried]float64 // rewards of texts that a search tried
	tries  map[rollout.Key]int
	found  map[ID]string // what an earlier search found, in the records that are kept
	groups groups

	untested     map[rollout.Key]bool   // items whose tests were not run
	attacks      map[rollout.Key]attack // recorded texts of attackers
	attackTries  map[rollout.Key]int    // failed requests to an attacker
	attackGraded map[ID]bool
}

// Count is the plan for one probe.
type Count struct {
	Probe    string
	Expect   rollout.Expectation
	Items    int // items with payloads of the probe
	Payloads int // payloads made
	Planned  int // payloads to be graded; without Known
	Left     int // payloads left out to stay within MaxGradings, or MaxMarks
}

// planned is one task, which may already be done.
type planned struct {
	probe int // index into Counts
	turn  int // its item's position in the drawing
	task  sampler.Task
	done  bool

	script  *script // of a policy; nil: the task's answer is graded as it is
	attempt int     // of the policy's rollout
}

// NewPlan draws the items and makes the payloads. It reads the rollouts up to three times. Memory
// grows with the number of rollouts, and with the texts only of the sampled items and of the
// outputs to be graded again.
func NewPlan(ctx context.Context, cfg Config, in Input) (*Plan, error) {
	if err := in.validate(cfg); err != nil {
		return nil, err
	}
	s, err := newSurvey(ctx, &in)
	if err != nil {
		return nil, fmt.Errorf("plan the audit: %w", err)
	}
	p := &Plan{
		in: &in, cfg: cfg, survey: s, References: s.fields(), Template: in.Answer, index: map[ID]*planned{},
		marked: map[ID]bool{}, tried: map[tried]float64{}, tries: map[rollout.Key]int{}, found: map[ID]string{},
		untested: map[rollout.Key]bool{}, attacks: map[rollout.Key]attack{}, attackTries: map[rollout.Key]int{},
		attackGraded: map[ID]bool{},
	}
	if in.Answer == "" {
		if err := p.findForm(ctx); err != nil {
			return nil, fmt.Errorf("plan the audit: %w", err)
		}
	}
	var wrap func(string) string
	if p.Template != "" {
		if wrap, err = AnswerTemplate(p.Template); err != nil {
			return nil, fmt.Errorf("plan the audit: %w", err)
		}
	}
	b := builder{plan: p, cfg: cfg, survey: s, shared: s.common(wrap, cfg.Unordered)}
	b.shared.asked = p.Asked
	if err := b.build(ctx); err != nil {
		return nil, fmt.Errorf("plan the audit: %w", err)
	}
	if err := p.joinGroups(ctx); err != nil {
		return nil, fmt.Errorf("plan the audit: %w", err)
	}
	p.limit(cfg.MaxGradings - p.attackReserve())
	if n := len(p.attacked()); n < cfg.Attacks && !cfg.skips(attacker.Name) {
		p.Notes = append(p.Notes, fmt.Sprintf("the attacker writes at most %d of %d answers: the audit has %d items, "+
			"and max_gradings is %d", n, cfg.Attacks, len(p.drawn), cfg.MaxGradings))
	}
	marks := s.marks()
	p.toMark = s.drawMarks(marks, cfg.MaxMarks)
	for _, d := range in.Detectors {
		if !cfg.skips(d.probe()) {
			p.Counts = append(p.Counts, p.countMarks(d, len(marks)))
		}
	}
	return p, nil
}

// findForm finds the answer's template in the answers that earned the top. If none did, or they have the
// form that the prompts ask for with more than the reference in it, the prompts decide.
func (p *Plan) findForm(ctx context.Context) error {
	f, tops, err := p.survey.form(ctx)
	if err != nil {
		return err
	}
	template := f.Template
	if !f.Stated {
		template = ""
	}
	if tops == 0 || template == "" {
		var prompts []string
		for item := range p.survey.data() {
			var texts []string
			for _, m := range item.item.Messages {
				texts = append(texts, m.Content)
			}
			if len(texts) > 0 && len(prompts) < mostExamples {
				prompts = append(prompts, strings.Join(texts, "\n"))
			}
		}
		template, p.Asked = form.Asked(prompts)
		if tops > 0 && template != f.Template {
			template, p.Asked = "", false // answers at the top do not have it
		}
	}
	if _, err := AnswerTemplate(template); template != form.Variable && err == nil {
		p.Template, p.Inferred = template, true
	}
	return nil
}

// limit leaves out payloads until at most most remain: the probes get equal shares, and each probe
// loses the payloads of the items that were drawn last.
func (p *Plan) limit(most int) {
	p.setAside()
	slices.SortStableFunc(p.tasks, func(a, b *planned) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.probe, b.probe),
			cmp.Compare(a.task.Record.Sample, b.task.Record.Sample))
	})
	wanted := make([]int, len(p.Counts))
	for _, t := range p.tasks {
		wanted[t.probe]++
	}
	share := shares(wanted, most)
	p.tasks = slices.DeleteFunc(p.tasks, func(t *planned) bool {
		if share[t.probe] == 0 {
			p.Counts[t.probe].Left++
			return true
		}
		share[t.probe]--
		p.Counts[t.probe].Planned++
		return false
	})
	left := 0
	for _, c := range p.Counts {
		left += c.Left
	}
	if left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d of %d gradings were left out to stay within max_gradings (%d)", left,
			left+len(p.tasks), p.cfg.MaxGradings))
	}
	for _, t := range p.tasks {
		p.index[idOf(t.task.Record)] = t
	}
}

// shares divides most among wanted, one each in turn to those that want more; if most is 0, all get
// what they want.
func shares(wanted []int, most int) []int {
	if most == 0 {
		return slices.Clone(wanted)
	}
	got := make([]int, len(wanted))
	for dealt := true; dealt && most > 0; {
		dealt = false
		for i := range wanted {
			if got[i] < wanted[i] && most > 0 {
				got[i]++
				most--
				dealt = true
			}
		}
	}
	return got
}

// Tasks yields what the run's grader has yet to grade, without the policies, the items in the order in which they were
// drawn: an audit that is stopped early has tried every probe on some of them.
func (p *Plan) Tasks() iter.Seq2[sampler.Task, error] {
	return func(yield func(sampler.Task, error) bool) {
		for _, t := range p.tasks {
			if !t.done && t.script == nil && !yield(t.task, nil) {
				return
			}
		}
	}
}

// Estimate is the remaining cost.
type Estimate struct {
	Gradings   int // by the run's grader, of answers and of policies
	Policies   int // rollouts of policies
	ToolCalls  int // most calls of tools by policies
	Marks      int // by detectors
	Attacks    int // answers that an attacker writes
	JudgeCalls int // requests to a judge for gradings, marks and, at most, attacks, without retries
}

// Todo estimates what is left, without the records that Keep has found.
func (p *Plan) Todo() Estimate {
	var e Estimate
	for _, t := range p.tasks {
		if !t.done {
			e.Gradings += t.task.Times
			if t.script != nil {
				e.Policies++
				e.ToolCalls += t.script.most(p.in)
			}
		}
	}
	e.Attacks = len(p.Attacks())
	e.JudgeCalls = e.Gradings*p.in.Judges + e.Attacks*(p.in.SecondJudges+p.in.Judges)
	for _, d := range p.in.Detectors {
		n := p.unmarked(d)
		e.Marks += n
		e.JudgeCalls += n * d.Judges
	}
	return e
}

// Keep reports whether a record of probes.jsonl is one that the plan would make again: the same
// payload under the same name, made from a rollout with the same reward, with a grade of the same
// grader. Its task is then done. Keep may be passed to rollout.OpenProbes.
func (p *Plan) Keep(r *rollout.Record) bool {
	if r.Probe == nil || r.Source != rollout.Probe {
		return false
	}
	if keep, ok := p.keepAttack(r); ok {
		return keep
	}
	if r.Reward == nil {
		if t := p.index[idOf(r)]; t != nil {
			t.attempt = r.Attempt + 1 // what it left under its trace id is not found again
		}
		return false
	}
	if p.keepMark(r) || p.keepTry(r) {
		return true
	}
	if r.Probe.Name == rollout.ProbeSearch {
		if sameHash(r, p.in.Grader) { // until a search finds another text
			p.found[idOf(r)] = r.Answer
			return true
		}
		return false
	}
	if r.Probe.Name == codeMutated.Name && p.untested[itemKey(r)] && sameHash(r, p.in.Grader) {
		return true // made when the tests could be run
	}
	t := p.index[idOf(r)]
	if t == nil || !sameHash(r, p.in.Grader) || !samePayload(t.task.Record, r) ||
		len(r.Grades) < len(t.task.Record.Grades)+t.task.Times && len(t.task.Record.Grades) > 0 {
		return false
	}
	t.done = true
	return true
}

// samePayload reports whether a planned record and a recorded one submit the same payload to the
// grader.
func samePayload(plan, done *rollout.Record) bool {
	a, b := plan.Probe, done.Probe
	if plan.Answer != done.Answer || a.Expect != b.Expect || !sameNumber(a.Limit, b.Limit) ||
		(a.Base == nil) != (b.Base == nil) {
		return false
	}
	return a.Base == nil || a.Base.Sample == b.Base.Sample && sameNumber(a.Base.Reward, b.Base.Reward)
}

func sameNumber(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
