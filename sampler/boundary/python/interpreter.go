package python

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// interpreter holds what an interpreter reports about itself.
type interpreter struct {
	Executable string   `json:"executable"`
	Version    string   `json:"version"`
	Numbers    []int    `json:"numbers"`
	Path       []string `json:"path"`     // its search path for modules
	Prefixes   []string `json:"prefixes"` // the folders where it is installed
}

// question is a program that prints these values.
const question = `
import json, sys
print(json.dumps({"executable": sys.executable, "version": ".".join(map(str, sys.version_info[:3])), "numbers": list(sys.version_info[:2]),
  "path": [p for p in sys.path if p], "prefixes": [sys.prefix, sys.exec_prefix, getattr(sys, "base_prefix", ""), getattr(sys, "base_exec_prefix", "")]}))
`

// answerTime is the maximum time for an interpreter to describe itself.
const answerTime = 30 * time.Second

// ask finds the interpreter and runs question in it. The name may be a script that starts another
// interpreter, as with pyenv; the result describes the interpreter that finally runs.
func ask(ctx context.Context, name string) (*interpreter, error) {
	file, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("no python interpreter %q: install python3, or name the one to use (%w)", name, err)
	}
	inner, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	cmd := exec.CommandContext(inner, file, "-B", "-c", question)
	cmd.Dir = os.TempDir()
	cmd.Env = pythonEnviron(os.Environ())
	cmd.WaitDelay = time.Second
	stderr := &tail{}
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not run as a python interpreter: %w%s", file, err, stderr.suffix())
	}
	var in interpreter
	if err := json.Unmarshal(bytes.TrimSpace(out), &in); err != nil || in.Executable == "" {
		return nil, fmt.Errorf("%s does not answer like a python interpreter", file)
	}
	if len(in.Numbers) != 2 || in.Numbers[0] != 3 || in.Numbers[1] < 7 {
		return nil, fmt.Errorf("%s is Python %s: 3.7 or later is needed", in.Executable, in.Version)
	}
	return &in, nil
}

// String returns path and version, such as "/usr/bin/python3 (Python 3.11.2)".
func (in *interpreter) String() string {
	return in.Executable + " (Python " + in.Version + ")"
}

// pythonEnviron keeps the variables that an interpreter needs to find itself and its modules. It
// drops all others: the environment holds keys and passwords.
func pythonEnviron(environ []string) []string {
	var out []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		switch name {
		case "PATH", "HOME", "USER", "SYSTEMROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION",
			"PYENV_DIR",
			"PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH":
			out = append(out, pair)
		}
	}
	return out
}
