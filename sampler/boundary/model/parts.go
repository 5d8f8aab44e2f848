package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gonogo/sampler/jsontext"
)

// part is one part of a content array.
type part map[string]json.RawMessage

// chatPart converts a part from the format of Responses to that of Chat Completions, where images and
// files are nested. Unknown parts remain unchanged.
func chatPart(p part) {
	switch jsontext.TextOrJSON(p["type"]) {
	case "input_text", "output_text":
		p.setType("text")
	case "input_image":
		p.setType("image_url")
		if url := bytes.TrimSpace(p["image_url"]); len(url) > 0 && url[0] == '"' {
			p.nest("image_url", map[string]string{"image_url": "url", "detail": "detail"})
		}
	case "input_file":
		p.setType("file")
		p.nest("file", map[string]string{"file_id": "file_id", "file_data": "file_data", "filename": "filename"})
	}
}

// responsesPart converts a part from the format of Chat Completions to that of Responses. Unknown parts
// remain unchanged.
func responsesPart(p part, role string) {
	switch jsontext.TextOrJSON(p["type"]) {
	case "text":
		p.setType("input_text")
		if role == "assistant" {
			p.setType("output_text")
		}
	case "image_url":
		p.setType("input_image")
		p.flatten("image_url", map[string]string{"url": "image_url", "detail": "detail"})
	case "file":
		p.setType("input_file")
		p.flatten("file", map[string]string{"file_id": "file_id", "file_data": "file_data", "filename": "filename"})
	}
}

func (p part) setType(kind string) { p["type"] = jsontext.AppendQuoted(nil, kind) }

// nest moves fields into an object called key. names maps their names to those in the object.
func (p part) nest(key string, names map[string]string) {
	inner := make(part)
	for from, to := range names {
		if v := p[from]; len(v) > 0 {
			delete(p, from)
			inner[to] = v
		}
	}
	p[key], _ = json.Marshal(inner) // cannot fail: the fields are valid JSON
}

// flatten moves fields out of the object called key and removes the object. names maps their names in
// the object to the new ones. A value that is not an object remains unchanged.
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

// eachMessage converts the roles and parts of all messages of a prompt. roles is nil for Responses,
// where messages of the assistant get a type. A prompt in which nothing changes is returned byte for
// byte.
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
