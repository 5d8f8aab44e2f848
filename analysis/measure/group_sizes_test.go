package measure

import (
	"slices"
	"testing"
)

func TestGroupSizesBeyondTheSamples(t *testing.T) {
	tests := []struct {
		name string
		n, g int
		want []int
	}{
		{"a group within the samples", 8, 8, []int{16, 32, 64}},
		{"a group between doublings", 4, 12, []int{8, 12, 16, 32}},
		{"a group that is a doubling", 4, 8, []int{8, 16, 32}},
		{"a group far beyond", 2, 100, []int{4, 8, 16, 100}},
	}
	for _, test := range tests {
		if got := beyond(test.n, test.g); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// A curve must not change the mix of items: it ends where fewer than four fifths of the items have
// samples for it.
func TestTheSamplesThatMostItemsHave(t *testing.T) {
	for _, test := range []struct {
		name   string
		counts []int
		want   int
	}{
		{"no items", nil, 0},
		{"all alike", []int{4, 4, 4}, 4},
		{"four of five have eight", []int{2, 8, 8, 8, 8}, 8},
		{"three of four have eight: too few", []int{8, 2, 8, 8}, 2},
		{"seven of nine have eight: too few", []int{8, 8, 8, 8, 8, 8, 8, 3, 1}, 3},
		{"eight of ten have eight", []int{8, 8, 8, 8, 8, 8, 8, 8, 3, 1}, 8},
		{"eight of ten have six or more", []int{5, 6, 7, 8, 8, 8, 8, 8, 8, 1}, 6},
	} {
		if got := CommonSamples(test.counts); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
