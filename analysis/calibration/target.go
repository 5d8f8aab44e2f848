package calibration

import (
	"fmt"
	"math"
)

// Target counts how many figures are within their bounds.
type Target struct {
	about       string
	cells       int
	outside     int // figures outside the bounds
	missed      int // of these, by more than chance explains
	least, most float64
}

// noiseWidth is the number of standard errors of a simulation that chance may explain.
const noiseWidth = 3

// Hold records a share of the data sets that must be within [low, high], and returns it in per
// cent: with one star if it is outside the bounds, with two if it is outside by more than three
// standard errors of the simulation.
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

// rounding is the largest error of sums of shares.
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
