package typeface

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
)

// fontFile writes a font of some Latin letters.
func fontFile(t *testing.T, dir, name, letters string) string {
	t.Helper()
	data, err := Embed("Some", []*Face{Builtin(Regular)}, []rune(letters))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFontThatCannotBeReadSaysWhy(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty.ttf": "", "text.ttf": "no font", "cut.ttf": "\x00\x01\x00\x00\x00\x0a", "collection.ttc": "ttcf\x00\x01\x00\x00\xff\xff\xff\xff"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"empty.ttf": "not a TrueType or OpenType font", "text.ttf": "not a TrueType or OpenType font", "cut.ttf": "read font",
		"collection.ttc": "read font", "missing.ttf": "missing.ttf: no such file", ".": "it is a directory",
	} {
		if _, _, err := Find(filepath.Join(dir, name), "zh"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", name, err, want)
		}
	}
}

func TestFontsAreFoundInTheirPlaces(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.ttf")
	if err := os.WriteFile(broken, []byte("no font"), 0o644); err != nil {
		t.Fatal(err)
	}
	fontFile(t, dir, "latin.ttf", "abc")
	faces, notes := search([]string{filepath.Join(dir, "none.ttf"), broken, filepath.Join(dir, "*.ttf")}, "zh")
	if len(faces) != 0 {
		t.Errorf("%d fonts without a single sign that is needed were taken", len(faces))
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "broken.ttf") {
		t.Errorf("notes are %q, want the file that cannot be used, by name", notes)
	}
	if faces, notes, err := Find(None, ""); faces != nil || notes != nil || err != nil {
		t.Errorf("none is %v, %v, %v", faces, notes, err)
	}
}

// On a machine with such a font it is found, and draws what it is for.
func TestTheFontOfThisMachine(t *testing.T) {
	faces, notes, err := Find("", "zh")
	if err != nil {
		t.Fatal(err)
	}
	if len(faces) == 0 {
		t.Skipf("no font for Chinese, Japanese and Korean is here: install fonts-droid-fallback (%q)", notes)
	}
	data, err := Embed("Found", faces, []rune(everything))
	if err != nil || len(data) < 1000 {
		t.Errorf("%s: %d bytes, %v", faces[0].Name, len(data), err)
	}
}

// Many fonts hold tables at odd places, which the specification forbids.
func TestAFontPutTogetherCarelesslyIsRead(t *testing.T) {
	path := fontFile(t, t.TempDir(), "odd.ttf", "abc")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("name"))
	from, size := word(data, at+8), word(data, at+12)
	odd := append(bytes.Clone(data), 0)
	binary.BigEndian.PutUint32(odd[at+8:], uint32(len(odd)))
	odd = append(odd, data[from:from+size]...)
	if err := os.WriteFile(path, odd, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sfnt.Parse(odd); err == nil {
		t.Fatal("the font is no longer refused: package sfnt takes it as it is")
	}
	face, err := Open(path, "")
	if err != nil || !face.Has('b') || face.Name != "Some" {
		t.Errorf("the font is not read: %v", err)
	}
}

func TestTheLanguagePicksTheFontOfACollection(t *testing.T) {
	for name, want := range map[string]string{"Noto Sans CJK SC": "zh", "Noto Sans CJK JP": "ja", "Noto Sans CJK KR": "ko", "Hiragino Sans GB W3": "zh"} {
		for _, language := range []string{"zh", "ja", "ko", "en", ""} {
			if got := speaks(name, language); got != (language == want) {
				t.Errorf("%s for %q: %v", name, language, got)
			}
		}
	}
	if !speaks("Noto Sans CJK SC", "zh-CN") {
		t.Error("a language with a region is none")
	}
}

func FuzzOpen(f *testing.F) {
	data, err := Embed("Seed", []*Face{Builtin(Regular)}, []rune("Aa0"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("OTTO"))
	f.Add([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "font")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		face, err := Open(path, "")
		if err != nil {
			return
		}
		if _, err := Embed("x", []*Face{face}, []rune("Aa0中")); err != nil {
			t.Error(err) // a glyph that cannot be read is one that is not there
		}
	})
}
