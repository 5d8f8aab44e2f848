package report

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/analysis"
	"gonogo/report/reporttest"
)

// openEnvSchema is what .ci/peers/openenv-report/validate.py prints of openenv 0.10.0.
type openEnvSchema struct {
	Report         []string          `json:"report"`
	ReportRequired []string          `json:"report_required"`
	Result         []string          `json:"result"`
	ResultRequired []string          `json:"result_required"`
	Status         []string          `json:"status"`
	Verdict        []string          `json:"verdict"`
	Lane           []string          `json:"lane"`
	Signature      []string          `json:"signature"`
	Version        string            `json:"version"`
	Level          map[string]int    `json:"level"`
	Checks         map[string]string `json:"checks"`
}

func openEnv(t *testing.T, p *RunPage) (openEnvReport, []byte) {
	t.Helper()
	b := write(t, "openenv", p)
	var out openEnvReport
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out, b
}

// All seven checks pass where the gates do, are skipped where nothing was measured, and an audit
// answers the two about the grader.
func TestGoldenOpenEnv(t *testing.T) {
	for _, name := range []string{"go", "dead", "audited"} {
		_, b := openEnv(t, page(t, name))
		golden(t, name+".openenv.json", string(b))
	}
}

// The report has the fields and values of OpenEnv's own schema, as recorded from the package, and
// the verdict that its policy gives these results.
func TestTheOpenEnvReportFollowsItsSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/openenv-0.10.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema openEnvSchema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for _, name := range reporttest.Names() {
		out, b := openEnv(t, page(t, name))
		var raw struct {
			Results []map[string]any
		}
		var top map[string]any
		if json.Unmarshal(b, &raw) != nil || json.Unmarshal(b, &top) != nil {
			t.Fatalf("%s: %s", name, b)
		}
		if diff := cmp.Diff(schema.Report, slices.Sorted(maps.Keys(top))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if out.Version != schema.Version || !slices.Contains(schema.Lane, out.Lane) || !slices.Contains(schema.Signature, out.Signature) ||
			!slices.Equal(out.LevelsRun, []int{schema.Level["statistical"]}) || out.Target == "" {
			t.Errorf("%s: %+v", name, out)
		}
		want, ids := "pass", map[string]string{}
		for i, x := range out.Results {
			ids[x.CheckID] = schema.Checks[x.CheckID]
			if !slices.Contains(schema.Status, x.Status) || x.DurationS < 0 || len(x.Evidence) == 0 {
				t.Errorf("%s: %+v", name, x)
			}
			if diff := cmp.Diff(schema.Result, slices.Sorted(maps.Keys(raw.Results[i]))); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if x.Status == "fail" && schema.Checks[x.CheckID] == "fail" { // apply_policy of openenv/validation/policy.py
				want = "fail"
			} else if x.Status != "pass" && want == "pass" {
				want = "warn"
			}
		}
		if diff := cmp.Diff(schema.Checks, ids); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if out.Verdict != want {
			t.Errorf("%s: the verdict is %s, want %s", name, out.Verdict, want)
		}
	}
}

// A check passes only if its gate does: what was skipped or is not decided is a skip.
func TestAnOpenEnvCheckPassesOnlyIfItsGateDoes(t *testing.T) {
	passed, skipped := 0, 0
	for _, name := range reporttest.Names() {
		p := page(t, name)
		out, _ := openEnv(t, p)
		split, _ := analysis.TrainingSplit(p.Result)
		for _, x := range out.Results {
			worst := analysis.Skipped
			for _, f := range analysis.ByFact(p.Result.Findings) {
				if f.Gate == x.Measured.Gate && (f.Split == "" || f.Split == split) && string(f.Severity) == x.Measured.Severity {
					worst = f.Status
				}
			}
			want := map[analysis.Status]string{analysis.Pass: "pass", analysis.Fail: "fail", analysis.Unknown: "skip", analysis.Skipped: "skip"}[worst]
			if x.Status != want {
				t.Errorf("%s: %s is %s, and %s is %s", name, x.CheckID, x.Status, x.Measured.Gate, worst)
			}
			switch x.Status {
			case "pass":
				if passed++; x.Measured.N == 0 || x.Measured.Threshold == nil || x.Measured.Low == nil && x.Measured.High == nil {
					t.Errorf("%s: %s passes on %+v", name, x.CheckID, x.Measured)
				}
			case "skip":
				skipped++
			}
		}
	}
	if passed < 10 || skipped < 10 {
		t.Errorf("%d passes and %d skips", passed, skipped)
	}
}
