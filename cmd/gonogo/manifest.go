package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// manifest says what the run is made with. A run that is there already keeps
// its seed when none is configured.
func (p *project) manifest(dir string) rollout.Manifest {
	if p.cfg.Seed == nil {
		opened, err := rollout.Open(dir)
		if err == nil && opened.Manifest != nil {
			p.seed = opened.Manifest.Seed
			p.subset()
		}
	}
	info := p.graderInfo()
	m := rollout.Manifest{
		Name: cmp.Or(p.cfg.Name, p.cfg.Body.Suffix), ToolVersion: version(), Source: rollout.Live, Seed: p.seed,
		Model: p.cfg.Model.Name, Binding: p.binding(), Config: p.cfg.Masked(), Grader: &info, Choices: p.choices(),
		Problems: p.problems, Notes: p.warnings,
		Planned: &rollout.Planned{Samples: p.samples(), Items: make(map[rollout.Split]int), MaxCalls: p.cfg.Sampling.MaxToolCalls},
	}
	m.Data = p.data()
	for _, d := range m.Data {
		m.Planned.Items[d.Split] = d.Items
	}
	return m
}

// binding is what the run is bound to.
func (p *project) binding() map[string]string {
	out := p.cfg.Binding(p.files...)
	out["seed"] = strconv.FormatUint(p.seed, 10)
	maps.Copy(out, p.variant.binding())
	maps.Copy(out, p.mcpBinding())
	return out
}

// data says which files the items come from, and how many were taken.
func (p *project) data() []rollout.Data {
	taken := make(map[rollout.Split]int)
	for _, it := range p.items {
		taken[it.Split]++
	}
	var out []rollout.Data
	for _, f := range p.files {
		out = append(out, rollout.Data{
			Split: f.Split, File: filepath.Base(f.Path), SHA256: f.SHA256, Rows: len(f.Items), Items: taken[f.Split],
		})
	}
	return out
}

// choices says how parts of the wire contract that no public source settles
// were taken.
func (p *project) choices() map[string]string {
	shown := "the grader sees all calls of the rollout (sampling.sample_tools)"
	if p.cfg.Sampling.SampleTools == grader.Last {
		shown = "the grader sees the calls of the last tool turn (sampling.sample_tools)"
	}
	all := map[string]string{
		"sample.output_tools":   shown,
		"step limit":            fmt.Sprintf("%d steps; a rollout that reaches it is an outcome of its own, graded on what there is", p.cfg.Sampling.MaxSteps),
		"rollout timeout":       "the endpoint that was waited for has failed the rollout",
		"unknown tool":          "shown to the model as an error, counted as malformed",
		"template values":       "strings as they are, other JSON values as JSON, null as nothing",
		"tool transport errors": "a timeout, a refused connection or broken JSON counts as a 5xx: retried, then the rollout is lost",
		"long tool answers":     "above 1 MB the model is shown an error of status 413",
		"pass_threshold":        "counts passes and changes no reward",
	}
	for _, l := range p.listings() {
		all["tools of the MCP server "+l.Server] = fmt.Sprintf("%s, offered beside those of the rows", ui.Counted(len(l.Tools), "tool"))
	}
	if p.bounds.Agent != nil {
		all["agent"] = p.aboutAgent()
	}
	maps.Copy(all, grader.Choices(p.bounds.Grader))
	return all
}
