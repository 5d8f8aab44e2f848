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

// Bounds of what is read: they keep the depth of every recursion small.
const (
	longest = 64 << 10 // bytes of a formula
	deepest = 100      // parentheses, signs and powers within each other
)

// How tightly operators hold what is left and right of them. A power holds
// its right side less than its left: it groups to the right.
var binding = map[byte]struct{ left, right int }{
	'+': {1, 2}, '-': {1, 2},
	'*': {3, 4}, '/': {3, 4},
	'^': {7, 6},
}

// sign is how tightly a sign holds what is right of it.
const sign = 5

// parser is a Pratt parser (V. R. Pratt, "Top down operator precedence", POPL
// 1973, doi:10.1145/512927.512931).
type parser struct {
	source string
	given  []string
	names  []string // read so far
	at     int      // byte
	depth  int
}

func (p *parser) whole() (node, error) {
	if p.space(); p.at == len(p.source) {
		return nil, p.fail(p.at, "the formula is empty")
	}
	root, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.at < len(p.source) {
		return nil, p.unexpected()
	}
	return root, nil
}

// expression reads as far as operators bind at least as tightly as least.
func (p *parser) expression(least int) (node, error) {
	if p.depth++; p.depth > deepest {
		return nil, p.fail(p.at, "more than %d levels of nesting", deepest)
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	for p.space(); p.at < len(p.source); p.space() {
		op, at := p.source[p.at], p.at
		b, ok := binding[op]
		if !ok || b.left < least {
			break
		}
		p.at++
		right, err := p.expression(b.right)
		if err != nil {
			return nil, err
		}
		left = &binary{step{p.col(at)}, op, left, right}
	}
	return left, nil
}

// operand reads a number, a name, a call, a parenthesis or a sign.
func (p *parser) operand() (node, error) {
	p.space()
	if p.at == len(p.source) {
		return nil, p.fail(p.at, "the formula ends where a value is expected")
	}
	at, c := p.at, p.source[p.at]
	r, _ := utf8.DecodeRuneInString(p.source[p.at:])
	switch {
	case c == '-' || c == '+':
		p.at++
		x, err := p.expression(sign)
		if err != nil || c == '+' {
			return x, err
		}
		return &negation{step{p.col(at)}, x}, nil
	case c == '(':
		p.at++
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		return x, p.close(at)
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case letter(r):
		return p.name()
	}
	return nil, p.unexpected()
}

func (p *parser) number() (node, error) {
	at := p.at
	digits := func() {
		for p.at < len(p.source) && (p.source[p.at] >= '0' && p.source[p.at] <= '9' || p.source[p.at] == '.') {
			p.at++
		}
	}
	digits()
	if p.at < len(p.source) && (p.source[p.at] == 'e' || p.source[p.at] == 'E') {
		p.at++
		if p.at < len(p.source) && (p.source[p.at] == '-' || p.source[p.at] == '+') {
			p.at++
		}
		digits()
	}
	text := p.source[at:p.at]
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, p.fail(at, "the number %s is too large", text)
	case err != nil:
		return nil, p.fail(at, "%q is not a number", text)
	}
	return &number{step{p.col(at)}, v}, nil
}

// name reads the name of a value, or a call when "(" follows it.
func (p *parser) name() (node, error) {
	at := p.at
	for p.at < len(p.source) {
		r, n := utf8.DecodeRuneInString(p.source[p.at:])
		if !letter(r) && !unicode.IsDigit(r) {
			break
		}
		p.at += n
	}
	name := p.source[at:p.at]
	if p.space(); p.at < len(p.source) && p.source[p.at] == '(' {
		return p.call(name, at)
	}
	index := slices.Index(p.given, name)
	switch {
	case index >= 0:
	case functions[name] != nil:
		return nil, p.fail(at, "%s is a function: write its values in parentheses", name)
	default:
		return nil, p.fail(at, "unknown name %q; the names are %s", name, list(p.given))
	}
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	return &variable{step{p.col(at)}, name, index}, nil
}

func (p *parser) call(name string, at int) (node, error) {
	f := functions[name]
	if f == nil {
		return nil, p.fail(at, "unknown function %q; the functions are %s", name,
			list(slices.Sorted(maps.Keys(functions))))
	}
	open := p.at
	c := &call{step: step{p.col(at)}, name: name, f: f}
	for {
		p.at++ // the parenthesis or comma
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		c.values = append(c.values, x)
		if p.space(); p.at == len(p.source) || p.source[p.at] != ',' {
			break
		}
	}
	if err := p.close(open); err != nil {
		return nil, err
	}
	switch n := len(c.values); {
	case f.one != nil && n != 1:
		return nil, p.fail(at, "%s takes one value, not %d", name, n)
	case f.two != nil && n < 2:
		return nil, p.fail(at, "%s takes two or more values, not %d", name, n)
	}
	return c, nil
}

// close reads the parenthesis that ends what was opened at open.
func (p *parser) close(open int) error {
	p.space()
	switch {
	case p.at == len(p.source):
		return p.fail(open, "this parenthesis is not closed")
	case p.source[p.at] != ')':
		return p.unexpected()
	}
	p.at++
	return nil
}

func (p *parser) space() {
	for p.at < len(p.source) && strings.IndexByte(" \t\r\n", p.source[p.at]) >= 0 {
		p.at++
	}
}

// unexpected describes what is where it cannot be.
func (p *parser) unexpected() error {
	r, _ := utf8.DecodeRuneInString(p.source[p.at:])
	switch {
	case r == '*' && p.at > 0 && p.source[p.at-1] == '*':
		return p.fail(p.at-1, "** is not an operator: write a power with ^")
	case r == ')':
		return p.fail(p.at, "unexpected %q", r)
	case letter(r) || unicode.IsDigit(r) || r == '(':
		return p.fail(p.at, "an operator is missing before %q", r)
	}
	return p.fail(p.at, "unexpected %q; the operators are + - * / ^", r)
}

// col is the column of a byte.
func (p *parser) col(at int) int { return utf8.RuneCountInString(p.source[:at]) + 1 }

func (p *parser) fail(at int, format string, args ...any) error {
	return &Error{Column: p.col(at), Text: fmt.Sprintf(format, args...)}
}
