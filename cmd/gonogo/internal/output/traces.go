package output

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gonogo/sampler/rollout"
)

// Traces names the file of a run's rollouts, and the way there from the
// directory of its report as a relative URL; "" where there is none.
func Traces(run, out string) (file, link string) {
	file = run
	if info, err := os.Stat(run); err == nil && info.IsDir() {
		file = filepath.Join(run, rollout.RolloutsFile)
	}
	from, err := filepath.Abs(out)
	if err != nil {
		return file, ""
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return file, ""
	}
	way, err := filepath.Rel(from, to)
	if err != nil {
		return file, "" // on another volume
	}
	steps := strings.Split(filepath.ToSlash(way), "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(url.PathEscape(step), ":", "%3A") // what comes before a colon is no scheme
	}
	return file, strings.Join(steps, "/")
}
