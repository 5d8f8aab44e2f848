//go:build !linux

package process

// KillTree kills a process and what is in its group.
func KillTree(pid int, _ bool) { KillGroup(pid) }

// KillMarked finds nothing where there is no /proc.
func KillMarked(string) {}

// Table would hold the processes of the machine, which cannot be seen where there
// is no /proc.
type Table struct{}

// Processes returns an empty table.
func Processes() Table { return Table{} }

// Below lists none.
func (Table) Below(int) []int { return nil }

// Memory is none.
func (Table) Memory([]int, int64) int64 { return 0 }
