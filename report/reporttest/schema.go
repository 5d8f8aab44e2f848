package reporttest

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gonogo/docs"
)

// strict returns the published schemas by name, changed to reject undocumented keys.
var strict = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	all := make(map[string]*jsonschema.Schema)
	for _, published := range docs.Schemas() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(published.JSON))
		if err != nil {
			return nil, err
		}
		for _, def := range doc.(map[string]any)["$defs"].(map[string]any) {
			if def := def.(map[string]any); def["properties"] != nil {
				def["additionalProperties"] = false
			}
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(published.Name, doc); err != nil {
			return nil, err
		}
		if all[published.Name], err = c.Compile(published.Name); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// Check validates a file against the published schema of that name, and rejects everything that the
// schema does not describe.
func Check(name string, b []byte) error {
	schemas, err := strict()
	if err != nil {
		return fmt.Errorf("the schemas of docs: %w", err)
	}
	if schemas[name] == nil {
		return fmt.Errorf("the schemas of docs: none is named %q", name)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return err
	}
	return schemas[name].Validate(value)
}
