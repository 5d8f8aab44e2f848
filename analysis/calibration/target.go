package calibration

import (
	"fmt"
	"math"
)

// Target counts how many figures lie where they must.
type Target struct {
	about       string
	cells       int
	outside     int // of the bounds
	missed      int // of them, by more than chance explains
	least, most float64
}

// noiseWidth is how many standard errors of a simulation pass for chance.
const noiseWidth = 3

// Hold notes a share of that many data sets that must lie within [low, high],
// and writes it in per cent: with one star outside the bounds, with two where
// it is farther outside than three standard errors of the simulation.
func (g *Target) Hold(share, low, high float64, sets int) string {
	if g.cells == 0 {
		g.least, g.most = share, share
	}
	g.cells++
	g.least, g.most = min(g.least, share), max(g.most, share)
	text := Percent(share)
	bound := low
	if share > high {
		bound = high
	}
	if off := math.Abs(share - bound); share < low-rounding || share > high+rounding {
		g.outside++
		text += "*"
		if off > noiseWidth*math.Sqrt(bound*(1-bound)/float64(sets)) {
			g.missed++
			text += "*"
		}
	}
	return text
}

// rounding is what sums of shares may be off by.
const rounding = 1e-9

func (g *Target) seen() string {
	if g.cells == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s to %s %%", Percent(g.least), Percent(g.most))
}

func (g *Target) verdict() string {
	switch {
	case g.cells == 0:
		return "**not simulated**"
	case g.missed > 0:
		return fmt.Sprintf("**missed** in %d of %d, %d outside in all", g.missed, g.cells, g.outside)
	case g.outside > 0:
		return fmt.Sprintf("%d of %d outside, none by more than three standard errors", g.outside, g.cells)
	}
	return "met"
}
