// Package calibration writes what simulations found as tables of
// docs/calibration.md. Tests of the rooms of analysis hand in the figures of
// each cell and what they must be; out come one section a simulation and its
// lines of the table of targets, which `make calibrate` joins.
package calibration
