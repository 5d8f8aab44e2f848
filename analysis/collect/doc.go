// Package collect reads a run into memory: records go in, and out come rows, which hold
// the numbers of each rollout and of each payload of the audit without their text, so
// that memory grows with items x samples. All that measures a run begins here.
package collect
