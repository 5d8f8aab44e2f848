package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gonogo/sampler/input/document"
)

// Setup is what a configuration of another tool says, in gonogo's terms.
type Setup struct {
	Files  map[string][]byte // to write next to gonogo.yaml, by name
	Data   map[string]string // files of rows by split; what is not in Files is from where the other tool starts
	Grader string            // as YAML
	Reward string            // FILE:NAME,NAME of reward functions, instead
	Model  string            // as its server calls it; "" if it is not known
	Set    map[string]string // YAML of keys of gonogo.yaml
	Notes  []string          // what is not taken over, one sentence each without a period
	// NoReward says in such sentences why there is neither Grader nor Reward.
	NoReward []string
}

// Read reads a configuration of promptfoo, verl or prime-rl, or a training script of TRL. The interpreter python
// parses scripts, which it does not run, and TOML.
func Read(ctx context.Context, path, python string) (*Setup, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
	case ".py":
		return readTRL(ctx, path, python)
	case ".toml":
		return readPrime(ctx, path, python)
	default:
		return nil, fmt.Errorf("%s: a promptfooconfig.yaml, a configuration of verl in YAML or of prime-rl in TOML, or a training script of TRL is read", path)
	}
	body, err := document.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := document.Parse(path, body)
	switch {
	case err != nil:
		return nil, err
	case root.Get("actor_rollout_ref") != nil:
		return readVerl(root, path)
	case root.Get("prompts") == nil || root.Get("providers") == nil && root.Get("targets") == nil:
		return nil, fmt.Errorf("%s is of neither promptfoo (prompts and providers) nor verl (actor_rollout_ref)", path)
	}
	p := &promptfoo{path: path, dir: filepath.Dir(path), modules: make(map[string]string), setup: &Setup{Set: make(map[string]string)}}
	return p.read(root)
}
