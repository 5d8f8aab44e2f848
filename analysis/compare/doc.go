// Package compare compares two runs, item by item: in go a base run and a new one,
// out comes a Comparison with its answer, the differences with their intervals, and
// what makes them other than they look. It also ranks the variants of a run.
package compare
