package typeface

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/font/sfnt"
)

// None is the font name that disables the search.
const None = "none"

// most limits how many system fonts a document uses, and mostSize the size of a font file in bytes.
const (
	most       = 4
	mostSize   = 256 << 20
	everything = "中日あア한글" // a font with all of these needs no other
)

// Find returns the fonts for runes that the builtin ones lack. path names one file; "" searches the
// usual places of the system, and None returns none. language ("zh", "ja", "ko") selects a font of
// a collection. Notes name the files that were found and cannot be used.
func Find(path, language string) (faces []*Face, notes []string, err error) {
	switch path {
	case None:
		return nil, nil, nil
	case "":
		faces, notes = search(places, language)
		return faces, notes, nil
	}
	face, err := Open(path, language)
	if err != nil {
		return nil, nil, err
	}
	return []*Face{face}, nil, nil
}

// search opens the fonts in the places until nothing is missing.
func search(places []string, language string) (faces []*Face, notes []string) {
	home, _ := os.UserHomeDir()
	missing := []rune(everything)
	for _, place := range places {
		if rest, ok := strings.CutPrefix(place, "~"); ok {
			place = home + rest
		}
		found, _ := filepath.Glob(place)
		for _, path := range found {
			face, err := Open(path, language)
			if err != nil {
				notes = append(notes, err.Error())
				continue
			}
			lacked := len(missing)
			missing = slices.DeleteFunc(missing, face.Has)
			if len(missing) == lacked {
				continue
			}
			if faces = append(faces, face); len(missing) == 0 || len(faces) == most {
				return faces, notes
			}
		}
	}
	return faces, notes
}

// Open reads a font file. Of a collection it returns the font for the language, or the first one.
func Open(path, language string) (*Face, error) {
	face, err := open(path, language)
	if err != nil {
		return nil, fmt.Errorf("read font %s: %w", path, err)
	}
	return face, nil
}

func open(path, language string) (*Face, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, cause(err)
	case info.IsDir():
		return nil, errors.New("it is a directory; name the font file in it")
	case info.Size() > mostSize:
		return nil, fmt.Errorf("it has %d MB, too large for a font", info.Size()>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cause(err)
	}
	faces, err := faces(data)
	if err != nil {
		return nil, fmt.Errorf("it is not a TrueType or OpenType font (.ttf, .otf, .ttc) that can be read: %w", err)
	}
	face := faces[max(0, slices.IndexFunc(faces, func(f *Face) bool { return speaks(f.Name, language) }))]
	return face, face.drawable()
}

// faces returns the usable fonts of a file. A font that does not parse is repaired first.
func faces(data []byte) ([]*Face, error) {
	fonts, err := sfnt.ParseCollection(data)
	if err != nil {
		return nil, err
	}
	var list []*Face
	var faults []error
	for i := range fonts.NumFonts() {
		f, err := fonts.Font(i)
		if err != nil {
			f, err = repaired(data, i, err)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		list = append(list, newFace(f))
	}
	if len(list) == 0 {
		return nil, errors.Join(append(faults, errors.New("no font in it is usable"))...)
	}
	return list, nil
}

// cause returns the error of a file operation without the name of the file.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// speaks reports whether a font of a collection is for a language, by its name: "Noto Sans CJK SC".
func speaks(name, language string) bool {
	marks := map[string][]string{"zh": {"SC", "CN", "GB"}, "ja": {"JP", "J"}, "ko": {"KR", "K"}}
	base, _, _ := strings.Cut(language, "-")
	for word := range strings.FieldsSeq(name) {
		if slices.Contains(marks[base], word) {
			return true
		}
	}
	return false
}

// drawable returns an error if the font has no outlines, such as a bitmap font.
func (f *Face) drawable() error {
	for _, r := range everything + "Aa0" {
		if i, err := f.font.GlyphIndex(&f.buf, r); err != nil || i == 0 {
			continue
		}
		if !f.Has(r) {
			return errors.New("its outlines cannot be read")
		}
		return nil
	}
	return nil
}
