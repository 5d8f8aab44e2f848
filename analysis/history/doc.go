// Package history tells what changed from night to night: in goes what was kept
// of many runs of one evaluation set, out come series with their intervals, the
// nights where one of them changed with an interval for the place, and what was
// made differently there. It reads no file but what it is handed, knows no clock
// and draws chance from a seed.
package history
