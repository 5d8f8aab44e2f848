package importer

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// attached matches a JSON string that refers to a longer one stored elsewhere.
var attached = regexp.MustCompile(`"attachment://([0-9A-Za-z_-]{1,128})"`)

// resolve replaces references by their attachments. A reference stays if its attachment would make
// the sample longer than maxMember allows.
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
		escaped := m[0] > 0 && text[m[0]-1] == '\\' // the quote is within a string, not around it
		if len(value) == 0 || value[0] != '"' || escaped || len(value) > *room {
			continue
		}
		*room -= len(value)
		out = append(append(out, text[end:m[0]]...), value...)
		end = m[1]
	}
	return append(out, text[end:]...)
}
