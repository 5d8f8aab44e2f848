package report

import (
	"bytes"
	"fmt"
	"path/filepath"

	"gonogo/report/chart"
	"gonogo/report/internal/lettering"
	"gonogo/report/internal/typeface"
)

// fallbacks are the fonts of a page: in print the machine's fonts come after the document's own, in
// pictures after those of the charts.
type fallbacks struct {
	pictures *lettering.Fonts
	machine  machineFonts
	sought   bool
	err      error // of the font named in Options
}

// machine returns the fonts of the machine, read when they are first needed.
func (p *common) machine() (machineFonts, error) {
	l := &p.fallbacks
	if !l.sought {
		l.machine, l.err = p.fonts()
		l.sought = true
	}
	return l.machine, l.err
}

// letters returns the fonts of the page's pictures.
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

// chartFiles draws each figure as NAME.png in dir.
func (p *common) chartFiles(dir string) ([]file, error) {
	var files []file
	for _, fig := range p.Figures {
		var b bytes.Buffer
		fig.Fonts = p.letters()
		if err := chart.WritePNG(&b, fig, chart.Width, fig.Height); err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join(dir, fig.Name+".png"), b.Bytes()})
	}
	if p.fallbacks.err != nil {
		return nil, fmt.Errorf("make the pictures: %w", p.fallbacks.err)
	}
	return files, nil
}

// PictureWarning names the characters that the pictures written so far could not show; "" if there
// are none, or if Warnings mentions them already.
func (p *common) PictureWarning() string {
	missing := p.letters().Missing()
	if len(missing) == 0 || len(p.warnings) > 0 {
		return ""
	}
	return p.boxes(missing, p.fallbacks.machine)
}
