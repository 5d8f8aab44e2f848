package python

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// sweeps bounds how often the processes are looked through for new ones.
const sweeps = 100

// killTree kills a worker and all below it. The worker is stopped first and
// killed last: as long as it is there, what loses its parent becomes its child
// and cannot get away.
func killTree(pid int) {
	if syscall.Kill(pid, syscall.SIGSTOP) == nil {
		for range sweeps {
			below := descendants(pid)
			if len(below) == 0 {
				break
			}
			for _, p := range below {
				_ = syscall.Kill(p, syscall.SIGKILL)
			}
		}
	}
	killGroup(pid)
}

// descendants lists the processes below one that still live.
func descendants(root int) []int {
	children := make(map[int][]int)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything.
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(fields) < 2 || string(fields[0]) == "Z" {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		children[parent] = append(children[parent], pid)
	}
	var out []int
	for next := []int{root}; len(next) > 0; next = next[1:] {
		out = append(out, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return out
}

// killMarked kills what carries the mark in its environment: processes that a
// worker left behind when it ended by itself.
func killMarked(mark string) {
	for range sweeps {
		found := false
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(b, []byte(mark)) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
