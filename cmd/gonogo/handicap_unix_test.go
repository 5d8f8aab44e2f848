//go:build unix

package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// What a child process of these tests is to lack.
const (
	fileSizeEnv  = "GONOGO_TEST_FILE_SIZE" // bytes that a file may have: a disk that becomes full
	powerlessEnv = "GONOGO_TEST_POWERLESS" // the right to write everywhere, which root has
)

// nobody is the user that a powerless process is.
const nobody = 65534

// handicap takes from this process what its environment says.
func handicap() {
	if text := os.Getenv(fileSizeEnv); text != "" {
		var l syscall.Rlimit
		n, err := strconv.ParseUint(text, 10, 32)
		if err == nil {
			err = syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l)
		}
		if err == nil {
			l.Cur = n
			err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
		}
		mustHave(err)
	}
	if os.Getenv(powerlessEnv) != "" && os.Geteuid() == 0 {
		mustHave(syscall.Setgroups(nil))
		mustHave(syscall.Setgid(nobody))
		mustHave(syscall.Setuid(nobody))
	}
}

func mustHave(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "the test's child process:", err)
		os.Exit(99)
	}
}
