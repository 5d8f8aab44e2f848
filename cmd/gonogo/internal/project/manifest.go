package project

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// Manifest describes how the run is made. An existing run keeps its seed if none is configured, and
// the seed of its items.
func (p *Project) Manifest(dir string) rollout.Manifest {
	if opened, err := rollout.OpenManifest(dir); err == nil && opened.Manifest != nil &&
		(p.Config.Seed == nil || opened.Manifest.ItemsSeed != nil) {
		if p.Config.Seed == nil {
			p.Inputs.Seed = opened.Manifest.Seed
		}
		p.Inputs.DrawnBy = opened.Manifest.ItemsSeed
		p.Inputs.Subset(p.Config.Items)
	}
	info := p.GraderInfo()
	m := rollout.Manifest{
		Name: cmp.Or(p.Config.Name, p.Config.Body.Suffix), ToolVersion: Version(), Source: rollout.Live,
		Seed: p.Inputs.Seed, ItemsSeed: p.Inputs.DrawnBy,
		Model: p.Config.Model.Name, Binding: bindingOf(p), Config: p.Config.Masked(),
		ConfigFile: configFile(p.Config), Grader: &info, Choices: choicesOf(p),
		Problems: p.Inputs.Problems, Notes: p.Warnings, Sampling: p.Drawn,
		Planned: &rollout.Planned{
			Samples: p.Samples(), Items: make(map[rollout.Split]int),
			MaxCalls: p.Config.Sampling.MaxToolCalls,
		},
	}
	m.Data = p.Inputs.Data()
	for _, d := range m.Data {
		m.Planned.Items[d.Split] = d.Items
	}
	return m
}

// configFile returns the file that another command on the run must name with -c; "" for the usual
// file, and for none.
func configFile(c *config.Config) string {
	if c.FromRun || c.World != "" || c.File == usualFile {
		return ""
	}
	return c.File
}

// bindingOf returns the settings that the run is bound to.
func bindingOf(p *Project) map[string]string {
	out := p.Config.Binding(p.Inputs.Files...)
	out["seed"] = strconv.FormatUint(p.Inputs.Seed, 10)
	maps.Copy(out, p.variant.binding())
	maps.Copy(out, p.MCP.mcpBinding())
	if p.Environment != nil {
		out["environment.package"] = p.Environment.Package()
	}
	return out
}

// Differing lists, sorted, the keys of a binding for which is returns true.
func Differing(binding map[string]string, is func(key, value string) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(binding)), func(key string) bool { return !is(key, binding[key]) })
}

// Data describes the files that the items come from, and how many items were taken.
func (in *Inputs) Data() []rollout.Data {
	taken := make(map[rollout.Split]int)
	for _, it := range in.Items {
		taken[it.Split]++
	}
	var out []rollout.Data
	for _, f := range in.Files {
		out = append(out, rollout.Data{
			Split: f.Split, File: filepath.Base(f.Path), SHA256: f.SHA256, Rows: len(f.Items), Items: taken[f.Split],
		})
	}
	return out
}

// choicesOf describes how parts of the wire contract that no public source specifies were
// interpreted.
func choicesOf(p *Project) map[string]string {
	shown := "the grader sees all calls of the rollout (sampling.sample_tools)"
	if p.Config.Sampling.SampleTools == grader.Last {
		shown = "the grader sees the calls of the last tool turn (sampling.sample_tools)"
	}
	all := map[string]string{
		"sample.output_tools": shown,
		"step limit": fmt.Sprintf(
			"%d steps; reaching it is a separate outcome, graded on the output so far",
			p.Config.Sampling.MaxSteps),
		"rollout timeout": "the endpoint that the rollout waited for has failed it",
		"unknown tool":    "shown to the model as an error, counted as malformed",
		"template values": "strings unchanged, other JSON values as JSON, null as nothing",
		"tool transport errors": "a timeout, a refused connection or broken JSON counts as a 5xx: retried, then the " +
			"rollout is lost",
		"long tool answers": "above 1 MB the model is shown an error of status 413",
		"pass_threshold":    "counts passes but changes no reward",
	}
	for _, l := range p.MCP.all.Listings() {
		all["tools of the MCP server "+l.Server] = fmt.Sprintf("%s, offered in addition to those of the rows",
			console.Count(len(l.Tools), "tool"))
	}
	if p.Bounds.Agent != nil {
		all["agent"] = aboutAgent(p)
	}
	maps.Copy(all, grader.Choices(p.Bounds.Grader))
	return all
}

// Version returns the version of this build.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
