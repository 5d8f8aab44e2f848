// Package process ends what this program starts.
//
// In: processes that were started apart, or a mark in their environment. Out:
// none of them, nor of what they started, is left.
package process
