package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis/message"
	"gonogo/report/internal/typeface"
	"gonogo/report/reporttest"
)

func formatsNamed(names ...string) []Format[*RunPage] {
	var list []Format[*RunPage]
	for _, f := range Formats() {
		for _, name := range names {
			if f.Name == name {
				list = append(list, f)
			}
		}
	}
	return list
}

func TestLongSignsThatPicturesLackAreToldOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, c := range []struct {
		about   string
		formats []Format[*RunPage]
		print   int  // warnings of the PDF
		picture bool // a warning of the pictures
	}{
		{"no font: the pictures tell it", formatsNamed("html"), 0, true},
		{"no font: the summary is a picture too", formatsNamed("summary"), 0, true},
		{"no font: what is printed tells it for both", formatsNamed("html", "pdf"), 1, false},
	} {
		r := reporttest.Load(t, "go")
		r.Lang = message.Chinese
		opt := options()
		opt.Font, opt.Rollouts = typeface.None, nil
		p := NewRunPage(r, opt)
		if err := Write(t.TempDir(), p, c.formats); err != nil {
			t.Fatal(err)
		}
		warning := p.PictureWarning()
		if len(p.Warnings()) != c.print || (warning != "") != c.picture || c.picture && !strings.Contains(warning, "--font") {
			t.Errorf("%s: %q and %q", c.about, p.Warnings(), warning)
		}
	}
}

func TestLongTheNamedFontDrawsThePictures(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	r := reporttest.Load(t, "go")
	r.Lang = message.Chinese
	opt := options()
	opt.Font, opt.Rollouts = typeface.None, nil
	p := NewRunPage(r, opt)
	if err := Write(t.TempDir(), p, formatsNamed("summary")); err != nil {
		t.Fatal(err)
	}
	opt.Font = madeUp(t, string(p.letters().Missing()))
	p = NewRunPage(r, opt)
	if err := Write(t.TempDir(), p, formatsNamed("summary")); err != nil || p.PictureWarning() != "" {
		t.Errorf("%v, %q", err, p.PictureWarning())
	}
	broken := filepath.Join(t.TempDir(), "broken.ttf")
	if err := os.WriteFile(broken, []byte("no font"), 0o644); err != nil {
		t.Fatal(err)
	}
	opt.Font = broken
	if err := Write(t.TempDir(), NewRunPage(r, opt), formatsNamed("summary")); err == nil || !strings.Contains(err.Error(), "broken.ttf") {
		t.Errorf("a font that cannot be read: %v", err)
	}
}

func TestThePageShowsChineseWithoutAFont(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.Lang = message.Chinese
	opt := options()
	opt.Font = typeface.None
	p := NewRunPage(r, opt)
	if page := string(write(t, "html", p)); strings.Contains(page, "□") || !strings.Contains(page, ">组大小 8</text>") {
		t.Error("the pictures of the page hold boxes, or lack their texts")
	}
	if warning := p.PictureWarning(); warning != "" {
		t.Errorf("the page warns of pictures that it shows: %q", warning)
	}
}
