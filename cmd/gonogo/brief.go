package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler/rollout"
)

// brief is what workers are told of a run beside its items, which travel
// with the jobs: the configuration as it was written. It holds no secret, and of
// the files that the configuration names only the hashes, but for the job's and the
// grader's own.
type brief struct {
	File    string            `json:"file"` // the configuration, as messages call it
	Config  string            `json:"config"`
	Set     []string          `json:"set,omitempty"` // KEY=VALUE, over it
	Job     *config.Sheet     `json:"job,omitempty"`
	Grader  *config.Sheet     `json:"grader,omitempty"`
	Variant string            `json:"variant,omitempty"`
	Files   []hashedFile      `json:"files,omitempty"`
	Env     []string          `json:"env,omitempty"` // the variables that it reads
	Binding map[string]string `json:"binding"`       // what a worker has to come to as well
	Trial   []trialAnswer     `json:"trial,omitempty"`
}

// trialAnswer is an answer that a worker tries its grader on.
type trialAnswer struct {
	Item   *rollout.Item   `json:"item"`
	Record *rollout.Record `json:"record"`
}

// hashedFile is one that a worker has to have.
type hashedFile struct {
	Name   string `json:"name"` // as it leads from the configuration's folder
	SHA256 string `json:"sha256"`
}

// describe writes down for workers what the project is.
func (p *project) describe(ctx context.Context) ([]byte, error) {
	c := p.cfg
	d := brief{File: filepath.Base(c.File), Config: c.Text, Env: c.Variables(), Binding: p.portable()}
	if p.variant != nil {
		d.Variant = p.variant.Name
	}
	for _, pair := range c.Overrides {
		name, value, _ := strings.Cut(pair, "=")
		if travels(strings.TrimSpace(name), value) {
			d.Set = append(d.Set, pair)
		}
	}
	var err error
	d.Job, d.Grader, err = c.OwnSheets()
	for _, path := range p.filesOfWorkers() {
		sum, hashErr := hashOf(path)
		err = errors.Join(err, hashErr)
		d.Files = append(d.Files, hashedFile{Name: c.FromDir(path), SHA256: sum})
	}
	if err == nil {
		err = p.withoutSecrets(d)
	}
	if err == nil && (p.cluster == nil || !p.cluster.untried) {
		d.Trial, err = p.trialOfWorkers(ctx)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// trialOfWorkers are the answers that each worker tries its grader on: of rows that
// are small beside what a message of the queue may hold.
func (p *project) trialOfWorkers(ctx context.Context) (list []trialAnswer, err error) {
	const most = 64 << 10
	answers, _, err := p.trialAnswers(ctx, trialCostly)
	for _, t := range answers {
		if len(list) < trialCostly && len(t.Item.Row)+len(t.Record.Answer) < most {
			list = append(list, trialAnswer{t.Item, t.Record})
		}
	}
	return list, err
}

// portable is what the run is bound to, without secrets and without what does not
// concern a worker: where items come from, and what a variant does to them.
func (p *project) portable() map[string]string {
	out := p.binding()
	for key, value := range out {
		if out[key] = p.redact.String(value); strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "variant.") {
			delete(out, key)
		}
	}
	return out
}

// travels reports whether an override says something to workers: a file that it
// names is on this machine.
func travels(name, value string) bool {
	for _, k := range config.Keys() {
		if k.File && (name == k.Path || strings.HasPrefix(name, k.Path+".")) {
			return (name == "job" || name == "grader") && strings.HasPrefix(strings.TrimSpace(value), "{")
		}
	}
	return !slices.ContainsFunc(planned, func(group string) bool { return strings.HasPrefix(name, group) })
}

// planned begin the keys that are the planner's business alone: a worker need not
// begin again because one of them is another.
var planned = []string{
	"items", "seed", "data.", "audit.", "burst.", "prices.", "queue.", "report.", "thresholds", "training.", "trainer.",
	"sampling.samples", "sampling.eval_samples", "sampling.production_samples", "sampling.block", "sampling.in_flight", "sampling.concurrency",
	"sampling.max_rollouts", "sampling.max_tokens", "sampling.max_usd", "sampling.deadline",
}

// filesOfWorkers are the files that a worker reads where it is: those of graders,
// and those in the configuration's folder that a program of agent or MCP servers
// is started with.
func (p *project) filesOfWorkers() []string {
	all := slices.Clone(p.cfg.GraderFiles)
	commands := [][]string{p.cfg.Agent.Command}
	for _, s := range p.cfg.MCPServers {
		commands = append(commands, s.Command)
	}
	for _, argv := range commands {
		for i, word := range argv {
			path := p.cfg.Absolute(word)
			inside := !strings.HasPrefix(p.cfg.FromDir(path), "../")
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && inside && (i > 0 || filepath.Base(word) != word) {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hashOf is the SHA-256 of a file.
func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, fmt.Errorf("%s is no file that can be compared", path))
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// withoutSecrets refuses a brief, or a row, that holds a secret, and says
// where it stands.
func (p *project) withoutSecrets(d brief) error {
	const mend = "holds a secret, and none travels to workers: write ${NAME} where headers stand, and export NAME here and where the workers run"
	sheets := []config.Sheet{{Name: p.cfg.File, Text: d.Config}}
	for _, s := range []*config.Sheet{d.Job, d.Grader} {
		if s != nil {
			sheets = append(sheets, config.Sheet{Name: p.cfg.Absolute(s.Name), Text: s.Text})
		}
	}
	for _, s := range sheets {
		if line, path := p.secretIn(s); line > 0 {
			return config.Error{File: s.Name, Line: line, Column: 1, Path: path, Msg: mend}
		}
	}
	for _, pair := range d.Set {
		if p.redact.String(pair) != pair {
			name, _, _ := strings.Cut(pair, "=")
			return fmt.Errorf("--set %s: %s", p.redact.String(name), mend)
		}
	}
	for i := range p.items {
		if it := &p.items[i]; p.redact.String(string(it.Row)) != string(it.Row) {
			return fmt.Errorf("%s:%d: the row %s", it.File, it.Line, mend)
		}
	}
	return nil
}

// secretIn finds the first line of a file that holds a secret, and the key that
// it stands under, if it is one's; 0 is none.
func (p *project) secretIn(s config.Sheet) (line int, path string) {
	secret := func(text string) bool { return p.redact.String(text) != text }
	i := slices.IndexFunc(strings.Split(s.Text, "\n"), secret)
	if i < 0 {
		return 0, ""
	}
	return i + 1, config.KeyOf(s, secret)
}
