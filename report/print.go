package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/report/internal/pdf"
	"gonogo/report/internal/typeface"
)

// writePDF writes a report for paper. If characters cannot be drawn, it is written again with a
// warning on page one, and the Page's Warnings mention them.
func writePDF(w io.Writer, page Page) error {
	p := page.base()
	paper, err := pdf.PaperByName(p.Paper)
	if err != nil {
		return fmt.Errorf("make pdf report: %w", err)
	}
	fonts, err := p.machine()
	if err != nil {
		return fmt.Errorf("make pdf report: %w", err)
	}
	lay := func(warning string) *pdf.Doc {
		return pdf.Print(page.Doc(), pdf.Report{Paper: paper, Fallback: fonts.find, Warning: warning, Full: p.Full})
	}
	doc := lay("")
	if missing := doc.Missing(); len(missing) > 0 {
		warning := p.boxes(missing, fonts)
		p.warn(warning)
		doc = lay(warning)
	}
	if err := doc.Write(w); err != nil {
		return fmt.Errorf("make pdf report: %w", err)
	}
	return nil
}

// machineFonts are the fonts of the machine, found when they are first needed.
type machineFonts struct {
	find  func() []*typeface.Face
	notes *[]string
}

// fonts returns the fonts that Options ask for. A named font is read at once, so that a mistake in
// its name is reported.
func (p *common) fonts() (machineFonts, error) {
	var notes []string
	m := machineFonts{notes: &notes}
	if p.Font != "" {
		faces, _, err := typeface.Find(p.Font, p.Words.Lang.Tag())
		m.find = func() []*typeface.Face { return faces }
		return m, err
	}
	var faces []*typeface.Face
	found := false
	m.find = func() []*typeface.Face {
		if !found {
			faces, notes, _ = typeface.Find("", p.Words.Lang.Tag()) // only a named font can cause an error
			found = true
		}
		return faces
	}
	return m, nil
}

// boxes names the characters that cannot be drawn, and how to fix it.
func (p *common) boxes(missing []rune, fonts machineFonts) string {
	const few = 5
	w := p.Words.PDF
	var names []string
	for _, r := range missing[:min(few, len(missing))] {
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	signs, such := p.Words.Lang.Count(len(missing), "sign"), p.Words.list(names)
	if missing[0] > 0xffff {
		return fmt.Sprintf(w.Emoji, signs, such)
	}
	s := fmt.Sprintf(w.Boxes, signs, such)
	if len(*fonts.notes) > 0 {
		s += p.Words.Signs.Space + fmt.Sprintf(w.Useless, prose(strings.Join(*fonts.notes, p.Words.Signs.Semicolon)))
	}
	return s
}

// Warnings lists what the formats written so far could not show.
func (p *common) Warnings() []string { return p.warnings }

func (p *common) warn(text string) {
	if !slices.Contains(p.warnings, text) {
		p.warnings = append(p.warnings, text)
	}
}

// Papers names the paper sizes for Options, the default first.
func Papers() []string {
	var names []string
	for _, p := range pdf.Papers() {
		names = append(names, p.Name)
	}
	return names
}

// NoFont in Options.Font means no font of the machine.
const NoFont = typeface.None

// CheckFont returns an error if the file of Options.Font cannot be used; "" and NoFont can.
func CheckFont(path string) error {
	if path == "" || path == NoFont {
		return nil
	}
	_, err := typeface.Open(path, "")
	return err
}
