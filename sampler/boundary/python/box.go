package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// box is a sandbox for a worker, or its absence.
type box struct {
	name     string
	sentence string   // describes the isolation to a user
	args     []string // the command line before the interpreter
	isolated bool     // the worker has its own file system and process namespace
	enter    *view    // the file system that the worker sets up for itself at its start; nil if args do it, or none
}

// view is the part of the file system that a worker sees, read-only.
type view struct {
	Links [][2]string `json:"links"` // path and target of each symbolic link
	Binds []string    `json:"binds"`
	Tmp   int64       `json:"tmp"`  // size of its /tmp, and of its /dev/shm, in bytes
	Root  string      `json:"root"` // the folder that becomes its root
}

// boxes lists the sandboxes to try on this machine, the best first.
func boxes(cfg Config, in *interpreter) []*box {
	var out []*box
	if cfg.Sandbox != None && runtime.GOOS == "linux" {
		visible := viewOf(in)
		visible.Tmp = min(tmpSize, cfg.Memory/2) // and the same in /dev/shm
		out = append(out, &box{
			name:     "namespaces",
			sentence: "python runs in its own namespaces, without bubblewrap: " + sandboxed,
			isolated: true,
			enter:    &visible,
		})
		if file, err := exec.LookPath("bwrap"); err == nil && supportsSize(file) {
			out = append(out, bubblewrap(file, visible))
		}
		if !isRoot() { // for root, bubblewrap has no effective limit on processes
			slices.Reverse(out)
		}
	}
	if cfg.Sandbox != Required {
		out = append(out, &box{
			name: "plain",
			sentence: "python runs without a sandbox, with limits on time, memory and the size of files only: " +
				"it has the same access to network and files as this program",
		})
	}
	return out
}

// sandboxed describes the isolation of both sandboxes.
const sandboxed = "no network, no process but its own, no files but those of the system and of its interpreter, " +
	"read-only, and a private, temporary /tmp"

// supportsSize reports whether this bubblewrap can limit the size of its tmpfs. Versions before 0.6
// cannot, and a grader could fill the machine's memory.
func supportsSize(file string) bool {
	help, err := exec.Command(file, "--help").CombinedOutput()
	return err == nil && strings.Contains(string(help), "--size")
}

// bubblewrap returns the sandbox in which the program file, bwrap, provides the view. It remounts
// /dev read-only, which would otherwise be writable and as large as half of the memory.
func bubblewrap(file string, visible view) *box {
	args := []string{
		file, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc",
		"/proc", "--dev", "/dev",
	}
	size := strconv.FormatInt(visible.Tmp, 10)
	args = append(args, "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--size", size, "--tmpfs",
		"/tmp")
	for _, link := range visible.Links {
		args = append(args, "--symlink", link[1], link[0])
	}
	for _, dir := range visible.Binds {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	return &box{
		name:     "bubblewrap",
		sentence: "python runs in bubblewrap: " + sandboxed,
		args:     append(args, "--remount-ro", "/", "--chdir", "/tmp", "--"),
		isolated: true,
	}
}

// viewOf returns the view of the system's files and the interpreter's.
func viewOf(in *interpreter) view {
	v := view{Binds: neededPaths(in), Tmp: tmpSize}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if target, err := os.Readlink(dir); err == nil {
			v.Links = append(v.Links, [2]string{dir, target})
		} else {
			v.Binds = append(v.Binds, dir)
		}
	}
	return v
}

// neededPaths lists the folders and files that an interpreter reads, sorted. A path within a listed
// folder is left out.
func neededPaths(in *interpreter) []string {
	all := []string{
		"/usr", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
		"/etc/localtime", "/etc/mime.types", "/nix/store", "/gnu/store",
	}
	all = append(all, in.Prefixes...)
	for _, path := range slices.Concat(in.Path, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")),
		filepath.SplitList(os.Getenv("NLTK_DATA"))) {
		if private(path) {
			all = append(all, modules(path)...)
		} else {
			all = append(all, path)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		all = append(all, filepath.Join(home, "nltk_data")) // corpora that text graders read
	}
	for file := in.Executable; ; { // follow a chain of symbolic links
		all = append(all, file)
		target, err := os.Readlink(file)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		file = target
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

// private reports whether a folder is the user's home or the temporary directory, or contains one of
// them. PYTHONPATH may include such a folder, as "" and "." do.
func private(path string) bool {
	dirs := []string{os.TempDir(), "/tmp"}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	path = resolve(path)
	return slices.ContainsFunc(dirs, func(dir string) bool {
		dir = resolve(dir)
		return dir != "/" && (dir == path || strings.HasPrefix(dir, path+"/"))
	})
}

// resolve returns a path without symbolic links, or the clean path if it cannot be resolved.
func resolve(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

// modules lists the modules and packages that Python would find in a folder, but none of its other
// files.
func modules(dir string) []string {
	var out []string
	for _, pattern := range []string{"*.py", "*.so*", "*/__init__.py"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // a bad pattern in dir finds nothing
		for _, file := range found {
			if filepath.Base(file) == "__init__.py" {
				file = filepath.Dir(file)
			}
			if !strings.HasPrefix(filepath.Base(file), ".") {
				out = append(out, file)
			}
		}
	}
	return out
}
