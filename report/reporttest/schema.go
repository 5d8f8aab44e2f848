package reporttest

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gonogo/docs"
)

// strict is the published schema of result.json that takes no key it does not
// tell of.
var strict = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(docs.ResultSchema))
	if err != nil {
		return nil, err
	}
	close := func(def map[string]any) {
		if def["properties"] != nil {
			def["additionalProperties"] = false
		}
	}
	for _, def := range doc.(map[string]any)["$defs"].(map[string]any) {
		close(def.(map[string]any))
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("result.schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("result.schema.json")
})

// CheckResult holds a result.json to the published schema, and to tell nothing
// that the schema does not.
func CheckResult(b []byte) error {
	schema, err := strict()
	if err != nil {
		return fmt.Errorf("docs/result.schema.json: %w", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}
