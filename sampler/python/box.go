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
	args  []string // what stands before the interpreter
	own   bool     // the worker has a file system and processes of its own
	enter *view    // what the worker shows itself before it loads anything; nil when somebody else sees to that
}

// view is what a worker sees of the file system, read-only.
type view struct {
	Links [][2]string `json:"links"` // where, and to what
	Binds []string    `json:"binds"`
	Tmp   int64       `json:"tmp"`  // size of its /tmp, in bytes
	Root  string      `json:"root"` // the folder that becomes its root
}

// boxes lists the ways to hold a worker here, the best first.
func boxes(sandbox string, in *interpreter) []*box {
	var out []*box
	if sandbox != None && runtime.GOOS == "linux" {
		seen := sees(in)
		out = append(out, &box{
			name:  "namespaces",
			holds: "python runs in namespaces of its own, without bubblewrap: " + held,
			own:   true,
			enter: &seen,
		})
		if file, err := exec.LookPath("bwrap"); err == nil {
			out = append(out, bubblewrap(file, seen))
		}
		if !isRoot() { // in bubblewrap no limit on processes holds for root
			slices.Reverse(out)
		}
	}
	if sandbox != Required {
		out = append(out, &box{
			name:  "plain",
			holds: "python runs without a sandbox, with limits on time, memory and the size of files only: network and files are open to it as they are to this program",
		})
	}
	return out
}

// held is what both sandboxes hold.
const held = "no network, no process but its own, no files but those of the system and of its interpreter, read-only, and a /tmp that ends with it"

// bubblewrap has the program of that name show the view.
func bubblewrap(file string, seen view) *box {
	args := []string{file, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"}
	if help, err := exec.Command(file, "--help").CombinedOutput(); err == nil && strings.Contains(string(help), "--size") {
		args = append(args, "--size", strconv.FormatInt(seen.Tmp, 10))
	}
	args = append(args, "--tmpfs", "/tmp")
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
	all := []string{"/usr", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/mime.types", "/nix/store", "/gnu/store"}
	all = append(all, in.Prefixes...)
	all = append(all, in.Path...)
	all = append(all, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	all = append(all, filepath.SplitList(os.Getenv("NLTK_DATA"))...)
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
