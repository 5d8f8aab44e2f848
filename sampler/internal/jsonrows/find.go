package jsonrows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Shape says where the rows of a file are.
type Shape struct {
	Array bool       // the file is an array, and its first entry is an object
	One   bool       // the file is one object
	Lists [][]string // keys that lead to its lists of objects, if it is one
	Keys  []string   // of the object that the file begins with
}

const (
	deepest  = 3    // objects around a list of rows
	mostKeys = 1000 // that are kept
	longKey  = 1000 // bytes
)

// errBroken means that a text is not JSON.
var errBroken = errors.New("broken JSON")

// Find looks at the first value of a file. It returns the zero Shape for a file that is not JSON; its
// errors are those of rd.
func Find(rd io.Reader) (Shape, error) {
	f := finder{walker: newWalker(rd)}
	c, err := f.next()
	switch {
	case err == nil && c == '[':
		c, err = f.next()
		f.Array = c == '{'
	case err == nil && c == '{':
		if err = f.object(nil); err == nil {
			_, err = f.next()
			f.One = errors.Is(err, io.EOF)
		}
	}
	if errors.Is(err, errBroken) || errors.Is(err, io.EOF) {
		err = nil
	}
	if !f.One {
		f.Lists = nil
	}
	return f.Shape, err
}

// finder looks for lists of objects.
type finder struct {
	walker
	Shape
}

// object walks over the members of the object at a path, after its brace.
func (f *finder) object(path []string) error {
	return f.members(func(key string) error {
		if len(path) == 0 && len(f.Keys) < mostKeys {
			f.Keys = append(f.Keys, key)
		}
		here := append(slices.Clone(path), key)
		c, err := f.next()
		switch {
		case err != nil:
			return err
		case c == '{' && len(here) < deepest:
			return f.object(here)
		case c != '[':
			return f.skip(c)
		}
		first, err := f.next()
		if err != nil {
			return err
		}
		if first == '{' && len(f.Lists) < mostKeys {
			f.Lists = append(f.Lists, here)
		}
		return errors.Join(f.in.UnreadByte(), f.skip('['))
	})
}

// walker walks over JSON text.
type walker struct{ in *bufio.Reader }

func newWalker(rd io.Reader) walker {
	in := bufio.NewReaderSize(rd, 64<<10)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(len(mark)) // it was peeked
	}
	return walker{in}
}

// next returns the next byte that is not white space.
func (w walker) next() (byte, error) {
	for {
		c, err := w.in.ReadByte()
		if err != nil || !isSpace(c) {
			return c, err
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// members passes the keys of an object to value, which must walk over their values.
func (w walker) members(value func(key string) error) error {
	for {
		c, err := w.next()
		switch {
		case err != nil:
			return err
		case c == '}':
			return nil
		case c == ',':
			continue
		case c != '"':
			return errBroken
		}
		key, err := w.key()
		if err != nil {
			return err
		}
		if c, err = w.next(); err == nil && c != ':' {
			err = errBroken
		}
		if err == nil {
			err = value(key)
		}
		if err != nil {
			return err
		}
	}
}

// key returns a key after its first quote. A long key is cut.
func (w walker) key() (string, error) {
	text := []byte{'"'}
	for escaped := false; ; {
		c, err := w.in.ReadByte()
		if err != nil {
			return "", err
		}
		if len(text) < longKey || c == '"' && !escaped {
			text = append(text, c)
		}
		if c == '"' && !escaped {
			break
		}
		escaped = c == '\\' && !escaped
	}
	if key, err := strconv.Unquote(string(text)); err == nil {
		return key, nil
	}
	return string(text[1 : len(text)-1]), nil
}

// skip walks over the rest of a value that begins with c.
func (w walker) skip(c byte) error {
	var in nesting
	if c != '{' && c != '[' && c != '"' {
		return w.skipWord(c)
	}
	in.add(c)
	for {
		if _, err := w.in.Peek(1); err != nil {
			return err
		}
		window, _ := w.in.Peek(w.in.Buffered())
		n, ended := in.walk(window)
		if _, err := w.in.Discard(n); err != nil || ended {
			return err
		}
	}
}

// skipWord walks over the rest of a number, a literal or broken text that begins with c.
func (w walker) skipWord(c byte) error {
	var in nesting
	for {
		in.add(c)
		if in.depth == 0 && !in.text {
			switch c {
			case '}', ']', '"':
				return nil
			}
		}
		var err error
		if c, err = w.in.ReadByte(); err != nil {
			return err
		}
		if in.depth == 0 && !in.text && (c == ',' || c == '}' || c == ']') { // after a number or a literal
			return w.in.UnreadByte()
		}
	}
}

// nesting follows the brackets of JSON text.
type nesting struct {
	depth         int
	text, escaped bool // in a string; after a backslash in it
}

func (n *nesting) add(c byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.text:
		n.text, n.escaped = c != '"', c == '\\'
	case c == '"':
		n.text = true
	case c == '{' || c == '[':
		n.depth++
	case c == '}' || c == ']':
		n.depth--
	}
}

// walk walks over text up to the end of the value that it is in, or of the text.
func (n *nesting) walk(text []byte) (size int, ended bool) {
	for i := 0; i < len(text); {
		if n.text {
			if i += n.inText(text[i:]); n.text {
				return i, false
			}
		} else {
			for i < len(text) && !bracket[text[i]] {
				i++
			}
			if i == len(text) {
				return i, false
			}
			n.add(text[i])
			i++
		}
		if n.depth == 0 && !n.text {
			return i, true
		}
	}
	return len(text), false
}

// inText walks over the rest of a string, as far as it is in text.
func (n *nesting) inText(text []byte) int {
	for i := 0; ; {
		from := i
		if n.escaped && i < len(text) {
			n.escaped = false
			i, from = i+1, i+1
		}
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			quote = len(text) - i
		}
		i += quote
		slashes := i
		for slashes > from && text[slashes-1] == '\\' {
			slashes--
		}
		n.escaped = n.escaped != ((i-slashes)%2 == 1)
		switch {
		case i == len(text):
			return i
		case !n.escaped:
			n.text = false
			return i + 1
		}
	}
}

// bracket marks the bytes that nesting.add follows outside of strings.
var bracket = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// Command returns the command that writes the rows of a list one a line: of the list that the keys of
// a path lead to or, without keys, of the array that makes up the file.
func Command(path ...string) string {
	var filter strings.Builder
	filter.WriteByte('.')
	for i, key := range path {
		switch {
		case !word.MatchString(key):
			fmt.Fprintf(&filter, "[%q]", key)
		case i == 0:
			filter.WriteString(key)
		default:
			filter.WriteString("." + key)
		}
	}
	filter.WriteString("[]")
	return "jq -c '" + strings.ReplaceAll(filter.String(), "'", `'\''`) + "' FILE"
}

// word matches a key that jq takes without quotes.
var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ValueLen returns the length of the JSON value at the start of text. ended is false if the text
// ends before it is known; the value is not checked.
func ValueLen(text []byte) (n int, ended bool) {
	switch text[0] {
	case '{', '[', '"':
		var in nesting
		in.add(text[0])
		n, ended = in.walk(text[1:])
		return n + 1, ended
	}
	n = bytes.IndexAny(text, ",]} \t\r\n")
	return n, n >= 0
}
