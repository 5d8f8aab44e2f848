package calibration

import (
	"os"
	"path/filepath"
	"testing"
)

// A share of 1,000 data sets at a bound of 95 % has a standard error of 0.69
// points: 94.0 is chance, 92.0 is not.
func TestTableNamesMisses(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GONOGO_CALIBRATE_DIR", dir)
	table := New(7, "Means", "Items of two kinds.", "m", "covers")
	target := table.Target("covers 95 to 98 %")
	table.Row(20, target.Hold(0.95, 0.95, 0.98, 1000))
	table.Row(40, target.Hold(0.94, 0.95, 0.98, 1000))
	table.Row(60, target.Hold(0.92, 0.95, 0.98, 1000))
	table.Row(80, target.Hold(1, 0.95, 1, 1000))
	table.Target("seen to fail")
	table.Write(t)
	for name, want := range map[string]string{
		"07.section.md": "\n## Means\n\nItems of two kinds. By `TestTableNamesMisses`.\n\n| m | covers |\n|---|---|\n| 20 | 95.0 |\n| 40 | 94.0* |\n| 60 | 92.0** |\n| 80 | 100.0 |\n",
		"07.targets.md": "| Means | covers 95 to 98 % | 4 | 92.0 to 100.0 % | **missed** in 1 of 4, 2 outside in all |\n| Means | seen to fail | 0 | nothing | **not simulated** |\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestVerdictsOfTargets(t *testing.T) {
	met, chance := &Target{}, &Target{}
	met.Hold(0.05, 0, 0.05, 100)
	chance.Hold(0.06, 0, 0.05, 100)
	if got := met.verdict(); got != "met" {
		t.Errorf("on the bound: %s", got)
	}
	if got := chance.verdict(); got != "1 of 1 outside, none by more than three standard errors" {
		t.Errorf("a point above in 100 data sets: %s", got)
	}
}
