package brief

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Brief is what workers receive about a run in addition to its items, which come with the jobs: the
// configuration as it was written. It contains no secrets, and only the hashes of the files that
// the configuration names, except for the job and the grader.
type Brief struct {
	File    string            `json:"file"` // the configuration's name in messages
	Config  string            `json:"config"`
	Set     []string          `json:"set,omitempty"` // KEY=VALUE overrides
	Job     *Sheet            `json:"job,omitempty"`
	Grader  *Sheet            `json:"grader,omitempty"`
	Variant string            `json:"variant,omitempty"`
	Files   []HashedFile      `json:"files,omitempty"`
	Env     []string          `json:"env,omitempty"` // the variables that it reads
	Binding map[string]string `json:"binding"`       // the binding that a worker must also arrive at
	Trial   []Answer          `json:"trial,omitempty"`
}

// Sheet is a file whose contents are sent to workers.
type Sheet struct {
	Name string `json:"name"` // relative to the configuration's folder
	Text string `json:"text"`
}

// Answer is an answer on which a worker tries its grader.
type Answer struct {
	Item   *rollout.Item   `json:"item"`
	Record *rollout.Record `json:"record"`
}

// HashedFile is a file that a worker must have.
type HashedFile struct {
	Name   string `json:"name"` // relative to the configuration's folder
	SHA256 string `json:"sha256"`
}

// Read decodes the Brief of a run.
func Read(body []byte) (*Brief, error) {
	var b Brief
	if err := jsontext.Unmarshal(body, &b); err != nil {
		return nil, fmt.Errorf("the run's description cannot be read: %w", err)
	}
	return &b, nil
}

// Hash adds files that a worker must have; name returns their name there.
func (b *Brief) Hash(paths []string, name func(path string) string) error {
	var errs []error
	for _, path := range paths {
		sum, err := dataset.HashFile(path)
		errs = append(errs, err)
		b.Files = append(b.Files, HashedFile{Name: name(path), SHA256: sum})
	}
	return errors.Join(errs...)
}

// remedy ends the errors about secrets.
const remedy = "holds a secret, and secrets are not sent to workers: write ${NAME} in headers, and export NAME here " +
	"and where the workers run"

// CheckSecrets refuses a brief, or a row of the items, that contains a secret, and says where. mask
// removes secrets; path returns the local path of a file of the brief.
func (b *Brief) CheckSecrets(items []rollout.Item, mask func(string) string, path func(name string) string) error {
	secret := func(text string) bool { return mask(text) != text }
	for _, s := range []*Sheet{{b.File, b.Config}, b.Job, b.Grader} {
		if s == nil {
			continue
		}
		if i := slices.IndexFunc(strings.Split(s.Text, "\n"), secret); i >= 0 {
			return document.Error{File: path(s.Name), Line: i + 1, Column: 1, Path: s.keyOf(secret), Msg: remedy}
		}
	}
	for _, pair := range b.Set {
		if secret(pair) {
			name, _, _ := strings.Cut(pair, "=")
			return fmt.Errorf("--set %s: %s", mask(name), remedy)
		}
	}
	for i := range items {
		if it := &items[i]; secret(string(it.Row)) {
			return fmt.Errorf("%s:%d: the row %s", it.File, it.Line, remedy)
		}
	}
	return nil
}

// keyOf returns the path of the first matching value, or of the map that has it as a key; "" if
// there is neither.
func (s *Sheet) keyOf(meant func(string) bool) string {
	root, err := document.Parse(s.Name, []byte(s.Text))
	if err != nil {
		return ""
	}
	path, _ := root.Search(meant)
	return strings.TrimPrefix(path, ".")
}

// Lacking reports what the run needs and dir lacks: variables of the environment, and files that
// are missing or differ; nil if nothing.
func (b *Brief) Lacking(dir string, env func(name string) (string, bool)) error {
	var errs []error
	for _, name := range b.Env {
		if _, ok := env(name); !ok {
			errs = append(errs, fmt.Errorf("the environment has no %s, which the run reads: export it", name))
		}
	}
	for _, f := range b.Files {
		path := filepath.FromSlash(f.Name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		sum, err := dataset.HashFile(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			errs = append(errs, fmt.Errorf("there is no %s, which the run names: put it there, or name the folder "+
				"that it starts from with --dir", path))
		case err != nil:
			errs = append(errs, err)
		case sum != f.SHA256:
			errs = append(errs, fmt.Errorf("%s is not the planner's: its SHA-256 is %.12s… here and %.12s… there: "+
				"copy the planner's here", path, sum, f.SHA256))
		}
	}
	return errors.Join(errs...)
}

// CheckBinding refuses rollouts that would be made with other settings than the run's; here is the
// binding that they would have.
func (b *Brief) CheckBinding(here map[string]string) error {
	var differ []string
	for _, key := range slices.Sorted(maps.Keys(b.Binding)) {
		if here[key] != b.Binding[key] {
			differ = append(differ, fmt.Sprintf("%s is %q here and %q there", key, here[key], b.Binding[key]))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("rollouts made here would belong to another run: %s", strings.Join(differ, "; "))
}
