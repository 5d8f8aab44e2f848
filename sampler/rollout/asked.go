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
	var h maphash.Hash
	h.SetSeed(saidSeed)
	asked, answered := 0, false // asked is the end of the prompt
	s := jsontext.Scanner{Source: messages}
	if s.Elements(func(m []byte) error {
		r.Said = 1
		if answered = hashMessage(&h, m) == "assistant" || answered; !answered {
			asked = s.At
		}
		return nil
	}) != nil || r.Said == 0 {
		return
	}
	r.Said = h.Sum64() | 1
	if asked > 0 {
		r.Asked = known.Read(messages[:asked], func() prompt.Identity {
			list, err := readMessages(append(messages[:asked:asked], ']'))
			if err != nil {
				return prompt.Identity{}
			}
			return PromptOf(list, nil)
		})
	}
}

// hashMessage adds a message to a hash, without the ids of its calls: they differ even if two
// messages say the same.
func hashMessage(h *maphash.Hash, message []byte) (role string) {
	hashMembers(h, message, "tool_call_id", func(key, value []byte) (hashed bool) {
		switch {
		case string(key) == "role" && value[0] == '"':
			role = jsontext.Text(value)
		case string(key) == "tool_calls":
			calls := jsontext.Scanner{Source: value}
			return calls.Elements(func(call []byte) error {
				hashMembers(h, call, "id", func(_, _ []byte) bool { return false })
				return nil
			}) == nil
		}
		return false
	})
	return role
}

// hashMembers adds the members of an object to h, except the key without and those that visit
// hashes itself; a value that is not an object is added as it is.
func hashMembers(h *maphash.Hash, v []byte, without string, visit func(key, value []byte) (hashed bool)) {
	s := jsontext.Scanner{Source: v}
	if s.Members(func(key, value []byte) error {
		if name := jsontext.Key(key); string(name) != without && !visit(name, value) {
			_, _ = h.Write(key)
			_, _ = h.Write(value)
		}
		return nil
	}) != nil {
		_, _ = h.Write(v)
	}
}
