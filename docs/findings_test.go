package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	pinned   = regexp.MustCompile(`Pinned: (\S+(?:==|@)[^\s,]+)(?:, \S+(?:==|@)[^\s,]+)* \((?:PyPI|npm)\)\. Seen on \d{4}-\d\d-\d\d with (?:Python|Node) [\d.]+ on Linux`)
	install  = regexp.MustCompile(`(?:pip3?"?|npm) install (.+)`)
	exactly  = regexp.MustCompile(`^[A-Za-z0-9@._/\[\]-]+(?:==|@)[0-9][A-Za-z0-9.+-]*$`)
	examined = regexp.MustCompile(`[Ff]ails? (?:if|unless) `)
)

// flaws lists what keeps a script of findings from the form that CONTRIBUTING.md states.
func flaws(script string) (out []string) {
	shebang, rest, _ := strings.Cut(script, "\n")
	if shebang != "#!/usr/bin/env bash" {
		out = append(out, "begins with no line #!/usr/bin/env bash")
	}
	var comment []string
	for strings.HasPrefix(rest, "#") {
		line, after, _ := strings.Cut(rest, "\n")
		comment, rest = append(comment, strings.TrimSpace(strings.TrimPrefix(line, "#"))), after
	}
	header := strings.Join(comment, " ")
	require := func(ok bool, flaw string) {
		if !ok {
			out = append(out, flaw)
		}
	}
	says, _, _ := strings.Cut(header, "Pinned:")
	require(strings.Contains(strings.TrimSpace(says), ". ") || strings.HasSuffix(strings.TrimSpace(says), "."), "says in no sentence first what happens")
	require(pinned.MatchString(header), "names no packages as Pinned: NAME==VERSION, ... (PyPI). Seen on DATE with Python VERSION on Linux")
	require(strings.Contains(header, " Happens: "), "has no Happens: in its header")
	require(examined.MatchString(header), "does not say when it fails")
	for _, line := range []string{"set -euo pipefail", "dir=$(mktemp -d)", `trap 'rm -rf "$dir"' EXIT`} {
		require(strings.Contains("\n"+rest, "\n"+line+"\n"), "has no line "+line)
	}
	require(!strings.Contains(strings.ToLower(rest), "gonogo"), "runs gonogo")
	installs := install.FindAllStringSubmatch(strings.ReplaceAll(rest, "\\\n", " "), -1)
	require(len(installs) > 0, "installs nothing")
	for _, m := range installs {
		for _, arg := range strings.Fields(m[1]) {
			switch {
			case strings.HasPrefix(arg, "-"):
			case !exactly.MatchString(arg):
				out = append(out, "installs "+arg+", which names no version")
			case !slices.Contains(strings.FieldsFunc(header, func(r rune) bool { return strings.ContainsRune(" ,()", r) }), arg):
				out = append(out, "installs "+arg+", which its header does not name")
			}
		}
	}
	return out
}

// Every script of findings has the form that CONTRIBUTING.md states, and docs/ecosystem.md lists it with its version.
func TestFindingsKeepTheirForm(t *testing.T) {
	files, err := filepath.Glob("../findings/*")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d findings, %v", len(files), err)
	}
	ecosystem, err := os.ReadFile("ecosystem.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, flaw := range flaws(string(text)) {
			t.Errorf("%s %s", name, flaw)
		}
		if info, err := os.Stat(file); err != nil || info.Mode()&0o111 == 0 || filepath.Ext(name) != ".sh" {
			t.Errorf("%s is no executable NAME.sh (%v)", name, err)
		}
		header := strings.ReplaceAll(string(text), "\n# ", " ")
		version := ""
		if m := pinned.FindStringSubmatch(header); m != nil {
			version = m[1][strings.LastIndexAny(m[1], "=@")+1:]
		}
		listed := false
		for line := range strings.Lines(string(ecosystem)) {
			listed = listed || strings.Contains(line, "(../findings/"+name+")") && version != "" && strings.Contains(line, version)
		}
		if !listed {
			t.Errorf("docs/ecosystem.md has no row with (../findings/%s) and %q", name, version)
		}
	}
}

// soundFinding is a script without a flaw.
const soundFinding = `#!/usr/bin/env bash
# thing 1.2 counts a failure as a 0.
#
# Pinned: thing==1.2, other[all]==0.3b1 (PyPI). Seen on 2026-11-30 with Python
# 3.11.7 on Linux.
# Happens: the mean is 0.5.
#
# The script computes it and fails if it is another.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet thing==1.2 \
  other[all]==0.3b1
[ "$("$dir/venv/bin/python" -c 'import thing; print(thing.mean())')" = 0.5 ]
`

func TestFlawsOfFindingsAreSeen(t *testing.T) {
	if got := flaws(soundFinding); got != nil {
		t.Errorf("a sound script %v", got)
	}
	npm := strings.NewReplacer("thing==1.2, other[all]==0.3b1 (PyPI)", "@scope/thing@1.2 (npm)", "Python\n# 3.11.7", "Node\n# 20.20.2",
		`"$dir/venv/bin/pip" install --quiet thing==1.2 \`+"\n  other[all]==0.3b1", "npm install --silent @scope/thing@1.2")
	if got := flaws(npm.Replace(soundFinding)); got != nil {
		t.Errorf("a sound script of npm %v", got)
	}
	for _, c := range []struct{ old, new, want string }{
		{"#!/usr/bin/env bash", "#!/bin/sh", "begins with no line #!/usr/bin/env bash"},
		{"# thing 1.2 counts a failure as a 0.\n", "", "says in no sentence first what happens"},
		{"# Pinned:", "# With:", "names no packages"},
		{"Seen on 2026-11-30", "Seen", "names no packages"},
		{"Python\n# 3.11.7", "Python", "names no packages"},
		{"# Happens: the mean", "# The mean", "has no Happens:"},
		{" and fails if it is another", "", "does not say when it fails"},
		{"set -euo pipefail", "set -e", "has no line set -euo pipefail"},
		{"dir=$(mktemp -d)", "dir=/tmp/thing", "has no line dir=$(mktemp -d)"},
		{`trap 'rm -rf "$dir"' EXIT`, "", "has no line trap"},
		{"install --quiet thing==1.2", "install --quiet thing", "installs thing, which names no version"},
		{"install --quiet thing==1.2", "install --quiet thing>=1.2", "installs thing>=1.2, which names no version"},
		{"install --quiet thing==1.2", "install --quiet thing==1.2.1", "installs thing==1.2.1, which its header does not name"},
		{"  other[all]==0.3b1\n", "  other[all]==$version\n", "installs other[all]==$version, which names no version"},
		{`"$dir/venv/bin/pip" install --quiet thing==1.2 \` + "\n  other[all]==0.3b1\n", "", "installs nothing"},
		{"[ \"$(", "gonogo import log\n[ \"$(", "runs gonogo"},
	} {
		broken := strings.Replace(soundFinding, c.old, c.new, 1)
		if broken == soundFinding {
			t.Fatalf("%q is not in the sound script", c.old)
		}
		if got := flaws(broken); !slices.ContainsFunc(got, func(flaw string) bool { return strings.HasPrefix(flaw, c.want) }) {
			t.Errorf("with %q in place of %q the script %v, want: it %s", c.new, c.old, got, c.want)
		}
	}
}
