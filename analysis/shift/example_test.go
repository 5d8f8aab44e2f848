package shift_test

import (
	"fmt"
	"strings"

	"gonogo/analysis/shift"
)

// Training questions are short; those of production are long and mention
// invoices.
func ExampleCompare() {
	var train, production []shift.Row
	for i := range 60 {
		question := "which city is the capital of country " + strings.Repeat("x", i%7)
		train = append(train, shift.Row{ID: fmt.Sprint("t", i), Text: question})
		production = append(production, shift.Row{ID: fmt.Sprint("p", i), Text: question + " and what does the invoice from its office say"})
	}
	results := shift.Compare(shift.Sample{Name: "train", Rows: train}, shift.Sample{Name: "production", Rows: production}, shift.Options{Seed: 1})
	for _, r := range results[:3] {
		fmt.Printf("%s: effect %.2f from %.2f, p = %.4f\n", r.Test, *r.Effect.Value, *r.Effect.Low, *r.P)
	}
	fmt.Println(results[2].Top[0])
	// Output:
	// energy: effect 0.52 from 0.51, p = 0.0005
	// mmd: effect 0.65 from 0.63, p = 0.0020
	// c2st: effect 1.00 from 0.94, p = 0.0050
	// "from": 100 % of production, 0 % of train
}
