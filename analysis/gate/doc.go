// Package gate holds the gates, one per file, listed by All. In: a measured Result and thresholds.
// Out: findings. Gates only read the Result; they measure nothing.
package gate
