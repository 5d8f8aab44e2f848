package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// sweeps bounds how often the processes are looked through for new ones.
const sweeps = 100

// KillTree kills a process that leads its group and all its descendants. It is
// stopped first, with its group, and killed last: until then it adopts orphaned
// descendants, so none escapes. A process with its own PID namespace needs
// none of that: the kernel ends the namespace with its first process.
func KillTree(pid int, own bool) {
	if !own && syscall.Kill(-pid, syscall.SIGSTOP) == nil {
		sweep(func(table Table) []int { return table.Below(pid) })
	}
	KillGroup(pid)
}

// sweep kills what find finds, until that is nothing new.
func sweep(find func(Table) []int) {
	killed := make(map[int]bool)
	for range sweeps {
		news := false
		for _, pid := range find(Processes()) {
			if !killed[pid] {
				killed[pid], news = true, true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !news {
			return
		}
	}
}

// KillMarked kills all processes with the mark in their environment: what a process
// that exited by itself left running.
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

// entry is a process that lives.
type entry struct {
	parent   int
	resident int64 // bytes of memory, what is shared with others included
}

// Table holds the machine's processes.
type Table struct {
	all      map[int]entry
	children map[int][]int
}

// Processes reads /proc. A process that ends meanwhile is left out.
func Processes() Table {
	t := Table{make(map[int]entry), make(map[int][]int)}
	page := int64(os.Getpagesize())
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The name, in parentheses, may hold anything. Then, by proc(5): state,
		// parent, and as the 22nd the resident pages.
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

// Memory returns the memory that processes use together, in bytes. Shared memory is
// counted once only if the plain sum exceeds most.
func (t Table) Memory(pids []int, most int64) int64 {
	sum := int64(0)
	for _, pid := range pids {
		sum += t.all[pid].resident
	}
	if sum <= most {
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

// proportional is a process's memory, where what is shared is divided.
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
