package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaChecker caches what is wrong with the parameters of tools, which most rows share; nil means
// nothing.
type schemaChecker map[string]error

// check returns an error for the first tool whose parameters cannot be shown to a model.
func (c schemaChecker) check(tools []function) error {
	for i, t := range tools {
		if absent(t.parameters) {
			continue
		}
		err, known := c[string(t.parameters)]
		if !known {
			err = schemaFault(t.parameters)
			c[string(t.parameters)] = err
		}
		if err != nil {
			return fmt.Errorf("tools[%d] %q: its parameters are not the JSON Schema of an object: %w", i, t.name, err)
		}
	}
	return nil
}

// schemaFault returns why JSON is not the schema of a tool's arguments; nil if it is.
func schemaFault(raw json.RawMessage) error {
	if kind := kindOf(raw); kind != "an object" {
		return fmt.Errorf("they are %s", kind)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if kind, ok := doc.(map[string]any)["type"]; ok && kind != "object" {
		return fmt.Errorf("type is %v", kind)
	}
	const name = "urn:tool:parameters"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(name, doc); err != nil {
		return err
	}
	_, err = compiler.Compile(name)
	var invalid *jsonschema.SchemaValidationError
	var deepest *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid) && errors.As(invalid.Err, &deepest):
		for len(deepest.Causes) > 0 {
			deepest = deepest.Causes[0]
		}
		return errors.New(deepest.Error())
	}
	return err
}

// noLoader prevents a row's schema from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref to %s: only parts of the schema itself can be referred to", url)
}
