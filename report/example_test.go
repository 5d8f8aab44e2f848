package report_test

import (
	"fmt"
	"os"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report"
)

// A page is made once and written in any format.
func ExampleNewRunPage() {
	value, low, high := 0.04, 0.02, 0.07
	gate := "signal.informative"
	result := &analysis.Result{
		Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &gate, Claim: analysis.NothingToLearn}, GroupSize: 8, Confidence: 0.95,
		Findings: []analysis.Finding{{
			Gate: gate, Split: "train", Severity: analysis.Blocking, Fact: analysis.Fact{
				Status: analysis.Fail, Value: &value, Low: &low, High: &high, Want: message.Verbatim("≥ 10 %"), Unit: "share",
				Title: message.Verbatim("only 4 % of groups of 8 teach something"),
				Why:   message.Verbatim("A group whose rewards are all equal teaches nothing."), Remedy: message.Verbatim("Add items of medium difficulty."),
			},
		}},
	}
	page := report.NewRunPage(result, report.Options{Name: "support-agent", Version: "1.0.0", ASCII: true, Width: 72})
	fmt.Println(page.Verdict, page.Sentence)
	fmt.Println(page.Findings[0].Value)
	for _, format := range report.Formats() {
		if format.Name == "summary" {
			file, err := os.CreateTemp("", "summary-*.png")
			if err != nil {
				fmt.Println(err)
				return
			}
			defer os.Remove(file.Name())
			if err := format.Write(file, page); err != nil {
				fmt.Println(err)
			}
			file.Close()
		}
	}
	// Output:
	// NO-GO Nothing to learn from — only 4 % of groups of 8 teach something; wanted ≥ 10 %.
	// 4 % [2 %, 7 %]
}
