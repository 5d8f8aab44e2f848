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

// Override is what the model sees instead of the rows' own. The rows do not change: tools
// and grader get the same as before.
//
// The prompt of an item is its head: the messages of the roles system and
// developer before the first message of another role. Later messages of these
// roles are part of the conversation and stay. The tags are those of the keys of gonogo.yaml.
type Override struct {
	Prompt *string           `json:"prompt,omitzero" doc:"the text that replaces the system and developer messages at the beginning of each row; a row without any gets it as a system message, and an empty text leaves them out"`
	Add    string            `json:"prompt_add,omitzero" doc:"instead of prompt: a text that follows the last of these messages, after an empty line; for rows whose prompts differ"`
	Tools  map[string]string `json:"tools,omitzero" doc:"descriptions to offer tools by, by the tool's name"`
	Drop   []string          `json:"drop_tools,omitzero" doc:"names of tools that the model is not offered"`
	Offer  []string          `json:"add_tools,omitzero" doc:"names of tools that the job serves, offered in every row: as in the first row that has them, else with the description in tools and any arguments"`
	Rename map[string]string `json:"rename_tools,omitzero" doc:"the name that a tool is offered by, keyed by its own, which its server still gets"`
}

// Empty reports whether the rows are shown as they are.
func (o Override) Empty() bool {
	return o.Prompt == nil && o.Add == "" && len(o.Tools)+len(o.Drop)+len(o.Offer)+len(o.Rename) == 0
}

// Fault is a mistake in an Override, by the path of its key.
type Fault struct{ Path, Msg string }

// Faults finds tools that are not served, and duplicate names. served are the names of all
// tools, of which who has them.
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
			fault(path, "another tool is called %s", to)
		}
		taken = append(taken, to)
	}
	return faults
}

// Unseen lists the tools that the override names and none of the items offers, as did, of
// Apply, has counted them.
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

// Changes lists what the override changes, for readers and manifests. did is what Apply has
// counted.
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
	Items   int            // whose requests differ now
	Heads   int            // different prompts that one took the place of
	Without map[string]int // items that do not offer a tool, by its name
}

// Apply returns the items as shown to the model. The given ones are not changed.
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

// named are the tools that have to be offered for the override to show.
func (o Override) named() []string {
	names := slices.Concat(slices.Collect(maps.Keys(o.Tools)), slices.Collect(maps.Keys(o.Rename)), o.Drop)
	slices.Sort(names)
	return slices.Compact(names)
}

// offered are the tools to add: as the first row that has them does, else with any
// arguments.
func (o Override) offered(items []rollout.Item) []OfferedTool {
	var out []OfferedTool
	for _, name := range o.Offer {
		var chat json.RawMessage
		for i := range items {
			var list []json.RawMessage
			at := slices.Index(ToolNames(items[i]), name)
			if at >= 0 && jsontext.Unmarshal(items[i].Tools, &list) == nil {
				chat = list[at]
				break
			}
		}
		if chat == nil {
			quoted, _ := json.Marshal(name) // a text encodes
			chat = fmt.Appendf(nil, `{"type":"function","function":{"name":%s,"parameters":{"type":"object"}}}`, quoted)
		}
		out = append(out, OfferedTool{name, chat})
	}
	return out
}

// rename leaves dropped tools out of a row's and renames others. What stays of a tool keeps
// every byte.
func (o Override) rename(tools json.RawMessage) (json.RawMessage, error) {
	if tools == nil || len(o.Drop)+len(o.Rename) == 0 {
		return tools, nil
	}
	list, err := elements(tools)
	if err != nil {
		return nil, err
	}
	var left [][]byte
	for _, at := range list {
		tool := bytes.Clone(tools[at.from:at.to])
		_, name, ok, err := functionAt(tool, span{0, len(tool)})
		if err != nil {
			return nil, err
		}
		is := ""
		if ok {
			is = jsontext.TextOrJSON(tool[name.from:name.to])
		}
		if slices.Contains(o.Drop, is) {
			continue
		}
		if to := o.Rename[is]; ok && to != "" {
			quoted, err := json.Marshal(to)
			if err != nil {
				return nil, err
			}
			tool = slices.Replace(tool, name.from, name.to, quoted...)
		}
		left = append(left, tool)
	}
	if len(left) == 0 {
		return nil, nil // servers refuse an empty list
	}
	return slices.Concat([]byte{'['}, bytes.Join(left, []byte{','}), []byte{']'}), nil
}

// headOf is how many messages are an item's prompt.
func headOf(messages []rollout.Message) int {
	i := slices.IndexFunc(messages, func(m rollout.Message) bool { return m.Role != "system" && m.Role != "developer" })
	if i < 0 {
		return len(messages)
	}
	return i
}

// headText is the text of the prompt that the messages begin with.
func headText(messages []rollout.Message) string {
	var texts []string
	for _, m := range messages[:headOf(messages)] {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n\n")
}

// head returns the messages with their prompt replaced and added to.
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

// withPart adds a part of text to a content array; a message whose content is
// a string has none.
func withPart(parts json.RawMessage, text string) json.RawMessage {
	var list []json.RawMessage
	if len(parts) == 0 || jsontext.Unmarshal(parts, &list) != nil {
		return nil
	}
	part, err := json.Marshal(map[string]string{"type": "text", "text": text})
	if err != nil {
		return nil // a map of strings encodes
	}
	whole, err := json.Marshal(append(list, part))
	if err != nil {
		return nil // they were read as JSON
	}
	return whole
}

// describe puts the descriptions into a row's tools and leaves every other
// byte as it is: servers show them to the model in this order.
func (o Override) describe(tools json.RawMessage) (json.RawMessage, error) {
	if tools == nil || len(o.Tools) == 0 {
		return tools, nil
	}
	list, err := elements(tools)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(tools)
	for _, at := range slices.Backward(list) { // from the end, so places before stay
		object, name, ok, err := functionAt(tools, span{at.from, at.to})
		if err != nil {
			return nil, err
		}
		text, ours := o.Tools[jsontext.TextOrJSON(tools[name.from:name.to])]
		if !ok || !ours {
			continue
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		old, there, err := member(tools, object, "description")
		if err != nil {
			return nil, err
		}
		if !there { // after the name
			old, quoted = span{name.to, name.to}, append([]byte(`,"description":`), quoted...)
		}
		out = slices.Replace(out, old.from, old.to, quoted...)
	}
	return out, nil
}

// functionAt finds the function of a tool, which is the tool itself in the flat form, and its
// name.
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

// elements finds the values of a JSON list.
func elements(raw []byte) (out []span, err error) {
	s := jsontext.Scanner{Source: raw}
	err = s.Elements(func(value []byte) error {
		out = append(out, span{s.At - len(value), s.At})
		return nil
	})
	return out, err
}

// member finds the value of a key in the JSON object at a place of raw, the last of several;
// ok is false where there is no object.
func member(raw []byte, object span, key string) (at span, ok bool, err error) {
	if raw[object.from] != '{' {
		return at, false, nil
	}
	s := jsontext.Scanner{Source: raw[:object.to], At: object.from}
	err = s.Members(func(name, value []byte) error {
		if string(jsontext.Key(name)) == key {
			at, ok = span{s.At - len(value), s.At}, true
		}
		return nil
	})
	return at, ok, err
}
