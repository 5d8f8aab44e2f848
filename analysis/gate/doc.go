// Package gate holds the gates, one per file, listed by All. In: a measured Result and
// thresholds. Out: findings. A gate reads only the Result; it measures nothing.
package gate
