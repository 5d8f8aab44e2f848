package grader

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/rollout/disk"
)

// functionHead matches the head of a Python function at the top level of a file.
var functionHead = regexp.MustCompile(`(?ms)^(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(([^)]*)\)`)

// rewardClass matches a class at the top level of a file whose instances are called with completions.
var rewardClass = regexp.MustCompile(
	`(?m)^class[ \t]+([A-Za-z]\w*).*:[ \t]*\n(?:[ \t]+.*\n|[ \t]*\n)*?` +
		`[ \t]+(?:async[ \t]+)?def __call__\(self, completions\b`)

// RewardFunctions finds the reward functions and classes of a Python file, or only the named ones if names are
// given, and the kind of grader that calls them, which follows from their arguments.
func RewardFunctions(path string, names ...string) (kind string, functions []string, err error) {
	source, err := disk.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("there is no file %s", path)
	}
	if err != nil {
		return "", nil, fmt.Errorf("read the reward functions: %w", err)
	}
	kinds := make(map[string]string) // by function or class
	var found []string
	for _, m := range functionHead.FindAllStringSubmatch(string(source), -1) {
		if kind := kindOfFunction(m[1], m[2]); kind != "" && !strings.HasPrefix(m[1], "_") {
			kinds[m[1]] = kind
			found = append(found, m[1])
		}
	}
	for _, m := range rewardClass.FindAllStringSubmatch(string(source), -1) {
		kinds[m[1]] = swift.Name
		found = append(found, m[1])
	}
	named := names != nil
	if !named {
		names = found
	}
	if len(names) == 0 {
		return "", nil, fmt.Errorf("%s has no function with the arguments of a reward function: completions "+
			"(TRL and ms-swift), completion (verifiers), solution_str (verl), queries (OpenRLHF), or sample and item", path)
	}
	for _, name := range names {
		switch {
		case kinds[name] == "":
			return "", nil, fmt.Errorf("%s has no reward function %s; it has %s", path, name, strings.Join(found, ", "))
		case kinds[name] != kinds[names[0]]:
			return "", nil, fmt.Errorf("%s and %s of %s take different arguments: name functions of one kind, "+
				"%s:NAME", names[0], name, path, path)
		}
	}
	kind = kinds[names[0]]
	usual := map[string]string{verl.Name: verlFunction, openrlhf.Name: openrlhfFunction}[kind]
	if len(names) > 1 && usual != "" {
		if named || !slices.Contains(names, usual) {
			return "", nil, fmt.Errorf("%s has %s: %s calls one function: name it, %s:NAME", path,
				strings.Join(names, ", "), kind, path)
		}
		names = []string{usual}
	}
	return kind, names, nil
}

// kindOfFunction returns the kind of grader that calls a function with this name and these
// arguments; "" if none does.
func kindOfFunction(name, arguments string) string {
	var names []string
	for part := range strings.SplitSeq(arguments, ",") {
		part, _, _ = strings.Cut(part, ":")
		part, _, _ = strings.Cut(part, "=")
		names = append(names, strings.TrimSpace(part))
	}
	switch {
	case slices.Contains(names, "completions"):
		return trl.Name
	case slices.Contains(names, "completion"):
		return verifiers.Name
	case slices.Contains(names, "solution_str") && slices.Contains(names, "ground_truth"),
		slices.Contains(names, "solution_strs"):
		return verl.Name
	case slices.Contains(names, "queries"):
		return openrlhf.Name
	case name == "grade" && slices.Equal(names, []string{"sample", "item"}):
		return pythonKind.Name
	}
	return ""
}
