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
