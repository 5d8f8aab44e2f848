package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
)

// question is what init asks for a flag of its own.
type question struct {
	flag, text string
	usual      []string // files that are proposed if they are there
}

// starts are the things that users have, each with what init needs to know about them.
var starts = []struct {
	what      string
	questions []question
}{
	{"rows and reward functions", []question{rowsFile, rewardFile, modelName}},
	{"a training script of TRL, a configuration of verl or prime-rl, or a promptfooconfig.yaml", []question{
		{"from", "its file", []string{"train.py", "promptfooconfig.yaml"}},
	}},
	{"the body of a hosted job", []question{
		{"job", "its file", []string{"rft_job.json", "job.json"}},
		rowsFile,
	}},
	{"an agent of your own, a program", []question{
		rowsFile, rewardFile, {"agent", "the command that runs it (docs/wire.md#your-own-agent)", nil}, modelName,
	}},
	{"logs of rollouts that were made elsewhere", nil},
}

var (
	rowsFile   = question{"train", "the file of training rows", []string{"train.jsonl", "train.parquet"}}
	rewardFile = question{"reward", "the file of reward functions", []string{"rewards.py", "reward.py"}}
	modelName  = question{"model", "the base model, as its server calls it", nil}
)

var errNoAnswer = exit.Usagef("nothing was answered: gonogo init --help lists the flags")

// askWhat asks on a terminal what the user has, and sets a flag for each answer; it does not ask for a model that is
// given. It returns false if no configuration is needed.
func askWhat(in io.Reader, out io.Writer, model string, set func(flag, value string) error) (bool, error) {
	lines := bufio.NewScanner(in)
	answer := func(prompt string) (string, error) {
		fmt.Fprint(out, prompt)
		if !lines.Scan() {
			return "", errors.Join(lines.Err(), errNoAnswer)
		}
		return strings.TrimSpace(lines.Text()), nil
	}
	fmt.Fprintln(out, "What do you have?")
	for i, s := range starts {
		fmt.Fprintf(out, "  %d  %s\n", i+1, s.what)
	}
	chosen := 0
	for chosen < 1 || chosen > len(starts) {
		text, err := answer(fmt.Sprintf("1 to %d: ", len(starts)))
		if err != nil {
			return false, err
		}
		chosen, _ = strconv.Atoi(text) // no number is asked again
	}
	start := starts[chosen-1]
	if start.questions == nil {
		fmt.Fprint(out, "They need no configuration:\n  gonogo import LOG -o my-run\n  gonogo analyze my-run\n")
		return false, nil
	}
	for _, q := range start.questions {
		if q.flag == "model" && model != "" {
			continue
		}
		proposed := q.proposal()
		prompt := q.text + ": "
		if proposed != "" {
			prompt = fmt.Sprintf("%s [%s]: ", q.text, proposed)
		}
		text := ""
		for text == "" {
			var err error
			if text, err = answer(prompt); err != nil {
				return false, err
			}
			if text == "" {
				text = proposed
			}
		}
		if err := set(q.flag, text); err != nil {
			return false, err
		}
	}
	return true, nil
}

// proposal returns the first of the usual files that is there.
func (q question) proposal() string {
	for _, name := range q.usual {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

// agentCommand returns the command of an agent as YAML, split at its spaces.
func agentCommand(text string) string {
	list, _ := json.Marshal(strings.Fields(text)) // texts always marshal
	return string(list)
}
