package rollout

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"unicode/utf8"

	"gonogo/sampler/rollout/literal"
)

// scanner walks one JSON text, checks all of it, and cuts out the members of
// an object without decoding them. It accepts exactly what encoding/json
// accepts; with lenient set it also takes the bare words NaN, Infinity and
// -Infinity, which Python writes, wherever a value may be.
type scanner struct {
	b       []byte
	i       int
	lenient bool
	bare    bool // such a word was met; the caller takes it back

	// Of the string that was walked over last: its escapes of one letter, whether it has
	// others, and whether what it has besides is ASCII.
	short        int
	coded, ascii bool

	// enter, which may be nil, is called before the value of a member of the whole
	// object. If it walks over the value itself, visit is not called.
	enter func(key []byte) (walked bool, err error)
}

// maxDepth is how deep encoding/json lets values nest.
const maxDepth = 10000

// errSyntax says that the text is not JSON. Callers that need to say why ask
// encoding/json.
var errSyntax = errors.New("not valid JSON")

// members calls visit for each member of the one object that is the whole
// text. Key is the literal with its quotes. An error of visit ends the walk.
func (s *scanner) members(visit func(key, value []byte) error) error {
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != '{' {
		return errSyntax
	}
	if err := s.object(1, visit); err != nil {
		return err
	}
	return s.end()
}

// elements calls visit for each element of the one array that is the whole
// text.
func (s *scanner) elements(visit func(value []byte) error) error {
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != '[' {
		return errSyntax
	}
	if err := s.array(1, visit); err != nil {
		return err
	}
	return s.end()
}

func (s *scanner) end() error {
	s.space()
	if s.i != len(s.b) {
		return errSyntax
	}
	return nil
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// value walks over one value that starts at s.i.
func (s *scanner) value(depth int) error {
	if s.i >= len(s.b) {
		return errSyntax
	}
	switch c := s.b[s.i]; c {
	case '"':
		return s.text()
	case '{':
		return s.object(depth+1, nil)
	case '[':
		return s.array(depth+1, nil)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	case 'N':
		return s.lenientWord("NaN")
	case 'I':
		return s.lenientWord("Infinity")
	case '-':
		if s.i+1 < len(s.b) && s.b[s.i+1] == 'I' {
			return s.lenientWord("-Infinity")
		}
		return s.number()
	default:
		if c < '0' || c > '9' {
			return errSyntax
		}
		return s.number()
	}
}

func (s *scanner) word(w string) error {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return errSyntax
	}
	s.i += len(w)
	return nil
}

func (s *scanner) lenientWord(w string) error {
	if !s.lenient {
		return errSyntax
	}
	s.bare = true
	return s.word(w)
}

func (s *scanner) object(depth int, visit func(key, value []byte) error) error {
	if depth > maxDepth {
		return errSyntax
	}
	s.i++
	s.space()
	if s.i < len(s.b) && s.b[s.i] == '}' {
		s.i++
		return nil
	}
	for {
		s.space()
		k := s.i
		if s.i >= len(s.b) || s.b[s.i] != '"' {
			return errSyntax
		}
		if err := s.text(); err != nil {
			return err
		}
		kEnd := s.i
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != ':' {
			return errSyntax
		}
		s.i++
		s.space()
		v := s.i
		walked := false
		if depth == 1 && s.enter != nil {
			var err error
			if walked, err = s.enter(s.b[k:kEnd]); err != nil {
				return err
			}
		}
		if !walked {
			if err := s.value(depth); err != nil {
				return err
			}
		}
		if visit != nil && !walked {
			if err := visit(s.b[k:kEnd], s.b[v:s.i]); err != nil {
				return err
			}
		}
		if more, err := s.comma('}'); !more || err != nil {
			return err
		}
	}
}

func (s *scanner) array(depth int, visit func(value []byte) error) error {
	if depth > maxDepth {
		return errSyntax
	}
	s.i++
	s.space()
	if s.i < len(s.b) && s.b[s.i] == ']' {
		s.i++
		return nil
	}
	for {
		s.space()
		v := s.i
		if err := s.value(depth); err != nil {
			return err
		}
		if visit != nil {
			if err := visit(s.b[v:s.i]); err != nil {
				return err
			}
		}
		if more, err := s.comma(']'); !more || err != nil {
			return err
		}
	}
}

// comma reads what follows a member or element: a comma, or the end.
func (s *scanner) comma(end byte) (more bool, err error) {
	s.space()
	if s.i >= len(s.b) {
		return false, errSyntax
	}
	c := s.b[s.i]
	s.i++
	switch c {
	case ',':
		return true, nil
	case end:
		return false, nil
	}
	return false, errSyntax
}

// plain marks the bytes that may be in a string as they are and need no
// look: not the quote, the backslash or a control character.
var plain = func() (t [256]bool) {
	for c := ' '; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

const tops = 0x8080808080808080 // the highest bit of each of eight bytes

// marked sets the highest bit of the first of eight bytes that is not plain: below a
// space, a quote or a backslash. Bits above it mean nothing; 0 is all plain.
func marked(x uint64) uint64 {
	const ones = 0x0101010101010101
	quote, slash := x^ones*'"', x^ones*'\\'
	return ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash) & tops
}

// text walks over a string and notes what textLen has to know of it.
func (s *scanner) text() error {
	b, i := s.b, s.i+1
	var all uint64
	s.short, s.coded = 0, false
	for {
		for len(b)-i >= 8 {
			x := binary.LittleEndian.Uint64(b[i:])
			all |= x
			if m := marked(x); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		for i < len(b) && plain[b[i]] {
			all |= uint64(b[i])
			i++
		}
		if i >= len(b) {
			return errSyntax
		}
		if b[i] == '"' {
			s.i, s.ascii = i+1, all&tops == 0
			return nil
		}
		if b[i] != '\\' || i+1 >= len(b) {
			return errSyntax
		}
		switch b[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
			s.short++
		case 'u':
			if len(b)-i < 6 || !hex4(b[i+2:i+6]) {
				return errSyntax
			}
			i += 6
			s.coded = true
		default:
			return errSyntax
		}
	}
}

// textLen returns the number of bytes of the text of the string that was walked over
// last, whose literal is lit.
func (s *scanner) textLen(lit []byte) int {
	if !s.coded && (s.ascii || utf8.Valid(lit)) {
		return len(lit) - len(`""`) - s.short
	}
	return literal.Len(lit)
}

func hex4(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

func (s *scanner) number() error {
	b, i := s.b, s.i
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b) || b[i] < '0' || b[i] > '9':
		return errSyntax
	case b[i] == '0':
		i++
	default:
		i = digits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = digits(b, from); i == from {
			return errSyntax
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = digits(b, from); i == from {
			return errSyntax
		}
	}
	s.i = i
	return nil
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// nullify returns a copy of a leniently checked text in which NaN, Infinity
// and -Infinity outside of strings read null.
func nullify(b []byte) []byte {
	out := make([]byte, 0, len(b)+8)
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			s := scanner{b: b, i: i}
			if s.text() != nil {
				return append(out, b[i:]...)
			}
			out = append(out, b[i:s.i]...)
			i = s.i
		case c == 'N':
			out = append(out, "null"...)
			i += len("NaN")
		case c == 'I':
			out = append(out, "null"...)
			i += len("Infinity")
		case c == '-' && i+1 < len(b) && b[i+1] == 'I':
			out = append(out, "null"...)
			i += len("-Infinity")
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}
