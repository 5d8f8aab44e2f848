package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/config"
)

// SKILL.md is short, and has the front matter, the gates and the commands that there are.
func TestSkillNamesWhatThereIs(t *testing.T) {
	text := skill()
	if n := strings.Count(text, "\n"); n > 250 {
		t.Errorf("SKILL.md has %d lines, and may have 250", n)
	}
	parts := strings.SplitN(text, "---\n", 3)
	var head struct{ Name, Description string }
	if err := yaml.Unmarshal([]byte(parts[1]), &head); err != nil || parts[0] != "" {
		t.Fatal(parts[0], err)
	}
	// Limits of https://agentskills.io/specification, read on 2026-11-30: name as its folder, description up to 1,024 characters.
	if head.Name != "gonogo" || len(head.Description) < 100 || len(head.Description) > 1024 {
		t.Errorf("the front matter is %+v", head)
	}
	leaves := map[string]bool{}
	for _, g := range gate.All() {
		if len(g.Parts) == 0 {
			leaves[g.Name] = true
		}
		for _, part := range g.Parts {
			leaves[part.Name] = true
		}
	}
	for name := range leaves {
		if !regexp.MustCompile("(?m)^ *- `" + regexp.QuoteMeta(name) + "`: [A-Z].* Fix: [A-Z][^{}]*\\.$").MatchString(text) {
			t.Errorf("%s: what it is about and how to fix it is not on a line of SKILL.md", name)
		}
	}
	for name := range fixes {
		if !leaves[name] {
			t.Errorf("there is a fix for %s, which is no gate", name)
		}
		for _, m := range regexp.MustCompile("`([a-z]+\\.[a-z_.]+)`").FindAllStringSubmatch(fixes[name], -1) {
			if _, ok := config.Keys().Key(m[1]); !ok && !slices.ContainsFunc(gate.All().Thresholds(),
				func(x analysis.Threshold) bool { return x.Name == m[1] }) {
				t.Errorf("the fix of %s names %s, which is neither key nor threshold", name, m[1])
			}
		}
	}
	for _, command := range regexp.MustCompile("`gonogo ([a-z]+)").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(commandNames(), command[1]) {
			t.Errorf("SKILL.md names gonogo %s", command[1])
		}
	}
	for _, c := range commands() {
		if !strings.Contains(text, "- `gonogo "+c.Name+"`: ") {
			t.Errorf("SKILL.md lacks gonogo %s", c.Name)
		}
	}
}

// Every command of SKILL.md is run, in order, as those of the pages are.
func TestLongCommandsOfTheSkillRun(t *testing.T) {
	long(t)
	if raced {
		t.Skip("the same commands run under the race detector in their own tests")
	}
	for _, program := range []string{"bash", "python3", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	all := pages(t)
	blocks := pageBlocks(skill())
	if len(blocks) < 7 || slices.ContainsFunc(blocks, func(b block) bool { return !b.runs() }) {
		t.Fatalf("of %d blocks some are not run", len(blocks))
	}
	for _, b := range pageBlocks(all["README.md"]) {
		if b.object == "rewards.py" {
			blocks = slices.Insert(blocks, 0, b)
		}
	}
	newShop(t, all).play(t, filepath.Join("docs", "SKILL.md"), blocks)
}
