// Package collect serves the gonogo command; its API may change in any release.
//
// It reads a run into memory. In: records. Out: rows with the numbers of each rollout and of each
// payload of the audit, without their text, so that memory grows with items × samples. Every
// measurement of a run starts here.
package collect
