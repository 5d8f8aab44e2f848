package report

import (
	"io"

	"gonogo/report/block"
	"gonogo/report/text"
)

// WriteAudit writes the page of an audit by itself, for a terminal: its
// findings and what it says of the grader.
func WriteAudit(w io.Writer, p *Page) error {
	return text.Write(w, p.part(
		block.Section{Title: p.Words.Findings, Blocks: []block.Block{p.Findings}},
		block.Section{Title: p.Words.Audit.Title, Blocks: auditBlocks(p.Result, p.Options, p.Words)},
	), p.terminal())
}

// WriteBurst writes the page of a rehearsal by itself, for a terminal: its
// findings and how the endpoints did.
func WriteBurst(w io.Writer, p *Page) error {
	return text.Write(w, p.part(
		block.Section{Title: p.Words.Findings, Blocks: []block.Block{p.Findings}},
		block.Section{Title: p.Words.Burst.Title, Blocks: burstBlocks(p.Result.Burst, p.Words)},
	), p.terminal())
}
