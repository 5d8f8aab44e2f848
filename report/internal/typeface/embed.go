package typeface

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"golang.org/x/image/font"
)

// Embed makes a TrueType font of the outlines of the runes, each from the first face that has it.
// Runes that no face has, and runes above U+FFFE, are left out. The bytes only depend on the
// arguments.
func Embed(name string, faces []*Face, runes []rune) ([]byte, error) {
	b := builder{bounds: [4]int{math.MaxInt16, math.MaxInt16, math.MinInt16, math.MinInt16}}
	b.add(0, nil, 0.5)
	for _, r := range slices.Compact(slices.Sorted(slices.Values(runes))) {
		i := slices.IndexFunc(faces, func(f *Face) bool { return f.Has(r) })
		if i < 0 || r > math.MaxUint16-1 {
			continue
		}
		outlines, err := faces[i].contours(r)
		if err != nil {
			return nil, fmt.Errorf("read glyph U+%04X of font %s: %w", r, faces[i].Name, err)
		}
		b.add(r, outlines, faces[i].Advance(r))
	}
	up, down := 0.9, 0.2
	if len(faces) > 0 {
		if m, err := faces[0].font.Metrics(&faces[0].buf, faces[0].ppem(), font.HintingNone); err == nil {
			up, down = float64(m.Ascent)/float64(faces[0].ppem()), float64(m.Descent)/float64(faces[0].ppem())
		}
	}
	return b.font(name, up, down), nil
}

// builder collects the font tables that grow with each glyph.
type builder struct {
	runes            []rune // by glyph; 0 for the first, the glyph for missing runes
	glyf, loca, hmtx []byte
	bounds           [4]int // x and y of the lower left, then of the upper right corner
	points, contours int    // maximum over the glyphs
	widest           int
}

func (b *builder) add(r rune, outlines [][]point, advance float64) {
	b.runes = append(b.runes, r)
	b.loca = put32(b.loca, len(b.glyf))
	wide := int(math.Round(advance * emUnits))
	b.widest = max(b.widest, wide)
	box := box(outlines)
	b.hmtx = put16(b.hmtx, wide, box[0])
	if len(outlines) == 0 {
		return
	}
	b.bounds = [4]int{
		min(b.bounds[0], box[0]), min(b.bounds[1], box[1]), max(b.bounds[2], box[2]),
		max(b.bounds[3], box[3]),
	}
	b.glyf = put16(b.glyf, len(outlines), box[0], box[1], box[2], box[3])
	n := 0
	var flags, xs, ys []byte
	x, y := 0, 0
	for _, contour := range outlines {
		n += len(contour)
		b.glyf = put16(b.glyf, n-1)
		for _, p := range contour {
			flag := byte(0)
			if p.on {
				flag = 1
			}
			px, py := unit(p.x), unit(p.y)
			flags, xs, ys = append(flags, flag), put16(xs, px-x), put16(ys, py-y)
			x, y = px, py
		}
	}
	b.points, b.contours = max(b.points, n), max(b.contours, len(outlines))
	b.glyf = slices.Concat(put16(b.glyf, 0), flags, xs, ys) // no instructions
	for len(b.glyf)%4 != 0 {
		b.glyf = append(b.glyf, 0)
	}
}

func unit(x float64) int {
	return int(math.Round(max(-4*emUnits, min(4*emUnits, x))))
}

func box(outlines [][]point) [4]int {
	if len(outlines) == 0 {
		return [4]int{}
	}
	out := [4]int{math.MaxInt16, math.MaxInt16, math.MinInt16, math.MinInt16}
	for _, contour := range outlines {
		for _, p := range contour {
			x, y := unit(p.x), unit(p.y)
			out = [4]int{min(out[0], x), min(out[1], y), max(out[2], x), max(out[3], y)}
		}
	}
	return out
}

// put16 appends big-endian words of two bytes, put32 of four bytes.
func put16(to []byte, list ...int) []byte {
	for _, v := range list {
		to = binary.BigEndian.AppendUint16(to, uint16(v))
	}
	return to
}

func put32(to []byte, list ...int) []byte {
	for _, v := range list {
		to = binary.BigEndian.AppendUint32(to, uint32(v))
	}
	return to
}
