package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program returns a command with its arguments, to be started in dir. A path to a file there, such as
// ./my_agent, becomes absolute; a bare name is left to be found on PATH.
func Program(command []string, dir string) []string {
	argv := slices.Clone(command)
	if len(argv) == 0 || filepath.Base(argv[0]) == argv[0] {
		return argv
	}
	path := within(dir, argv[0])
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		if absolute, err := filepath.Abs(path); err == nil {
			argv[0] = absolute
		}
	}
	return argv
}

// CheckProgram reports why a command cannot be started in dir, without starting it: its program is
// missing or not executable, or the script that it runs is missing.
func CheckProgram(command []string, dir string) error {
	argv := Program(command, dir)
	file := argv[0]
	if filepath.Base(file) != file {
		file = within(dir, file)
	}
	switch _, err := exec.LookPath(file); {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be run: make it executable (chmod +x), or name the program that runs it "+
			"first, such as [python3, my_agent.py]", argv[0])
	case err != nil:
		return fmt.Errorf("there is no %s: a bare name is looked up on PATH; a path such as ./my_agent is relative to "+
			"the configuration's folder", argv[0])
	}
	if i := slices.IndexFunc(argv[1:], isScript); i >= 0 {
		if script := within(dir, argv[1+i]); !exists(script) {
			return fmt.Errorf("there is no %s: a script's path is relative to the configuration's folder", script)
		}
	}
	return nil
}

// within returns a path; a relative one starts from dir.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isScript reports whether an argument names a script, by its extension.
func isScript(word string) bool {
	return !strings.HasPrefix(word, "-") && slices.Contains([]string{".py", ".js", ".mjs", ".ts", ".sh", ".rb"},
		filepath.Ext(word))
}
