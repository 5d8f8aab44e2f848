package report

import (
	"slices"

	"gonogo/report/block"
)

// inBlocks are the blocks of a kind in a list, those behind folds too.
func inBlocks[T block.Block](list []block.Block) []T {
	var out []T
	for _, b := range list {
		if x, ok := b.(T); ok {
			out = append(out, x)
		}
		if f, ok := b.(block.Fold); ok {
			out = append(out, inBlocks[T](f.Blocks)...)
		}
	}
	return out
}

// section are the blocks of a section of the rest.
func section(d *block.Doc, id string) []block.Block {
	i := slices.IndexFunc(d.Rest, func(s block.Section) bool { return s.ID == id })
	return d.Rest[i].Blocks
}

// itemRows are the rows of the table of a report's first items.
func itemRows(p *RunPage) [][]string { return inBlocks[block.Items](section(p.Doc(), "items"))[0].Rows }
