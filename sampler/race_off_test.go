//go:build !race

package sampler_test

func oneProcessor() (undo func()) { return func() {} }
