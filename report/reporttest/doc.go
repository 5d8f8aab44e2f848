// Package reporttest serves the gonogo command; its API may change in any release.
//
// It holds Results for the tests of report and report/chart: real results of package analysis
// for simulated runs, frozen as JSON, so a golden page changes only when the page does. It
// also compares pictures.
package reporttest
