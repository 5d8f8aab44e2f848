//go:build !linux

package python

// killTree kills a worker and what is in its group.
func killTree(pid int, _ bool) { killGroup(pid) }

// killMarked finds nothing where there is no /proc.
func killMarked(string) {}

// processes of a worker cannot be seen where there is no /proc.
type noTable struct{}

func processTable() noTable { return noTable{} }

func (noTable) below(int) []int { return nil }

func (noTable) memory([]int, int64) int64 { return 0 }
