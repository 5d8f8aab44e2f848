// Package reporttest serves the gonogo command; its API may change in any release.
//
// It provides Results for the tests of report and report/chart: real results of package analysis
// for simulated runs, frozen as JSON, so that a golden page only changes when the code of the page
// does. It also compares pictures.
package reporttest
