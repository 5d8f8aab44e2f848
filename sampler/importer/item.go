package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"gonogo/sampler/rollout"
)

// sendItem passes on an item with the messages that every rollout of it begins
// with, and with other fields of its row; those that hold nothing are left out.
func sendItem(sink Sink, f File, it rollout.Item, messages []rollout.Message, fields map[string]json.RawMessage) error {
	row := make(map[string]json.RawMessage, len(fields)+1)
	for key, value := range fields {
		if !isNone(value) && string(value) != "{}" {
			row[key] = value
		}
	}
	if len(messages) > 0 {
		text, err := json.Marshal(messages)
		if err != nil {
			return err
		}
		row["messages"] = text
	}
	it.File = filepath.Base(f.Name)
	if len(row) > 0 {
		var err error
		if it.Row, err = json.Marshal(row); err != nil {
			return fmt.Errorf("item %q: %w", it.ID, err)
		}
	}
	if err := it.Decode(); err != nil {
		return err
	}
	return ended(sink.item(it))
}

// ended marks an error of the sink.
func ended(err error) error {
	if err != nil {
		return sinkError{err}
	}
	return nil
}

// seconds is a span that a log gives in seconds; what no span can be is not
// known.
func seconds(s *float64) rollout.Seconds {
	const century = 100 * 365 * 24 * 3600
	if s == nil || math.IsNaN(*s) || *s < 0 || *s > century {
		return 0
	}
	return rollout.Seconds(*s * float64(time.Second))
}
