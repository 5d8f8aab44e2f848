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

// Program is a command with its arguments as it is started in dir: a path to a file there,
// such as ./my_agent, becomes absolute, and a bare name is looked for on PATH.
func Program(command []string, dir string) []string {
	argv := slices.Clone(command)
	if len(argv) == 0 || filepath.Base(argv[0]) == argv[0] {
		return argv
	}
	beside := within(dir, argv[0])
	if info, err := os.Stat(beside); err == nil && !info.IsDir() {
		if whole, err := filepath.Abs(beside); err == nil {
			argv[0] = whole
		}
	}
	return argv
}

// CheckProgram returns why a command cannot be started in dir, without starting it: its
// program, or the script that it is to run, is missing or may not be run.
func CheckProgram(command []string, dir string) error {
	argv := Program(command, dir)
	file := argv[0]
	if filepath.Base(file) != file {
		file = within(dir, file)
	}
	switch _, err := exec.LookPath(file); {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be run: make it executable (chmod +x), or name the program that runs it "+
			"first, such as [python3, my_agent.py]", argv[0])
	case err != nil:
		return fmt.Errorf("there is no %s: a name is looked for on PATH, a path such as ./my_agent starts from the "+
			"folder of the configuration", argv[0])
	}
	if i := slices.IndexFunc(argv[1:], isScript); i >= 0 {
		if script := within(dir, argv[1+i]); !exists(script) {
			return fmt.Errorf("there is no %s: it starts from the folder of the configuration", script)
		}
	}
	return nil
}

// within is a path that starts from dir.
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

// isScript reports whether an argument is the file of a program.
func isScript(word string) bool {
	return !strings.HasPrefix(word, "-") && slices.Contains([]string{".py", ".js", ".mjs", ".ts", ".sh", ".rb"},
		filepath.Ext(word))
}
