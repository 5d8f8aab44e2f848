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

// box is one way to hold a worker.
type box struct {
	name  string
	holds string   // what it holds, in one sentence
	args  []string // what comes before the interpreter
	own   bool     // the worker has a file system and processes of its own
	enter *view    // what the worker shows itself before it loads anything; nil when somebody else sees to that
}

// view is what a worker sees of the file system, read-only.
type view struct {
	Links [][2]string `json:"links"` // where, and to what
	Binds []string    `json:"binds"`
	Tmp   int64       `json:"tmp"`  // size of its /tmp, and of its /dev/shm, in bytes
	Root  string      `json:"root"` // the folder that becomes its root
}

// boxes lists the ways to hold a worker here, the best first.
func boxes(cfg Config, in *interpreter) []*box {
	var out []*box
	if cfg.Sandbox != None && runtime.GOOS == "linux" {
		seen := sees(in)
		seen.Tmp = min(tmpSize, cfg.Memory/2) // and as much in /dev/shm
		out = append(out, &box{
			name:  "namespaces",
			holds: "python runs in namespaces of its own, without bubblewrap: " + held,
			own:   true,
			enter: &seen,
		})
		if file, err := exec.LookPath("bwrap"); err == nil && sizes(file) {
			out = append(out, bubblewrap(file, seen))
		}
		if !isRoot() { // in bubblewrap no limit on processes holds for root
			slices.Reverse(out)
		}
	}
	if cfg.Sandbox != Required {
		out = append(out, &box{
			name: "plain",
			holds: "python runs without a sandbox, with limits on time, memory and the size of files only: network " +
				"and files are open to it as they are to this program",
		})
	}
	return out
}

// held is what both sandboxes hold.
const held = "no network, no process but its own, no files but those of the system and of its interpreter, " +
	"read-only, and a /tmp that ends with it"

// sizes reports whether a bubblewrap can bound what is written in memory: those
// before 0.6 cannot, and a grader could fill the machine's.
func sizes(file string) bool {
	help, err := exec.Command(file, "--help").CombinedOutput()
	return err == nil && strings.Contains(string(help), "--size")
}

// bubblewrap has the program of that name show the view. Its /dev would be as large
// as half of the memory, and open to writes.
func bubblewrap(file string, seen view) *box {
	args := []string{
		file, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc",
		"/proc", "--dev", "/dev",
	}
	size := strconv.FormatInt(seen.Tmp, 10)
	args = append(args, "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--size", size, "--tmpfs",
		"/tmp")
	for _, link := range seen.Links {
		args = append(args, "--symlink", link[1], link[0])
	}
	for _, dir := range seen.Binds {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	return &box{
		name:  "bubblewrap",
		holds: "python runs in bubblewrap: " + held,
		args:  append(args, "--remount-ro", "/", "--chdir", "/tmp", "--"),
		own:   true,
	}
}

// sees is the system and the interpreter.
func sees(in *interpreter) view {
	v := view{Binds: needs(in), Tmp: tmpSize}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if to, err := os.Readlink(dir); err == nil {
			v.Links = append(v.Links, [2]string{dir, to})
		} else {
			v.Binds = append(v.Binds, dir)
		}
	}
	return v
}

// needs lists the folders and files that an interpreter reads, each once, those
// above before those below.
func needs(in *interpreter) []string {
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
		all = append(all, filepath.Join(home, "nltk_data")) // corpora that graders of text read
	}
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

// private reports whether a folder is the user's home or the folder of temporary
// files, or above one of them: PYTHONPATH may name these, as "" and "." do.
func private(path string) bool {
	dirs := []string{os.TempDir(), "/tmp"}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	path = real(path)
	return slices.ContainsFunc(dirs, func(dir string) bool {
		dir = real(dir)
		return dir != "/" && (dir == path || strings.HasPrefix(dir, path+"/"))
	})
}

// real is a path without links, as far as it can be followed.
func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return filepath.Clean(path)
}

// modules lists the modules and packages in a folder: what Python would find there,
// and nothing else of it.
func modules(dir string) []string {
	var out []string
	for _, pattern := range []string{"*.py", "*.so*", "*/__init__.py"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are sound
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
