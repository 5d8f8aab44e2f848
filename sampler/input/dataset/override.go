package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/input/spelling"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Override replaces parts of what the model sees. The rows themselves do not change: tools and
// grader receive the same as before.
//
// The prompt of an item is its head: the messages with the roles system and developer before the
// first message with another role. Later messages with these roles are part of the conversation and
// stay. The tags are those of the keys of gonogo.yaml.
type Override struct {
	Prompt *string           `json:"prompt,omitzero" doc:"the text that replaces the system and developer messages at the beginning of each row; a row without any gets it as a system message, and an empty text leaves them out"`
	Add    string            `json:"prompt_add,omitzero" doc:"instead of prompt: a text that follows the last of these messages, after an empty line; for rows whose prompts differ"`
	Tools  map[string]string `json:"tools,omitzero" doc:"the descriptions that the model sees, keyed by tool name"`
	Drop   []string          `json:"drop_tools,omitzero" doc:"names of tools that the model is not offered"`
	Offer  []string          `json:"add_tools,omitzero" doc:"names of tools that the job serves, offered in every row: as in the first row that has them, else with the description in tools and any arguments"`
	Rename map[string]string `json:"rename_tools,omitzero" doc:"the new name that the model sees, keyed by the tool's own name, which its server still gets"`
}

// Empty reports whether the rows are shown unchanged.
func (o Override) Empty() bool {
	return o.Prompt == nil && o.Add == "" && len(o.Tools)+len(o.Drop)+len(o.Offer)+len(o.Rename) == 0
}

// Fault is a mistake in an Override, with the path of its key.
type Fault struct{ Path, Msg string }

// Faults returns tools that are not served, and duplicate names. served lists the names of all
// tools; who is the subject of the message, such as the job that serves them.
func (o Override) Faults(who string, served []string) (faults []Fault) {
	fault := func(path, format string, args ...any) {
		faults = append(faults, Fault{path, fmt.Sprintf(format, args...)})
	}
	known := func(path, name string) {
		if !slices.Contains(served, name) {
			fault(path, "%s no tool %q%s", who, name, spelling.DidYouMean(name, served))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		known("tools."+name, name)
	}
	for i, name := range o.Drop {
		known(fmt.Sprintf("drop_tools[%d]", i), name)
	}
	for i, name := range o.Offer {
		known(fmt.Sprintf("add_tools[%d]", i), name)
	}
	taken := slices.DeleteFunc(slices.Clone(served), func(name string) bool {
		return slices.Contains(o.Drop, name) || o.Rename[name] != ""
	})
	for _, name := range slices.Sorted(maps.Keys(o.Rename)) {
		path, to := "rename_tools."+name, o.Rename[name]
		known(path, name)
		switch {
		case to == "":
			fault(path, "the new name is missing")
		case slices.Contains(o.Drop, name):
			fault(path, "cannot be combined with drop_tools: a variant drops a tool or renames it")
		case slices.Contains(taken, to):
			fault(path, "%s is the name of another tool", to)
		}
		taken = append(taken, to)
	}
	return faults
}

// Unseen lists the tools that the override names but no item offers, according to the counts of
// Apply.
func (o Override) Unseen(did OverrideCounts, items int) (faults []Fault) {
	unseen := func(path, name, more string) {
		if items > 0 && did.Without[name] == items {
			faults = append(faults, Fault{path, fmt.Sprintf("no row offers the tool %q to the model%s", name, more)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		unseen("tools."+name, name, ": its description would never be seen")
	}
	for i, name := range o.Drop {
		unseen(fmt.Sprintf("drop_tools[%d]", i), name, "")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Rename)) {
		unseen("rename_tools."+name, name, "")
	}
	return faults
}

// Changes lists what the override changes, for readers and manifests. did holds the counts of
// Apply.
func (o Override) Changes(did OverrideCounts) (list []rollout.Change) {
	change := func(key, base, now string) { list = append(list, rollout.Change{Key: key, Base: base, New: now}) }
	const own = "the rows' own"
	switch {
	case o.Prompt != nil && did.Heads == 0:
		change("prompt", "", *o.Prompt)
	case o.Prompt != nil:
		change("prompt", own, *o.Prompt)
	case o.Add != "":
		change("prompt_add", "", o.Add)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		change("tools."+name, own, o.Tools[name])
	}
	for _, name := range o.Drop {
		change("drop_tools."+name, "offered", "")
	}
	for _, name := range o.Offer {
		change("add_tools."+name, "", "offered")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Rename)) {
		change("rename_tools."+name, name, o.Rename[name])
	}
	return list
}

// OverrideCounts counts the effects of an Override.
type OverrideCounts struct {
	Items   int            // items whose requests changed
	Heads   int            // number of distinct prompts that were replaced
	Without map[string]int // items that do not offer a tool, by its name
}

// Apply returns the items as shown to the model. It does not change its argument.
func (o Override) Apply(items []rollout.Item) ([]rollout.Item, OverrideCounts, error) {
	out := slices.Clone(items)
	did := OverrideCounts{Without: map[string]int{}}
	heads := map[string]bool{}
	if err := AddTools(out, o.offered(items)); err != nil {
		return nil, did, err
	}
	for i := range out {
		it := &out[i]
		head := headOf(it.Messages)
		if o.Prompt != nil && head > 0 {
			heads[headText(it.Messages[:head])] = true
		}
		messages := o.head(it.Messages, head)
		tools, err := o.describe(it.Tools)
		if err == nil {
			tools, err = o.rename(tools)
		}
		if err != nil {
			return nil, did, fmt.Errorf("%s:%d: tools: %w", it.File, it.Line, err)
		}
		offered := ToolNames(*it)
		for _, name := range o.named() {
			if !slices.Contains(offered, name) {
				did.Without[name]++
			}
		}
		if !bytes.Equal(tools, items[i].Tools) || headText(messages) != headText(it.Messages) ||
			len(messages) != len(it.Messages) {
			did.Items++
		}
		it.Messages, it.Tools = messages, tools
	}
	did.Heads = len(heads)
	return out, did, nil
}

// named returns the tools that must be offered for the override to have an effect.
func (o Override) named() []string {
	names := slices.Concat(slices.Collect(maps.Keys(o.Tools)), slices.Collect(maps.Keys(o.Rename)), o.Drop)
	slices.Sort(names)
	return slices.Compact(names)
}

// offered returns the tools to add: as the first row with such a tool has it, or else with any
// arguments.
func (o Override) offered(items []rollout.Item) []OfferedTool {
	var out []OfferedTool
	for _, name := range o.Offer {
		var chat json.RawMessage
		for i := range items {
			var list []json.RawMessage
			index := slices.Index(ToolNames(items[i]), name)
			if index >= 0 && jsontext.Unmarshal(items[i].Tools, &list) == nil {
				chat = list[index]
				break
			}
		}
		if chat == nil {
			quoted, _ := json.Marshal(name) // a string always encodes
			chat = fmt.Appendf(nil, `{"type":"function","function":{"name":%s,"parameters":{"type":"object"}}}`, quoted)
		}
		out = append(out, OfferedTool{name, chat})
	}
	return out
}

// rename removes dropped tools from those of a row and renames others. The rest of a tool keeps
// every byte.
func (o Override) rename(tools json.RawMessage) (json.RawMessage, error) {
	if tools == nil || len(o.Drop)+len(o.Rename) == 0 {
		return tools, nil
	}
	list, err := elements(tools)
	if err != nil {
		return nil, err
	}
	var kept [][]byte
	for _, element := range list {
		tool := bytes.Clone(tools[element.from:element.to])
		_, name, ok, err := functionAt(tool, span{0, len(tool)})
		if err != nil {
			return nil, err
		}
		current := ""
		if ok {
			current = jsontext.TextOrJSON(tool[name.from:name.to])
		}
		if slices.Contains(o.Drop, current) {
			continue
		}
		if to := o.Rename[current]; ok && to != "" {
			quoted, err := json.Marshal(to)
			if err != nil {
				return nil, err
			}
			tool = slices.Replace(tool, name.from, name.to, quoted...)
		}
		kept = append(kept, tool)
	}
	if len(kept) == 0 {
		return nil, nil // servers reject an empty list
	}
	return slices.Concat([]byte{'['}, bytes.Join(kept, []byte{','}), []byte{']'}), nil
}

// headOf returns how many messages are an item's prompt.
func headOf(messages []rollout.Message) int {
	i := slices.IndexFunc(messages, func(m rollout.Message) bool { return m.Role != "system" && m.Role != "developer" })
	if i < 0 {
		return len(messages)
	}
	return i
}

// headText returns the text of the prompt that the messages begin with.
func headText(messages []rollout.Message) string {
	var texts []string
	for _, m := range messages[:headOf(messages)] {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n\n")
}

// head returns the messages with the prompt replaced or extended.
func (o Override) head(messages []rollout.Message, head int) []rollout.Message {
	out := slices.Clone(messages)
	if o.Prompt != nil {
		role := "system"
		if head > 0 {
			role = out[0].Role
		}
		out = slices.Clone(out[head:])
		if head = 0; *o.Prompt != "" {
			out, head = slices.Insert(out, 0, rollout.Message{Role: role, Content: *o.Prompt}), 1
		}
	}
	switch {
	case o.Add == "":
	case head == 0:
		out = slices.Insert(out, 0, rollout.Message{Role: "system", Content: o.Add})
	default:
		last := &out[head-1]
		last.Content += "\n\n" + o.Add
		last.Parts = withPart(last.Parts, o.Add)
	}
	return out
}

// withPart adds a text part to a content array; it returns nil for a message whose content is a
// string.
func withPart(parts json.RawMessage, text string) json.RawMessage {
	var list []json.RawMessage
	if len(parts) == 0 || jsontext.Unmarshal(parts, &list) != nil {
		return nil
	}
	part, err := json.Marshal(map[string]string{"type": "text", "text": text})
	if err != nil {
		return nil // a map of strings always encodes
	}
	all, err := json.Marshal(append(list, part))
	if err != nil {
		return nil // the parts were read as JSON
	}
	return all
}

// describe sets the descriptions of a row's tools and leaves every other byte unchanged: servers
// show them to the model in this order.
func (o Override) describe(tools json.RawMessage) (json.RawMessage, error) {
	if tools == nil || len(o.Tools) == 0 {
		return tools, nil
	}
	list, err := elements(tools)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(tools)
	for _, element := range slices.Backward(list) { // from the end, so that earlier positions stay valid
		object, name, ok, err := functionAt(tools, span{element.from, element.to})
		if err != nil {
			return nil, err
		}
		text, found := o.Tools[jsontext.TextOrJSON(tools[name.from:name.to])]
		if !ok || !found {
			continue
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		old, ok, err := member(tools, object, "description")
		if err != nil {
			return nil, err
		}
		if !ok { // after the name
			old, quoted = span{name.to, name.to}, append([]byte(`,"description":`), quoted...)
		}
		out = slices.Replace(out, old.from, old.to, quoted...)
	}
	return out, nil
}

// functionAt finds the function of a tool, which is the tool itself in the flat form, and its name.
func functionAt(raw []byte, tool span) (object, name span, ok bool, err error) {
	object = tool
	if inner, nested, err := member(raw, object, "function"); err != nil {
		return object, name, false, err
	} else if nested {
		object = inner
	}
	name, ok, err = member(raw, object, "name")
	return object, name, ok, err
}

// span is a part of a text.
type span struct{ from, to int }

// elements returns the spans of the values of a JSON list.
func elements(raw []byte) (out []span, err error) {
	s := jsontext.Scanner{Source: raw}
	err = s.Elements(func(value []byte) error {
		out = append(out, span{s.At - len(value), s.At})
		return nil
	})
	return out, err
}

// member returns the span of the value of a key in the JSON object at a span of raw, the last one
// if there are several; ok is false if there is no object or no such key.
func member(raw []byte, object span, key string) (found span, ok bool, err error) {
	if raw[object.from] != '{' {
		return found, false, nil
	}
	s := jsontext.Scanner{Source: raw[:object.to], At: object.from}
	err = s.Members(func(name, value []byte) error {
		if string(jsontext.Key(name)) == key {
			found, ok = span{s.At - len(value), s.At}, true
		}
		return nil
	})
	return found, ok, err
}
