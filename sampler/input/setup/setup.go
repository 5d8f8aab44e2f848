package setup

import (
	"fmt"
	"path/filepath"
	"strings"

	"gonogo/sampler/input/document"
)

// Setup is what a configuration of another tool says, in gonogo's terms.
type Setup struct {
	Rows   []byte            // JSON lines, one training row each
	Source []byte            // Python source of the grader
	Grader string            // the grader, as YAML
	Model  string            // as its server calls it; "" if the tool calls none that is compatible with OpenAI's
	Set    map[string]string // YAML of keys of gonogo.yaml
	Notes  []string          // what is not taken over, one sentence each without a period
}

// Read reads a configuration. Files that it names are read from its folder.
func Read(path string) (*Setup, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
	default:
		return nil, fmt.Errorf("%s: a configuration of promptfoo in YAML or JSON is read", path)
	}
	body, err := document.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := document.Parse(path, body)
	if err != nil {
		return nil, err
	}
	if root.Get("prompts") == nil || root.Get("providers") == nil && root.Get("targets") == nil {
		return nil, fmt.Errorf("%s is no configuration of promptfoo: it has no prompts and providers", path)
	}
	p := &promptfoo{path: path, dir: filepath.Dir(path), modules: make(map[string]string), setup: &Setup{Set: make(map[string]string)}}
	return p.read(root)
}
