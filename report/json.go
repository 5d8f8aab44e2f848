package report

import (
	"bytes"
	"fmt"
	"io"

	"gonogo/analysis/message"
)

// writeJSON writes the page's result.
func writeJSON(w io.Writer, p *RunPage) error {
	if err := p.Result.Encode(w); err != nil {
		return fmt.Errorf("write result.json: %w", err)
	}
	return nil
}

// writeJSONText writes the result with the texts of its messages, in the page's language.
func writeJSONText(w io.Writer, p *RunPage) error {
	var b bytes.Buffer
	if err := writeJSON(&b, p); err != nil {
		return err
	}
	spelled, err := message.Spell(b.Bytes(), p.Result.Lang)
	if err != nil {
		return fmt.Errorf("write result-text.json: %w", err)
	}
	if _, err := w.Write(spelled); err != nil {
		return fmt.Errorf("write result-text.json: %w", err)
	}
	return nil
}
