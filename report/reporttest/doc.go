// Package reporttest holds Results for the tests of report and report/chart:
// real answers of package analysis to simulated runs, frozen as JSON, so that
// a golden page changes only when the page does; and it compares pictures.
package reporttest
