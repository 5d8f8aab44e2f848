package rollout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// MarshalJSON writes the record on one line: the known keys in the order of
// the struct, then the keys of Extra in alphabetical order. A key of Extra
// that means a field of the record is left out, but for a finish that was not
// known.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	line, err := json.Marshal(plain(r))
	if err != nil || len(r.Extra) == 0 {
		return line, err
	}
	out := bytes.NewBuffer(bytes.TrimSuffix(line, []byte("}")))
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		if recordKeys()[name] && (name != "finish" || r.Finish != "") {
			continue
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		out.WriteByte(',')
		out.Write(key)
		out.WriteByte(':')
		if err := json.Compact(out, r.Extra[name]); err != nil {
			return nil, fmt.Errorf("write key %q of a record: %w", name, err)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
