// Package gate holds the gates: a measured Result and thresholds go in, findings come
// out. One file a gate, and All lists them. A gate reads the Result alone; it measures
// nothing.
package gate
