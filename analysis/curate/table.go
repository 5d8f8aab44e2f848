package curate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
)

// Encode writes the curation as JSON: indented, with a final newline. The same curation gives
// the same bytes.
func (c *Curation) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode curation: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// WriteTable writes one line of CSV for every row of the file, in English. Texts from the data
// that a spreadsheet would read as a formula get an apostrophe in front.
func (c *Curation) WriteTable(w io.Writer) error {
	to := csv.NewWriter(w)
	head := []string{
		"line", "item", "decision", "reason", "why", "posterior", "other_reasons", "rollouts", "graded", "class",
		"mean_reward", "variance",
		"stays", "informative", "more_samples", "look_at", "category", "family",
	}
	if len(c.Table) > 0 && c.Table[0].Difficulty != nil {
		head = append(head, "pass_rate", "band", "weight")
	}
	_ = to.Write(head) // the csv.Writer keeps its first error
	for i := range c.Table {
		_ = to.Write(c.Table[i].cells())
	}
	to.Flush()
	if err := to.Error(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// Decision returns in words whether a row is kept.
func (r *Row) Decision() string {
	switch {
	case !r.Kept:
		return "dropped"
	case r.Sampled == 0:
		return "kept, not measured"
	case r.Open:
		return "kept, needs more samples"
	}
	return "kept"
}

func (r *Row) cells() []string {
	why, posterior := "", (*float64)(nil)
	var others []string
	for i, g := range r.Grounds {
		if i == 0 {
			why, posterior = g.Why.String(), g.Posterior
		} else {
			others = append(others, string(g.Reason)+": "+g.Why.String())
		}
	}
	more := ""
	switch {
	case r.MoreSamples != nil:
		more = strconv.Itoa(*r.MoreSamples)
	case r.Open:
		more = "more than " + message.Whole(measure.MaxSamplesToTell)
	}
	cells := []string{
		strconv.Itoa(r.Line), analysis.PlainCell(r.Item), r.Decision(), string(r.Reason), analysis.PlainCell(why),
		figureCell(posterior), analysis.PlainCell(strings.Join(others, "; ")),
		strconv.Itoa(r.Sampled), strconv.Itoa(r.N), r.Class, figureCell(r.Mean), figureCell(r.Variance),
		figureCell(r.Stays), figureCell(r.Informative), more, analysis.PlainCell(message.Clauses(r.Look...).String()),
		analysis.PlainCell(r.Category), analysis.PlainCell(r.Family),
	}
	if d := r.Difficulty; d != nil {
		cells = append(cells, figureCell(&d.PassRate), d.Band, figureCell(&d.Weight))
	}
	return cells
}

func figureCell(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(*p, 'g', 6, 64)
}
