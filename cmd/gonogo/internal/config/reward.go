package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
)

// rewardFunction is a function of a file, at its top level.
var rewardFunction = regexp.MustCompile(`(?ms)^(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(([^)]*)\)`)

// rewardGrader is the grader, as YAML, that calls the reward functions of FILE or
// FILE:NAME,NAME. The arguments that they ask for decide its kind.
func rewardGrader(dir, reward string) (string, error) {
	path, names, named := strings.Cut(reward, ":")
	source, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", exit.Usagef("--reward: there is no file %s", path)
	}
	if err != nil {
		return "", fmt.Errorf("read the reward functions: %w", err)
	}
	kinds := make(map[string]string) // by function
	var found []string
	for _, m := range rewardFunction.FindAllStringSubmatch(string(source), -1) {
		if kind := rewardKind(m[1], m[2]); kind != "" && !strings.HasPrefix(m[1], "_") {
			kinds[m[1]] = kind
			found = append(found, m[1])
		}
	}
	wanted := found
	if named {
		wanted = strings.Split(names, ",")
	}
	if len(wanted) == 0 {
		return "", exit.Usagef("--reward: %s has no function whose arguments are those of a reward function: completions (TRL), completion (verifiers), or sample and item", path)
	}
	for _, name := range wanted {
		switch {
		case kinds[name] == "":
			return "", exit.Usagef("--reward: %s has no reward function %s; it has %s", path, name, strings.Join(found, ", "))
		case kinds[name] != kinds[wanted[0]]:
			return "", exit.Usagef("--reward: %s and %s of %s are called with other arguments: name those of one kind, --reward %s:NAME", wanted[0], name, path, path)
		}
	}
	relative, err := RelativeTo(dir, path)
	if err != nil {
		return "", err
	}
	if kind := kinds[wanted[0]]; kind != "python" {
		return fmt.Sprintf("{type: %s, file: %s, functions: [%s]}", kind, quoteYAML(filepath.ToSlash(relative)), strings.Join(wanted, ", ")), nil
	}
	return fmt.Sprintf("{type: python, name: %s, file: %s}", wanted[0], quoteYAML(filepath.ToSlash(relative))), nil
}

// rewardKind is the kind of grader that calls a function of that name and arguments; ""
// if none does.
func rewardKind(name, arguments string) string {
	var names []string
	for part := range strings.SplitSeq(arguments, ",") {
		part, _, _ = strings.Cut(part, ":")
		part, _, _ = strings.Cut(part, "=")
		names = append(names, strings.TrimSpace(part))
	}
	switch {
	case slices.Contains(names, "completions"):
		return "trl"
	case slices.Contains(names, "completion"):
		return "verifiers"
	case name == "grade" && slices.Equal(names, []string{"sample", "item"}):
		return "python"
	}
	return ""
}
