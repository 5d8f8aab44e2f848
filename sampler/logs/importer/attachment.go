package importer

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// attached is a JSON string that stands for a longer one kept elsewhere.
var attached = regexp.MustCompile(`"attachment://([0-9A-Za-z_-]{1,128})"`)

// resolve puts attachments in the place of what refers to them. Attachments
// that would make a sample longer than a member may be stay references.
func (s *inspectSample) resolve() {
	if len(s.Attachments) == 0 {
		return
	}
	room := maxMember
	for _, text := range []*json.RawMessage{&s.Input, &s.Target, &s.Messages, &s.Output} {
		if bytes.Contains(*text, []byte("attachment://")) {
			*text = resolved(*text, s.Attachments, &room)
		}
	}
}

func resolved(text []byte, by map[string]json.RawMessage, room *int) []byte {
	var out []byte
	end := 0
	for _, m := range attached.FindAllSubmatchIndex(text, -1) {
		value := by[string(text[m[2]:m[3]])]
		escaped := m[0] > 0 && text[m[0]-1] == '\\' // a quote within a string, not around one
		if len(value) == 0 || value[0] != '"' || escaped || len(value) > *room {
			continue
		}
		*room -= len(value)
		out = append(append(out, text[end:m[0]]...), value...)
		end = m[1]
	}
	return append(out, text[end:]...)
}
