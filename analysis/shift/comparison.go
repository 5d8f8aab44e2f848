package shift

import (
	"maps"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// comparison holds two samples prepared for testing: the rows of a, then those of b.
type comparison struct {
	opt        Options
	nameA      string
	nameB      string
	rows       []Row
	nA, nB     int
	partial    []message.Text // which samples are represented by a subset
	numbers    []number
	categories []category
	words      *bag
	reduced    reduction
	columns    []column
	shuffled   *shuffles
}

// number is one numeric quantity of every row; NaN if it is missing.
type number struct {
	trait
	values []float64
}

// category is one categorical quantity: the level of every row.
type category struct {
	name   message.Text
	levels []string // sorted; notGiven if a row has none
	of     []int
}

const notGiven = "(not given)"

func newComparison(a, b Sample, opt Options) *comparison {
	c := layout(a, b, opt.Rows, opt)
	c.shuffled = newShuffles(c.nA, c.nB, opt)
	return c
}

// layout picks at most limit rows per side and describes them.
func layout(a, b Sample, limit int, opt Options) *comparison {
	c := &comparison{opt: opt, nameA: a.Name, nameB: b.Name}
	if c.nameA == "" {
		c.nameA = "a"
	}
	if c.nameB == "" {
		c.nameB = "b"
	}
	rng := opt.rand(streamSubset)
	picked := sorted(a.Rows, limit, rng)
	c.nA = len(picked)
	c.rows = append(picked, sorted(b.Rows, limit, rng)...)
	c.nB = len(c.rows) - c.nA
	c.admit(c.nameA, len(a.Rows), c.nA)
	c.admit(c.nameB, len(b.Rows), c.nB)
	c.describe()
	c.categories = c.categorise()
	c.columns = c.design()
	return c
}

// admit notes a sample of which only some rows are used.
func (c *comparison) admit(name string, all, some int) {
	if some < all {
		c.partial = append(c.partial,
			takePart.With(message.Args{"some": message.Int(some), "rows": countRows(all), "split": message.Name(name)}))
	}
}

func (c *comparison) hasText() bool {
	return slices.ContainsFunc(c.rows, func(r Row) bool { return r.Text != "" })
}

// singleCategory reports whether one category is all that is known about the rows.
func (c *comparison) singleCategory() bool {
	return len(c.numbers) == 0 && len(c.categories) == 1 && !c.hasText()
}

// describe collects the traits and words of the texts, and the numbers of the rows.
func (c *comparison) describe() {
	if c.hasText() {
		c.read()
	}
	names := make(map[string]bool)
	for _, row := range c.rows {
		for name, x := range row.Numbers {
			names[name] = names[name] || finite(x)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !names[name] {
			continue
		}
		n := number{trait: trait{name: c.opt.named(name)}, values: make([]float64, len(c.rows))}
		for i, row := range c.rows {
			x, ok := row.Numbers[name]
			if !ok || !finite(x) {
				x = math.NaN()
			}
			n.values[i] = x
		}
		c.numbers = append(c.numbers, n)
	}
}

// read describes the texts.
func (c *comparison) read() {
	texts := make([]string, len(c.rows))
	measured := make([][]float64, len(c.rows))
	parallel(len(c.rows), func(i int) {
		texts[i] = c.rows[i].Text
		measured[i] = textTraits(texts[i])
	})
	for t, trait := range traits {
		values := make([]float64, len(c.rows))
		for i, m := range measured {
			values[i] = m[t]
		}
		if slices.Min(values) < slices.Max(values) {
			c.numbers = append(c.numbers, number{trait, values})
		}
	}
	c.words = newBag(texts)
	c.reduced = reduce(c.words, c.opt.Components, c.opt.rand(streamProjection))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func (c *comparison) categorise() []category {
	names := make(map[string]bool)
	for _, row := range c.rows {
		for name := range row.Categories {
			names[name] = true
		}
	}
	var out []category
	for _, name := range slices.Sorted(maps.Keys(names)) {
		level := make(map[string]int)
		values := make([]string, len(c.rows))
		for i, row := range c.rows {
			v, ok := row.Categories[name]
			if !ok {
				v = notGiven
			}
			values[i] = v
			level[v] = 0
		}
		k := category{
			name: message.Verbatim(name), levels: slices.Sorted(maps.Keys(level)),
			of: make([]int, len(c.rows)),
		}
		for i, l := range k.levels {
			level[l] = i
		}
		for i, v := range values {
			k.of[i] = level[v]
		}
		out = append(out, k)
	}
	return out
}

// sides splits pooled values by sample, without missing ones.
func (c *comparison) sides(values []float64) (a, b []float64) {
	for i, x := range values {
		switch {
		case math.IsNaN(x):
		case i < c.nA:
			a = append(a, x)
		default:
			b = append(b, x)
		}
	}
	return a, b
}

// result starts the result of one test. ok is false if a sample has fewer than least rows; the
// result then says so.
func (c *comparison) result(test string, about message.Text, method string, least int) (r Result, ok bool) {
	r = Result{
		Test: test, About: about, NA: c.nA, NB: c.nB, Effect: c.estimate(method), Top: []message.Text{},
		Items: []string{}, LeftOut: []string{},
	}
	if min(c.nA, c.nB) >= least {
		return r, true
	}
	args := c.sidesOf(c.nA, c.nB)
	args["least"] = message.Int(least)
	r.refuse(fewOnSide.With(args))
	return r, false
}

// estimate starts the effect of one test.
func (c *comparison) estimate(method string) stat.Estimate {
	n := c.nA + c.nB
	return stat.Estimate{N: n, Items: n, Method: method, Warnings: []message.Text{}}
}
