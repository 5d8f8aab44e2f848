//go:build !linux

package process

// KillTree kills a process and its group.
func KillTree(pid int, _ bool) { KillGroup(pid) }

// KillMarked does nothing: it needs /proc.
func KillMarked(string) {}

// Table is empty on this system: it needs /proc.
type Table struct{}

// Processes returns an empty table.
func Processes() Table { return Table{} }

// Below returns nil.
func (Table) Below(int) []int { return nil }

// Memory returns 0.
func (Table) Memory([]int, int64) int64 { return 0 }
