package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Share estimates a proportion of independent items by its exact interval
// (Clopper & Pearson 1934). Where none or all of them show it there is no
// standard error. With no items nothing is known.
func Share(hits, items int, conf float64) Estimate {
	checkConf(conf)
	const method = "share of items; Clopper–Pearson interval"
	if items == 0 {
		return unknown(0, 0, method, noTrials.Text())
	}
	low, high := ClopperPearson(float64(hits), float64(items), conf)
	p := float64(hits) / float64(items)
	e := Estimate{Value: Some(p), Low: Some(low), High: Some(high), N: items, Items: items, Method: method, Warnings: []message.Text{}}
	if hits > 0 && hits < items {
		e.SE = Some(math.Sqrt(p * (1 - p) / float64(items)))
	}
	return e
}
