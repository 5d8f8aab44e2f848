// Package calibration serves the gonogo command; its API may change in any release.
//
// It writes the results of simulations as tables of docs/calibration/simulations.md.
//
// In: from tests of the analysis packages, the figures of each cell and their targets. Out: one
// section per simulation and its lines in the table of targets, which `make calibrate` joins.
package calibration
