package message

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Spell adds the key text, with the words in language l, to each message in a JSON document. A
// message is an object with an id and optionally args. Unknown ids stay unchanged.
func Spell(doc []byte, l Language) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("spell messages: %w", err)
	}
	if err := spell(value, l); err != nil {
		return nil, fmt.Errorf("spell messages: %w", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("spell messages: %w", err)
	}
	return b.Bytes(), nil
}

func spell(value any, l Language) error {
	switch v := value.(type) {
	case []any:
		for _, x := range v {
			if err := spell(x, l); err != nil {
				return err
			}
		}
	case map[string]any:
		id, _ := v["id"].(string)
		_, known := Find(id)
		_, args := v["args"]
		if known && (len(v) == 1 || len(v) == 2 && args) {
			raw, err := json.Marshal(v)
			if err != nil {
				return err
			}
			var t Text
			if err := json.Unmarshal(raw, &t); err != nil {
				return err
			}
			v["text"] = t.In(l)
			return nil
		}
		for _, x := range v {
			if err := spell(x, l); err != nil {
				return err
			}
		}
	}
	return nil
}
