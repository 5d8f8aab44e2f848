package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// box is one way to hold a worker.
type box struct {
	name         string
	holds        string // what it holds, in one sentence
	args         []string
	ownProcesses bool // the worker has a namespace of processes, and dies with us by that
	ownTmp       bool // the worker has a /tmp of its own
	seal         bool // the worker makes its file system read-only before it loads anything
}

// command is what stands before the interpreter.
func (b *box) command() []string { return slices.Clone(b.args) }

// boxes lists the ways to hold a worker here, the best first.
func boxes(sandbox string, in *interpreter) []*box {
	var out []*box
	if sandbox != None && runtime.GOOS == "linux" {
		if file, err := exec.LookPath("bwrap"); err == nil {
			out = append(out, bubblewrap(file, in))
		}
	}
	if sandbox != Required {
		out = append(out, &box{
			name:  "plain",
			holds: "python runs with limits on memory, file size and time only: there is no sandbox, and network and files are open to it as they are to this program",
		})
	}
	return out
}

// bubblewrap shows the worker the system and the interpreter, read-only.
func bubblewrap(file string, in *interpreter) *box {
	args := []string{file, "--unshare-all", "--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64"} {
		if to, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", to, dir)
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	for _, dir := range needs(in) {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	return &box{
		name:         "bubblewrap",
		holds:        "python runs in bubblewrap: no network, no files but those of the system and of its interpreter, read-only, and a /tmp that is gone with it",
		args:         append(args, "--chdir", "/tmp", "--"),
		ownProcesses: true,
		ownTmp:       true,
	}
}

// needs lists the folders and files that an interpreter reads, each once, those
// above before those below.
func needs(in *interpreter) []string {
	all := []string{"/usr", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/mime.types", "/nix/store", "/gnu/store"}
	all = append(all, in.Prefixes...)
	all = append(all, in.Path...)
	all = append(all, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	for file := in.Executable; ; { // each link of a chain of links
		all = append(all, file)
		to, err := os.Readlink(file)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	all = slices.DeleteFunc(all, func(s string) bool { return !filepath.IsAbs(s) || filepath.Clean(s) == "/" })
	slices.Sort(all)
	var out []string
	for _, s := range slices.Compact(all) {
		if n := len(out); n == 0 || !strings.HasPrefix(s, out[n-1]+"/") {
			out = append(out, s)
		}
	}
	return out
}
