package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/urfave/cli/v2"

	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/report/recipe"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// planPilot returns what the configuration of the first steps needs, and the rows of its training
// file; no rows if the configuration is printed or an imported run has no training file.
func planPilot(c *cli.Context, run *rollout.Run, cfg *config.Config, out string) (*recipe.Pilot, []byte, error) {
	p := &recipe.Pilot{Config: out}
	if path, err := project.ConfigPath(invocationOf(c)); err == nil {
		p.Sampling = path
	}
	opt := &curateOptions{
		Invocation: invocationOf(c), Run: c.Args().First(), Train: c.String("train"), DespiteChange: true,
	}
	recorded := dataset.Recorded(run.Manifest, rollout.Train) != nil
	switch {
	case out == "" && opt.Train != "":
		return nil, nil, exit.Usagef("--train %s: the ordered rows go to a file next to the configuration; name that "+
			"one with -o FILE", opt.Train)
	case out == "", run.Dir == "", opt.Train == "" && !recorded && cfg.Data.Of(rollout.Train) == "":
		return p, nil, nil
	}
	path, _, err := trainFile(opt, run, cfg)
	if err != nil {
		return nil, nil, err
	}
	data, err := dataset.Load(path, rollout.Train, cfg.Data.Options)
	if err != nil {
		return nil, nil, exit.AsUsage(err)
	}
	first, err := linesOfRun(c.Context, run, data)
	if err != nil {
		return nil, nil, exit.AsUsage(err)
	}
	rows, err := ordered(data, first)
	if err != nil {
		return nil, nil, exit.AsUsage(err)
	}
	p.Rows = data.Rows
	p.Train, p.PromptKey = recipe.PilotTrain(out), promptKey(rows, cfg.Data.PromptField)
	return p, rows, nil
}

// promptKey returns the field of the rows that holds the conversation: the configured one, or
// messages if the first row has it, else prompt.
func promptKey(rows []byte, configured string) string {
	first, _, _ := bytes.Cut(rows, []byte("\n"))
	key := "prompt"
	_ = rollout.Members(first, func(name string, _ []byte) error { // the row has been read before
		if name == "messages" {
			key = name
		}
		return nil
	})
	return cmp.Or(configured, key)
}

// linesOfRun returns the lines of the train items that the run sampled. It returns an error if one is
// not in the file, is another row now, or repeats.
func linesOfRun(ctx context.Context, run *rollout.Run, data *dataset.File) (map[int]bool, error) {
	rollouts, _, err := run.State(ctx)
	if err != nil {
		return nil, err
	}
	sampled := make(map[string]*rollout.Item)
	for key := range rollouts {
		if key.Split == rollout.Train {
			sampled[key.Item] = nil
		}
	}
	for i := range run.Items {
		it := &run.Items[i]
		if _, is := sampled[it.ID]; is && it.Split == rollout.Train {
			sampled[it.ID] = it
		}
	}
	// An imported run has of a row what the log has: mostly the conversation.
	imported := run.Manifest == nil || run.Manifest.Source != rollout.Live
	lines := make(map[int]bool)
	byTalk := make(map[string]int) // lines of the rows that no item names
	for i := range data.Items {
		row := &data.Items[i]
		was, is := sampled[row.ID]
		if !is {
			byTalk[talkOf(row)] = row.Line
			continue
		}
		if talk, same := collect.SameItem(row, was); !same && !(imported && talk) {
			return nil, fmt.Errorf("order the rows: %s:%d: item %s is not the row that the run sampled; restore that row, "+
				"or sample this file", data.Path, row.Line, row.ID)
		}
		lines[row.Line] = true
		delete(sampled, row.ID)
	}
	for id, it := range sampled {
		if it == nil || !imported || len(it.Messages) == 0 {
			continue
		}
		if line, is := byTalk[talkOf(it)]; is {
			lines[line] = true
			delete(sampled, id)
		}
	}
	if len(sampled) > 0 {
		return nil, fmt.Errorf("order the rows: not in %s: %s of the run, such as %s; name the file that was sampled "+
			"with --train", data.Path, message.Language{}.Count(len(sampled), "item"),
			slices.Sorted(maps.Keys(sampled))[0])
	}
	for _, r := range data.Repeats {
		if lines[r.First] {
			return nil, fmt.Errorf("order the rows: %s:%d: the row repeats line %d, an item of the run; remove it",
				data.Path, r.Line, r.First)
		}
	}
	return lines, nil
}

// talkOf returns an item's conversation as text.
func talkOf(it *rollout.Item) string {
	text, _ := json.Marshal(it.Messages) // strings and raw JSON, which was read before
	return string(text)
}

// pilotSeed seeds the order of the rows.
const pilotSeed = 1

// ordered returns the rows of a file byte for byte, those of the lines in first before the others,
// and both in random order: the trainer does not shuffle them, and files are often sorted.
func ordered(data *dataset.File, first map[int]bool) ([]byte, error) {
	var all bytes.Buffer
	var lines []int
	if err := data.Copy(&all, func(line int) bool { lines = append(lines, line); return true }); err != nil {
		return nil, err
	}
	text := bytes.TrimPrefix(all.Bytes(), []byte("\ufeff"))
	rows := slices.Collect(bytes.Lines(text))
	if len(rows) != len(lines) {
		return nil, fmt.Errorf("order the rows of %s: its %d rows are not one a line (%d lines): write each in one line, "+
			"as jq -c . does", data.Path, len(lines), len(rows))
	}
	var out, rest bytes.Buffer
	for _, i := range rand.New(rand.NewPCG(pilotSeed, 0)).Perm(len(rows)) {
		to := &rest
		if first[lines[i]] {
			to = &out
		}
		to.Write(rows[i])
		if !bytes.HasSuffix(rows[i], []byte("\n")) {
			to.WriteByte('\n')
		}
	}
	out.Write(rest.Bytes())
	return out.Bytes(), nil
}
