package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// sweeps is the maximum number of searches for new processes.
const sweeps = 100

// KillTree kills a process that leads its group, and all its descendants. It first stops the process
// with its group, and kills it last: until then the process adopts orphaned descendants, so none
// escapes. A process with its own PID namespace (pidns) needs only the last step: the kernel ends the
// namespace with its first process.
func KillTree(pid int, pidns bool) {
	if !pidns && syscall.Kill(-pid, syscall.SIGSTOP) == nil {
		sweep(func(table Table) []int { return table.Below(pid) })
	}
	KillGroup(pid)
}

// sweep kills the processes that find returns, until it returns no new ones.
func sweep(find func(Table) []int) {
	killed := make(map[int]bool)
	for range sweeps {
		found := false
		for _, pid := range find(Processes()) {
			if !killed[pid] {
				killed[pid], found = true, true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}

// KillMarked kills all processes with the mark in their environment, including those that an exited
// process left running.
func KillMarked(mark string) {
	sweep(func(table Table) []int {
		var out []int
		for pid := range table.all {
			b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
			if err == nil && bytes.Contains(b, []byte(mark)) {
				out = append(out, pid)
			}
		}
		return out
	})
}

// entry is a running process.
type entry struct {
	parent   int
	resident int64 // bytes of memory, including shared memory
}

// Table holds the machine's processes.
type Table struct {
	all      map[int]entry
	children map[int][]int
}

// Processes reads /proc. A process that ends in the meantime is left out.
func Processes() Table {
	t := Table{make(map[int]entry), make(map[int][]int)}
	page := int64(os.Getpagesize())
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The name, in parentheses, may contain anything. After it, see proc(5), come state, parent
		// and, as the 22nd field, the resident pages.
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(fields) < 22 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(string(fields[1]))
		pages, _ := strconv.ParseInt(string(fields[21]), 10, 64)
		t.all[pid] = entry{parent, pages * page}
		t.children[parent] = append(t.children[parent], pid)
	}
	return t
}

// Below returns the descendants of a process.
func (t Table) Below(root int) []int {
	var out []int
	for next := []int{root}; len(next) > 0; next = next[1:] {
		out = append(out, t.children[next[0]]...)
		next = append(next, t.children[next[0]]...)
	}
	return out
}

// Memory returns the memory that processes use together, in bytes. It counts shared memory once per
// process, unless the sum exceeds limit; then it divides shared memory among the processes that share it.
func (t Table) Memory(pids []int, limit int64) int64 {
	sum := int64(0)
	for _, pid := range pids {
		sum += t.all[pid].resident
	}
	if sum <= limit {
		return sum
	}
	sum = 0
	for _, pid := range pids {
		if share, ok := proportional(pid); ok {
			sum += share
		} else {
			sum += t.all[pid].resident
		}
	}
	return sum
}

// proportional returns a process's memory in bytes, with its share of shared memory (Pss).
func proportional(pid int) (int64, bool) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup"))
	if err != nil {
		return 0, false
	}
	_, rest, ok := bytes.Cut(b, []byte("\nPss:"))
	fields := bytes.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, false
	}
	kb, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return kb << 10, err == nil
}
