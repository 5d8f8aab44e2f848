// Package judge is the driver: a run is measured, every gate of a list is asked, and
// the findings are folded into one verdict.
package judge
