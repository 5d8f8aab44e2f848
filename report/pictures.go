package report

import (
	"bytes"
	"fmt"
	"path/filepath"

	"gonogo/report/chart"
	"gonogo/report/internal/lettering"
	"gonogo/report/internal/typeface"
)

// fallbacks is what a page is written with: in print the fonts of the machine come after
// those of the document, in pictures after those of charts.
type fallbacks struct {
	pictures *lettering.Fonts
	machine  machineFonts
	sought   bool
	err      error // of the font that is named
}

// machine are the fonts of the machine, read when they are first needed.
func (p *common) machine() (machineFonts, error) {
	l := &p.fallbacks
	if !l.sought {
		l.machine, l.err = p.fonts()
		l.sought = true
	}
	return l.machine, l.err
}

// letters are the fonts of the page's pictures.
func (p *common) letters() *lettering.Fonts {
	l := &p.fallbacks
	if l.pictures == nil {
		l.pictures = lettering.NewFonts(func() []*typeface.Face {
			fonts, err := p.machine()
			if err != nil {
				return nil
			}
			return fonts.find()
		})
	}
	return l.pictures
}

// chartFiles makes charts/NAME.png of each figure.
func (p *common) chartFiles(dir string) ([]file, error) {
	var files []file
	for _, fig := range p.Figures {
		var b bytes.Buffer
		fig.Fonts = p.letters()
		if err := chart.WritePNG(&b, fig, chart.Width, fig.Height); err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join(dir, "charts", fig.Name+".png"), b.Bytes()})
	}
	if p.fallbacks.err != nil {
		return nil, fmt.Errorf("make the pictures: %w", p.fallbacks.err)
	}
	return files, nil
}

// PictureWarning says what the pictures written so far could not show; "" where
// they show all, and where Warnings say it already.
func (p *common) PictureWarning() string {
	missing := p.letters().Missing()
	if len(missing) == 0 || len(p.warnings) > 0 {
		return ""
	}
	return p.boxes(missing, p.fallbacks.machine)
}
