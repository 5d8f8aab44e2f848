package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gonogo/sampler/jsontext"
)

// part is one part of a content array.
type part map[string]json.RawMessage

// chatPart renames a part from the form of Responses to that of Chat Completions,
// where images and files are nested. Parts it does not know stay as they are.
func chatPart(p part) {
	switch jsontext.TextOrJSON(p["type"]) {
	case "input_text", "output_text":
		p.is("text")
	case "input_image":
		p.is("image_url")
		if url := bytes.TrimSpace(p["image_url"]); len(url) > 0 && url[0] == '"' {
			p.nest("image_url", map[string]string{"image_url": "url", "detail": "detail"})
		}
	case "input_file":
		p.is("file")
		p.nest("file", map[string]string{"file_id": "file_id", "file_data": "file_data", "filename": "filename"})
	}
}

// responsesPart renames a part from the form of Chat Completions to that of
// Responses. Parts it does not know stay as they are.
func responsesPart(p part, role string) {
	switch jsontext.TextOrJSON(p["type"]) {
	case "text":
		p.is("input_text")
		if role == "assistant" {
			p.is("output_text")
		}
	case "image_url":
		p.is("input_image")
		p.flatten("image_url", map[string]string{"url": "image_url", "detail": "detail"})
	case "file":
		p.is("input_file")
		p.flatten("file", map[string]string{"file_id": "file_id", "file_data": "file_data", "filename": "filename"})
	}
}

func (p part) is(kind string) { p["type"] = jsontext.AppendQuoted(nil, kind) }

// nest moves fields into an object called key, by the names that they have there.
func (p part) nest(key string, names map[string]string) {
	inner := make(part)
	for from, to := range names {
		if v := p[from]; len(v) > 0 {
			delete(p, from)
			inner[to] = v
		}
	}
	p[key], _ = json.Marshal(inner) // of parts of valid JSON
}

// flatten moves the fields of the object called key out of it; one that is not an
// object stays.
func (p part) flatten(key string, names map[string]string) {
	var inner part
	if jsontext.Unmarshal(p[key], &inner) != nil {
		return
	}
	delete(p, key)
	for from, to := range names {
		if v := inner[from]; len(v) > 0 {
			p[to] = v
		}
	}
}

// eachPart converts the parts of a content array.
func eachPart(content json.RawMessage, convert func(part)) (json.RawMessage, error) {
	var parts []part
	if err := jsontext.Unmarshal(content, &parts); err != nil {
		return nil, err
	}
	for _, p := range parts {
		convert(p)
	}
	return json.Marshal(parts)
}

// eachMessage converts the roles and parts of all messages of a prompt; roles is
// nil for Responses, where a turn of the assistant has a type. One in which nothing changes stays as
// it is, byte for byte.
func eachMessage(messages json.RawMessage, roles func(string) string,
	convert func(p part, role string),
) (json.RawMessage, error) {
	var all []part
	if len(bytes.TrimSpace(messages)) == 0 {
		return messages, nil
	}
	if err := jsontext.Unmarshal(messages, &all); err != nil {
		return nil, fmt.Errorf("read the prompt's messages: %w", err)
	}
	changed := false
	for _, m := range all {
		role := jsontext.TextOrJSON(m["role"])
		if roles != nil && roles(role) != role {
			role = roles(role)
			m["role"], changed = jsontext.AppendQuoted(nil, role), true
		}
		if roles == nil && role == "assistant" && m["type"] == nil {
			m["type"], changed = json.RawMessage(`"message"`), true
		}
		content := bytes.TrimSpace(m["content"])
		if len(content) == 0 || content[0] != '[' {
			continue
		}
		var err error
		if m["content"], err = eachPart(content, func(p part) { convert(p, role) }); err != nil {
			return nil, fmt.Errorf("read the content of a %s message: %w", role, err)
		}
		changed = true
	}
	if !changed {
		return messages, nil
	}
	return json.Marshal(all)
}
