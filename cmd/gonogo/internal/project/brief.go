package project

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

// Brief is what workers get of a run in addition to its items, which travel
// with the jobs: the configuration as it was written. It holds no secret, and of
// the files that the configuration names only the hashes, but for the job's and the
// grader's own.
type Brief struct {
	File    string              `json:"file"` // the configuration, as messages call it
	Config  string              `json:"config"`
	Set     []string            `json:"set,omitempty"` // KEY=VALUE, over it
	Job     *config.BundledFile `json:"job,omitempty"`
	Grader  *config.BundledFile `json:"grader,omitempty"`
	Variant string              `json:"variant,omitempty"`
	Files   []hashedFile        `json:"files,omitempty"`
	Env     []string            `json:"env,omitempty"` // the variables that it reads
	Binding map[string]string   `json:"binding"`       // what a worker has to come to as well
	Trial   []TrialAnswer       `json:"trial,omitempty"`
}

// TrialAnswer is an answer that a worker tries its grader on.
type TrialAnswer struct {
	Item   *rollout.Item   `json:"item"`
	Record *rollout.Record `json:"record"`
}

// hashedFile is one that a worker has to have.
type hashedFile struct {
	Name   string `json:"name"` // as it leads from the configuration's folder
	SHA256 string `json:"sha256"`
}

// describe writes down for workers what the project is.
func describe(ctx context.Context, p *Project) ([]byte, error) {
	c := p.Config
	d := Brief{File: filepath.Base(c.File), Config: c.Text, Env: c.Variables(), Binding: portable(p)}
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
	d.Job, d.Grader, err = c.BundledFiles()
	for _, path := range filesOfWorkers(p) {
		sum, hashErr := HashOf(path)
		err = errors.Join(err, hashErr)
		d.Files = append(d.Files, hashedFile{Name: c.FromDir(path), SHA256: sum})
	}
	if err == nil {
		err = withoutSecrets(p, d)
	}
	if err == nil && (p.Queue.cluster == nil || !p.Queue.cluster.untried) {
		d.Trial, err = trialOfWorkers(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// portable is what the run is bound to, without secrets and without what does not
// concern a worker: where items come from, and what a variant does to them.
func portable(p *Project) map[string]string {
	out := bindingOf(p)
	for key, value := range out {
		if out[key] = p.Redact.String(value); strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "variant.") {
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
func filesOfWorkers(p *Project) []string {
	all := slices.Clone(p.Config.GraderFiles)
	commands := [][]string{p.Config.Agent.Command}
	for _, s := range p.Config.MCPServers {
		commands = append(commands, s.Command)
	}
	for _, argv := range commands {
		for i, word := range argv {
			path := p.Config.Absolute(word)
			inside := !strings.HasPrefix(p.Config.FromDir(path), "../")
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && inside && (i > 0 || filepath.Base(word) != word) {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HashOf is the SHA-256 of a file.
func HashOf(path string) (string, error) {
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
// where it is.
func withoutSecrets(p *Project, d Brief) error {
	const mend = "holds a secret, and none travels to workers: write ${NAME} in headers, and export NAME here and where the workers run"
	sheets := []config.BundledFile{{Name: p.Config.File, Text: d.Config}}
	for _, s := range []*config.BundledFile{d.Job, d.Grader} {
		if s != nil {
			sheets = append(sheets, config.BundledFile{Name: p.Config.Absolute(s.Name), Text: s.Text})
		}
	}
	for _, s := range sheets {
		if line, path := secretIn(p, s); line > 0 {
			return config.Error{File: s.Name, Line: line, Column: 1, Path: path, Msg: mend}
		}
	}
	for _, pair := range d.Set {
		if p.Redact.String(pair) != pair {
			name, _, _ := strings.Cut(pair, "=")
			return fmt.Errorf("--set %s: %s", p.Redact.String(name), mend)
		}
	}
	for i := range p.Inputs.Items {
		if it := &p.Inputs.Items[i]; p.Redact.String(string(it.Row)) != string(it.Row) {
			return fmt.Errorf("%s:%d: the row %s", it.File, it.Line, mend)
		}
	}
	return nil
}

// secretIn finds the first line of a file that holds a secret, and the key that
// it is under, if it is one's; 0 is none.
func secretIn(p *Project, s config.BundledFile) (line int, path string) {
	secret := func(text string) bool { return p.Redact.String(text) != text }
	i := slices.IndexFunc(strings.Split(s.Text, "\n"), secret)
	if i < 0 {
		return 0, ""
	}
	return i + 1, config.KeyOf(s, secret)
}
