package jsontext

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"unicode/utf8"
)

// Scanner walks one JSON text, checks all of it, and cuts out the members of an object without
// decoding them. It accepts exactly what encoding/json accepts; with Lenient it also accepts the
// bare words NaN, Infinity and -Infinity, which Python writes, in place of a value.
type Scanner struct {
	Source  []byte
	At      int // offset of the next byte to read
	Lenient bool

	// Enter, which may be nil, is called before the value of each member of the outermost
	// object. If it walks over the value itself, visit is not called.
	Enter func(key []byte) (walked bool, err error)

	bare   bool // a bare word was met since the last Strict
	spaces int  // how many bytes of white space were walked over

	rows  bool                           // the text is a row; see DecodeRow
	other func(key string, value []byte) // takes its unknown keys; may be nil

	// About the last string that was walked over: the number of its one-letter escapes, whether it
	// has \u escapes, and whether it is ASCII.
	short        int
	coded, ascii bool
}

// maxDepth is the nesting depth that encoding/json allows.
const maxDepth = 10000

// ErrSyntax means that the text is not JSON. Callers that need the reason get it from
// encoding/json.
var ErrSyntax = errors.New("not valid JSON")

// Members calls visit for each member of the object that is the whole text. key is the literal
// with its quotes. An error of visit ends the walk.
func (s *Scanner) Members(visit func(key, value []byte) error) error {
	s.Space()
	if s.At >= len(s.Source) || s.Source[s.At] != '{' {
		return ErrSyntax
	}
	if err := s.Object(1, visit); err != nil {
		return err
	}
	return s.End()
}

// Elements calls visit for each element of the array that is the whole text.
func (s *Scanner) Elements(visit func(value []byte) error) error {
	s.Space()
	if s.At >= len(s.Source) || s.Source[s.At] != '[' {
		return ErrSyntax
	}
	if err := s.array(1, visit); err != nil {
		return err
	}
	return s.End()
}

// End checks that only white space follows.
func (s *Scanner) End() error {
	s.Space()
	if s.At != len(s.Source) {
		return ErrSyntax
	}
	return nil
}

// Space walks over white space.
func (s *Scanner) Space() {
	for s.At < len(s.Source) {
		switch s.Source[s.At] {
		case ' ', '\t', '\r', '\n':
			s.At++
			s.spaces++
		default:
			return
		}
	}
}

// Value walks over the value that starts at s.At, nested in depth others.
func (s *Scanner) Value(depth int) error {
	if s.At >= len(s.Source) {
		return ErrSyntax
	}
	switch c := s.Source[s.At]; c {
	case '"':
		return s.Literal()
	case '{':
		return s.Object(depth+1, nil)
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
		if s.At+1 < len(s.Source) && s.Source[s.At+1] == 'I' {
			return s.lenientWord("-Infinity")
		}
		return s.Number()
	default:
		if c < '0' || c > '9' {
			return ErrSyntax
		}
		return s.Number()
	}
}

func (s *Scanner) word(w string) error {
	if len(s.Source)-s.At < len(w) || string(s.Source[s.At:s.At+len(w)]) != w {
		return ErrSyntax
	}
	s.At += len(w)
	return nil
}

func (s *Scanner) lenientWord(w string) error {
	if !s.Lenient {
		return ErrSyntax
	}
	s.bare = true
	return s.word(w)
}

// Object walks over the object that starts at s.At, at that depth of nesting, and calls visit,
// which may be nil, for each member.
func (s *Scanner) Object(depth int, visit func(key, value []byte) error) error {
	if depth > maxDepth {
		return ErrSyntax
	}
	s.At++
	s.Space()
	if s.At < len(s.Source) && s.Source[s.At] == '}' {
		s.At++
		return nil
	}
	for {
		s.Space()
		k := s.At
		if s.At >= len(s.Source) || s.Source[s.At] != '"' {
			return ErrSyntax
		}
		if err := s.Literal(); err != nil {
			return err
		}
		kEnd := s.At
		s.Space()
		if s.At >= len(s.Source) || s.Source[s.At] != ':' {
			return ErrSyntax
		}
		s.At++
		s.Space()
		v := s.At
		walked := false
		if depth == 1 && s.Enter != nil {
			var err error
			if walked, err = s.Enter(s.Source[k:kEnd]); err != nil {
				return err
			}
		}
		if !walked {
			if err := s.Value(depth); err != nil {
				return err
			}
		}
		if visit != nil && !walked {
			if err := visit(s.Source[k:kEnd], s.Source[v:s.At]); err != nil {
				return err
			}
		}
		if more, err := s.Comma('}'); !more || err != nil {
			return err
		}
	}
}

func (s *Scanner) array(depth int, visit func(value []byte) error) error {
	if depth > maxDepth {
		return ErrSyntax
	}
	s.At++
	s.Space()
	if s.At < len(s.Source) && s.Source[s.At] == ']' {
		s.At++
		return nil
	}
	for {
		s.Space()
		v := s.At
		if err := s.Value(depth); err != nil {
			return err
		}
		if visit != nil {
			if err := visit(s.Source[v:s.At]); err != nil {
				return err
			}
		}
		if more, err := s.Comma(']'); !more || err != nil {
			return err
		}
	}
}

// Comma reads what follows a member or element: a comma or the closing bracket, end.
func (s *Scanner) Comma(end byte) (more bool, err error) {
	s.Space()
	if s.At >= len(s.Source) {
		return false, ErrSyntax
	}
	c := s.Source[s.At]
	s.At++
	switch c {
	case ',':
		return true, nil
	case end:
		return false, nil
	}
	return false, ErrSyntax
}

// plain marks the bytes that stand for themselves in a string: all except the quote, the
// backslash and control characters.
var plain = func() (t [256]bool) {
	for c := ' '; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

const (
	ones = 0x0101010101010101 // the lowest bit of each of eight bytes
	tops = 0x8080808080808080 // the highest
)

// marked returns eight bytes with the highest bit set in the first one of x that is not plain:
// less than a space, a quote or a backslash. Higher bits are meaningless; 0 means all plain.
func marked(x uint64) uint64 {
	low, slash := x^ones*('"'^' '), x^ones*'\\' // swaps quote and space, so that one comparison finds both
	return ((low-ones*(' '+1))&^low | (slash-ones)&^slash) & tops
}

// Literal walks over a string and notes what LiteralLen needs to know about it.
func (s *Scanner) Literal() error {
	b, i := s.Source, s.At+1
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
			return ErrSyntax
		}
		if b[i] == '"' {
			s.At, s.ascii = i+1, all&tops == 0
			return nil
		}
		if b[i] != '\\' || i+1 >= len(b) {
			return ErrSyntax
		}
		if unescaped[b[i+1]] != 0 {
			i += 2
			s.short++
			continue
		}
		if b[i+1] != 'u' || len(b)-i < 6 || !hex4(b[i+2:i+6]) {
			return ErrSyntax
		}
		i += 6
		s.coded = true
	}
}

// LiteralLen returns the length in bytes of the text of the last string that was walked over,
// whose literal is lit.
func (s *Scanner) LiteralLen(lit []byte) int {
	if !s.coded && (s.ascii || utf8.Valid(lit)) {
		return len(lit) - len(`""`) - s.short
	}
	return Len(lit)
}

func hex4(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// Number walks over the number that starts at s.At.
func (s *Scanner) Number() error {
	b, i := s.Source, s.At
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b) || b[i] < '0' || b[i] > '9':
		return ErrSyntax
	case b[i] == '0':
		i++
	default:
		i = digits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = digits(b, from); i == from {
			return ErrSyntax
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = digits(b, from); i == from {
			return ErrSyntax
		}
	}
	s.At = i
	return nil
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// Strict returns a value that was walked over, with its bare words replaced by null.
func (s *Scanner) Strict(value []byte) []byte {
	if !s.bare {
		return value
	}
	s.bare = false
	return Nullify(value)
}

// Nullify returns a copy of a leniently checked text in which NaN, Infinity and -Infinity
// outside strings are replaced by null.
func Nullify(b []byte) []byte {
	out := make([]byte, 0, len(b)+8)
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			s := Scanner{Source: b, At: i}
			if s.Literal() != nil {
				return append(out, b[i:]...)
			}
			out = append(out, b[i:s.At]...)
			i = s.At
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
