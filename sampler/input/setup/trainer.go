package setup

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/wording"
)

// RewardsFile is the name of the reward functions of a training script.
const RewardsFile = "trl_rewards.py"

// trlReader prints what a training script of TRL says.
//
//go:embed trl.py
var trlReader string

// trlScript is what trlReader prints.
type trlScript struct {
	Config    map[string]any `json:"config"`    // literal arguments of GRPOConfig
	Functions []string       `json:"functions"` // reward functions of the file
	Missing   []string       `json:"missing"`   // other rewards, as they are written
	Source    string         `json:"source"`    // the functions with what they need
	Train     any            `json:"train"`     // the file of the rows
	Hub       any            `json:"hub"`       // the dataset of a hub
	Changed   []string       `json:"changed"`   // what the script does with the rows
	Eval      string         `json:"eval"`      // the file of the rows for evaluations
	Held      string         `json:"held"`      // how these rows are written
	Model     string         `json:"model"`
	Trainers  int            `json:"trainers"`
	Configs   int            `json:"configs"`  // of the trainer
	Computed  []string       `json:"computed"` // arguments of GRPOConfig that are not literals
}

// parsed returns what a program in Python prints about a file. The last line of what it says is its error.
func parsed(ctx context.Context, path, python, program string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, python, "-I", "-c", program, path)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return nil, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return out.Bytes(), nil
}

// tomlReader prints TOML as JSON; Python can since 3.11.
const tomlReader = "import json, sys, tomllib\njson.dump(tomllib.load(open(sys.argv[1], 'rb')), sys.stdout, default=str)"

// readPrime takes over a configuration of prime-rl (0.9, and keys of older versions).
func readPrime(ctx context.Context, path, python string) (*Setup, error) {
	out, err := parsed(ctx, path, python, tomlReader)
	if err != nil {
		return nil, fmt.Errorf("read %s with %s: %w", path, python, err)
	}
	root, err := document.Parse(path, out)
	if err != nil {
		return nil, err
	}
	if root.Get("orchestrator") == nil {
		return nil, fmt.Errorf("%s is no configuration of prime-rl: it has no table orchestrator", path)
	}
	s := &Setup{Set: make(map[string]string), Data: make(map[string]string)}
	if n := root.Inner("model.name"); n != nil {
		s.Model = n.Text
	}
	for _, k := range []struct{ theirs, ours string }{
		{"rollouts_per_example", "training.group_size"},
		{"group_size", "training.group_size"},
		{"sampling.temperature", "model.temperature"},
		{"train.sampling.temperature", "model.temperature"},
		{"sampling.max_tokens", "model.max_output_tokens"},
		{"train.sampling.max_completion_tokens", "model.max_output_tokens"},
		{"train.sampling.extra_body.top_p", "model.top_p"},
	} {
		if n := root.Inner("orchestrator." + k.theirs); n != nil && n.Kind == document.Number {
			s.Set[k.ours] = n.Text
		}
	}
	number := func(name string) any {
		if n := root.Inner("orchestrator.train.sampling.extra_body." + name); n != nil && n.Kind == document.Number {
			return json.Number(n.Text)
		}
		return nil
	}
	s.extra(number("top_k"), number("min_p"))
	s.note("rows and reward of prime-rl are those of its environments: name files with --train and --reward")
	return s, nil
}

// readTRL reads a training script. Python parses it and does not run it.
func readTRL(ctx context.Context, path, python string) (*Setup, error) {
	var script trlScript
	out, err := parsed(ctx, path, python, trlReader)
	if err == nil {
		err = jsontext.Unmarshal(out, &script)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s with %s: %w", path, python, err)
	}
	if script.Trainers != 1 {
		return nil, fmt.Errorf("%s calls %d trainers with reward_funcs: a training script of TRL calls one, such as GRPOTrainer",
			path, script.Trainers)
	}
	s := &Setup{Model: script.Model, Set: make(map[string]string), Data: make(map[string]string), Files: make(map[string][]byte)}
	for _, k := range []struct{ theirs, ours string }{
		{"temperature", "model.temperature"},
		{"top_p", "model.top_p"},
		{"max_completion_length", "model.max_output_tokens"},
		{"num_generations", "training.group_size"},
	} {
		if v, ok := script.Config[k.theirs].(float64); ok {
			s.Set[k.ours] = string(document.Marshal(v))
		}
	}
	if _, given := script.Config["max_completion_length"]; !given && !slices.Contains(script.Computed, "max_completion_length") {
		s.Set["model.max_output_tokens"] = "512" // TRL's default (1.16)
	}
	s.extra(script.Config["top_k"], script.Config["min_p"])
	if script.Model == "" {
		s.note("the model is not a string literal in the script")
	}
	if script.Configs != 1 {
		s.note("the script has %d configurations of the trainer, not one: sampling and group size are not taken over",
			script.Configs)
	}
	if len(script.Computed) > 0 {
		s.note("the script computes %s of its GRPOConfig, which %s not taken over", strings.Join(script.Computed, ", "),
			wording.Plural(len(script.Computed), "[is|are]"))
	}
	weights, weighed := script.Config["reward_weights"].([]any)
	for _, m := range script.Missing {
		s.noReward("the reward %.100s is not a function of this file: put all rewards into a file for --reward", m)
	}
	switch {
	case len(script.Missing) > 0 || len(script.Functions) == 0: // some of the rewards would be another reward
	case slices.Contains(script.Computed, "reward_weights") || weighed && len(weights) != len(script.Functions):
		s.noReward("the reward functions need reward_weights, a number for each")
	default:
		s.Files[RewardsFile] = []byte("# The reward functions of " + filepath.Base(path) + ", with what they need of it.\n" + script.Source)
		if s.Reward = RewardsFile + ":" + strings.Join(script.Functions, ","); weighed {
			s.Grader = fmt.Sprintf("{type: trl, file: %s, functions: [%s], weights: %s}", RewardsFile,
				strings.Join(script.Functions, ", "), document.Marshal(weights))
			s.Reward = ""
		}
	}
	switch {
	case script.Eval != "":
		s.Data["eval"] = script.Eval
	case script.Held != "":
		s.note("the rows for evaluations, %s, are not a file in the script: name one with --eval", script.Held)
	}
	switch train := script.Train.(type) {
	case string:
		s.Data["train"] = train
	default:
		if script.Hub != nil {
			s.note("the rows are %v of a hub: write them with .to_json(\"train.jsonl\") and name that file with --train", script.Hub)
		}
	}
	if len(script.Changed) > 0 {
		slices.Sort(script.Changed)
		s.note("the script changes the rows (%s), and gonogo reads the file as it is: --train names a file of changed rows",
			strings.Join(slices.Compact(script.Changed), ", "))
	}
	return s, nil
}

// readVerl takes over a configuration of verl: the keys of its ppo_trainer.yaml that are set.
func readVerl(root *document.Node, path string) (*Setup, error) {
	s := &Setup{Set: make(map[string]string), Data: make(map[string]string)}
	filled := func(key, text string) string {
		if text = home(text); strings.Contains(text, "${") {
			s.note("%s is %s, which Hydra fills in: it is not taken over", key, text)
			return ""
		}
		return text
	}
	text := func(key string) string {
		if n := root.Inner(key); n != nil && n.Kind != document.Null {
			return filled(key, n.Text)
		}
		return ""
	}
	s.Model = text("actor_rollout_ref.model.path")
	for _, k := range []struct{ theirs, ours string }{
		{"actor_rollout_ref.rollout.temperature", "model.temperature"},
		{"actor_rollout_ref.rollout.top_p", "model.top_p"},
		{"data.max_response_length", "model.max_output_tokens"},
		{"actor_rollout_ref.rollout.n", "training.group_size"},
	} {
		switch n := root.Inner(k.theirs); {
		case n == nil:
		case n.Kind == document.Number:
			s.Set[k.ours] = n.Text
		default:
			filled(k.theirs, n.Text)
		}
	}
	if n := root.Inner("actor_rollout_ref.rollout.top_k"); n != nil && n.Kind == document.Number && n.Text != "-1" {
		s.extra(json.Number(n.Text), nil)
	}
	for split, key := range map[string]string{"train": "data.train_files", "eval": "data.val_files"} {
		n := root.Inner(key)
		if n != nil && n.Kind == document.List && len(n.Items) == 1 {
			n = n.Items[0]
		}
		switch {
		case n == nil:
		case n.Kind == document.List:
			s.note("%s names %d files: put them into one and name it with --%s", key, len(n.Items), split)
		case n.Text != "":
			if name := filled(key, n.Text); name != "" {
				s.Data[split] = name
			}
		}
	}
	if key := text("data.prompt_key"); key != "" && key != "prompt" {
		s.Set["data.prompt"] = document.Quote(key)
	}
	named := false
	for _, at := range []string{"reward.custom_reward_function", "custom_reward_function"} {
		file := text(at + ".path")
		if file == "" {
			continue
		}
		named = true
		if more := root.Inner(at + ".reward_kwargs"); more != nil && len(more.Fields) > 0 {
			s.noReward("%s.reward_kwargs are arguments that gonogo does not pass: name a file with --reward whose function "+
				"needs none", at)
			break
		}
		s.Reward = file
		if name := text(at + ".name"); name != "" {
			s.Reward += ":" + name
		}
		break
	}
	for _, at := range []string{"reward.reward_model.enable", "reward_model.enable"} {
		if n := root.Inner(at); n != nil && n.Text == "true" {
			s.noReward("%s: the reward is that of a model, which is not taken over: name a file with --reward", at)
			s.Reward, named = "", true
		}
	}
	if !named {
		s.noReward("%s names no reward function, so that verl chooses one of its own by data_source: name a file with --reward", path)
	}
	return s, nil
}

// home replaces the home directory, which a shell would.
func home(path string) string {
	for _, prefix := range []string{"~/", "$HOME/", "${HOME}/", "${oc.env:HOME}/"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			if dir, err := os.UserHomeDir(); err == nil {
				return filepath.Join(dir, rest)
			}
		}
	}
	return path
}

// extra sets the parameters of sampling that are not OpenAI's.
func (s *Setup) extra(topK, minP any) {
	var parts []string
	for _, p := range []struct {
		name  string
		value any
	}{{"top_k", topK}, {"min_p", minP}} {
		if p.value != nil {
			parts = append(parts, fmt.Sprintf("%s: %v", p.name, p.value))
		}
	}
	if len(parts) > 0 {
		s.Set["model.extra"] = "{" + strings.Join(parts, ", ") + "}"
	}
}

func (s *Setup) noReward(format string, args ...any) {
	s.NoReward = append(s.NoReward, fmt.Sprintf(format, args...))
}

func (s *Setup) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}
