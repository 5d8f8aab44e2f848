package formula

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on the source, which keep the depth of every recursion small.
const (
	longest = 64 << 10 // bytes of a formula
	deepest = 100      // nested parentheses, signs and powers
)

// binding says how tightly operators bind to their left and right. A power binds less tightly to
// the right than to the left, so that it groups to the right.
var binding = map[byte]struct{ left, right int }{
	'+': {1, 2}, '-': {1, 2},
	'*': {3, 4}, '/': {3, 4},
	'^': {7, 6},
}

// sign says how tightly a sign binds to its right.
const sign = 5

// parser is a Pratt parser (V. R. Pratt, "Top down operator precedence", POPL
// 1973, doi:10.1145/512927.512931).
type parser struct {
	source string
	inputs []string
	names  []string // the names read so far
	pos    int      // offset of the next byte
	depth  int
}

func (p *parser) parse() (node, error) {
	if p.space(); p.pos == len(p.source) {
		return nil, p.fail(p.pos, "the formula is empty")
	}
	root, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.source) {
		return nil, p.unexpected()
	}
	return root, nil
}

// expression reads an expression, up to an operator that binds to the left less tightly than minBinding.
func (p *parser) expression(minBinding int) (node, error) {
	if p.depth++; p.depth > deepest {
		return nil, p.fail(p.pos, "more than %d levels of nesting", deepest)
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	for p.space(); p.pos < len(p.source); p.space() {
		op, start := p.source[p.pos], p.pos
		b, ok := binding[op]
		if !ok || b.left < minBinding {
			break
		}
		p.pos++
		right, err := p.expression(b.right)
		if err != nil {
			return nil, err
		}
		left = &binary{step{p.col(start)}, op, left, right}
	}
	return left, nil
}

// operand reads a number, a name, a call, a parenthesis or a sign.
func (p *parser) operand() (node, error) {
	p.space()
	if p.pos == len(p.source) {
		return nil, p.fail(p.pos, "the formula ends where a value is expected")
	}
	start, c := p.pos, p.source[p.pos]
	r, _ := utf8.DecodeRuneInString(p.source[p.pos:])
	switch {
	case c == '-' || c == '+':
		p.pos++
		x, err := p.expression(sign)
		if err != nil || c == '+' {
			return x, err
		}
		return &negation{step{p.col(start)}, x}, nil
	case c == '(':
		p.pos++
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		return x, p.closeParen(start)
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case letter(r):
		return p.name()
	}
	return nil, p.unexpected()
}

func (p *parser) number() (node, error) {
	start := p.pos
	digits := func() {
		for p.pos < len(p.source) && (p.source[p.pos] >= '0' && p.source[p.pos] <= '9' || p.source[p.pos] == '.') {
			p.pos++
		}
	}
	digits()
	if p.pos < len(p.source) && (p.source[p.pos] == 'e' || p.source[p.pos] == 'E') {
		p.pos++
		if p.pos < len(p.source) && (p.source[p.pos] == '-' || p.source[p.pos] == '+') {
			p.pos++
		}
		digits()
	}
	text := p.source[start:p.pos]
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, p.fail(start, "the number %s is too large", text)
	case err != nil:
		return nil, p.fail(start, "%q is not a number", text)
	}
	return &number{step{p.col(start)}, v}, nil
}

// name reads a name, or a function call if "(" follows.
func (p *parser) name() (node, error) {
	start := p.pos
	for p.pos < len(p.source) {
		r, n := utf8.DecodeRuneInString(p.source[p.pos:])
		if !letter(r) && !unicode.IsDigit(r) {
			break
		}
		p.pos += n
	}
	name := p.source[start:p.pos]
	if p.space(); p.pos < len(p.source) && p.source[p.pos] == '(' {
		return p.call(name, start)
	}
	index := slices.Index(p.inputs, name)
	switch {
	case index >= 0:
	case functions[name] != nil:
		return nil, p.fail(start, "%s is a function: write its values in parentheses", name)
	default:
		return nil, p.fail(start, "unknown name %q; the names are %s", name, list(p.inputs))
	}
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	return &variable{step{p.col(start)}, name, index}, nil
}

func (p *parser) call(name string, start int) (node, error) {
	f := functions[name]
	if f == nil {
		return nil, p.fail(start, "unknown function %q; the functions are %s", name,
			list(slices.Sorted(maps.Keys(functions))))
	}
	open := p.pos
	c := &call{step: step{p.col(start)}, name: name, f: f}
	for {
		p.pos++ // skip the parenthesis or comma
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		c.values = append(c.values, x)
		if p.space(); p.pos == len(p.source) || p.source[p.pos] != ',' {
			break
		}
	}
	if err := p.closeParen(open); err != nil {
		return nil, err
	}
	switch n := len(c.values); {
	case f.one != nil && n != 1:
		return nil, p.fail(start, "%s takes one value, not %d", name, n)
	case f.two != nil && n < 2:
		return nil, p.fail(start, "%s takes two or more values, not %d", name, n)
	}
	return c, nil
}

// closeParen reads the parenthesis that closes the one at offset open.
func (p *parser) closeParen(open int) error {
	p.space()
	switch {
	case p.pos == len(p.source):
		return p.fail(open, "this parenthesis is not closed")
	case p.source[p.pos] != ')':
		return p.unexpected()
	}
	p.pos++
	return nil
}

func (p *parser) space() {
	for p.pos < len(p.source) && strings.IndexByte(" \t\r\n", p.source[p.pos]) >= 0 {
		p.pos++
	}
}

// unexpected returns an error about the character at p.pos, which cannot be there.
func (p *parser) unexpected() error {
	r, _ := utf8.DecodeRuneInString(p.source[p.pos:])
	switch {
	case r == '*' && p.pos > 0 && p.source[p.pos-1] == '*':
		return p.fail(p.pos-1, "** is not an operator: write a power with ^")
	case r == ')':
		return p.fail(p.pos, "unexpected %q", r)
	case letter(r) || unicode.IsDigit(r) || r == '(':
		return p.fail(p.pos, "an operator is missing before %q", r)
	}
	return p.fail(p.pos, "unexpected %q; the operators are + - * / ^", r)
}

// col returns the column of a byte.
func (p *parser) col(offset int) int { return utf8.RuneCountInString(p.source[:offset]) + 1 }

func (p *parser) fail(offset int, format string, args ...any) error {
	return &Error{Column: p.col(offset), Text: fmt.Sprintf(format, args...)}
}
