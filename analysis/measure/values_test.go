package measure

import (
	"net/url"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
)

func TestAFewRewardsAreCounted(t *testing.T) {
	m := Split{s: analysis.Settings{RewardRange: stat.Range{Lo: 0, Hi: 1}}, Rewards: [][]float64{{0, 0.1, 1}, {0.1 + 1e-9, 1, 1}}}
	values, counts := m.valueCounts()
	if !slices.Equal(values, []float64{0, 0.1, 1}) || !slices.Equal(counts, []int{1, 2, 3}) {
		t.Errorf("values %v, counts %v", values, counts)
	}
	for i := range 13 {
		m.Rewards = append(m.Rewards, []float64{0.2 + float64(i)/100})
	}
	if values, counts := m.valueCounts(); values != nil || counts != nil {
		t.Errorf("16 values: %v, %v", values, counts)
	}
}

func TestTheHostOfAnEndpoint(t *testing.T) {
	secret := url.UserPassword("user", "secret")
	for address, want := range map[string]string{
		"http://gpu1:8000/v1": "gpu1:8000", "https://" + secret.String() + "@api.example.com/v1?key=1": "api.example.com",
		"http://world.gonogo.invalid/v1": "", "": "", "/a/path": "", "://": "",
	} {
		if got := hostOf(address); got != want {
			t.Errorf("%s: the host is %q, want %q", address, got, want)
		}
	}
}
