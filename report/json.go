package report

import (
	"fmt"
	"io"
)

// writeJSON writes the result behind the page.
func writeJSON(w io.Writer, p *Page) error {
	if err := p.Result.Encode(w); err != nil {
		return fmt.Errorf("write result.json: %w", err)
	}
	return nil
}
