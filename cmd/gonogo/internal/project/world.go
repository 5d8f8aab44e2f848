package project

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
)

// MissingProgram is the first program that a world needs and this machine does not
// have; "" when all are there.
func MissingProgram(world fixtures.World) string {
	for _, program := range world.Needs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}

// World finds a built-in world.
func World(name string) (fixtures.World, error) {
	var names []string
	for _, w := range fixtures.Worlds() {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return fixtures.World{}, fmt.Errorf("no world is called %q%s; gonogo help worlds lists them", name, ui.DidYouMean(name, names))
}

// serves reports whether a world's files name an address below its server.
func serves(w fixtures.World, address string) bool {
	files := w.Files()
	whole := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(address, "/")) + `["\s]`) // list is no list_files
	return slices.ContainsFunc([]string{fixtures.JobFile, fixtures.ConfigFile}, func(name string) bool {
		return whole.Match(files[name])
	})
}
