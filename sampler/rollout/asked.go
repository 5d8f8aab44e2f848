package rollout

import (
	"hash/maphash"
	"slices"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/prompt"
)

// PromptOf returns the prompt that consists of all the messages. known may be nil.
func PromptOf(messages []Message, known *prompt.Cache) prompt.Identity {
	if len(messages) == 0 {
		return prompt.Identity{}
	}
	var all strings.Builder
	for _, m := range messages {
		all.WriteString("\x00" + m.Role + "\x00")
		if len(m.Parts) > 0 {
			all.Write(m.Parts)
		} else {
			all.WriteString(m.Content)
		}
	}
	return known.Of(all.String(), messages[len(messages)-1].Content)
}

// Prompt returns the prompt as far as the record itself shows it: its messages before the first
// turn of the model, or an unknown key such as "prompt". A record of a run that has its items shows
// none. known may be nil.
func (r *Record) Prompt(known *prompt.Cache) prompt.Identity {
	if r.Asked.Sum != 0 {
		return r.Asked
	}
	turn := slices.IndexFunc(r.Messages, func(m Message) bool { return m.Role == "assistant" })
	if turn < 0 {
		turn = len(r.Messages)
	}
	if p := PromptOf(r.Messages[:turn], known); p.Sum != 0 {
		return p
	}
	for _, key := range prompt.Keys() {
		v := r.Extra[key]
		if len(v) == 0 || jsontext.IsNull(v) {
			continue
		}
		if v[0] == '[' {
			if messages, err := readMessages(v); err == nil && len(messages) > 0 {
				return PromptOf(messages, known)
			}
		}
		if text := jsontext.TextOrJSON(v); text != "" {
			return known.Of(text, text)
		}
	}
	return prompt.Identity{}
}

// saidSeed makes Record.Said comparable within the process.
var saidSeed = maphash.MakeSeed()

// readSaid sets what a lean read keeps of messages: it decodes only those of the prompt.
func (r *Record) readSaid(messages []byte, known *prompt.Cache) {
	if messages[0] == '[' {
		_ = r.scanSaid(&jsontext.Scanner{Source: messages}, 1, known) // checked already
	}
}

// scanSaid is readSaid for the list that begins at s.At, nested in depth others, while it scans it.
func (r *Record) scanSaid(s *jsontext.Scanner, depth int, known *prompt.Cache) error {
	var h maphash.Hash
	h.SetSeed(saidSeed)
	r.Messages, r.Asked, r.Said = nil, prompt.Identity{}, 0
	from, asked, answered := s.At, 0, false // asked is the end of the prompt
	s.At++
	if s.Space(); s.At < len(s.Source) && s.Source[s.At] == ']' {
		s.At++
		return nil
	}
	for more := true; more; {
		s.Space()
		role, err := hashMessage(&h, s, depth)
		if answered = answered || role == "assistant"; !answered {
			asked = s.At
		}
		if err == nil {
			more, err = s.Comma(']')
		}
		if err != nil {
			return err
		}
	}
	r.Said = h.Sum64() | 1
	if asked > 0 {
		list := s.Source[from:asked:asked]
		r.Asked = known.Read(list, func() prompt.Identity {
			messages, err := readMessages(append(list, ']'))
			if err != nil {
				return prompt.Identity{}
			}
			return PromptOf(messages, nil)
		})
	}
	return nil
}

// hashMessage walks over a message and adds it to a hash, without the ids of its calls: they differ
// even if two messages say the same.
func hashMessage(h *maphash.Hash, s *jsontext.Scanner, depth int) (role string, err error) {
	err = hashMembers(h, s, depth, "tool_call_id", func(key, value []byte) (hashed bool) {
		switch {
		case string(key) == "role" && value[0] == '"':
			role = jsontext.Text(value)
		case string(key) == "tool_calls" && value[0] == '[':
			list := jsontext.Scanner{Source: value}
			return list.Elements(func(v []byte) error {
				return hashMembers(h, &jsontext.Scanner{Source: v}, 1, "id", nil)
			}) == nil
		}
		return false
	})
	return role, err
}

// hashMembers walks over the value at s.At and adds its members to h, except the key without and
// those that visit, which may be nil, hashes itself; a value that is not an object is added as it
// is.
func hashMembers(h *maphash.Hash, s *jsontext.Scanner, depth int, without string,
	visit func(key, value []byte) (hashed bool),
) error {
	if from := s.At; from >= len(s.Source) || s.Source[from] != '{' {
		err := s.Value(depth)
		_, _ = h.Write(s.Source[from:s.At])
		return err
	}
	return s.Object(depth+1, func(key, value []byte) error {
		if name := jsontext.Key(key); string(name) != without && (visit == nil || !visit(name, value)) {
			_, _ = h.Write(key)
			_, _ = h.Write(value)
		}
		return nil
	})
}
