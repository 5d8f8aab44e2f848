package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// Definition is a tool as its server describes it.
type Definition struct {
	Remote      string          // the server's name for it
	Name        string          // the name that the model sees
	Description string          // the server's text; "" if it has none
	Schema      json.RawMessage // schema of its arguments, a JSON object
}

// Chat returns the tool in the format of Chat Completions, as rows list tools.
func (d Definition) Chat() json.RawMessage {
	b := []byte(`{"type":"function","function":{"name":`)
	b = jsontext.AppendQuoted(b, d.Name)
	if d.Description != "" {
		b = jsontext.AppendQuoted(append(b, `,"description":`...), d.Description)
	}
	b = append(append(b, `,"parameters":`...), d.Schema...)
	return append(b, '}', '}')
}

// page is one answer to tools/list.
type page struct {
	tools []Definition
	next  string // cursor of the next page; "" on the last page
}

// readPage reads an answer to tools/list.
func readPage(raw json.RawMessage) (page, error) {
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
		NextCursor string `json:"nextCursor"`
	}
	if err := jsontext.Unmarshal(raw, &list); err != nil {
		return page{}, fmt.Errorf("its list of tools cannot be read: %w", err)
	}
	p := page{next: list.NextCursor}
	for i, t := range list.Tools {
		if t.Name == "" {
			return page{}, fmt.Errorf("tool %d of its list has no name", i+1)
		}
		schema, err := objectOf(t.InputSchema)
		if err != nil {
			return page{}, fmt.Errorf("the inputSchema of its tool %q %w", endpoint.Brief(t.Name), err)
		}
		p.tools = append(p.tools, Definition{Remote: t.Name, Name: t.Name, Description: t.Description, Schema: schema})
	}
	return p, nil
}

// objectOf returns a schema without white space, with its keys in their original order. It adds the
// type object if there is no type, and refuses any other type.
func objectOf(raw json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil || b.Bytes()[0] != '{' {
		return nil, fmt.Errorf("is not a JSON object: %s", endpoint.Brief(string(raw)))
	}
	var s struct {
		Type any `json:"type"`
	}
	_ = jsontext.Unmarshal(b.Bytes(), &s) // cannot fail: it is an object
	switch {
	case s.Type == "object":
		return b.Bytes(), nil
	case s.Type != nil:
		return nil, fmt.Errorf("is not an object schema: its type is %v", s.Type)
	case b.Len() == len("{}"):
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	return append(json.RawMessage(`{"type":"object",`), b.Bytes()[1:]...), nil
}

// validName matches what a model's API accepts as the name of a function.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// named returns the tools that the configuration selects, with the names that it gives them.
func (c Config) named(all []Definition) ([]Definition, error) {
	var errs []error
	var listed []string
	for _, d := range all {
		if slices.Contains(listed, d.Remote) {
			errs = append(errs, fmt.Errorf("the MCP server %s lists two tools named %q: exclude them with only",
				c.Name, endpoint.Brief(d.Remote)))
		}
		listed = append(listed, d.Remote)
	}
	for _, key := range []struct {
		name  string
		wants []string
	}{{"only", c.Only}, {"rename", slices.Sorted(maps.Keys(c.Rename))}} {
		for _, name := range key.wants {
			if !slices.Contains(listed, name) {
				errs = append(errs, fmt.Errorf("%s: the MCP server %s has no tool %q; it has %s", key.name, c.Name,
					name, endpoint.Brief(strings.Join(listed, ", "))))
			}
		}
	}
	var selected []Definition
	for _, d := range all {
		if c.Only != nil && !slices.Contains(c.Only, d.Remote) {
			continue
		}
		d.Name = c.Prefix + d.Remote
		if other, ok := c.Rename[d.Remote]; ok {
			d.Name = other
		}
		if !validName.MatchString(d.Name) {
			errs = append(errs, fmt.Errorf("the tool %q of the MCP server %s: a model's API accepts names of 1 "+
				"to 64 characters from A-Z, a-z, 0-9, _ and -: rename it with rename, or exclude it with only",
				endpoint.Brief(d.Name), c.Name))
		}
		selected = append(selected, d)
	}
	return selected, errors.Join(errs...)
}
