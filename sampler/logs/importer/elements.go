package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonogo/sampler/internal/jsonrows"
	"gonogo/sampler/jsontext"
)

// eachOf is eachElement for elements that yield decodes.
func eachOf(ctx context.Context, f File, path []string, other func(string, json.RawMessage) error,
	yield func(*array, []byte) error,
) error {
	return eachElement(ctx, f, path, other, func([]byte) (none struct{}, err error) { return none, nil },
		func(a *array, text []byte, _ struct{}) error { return yield(a, text) })
}

// eachElement reads a file that is a list or an object with a list at path. It decodes the elements on all
// processors, and yields them in order. An error of decode or yield is returned with the element's
// position, unless the sink ended the import. decode may not keep its text.
//
// Most elements are cut out of blocks of text. The array itself, which reads token by token, opens
// the file, reads what follows the last element that could be cut out, and reports what is broken.
func eachElement[T any](ctx context.Context, f File, path []string, other func(string, json.RawMessage) error,
	decode func(text []byte) (T, error), yield func(a *array, text []byte, row T) error,
) error {
	a, err := openArrayIn(f, path, other)
	if err != nil {
		return err
	}
	defer func() { _ = a.close() }()
	if !a.ended {
		if err := eachCut(ctx, a, decode, yield); err != nil {
			return err
		}
	}
	for {
		raw, err := a.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		row, err := decode(raw)
		if err == nil {
			err = yield(a, raw, row)
		}
		if err != nil {
			return a.stopped(err)
		}
	}
}

// errNotCut ends the cutting at an element that is broken.
var errNotCut = errors.New("a broken element")

// eachCut yields the elements that can be cut out of blocks, and leaves the array behind the last one.
func eachCut[T any](ctx context.Context, a *array, decode func(text []byte) (T, error),
	yield func(a *array, text []byte, row T) error,
) error {
	c := elementCutter{at: a.offset()}
	if err := a.reopen(c.at); err != nil {
		return err
	}
	c.rd = a.rd
	type element struct {
		text   []byte
		row    T
		err    error
		broken bool
	}
	end := c.at // of the last element
	err := inOrder(c.next, func(b elementBlock) int64 { return int64(cap(b.text)) }, func(b elementBlock) []element {
		elements := make([]element, len(b.elements))
		for i, e := range b.elements {
			now := &elements[i]
			if now.text, now.broken = checkElement(b.text[e[0]:e[1]]); !now.broken {
				now.row, now.err = decode(now.text)
			}
		}
		return elements
	}, func(b elementBlock, elements []element) error {
		for i, e := range elements {
			if e.broken {
				return errNotCut
			}
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("read %s: %w", a.src.Name, err)
			}
			a.index++
			a.start, end = b.at+int64(b.elements[i][0]), b.at+int64(b.elements[i][1])
			if e.err == nil {
				e.err = yield(a, e.text, e.row)
			}
			if e.err != nil {
				return a.stopped(e.err)
			}
		}
		return nil
	})
	rest := io.MultiReader(bytes.NewReader(c.carry), c.rd)
	if errors.Is(err, errNotCut) {
		err = a.reopen(end)
		rest = a.rd
	}
	if err != nil {
		return err
	}
	return a.resume(rest, end)
}

// checkElement returns an element with null for the bare words of Python, or that it is not JSON.
func checkElement(text []byte) (clean []byte, broken bool) {
	s := jsontext.Scanner{Source: text, Lenient: true}
	if s.Value(0) != nil || s.End() != nil {
		return nil, true
	}
	if strict := s.Strict(text); &strict[0] == &text[0] {
		return text[:len(text):len(text)], false
	}
	clean, err := io.ReadAll(newConstants(bytes.NewReader(text)))
	return bytes.TrimSpace(clean), err != nil
}

// reopen opens the file again at an offset.
func (a *array) reopen(at int64) error {
	rd, err := a.src.Open()
	if err != nil {
		return err
	}
	_ = a.rd.Close() // it was only read
	a.rd = rd
	if _, err := io.CopyN(io.Discard, rd, at); err != nil {
		return fmt.Errorf("read %s: %w", a.src.Name, err)
	}
	return nil
}

// resume goes on token by token behind the current element, or before the first, where rest begins.
func (a *array) resume(rest io.Reader, at int64) error {
	var before strings.Builder // which brings the decoder into the state of that place
	for _, key := range a.path {
		fmt.Fprintf(&before, "{%q:", key)
	}
	before.WriteByte('[')
	if a.index >= 0 {
		before.WriteString(`""`)
	}
	size := int64(before.Len())
	a.clean = newConstants(io.MultiReader(strings.NewReader(before.String()), rest))
	a.dec, a.base = json.NewDecoder(a.clean), at-size
	for a.dec.InputOffset() < size {
		if _, err := a.dec.Token(); err != nil {
			return a.broken(err)
		}
	}
	return nil
}

// blockBytes is the size of a block, unless an element is longer.
const blockBytes = 256 << 10

// elementBlock is text with whole elements of an array, which are not checked.
type elementBlock struct {
	text     []byte
	at       int64    // offset of the text in the file
	elements [][2]int // where each begins and ends in the text
}

// elementCutter cuts the text after the bracket of an array into blocks.
type elementCutter struct {
	rd    io.Reader
	at    int64  // offset of what is carried
	carry []byte // what was read but is in no block
	err   error  // of rd, which will return it again
	later bool   // an element came before
	ended bool   // what is carried does not begin with another element
}

// next returns the next block, and io.EOF behind the last element that could be cut out.
func (c *elementCutter) next() (elementBlock, error) {
	b := elementBlock{at: c.at, text: append(make([]byte, 0, max(blockBytes, 2*len(c.carry))), c.carry...)}
	end := 0
	for !c.ended {
		from, to, whole, cut := cutElement(b.text[end:], c.later)
		switch {
		case whole:
			b.elements = append(b.elements, [2]int{end + from, end + to})
			end, c.later = end+to, true
			continue
		case !cut || c.err != nil:
			c.ended = true
			continue
		case len(b.elements) > 0 && len(b.text) == cap(b.text):
		case len(b.text) == cap(b.text) && cap(b.text) >= mostInFlight: // it may have no end
			c.ended = true
			continue
		default:
			if len(b.text) == cap(b.text) {
				b.text = append(make([]byte, 0, 2*cap(b.text)), b.text...)
			}
			var n int
			n, c.err = io.ReadFull(c.rd, b.text[len(b.text):cap(b.text)])
			b.text = b.text[:len(b.text)+n]
			continue
		}
		break
	}
	c.carry, c.at = bytes.Clone(b.text[end:]), b.at+int64(end)
	if len(b.elements) == 0 {
		return b, io.EOF
	}
	return b, nil
}

// cutElement finds the next element; later means that a comma comes before it. cut means that the text
// ends within it.
func cutElement(text []byte, later bool) (from, to int, whole, cut bool) {
	space := func() { from += len(text[from:]) - len(bytes.TrimLeft(text[from:], " \t\r\n")) }
	if space(); from < len(text) && later {
		if text[from] != ',' {
			return from, from, false, false
		}
		from++
		space()
	}
	if from == len(text) {
		return from, from, false, true
	}
	switch text[from] {
	case ',', ':', ']', '}':
		return from, from, false, false
	}
	n, whole := jsonrows.ValueLen(text[from:])
	return from, from + n, whole, !whole
}
