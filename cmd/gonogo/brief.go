package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// brief is what workers are told of a run beside its items, which travel
// with the jobs: the configuration as it was written. It holds no secret, and of
// the files that the configuration names only the hashes, but for the job's and the
// grader's own.
type brief struct {
	File    string            `json:"file"` // the configuration, as messages call it
	Config  string            `json:"config"`
	Set     []string          `json:"set,omitempty"` // KEY=VALUE, over it
	Job     *sheet            `json:"job,omitempty"`
	Grader  *sheet            `json:"grader,omitempty"`
	Variant string            `json:"variant,omitempty"`
	Files   []hashedFile      `json:"files,omitempty"`
	Env     []string          `json:"env,omitempty"` // the variables that it reads
	Binding map[string]string `json:"binding"`       // what a worker has to come to as well
}

// sheet is a file that travels whole.
type sheet struct {
	Name string `json:"name"` // as it leads from the configuration's folder
	Text string `json:"text"`
}

// hashedFile is one that a worker has to have.
type hashedFile struct {
	Name   string `json:"name"` // as it leads from the configuration's folder
	SHA256 string `json:"sha256"`
}

// describe writes down for workers what the project is.
func (p *project) describe() ([]byte, error) {
	c := p.cfg
	d := brief{File: filepath.Base(c.file), Config: c.text, Env: c.variables(), Binding: p.portable()}
	if p.variant != nil {
		d.Variant = p.variant.Name
	}
	for _, pair := range c.overrides {
		name, value, _ := strings.Cut(pair, "=")
		if travels(strings.TrimSpace(name), value) {
			d.Set = append(d.Set, pair)
		}
	}
	var err error
	for _, f := range []struct {
		path string
		to   **sheet
	}{{c.written.Job.Path, &d.Job}, {c.written.Grader.Path, &d.Grader}} {
		if f.path == "" {
			continue
		}
		body, readErr := readBounded(c.absolute(f.path))
		err = errors.Join(err, readErr)
		*f.to = &sheet{Name: c.fromDir(c.absolute(f.path)), Text: string(body)}
	}
	for _, path := range p.filesOfWorkers() {
		sum, hashErr := hashOf(path)
		err = errors.Join(err, hashErr)
		d.Files = append(d.Files, hashedFile{Name: c.fromDir(path), SHA256: sum})
	}
	if err == nil {
		err = p.withoutSecrets(d)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// variables are those that the configuration reads, but for how this process comes
// in at the queue: each worker has its own way.
func (c *config) variables() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.asked)), func(name string) bool {
		return name == queueTokenEnv || name == queueUserEnv || name == queuePasswordEnv
	})
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
	for _, k := range keys() {
		if k.file && (name == k.Path || strings.HasPrefix(name, k.Path+".")) {
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

// fromDir is a path as it leads from the configuration's folder, not from where
// this process is.
func (c *config) fromDir(path string) string {
	whole, err := filepath.Abs(path)
	dir, dirErr := filepath.Abs(c.dir)
	if err != nil || dirErr != nil {
		return filepath.ToSlash(path)
	}
	if rel, err := filepath.Rel(dir, whole); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(whole)
}

// filesOfWorkers are the files that a worker reads where it is: those of graders,
// and those in the configuration's folder that a program of agent or MCP servers
// is started with.
func (p *project) filesOfWorkers() []string {
	all := slices.Clone(p.cfg.named)
	commands := [][]string{p.cfg.Agent.Command}
	for _, s := range p.cfg.mcpServers {
		commands = append(commands, s.Command)
	}
	for _, argv := range commands {
		for i, word := range argv {
			path := p.cfg.absolute(word)
			inside := !strings.HasPrefix(p.cfg.fromDir(path), "../")
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
	sheets := []sheet{{p.cfg.file, d.Config}}
	for _, s := range []*sheet{d.Job, d.Grader} {
		if s != nil {
			sheets = append(sheets, sheet{p.cfg.absolute(s.Name), s.Text})
		}
	}
	for _, s := range sheets {
		if line, path := p.secretIn(s); line > 0 {
			return configError{s.Name, line, 1, path, mend}
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
func (p *project) secretIn(s sheet) (line int, path string) {
	secret := func(text string) bool { return p.redact.String(text) != text }
	i := slices.IndexFunc(strings.Split(s.Text, "\n"), secret)
	if i < 0 {
		return 0, ""
	}
	if root, err := parseYAML(s.Name, []byte(s.Text)); err == nil {
		path, _ = root.search(secret)
	}
	return i + 1, strings.TrimPrefix(path, ".")
}

// search finds the first key or value below a node that is meant, and the path of
// the value or of the map that the key is in.
func (n *yamlNode) search(meant func(string) bool) (path string, found bool) {
	if n.kind != yamlMap && n.kind != yamlList {
		return "", meant(n.text)
	}
	for _, f := range n.fields {
		if meant(f.key) {
			return "", true
		}
		if inner, found := f.value.search(meant); found {
			return "." + f.key + inner, true
		}
	}
	for i, item := range n.items {
		if inner, found := item.search(meant); found {
			return fmt.Sprintf("[%d]%s", i, inner), true
		}
	}
	return "", false
}
