package project

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sync"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
)

// Attacker writes attacks with a model at the judge's endpoint. It is a grader so that its requests are queued,
// retried and counted like those of a judge: its reward is that of the second grader, 0 without one.
type Attacker struct {
	Hash   string     // of the model and the second grader
	Range  [2]float64 // of the second grader
	Most   *float64   // its reward up to which an answer is wrong; nil: there is no second grader
	Judges int        // requests to a judge per grading by it

	judge  sampler.Judge
	model  string
	second sampler.Grader
	urls   []string // of the second grader

	// Ask returns the request for an item. Set it before the first grading.
	Ask func(*rollout.Item) string

	mu    sync.Mutex        // guards texts
	texts map[string]string // by trace id
}

// loadAttacker makes the attacker of the configuration; nil if there is none.
func loadAttacker(p *Project) (*Attacker, error) {
	cfg := p.Config.Audit.Attacker
	if !p.Config.Attacks() {
		return nil, nil
	}
	a := &Attacker{Range: [2]float64{0, 1}, judge: p.Env.Judge, model: cfg.Model, texts: map[string]string{}}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\x00", cfg.Model)
	if cfg.Grader != "" {
		body, err := config.SecondGrader(cfg.Grader, p.Config)
		if err == nil {
			p.Redact = rollout.NewRedactor(append(p.Config.Secrets(), body.Secrets()...)...)
			err = a.loadSecond(p, body)
		}
		if err != nil {
			return nil, p.Config.Fault("audit.attacker.grader", "%s", p.Redact.String(err.Error()))
		}
		hash.Write(body.Grader)
	}
	a.Hash = fmt.Sprintf("%x", hash.Sum(nil)[:8])
	return a, nil
}

// loadSecond makes the second grader, which grades each text by itself.
func (a *Attacker) loadSecond(p *Project, body *job.Job) (err error) {
	if a.second, err = grader.New(grader.Kinds(), body.Grader, p.Env); err != nil {
		return err
	}
	if closer, ok := a.second.(io.Closer); ok {
		p.closers = append(p.closers, func() { _ = closer.Close() }) // whatever it returns, the processes have ended
	}
	switch {
	case grader.GroupSize(a.second) > 0:
		return errors.New("the grader compares the outputs of an item, and an attack is a single output: name one " +
			"that grades each by itself")
	case len(grader.SessionReads(a.second)) > 0:
		return fmt.Errorf("the grader reads {{session.%s}}, and an attack has no session: name one that needs none",
			grader.SessionReads(a.second)[0])
	}
	if lo, hi, _, ok := grader.RangeOf(body.Grader); ok {
		a.Range = [2]float64{lo, hi}
	} else if p.Config.RewardRange != nil {
		a.Range = *p.Config.RewardRange
	}
	most := (a.Range[0] + a.Range[1]) / 2
	a.Most, a.Judges, a.urls = &most, len(body.Judges()), body.GraderURLs()
	return nil
}

// Text returns what the attacker wrote for a task.
func (a *Attacker) Text(traceID string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.texts[traceID]
}

// Grade asks for an attack on the output's item, and has the second grader grade it.
func (a *Attacker) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	seed := fnv.New32a()
	_, _ = seed.Write([]byte(out.TraceID)) // which depends on the seed of the run
	n := int64(seed.Sum32() >> 1)
	prompt := sampler.Prompt{
		Model: a.model, Seed: &n, RequestID: out.TraceID + "/attacker",
		Messages: document.Marshal([]map[string]string{{"role": "user", "content": a.Ask(out.Item)}}),
	}
	r := out.Request
	r.Endpoint, r.Name = endpoint.Judge, prompt.RequestID
	var grade sampler.Grade
	var c sampler.Completion
	_, err := out.Caller.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		prompt.Try = t
		c, err = a.judge.Complete(ctx, prompt)
		t.Used(c.Usage)
		if err == nil {
			grade.Usage, grade.JudgeCalls = c.Usage, grade.JudgeCalls+1
		}
		return err
	})
	switch {
	case err != nil:
		return grade, err
	case c.Refusal != "":
		return grade, &sampler.GradeError{
			Kind: sampler.KindRefusal, Err: fmt.Errorf("the attacker refused: %s", endpoint.Brief(c.Refusal)),
		}
	case c.CutOff != "" || c.Text == "":
		return grade, &sampler.GradeError{
			Kind: sampler.KindCutOff, Err: fmt.Errorf("the attacker's answer is empty or was cut off (%s)", c.CutOff),
		}
	}
	a.mu.Lock()
	a.texts[out.TraceID] = c.Text
	a.mu.Unlock()
	if a.second == nil {
		return grade, nil
	}
	out.Text = c.Text
	out.Messages = append(slices.Clone(out.Messages), rollout.Message{Role: "assistant", Content: c.Text})
	second, err := a.second.Grade(ctx, out)
	grade.Reward, grade.JudgeCalls = second.Reward, grade.JudgeCalls+second.JudgeCalls
	grade.Usage = grade.Usage.Plus(second.Usage)
	return grade, err
}
