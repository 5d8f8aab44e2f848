//go:build !race

package burst_test

func oneProcessor() (undo func()) { return func() {} }
