package lettering

import (
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

// A fallback font has no bold face: its letters are drawn twice, which only pixels need.
func TestPixelsAreFoundBehindEveryCanvas(t *testing.T) {
	image := draw.New(vgimg.New(100, 100))
	part := draw.Crop(image, 1, -1, 1, -1)
	var rec recorder.Canvas
	record := draw.NewCanvas(&rec, 100, 100)
	for what, c := range map[string]struct {
		canvas draw.Canvas
		want   bool
	}{"an image": {image, true}, "a part of it": {part, true}, "a recorder": {record, false}} {
		if got := pixels(&c.canvas); got != c.want {
			t.Errorf("%s: pixels is %t, want %t", what, got, c.want)
		}
	}
}
