package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/sampler/input/job"
)

// A block is a fenced block of a page. A comment on the line before it says what
// it is for:
//
//	<!-- file: NAME -->        the reader saves it as NAME
//	<!-- add to: NAME -->      the reader adds it to NAME
//	<!-- not run: REASON -->   a test cannot run it
//
// Blocks of sh are run. In blocks of console, lines that begin with "$ " are run
// and must print the other lines, in their order; an … stands for any text.
type block struct {
	line     int
	language string
	text     string
	verb     string // file, add to, not run
	object   string
}

var (
	fence    = regexp.MustCompile("(?ms)^(?:<!-- (file|add to|not run): ([^\n]*) -->\n\n?)?```(\\w*)\n(.*?)^```$")
	indented = regexp.MustCompile(`(?m)^    (\$ )?(gonogo|make|python3|export|curl) .*`)
)

func pageBlocks(text string) []block {
	var out []block
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		out = append(out, block{1 + strings.Count(text[:m[6]], "\n"), part(3), part(4), part(1), part(2)})
	}
	return out
}

func (b *block) runs() bool { return b.verb == "" && (b.language == "sh" || b.language == "console") }

// pages are README.md, CONTRIBUTING.md and those of docs, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	out := make(map[string]string)
	for _, file := range append(files, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(name)] = string(b)
	}
	return out
}

// Every command of every page is run, in order, in one shell per page; or its
// block says why a test cannot.
func TestLongCommandsOfThePagesRun(t *testing.T) {
	long(t)
	if raced {
		t.Skip("the same commands run under the race detector in their own tests")
	}
	for _, program := range []string{"bash", "python3", "curl", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	all := pages(t)
	shop := newShop(t, all)
	ran := 0
	for name, text := range all {
		if line := indented.FindString(text); line != "" {
			t.Errorf("%s: %q is indented: commands belong in blocks of sh, which are run", name, line)
		}
		blocks := pageBlocks(text)
		for _, b := range blocks {
			if b.language == "" {
				t.Errorf("%s:%d: a block without a language: sh for commands, text for other things", name, b.line)
			}
			if b.verb == "not run" && len(strings.Fields(b.object)) < 3 {
				t.Errorf("%s:%d: %q is no reason", name, b.line, b.object)
			}
			if b.runs() {
				ran++
			}
		}
		if slices.ContainsFunc(blocks, func(b block) bool { return b.runs() }) {
			t.Run(strings.TrimSuffix(filepath.Base(name), ".md"), func(t *testing.T) {
				t.Parallel()
				shop.play(t, name, blocks)
			})
		}
	}
	if ran < 20 {
		t.Errorf("%d blocks are run: the search for them is broken", ran)
	}
}

// shop is the task of the tutorial, with its tool server and the script that
// replaces a model, and a run of it that the pages work on.
type shop struct {
	model string // address of the model
	tools string // port of the tool server
	rows  string // the rows alone, as make_rows.py writes them
	dir   string // what readers of other pages than the first two have: a job, its rows and a run
}

func newShop(t *testing.T, pages map[string]string) *shop {
	t.Helper()
	s := &shop{dir: t.TempDir(), rows: t.TempDir(), tools: freePort(t)}
	file := func(page, name string) string {
		for _, b := range pageBlocks(pages[page]) {
			if b.verb == "file" && b.object == name {
				return b.text
			}
		}
		t.Fatalf("%s has no block %s", page, name)
		return ""
	}
	tools := file("docs/tutorial.md", "tools.py")
	for name, page := range map[string]string{"tools.py": "docs/wire.md", "rft_job.json": "README.md", "my_agent.py": "README.md"} {
		if file(page, name) != file("docs/tutorial.md", name) {
			t.Errorf("%s of %s is not that of docs/tutorial.md", name, page)
		}
	}
	port, model := s.tools, freePort(t)
	for name, text := range map[string]string{
		"tools.py":      strings.ReplaceAll(tools, "9000", port),
		"rft_job.json":  strings.ReplaceAll(file("README.md", "rft_job.json"), "9000", port),
		"make_rows.py":  file("docs/tutorial.md", "make_rows.py"),
		"stricter.json": `{"type": "text_similarity", "name": "close", "evaluation_metric": "fuzzy_match", "input": "{{sample.output_text}}", "reference": "{{item.reference_answer}}"}`,
		"log.csv":       "question_id,trial,score\nq1,0,1\nq1,1,0\n",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "docs", "tutorial", "model.py"))
	if err != nil {
		t.Fatal(err)
	}
	serve(t, "127.0.0.1:"+port, "python3", filepath.Join(s.dir, "tools.py"))
	serve(t, "127.0.0.1:"+model, "python3", script, model)
	s.model = "http://127.0.0.1:" + model + "/v1"
	s.shell(t, s.dir, `python3 make_rows.py
cp *train.jsonl *eval.jsonl "$ROWS"
mv job-train.jsonl train.jsonl
mv job-eval.jsonl eval.jsonl
gonogo init --train train.jsonl --eval eval.jsonl --job rft_job.json
gonogo run -o my-run --seed 1 --samples 4 --set audit.items=10 >said.txt
grep -q '^GO  Start, and look again after the first steps: all 1' said.txt # not "GO so far"`, "PORT="+port, "ROWS="+s.rows)
	return s
}

// serve starts a server and waits until it listens.
func serve(t *testing.T, address string, argv ...string) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v: %v", argv, err)
		}
	}
}

// play runs the blocks of a page in a clone that also holds a job, rows, a
// configuration and a run; of README, rows alone, and of the tutorial, nothing.
func (s *shop) play(t *testing.T, name string, blocks []block) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "gonogo")
	start := s.dir
	switch name {
	case "README.md":
		start = s.rows
	case "docs/tutorial.md":
		start = t.TempDir()
	}
	if err := os.CopyFS(dir, os.DirFS(start)); err != nil {
		t.Fatal(err)
	}
	for _, shared := range []string{"docs", "Makefile"} {
		if err := os.Symlink(filepath.Join(root, shared), filepath.Join(dir, shared)); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	own := strings.NewReplacer("9000", port, "http://localhost:8000/v1", s.model)
	switch name {
	case "README.md": // whose reader has tools
		own = strings.NewReplacer("9000", s.tools, "http://localhost:8000/v1", s.model)
	case "docs/tutorial.md": // which starts models of its own
		own = strings.NewReplacer("9000", port, "8000", freePort(t), "8001", freePort(t))
	}
	var script strings.Builder
	outputs := map[string]block{}
	for i, b := range blocks {
		saved := filepath.Join(filepath.Dir(dir), fmt.Sprintf("block-%d", i))
		switch {
		case b.runs() && b.language == "console":
			outputs[saved] = b
			for line := range strings.Lines(b.text) {
				if command, is := strings.CutPrefix(line, "$ "); is {
					fmt.Fprintf(&script, "at=%d\n{ %s; } >>%s 2>&1\n", b.line, strings.TrimSpace(own.Replace(command)), saved)
				}
			}
		case b.runs():
			fmt.Fprintf(&script, "at=%d\n%s", b.line, own.Replace(b.text))
		case b.verb == "file" || b.verb == "add to":
			if err := os.WriteFile(saved, []byte(own.Replace(b.text)), 0o644); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&script, "cat %s %s'%s'\n", saved, map[string]string{"file": ">", "add to": ">>"}[b.verb], b.object)
		}
	}
	s.shell(t, dir, script.String(), "PORT="+port)
	for saved, b := range outputs {
		wantOutput(t, fmt.Sprintf("%s:%d", name, b.line), saved, b.text)
	}
}

// times differ from run to run.
var times = regexp.MustCompile(`\b(\d+m)?\d+(\.\d+)?m?s\b`)

// wantOutput wants the lines of a block of console in what its commands printed, but for times.
func wantOutput(t *testing.T, where, saved, text string) {
	t.Helper()
	b, err := os.ReadFile(saved)
	if err != nil {
		t.Error(err)
		return
	}
	out, text := times.ReplaceAllString(strings.Join(strings.Fields(string(b)), " "), "1s"), times.ReplaceAllString(text, "1s")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "$ ") {
			continue
		}
		for part := range strings.SplitSeq(strings.Join(strings.Fields(line), " "), "…") {
			_, rest, found := strings.Cut(out, part)
			if !found {
				t.Errorf("%s: the output does not go on with %q:\n%s", where, part, out)
				return
			}
			out = rest
		}
	}
}

// shell runs a script as a reader would, and stops at the first command that
// fails. A verdict other than GO is no failure, a page is served for a moment,
// sleep waits for the page's server, reports of runs are Markdown, since pictures
// take long, FEW may hold more flags for runs, and a target of make has to be there.
func (s *shop) shell(t *testing.T, dir, script string, env ...string) {
	t.Helper()
	const prelude = `set -eu
trap 'echo "failed in the block of line ${at-}" >&2' ERR
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
gonogo() {
  local code=0
  case $1 in run | nightly) set -- "$@" --set 'report.formats=[markdown]' ${FEW-} ;; esac
  if [ "$1" = view ]; then timeout -s INT 5 gonogo "$@" || code=$?; else command gonogo "$@" || code=$?; fi
  case $code in 0 | 3 | 4) ;; 124 | 130) [ "$1" = view ] ;; *) return $code ;; esac
}
sleep() { until (: <>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; do command sleep 0.1; done; }
make() { local target; for target; do case $target in *=*) ;; *) grep -q "^$target:" "$MAKEFILE" ;; esac; done; }
`
	makefile, err := filepath.Abs(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", prelude+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+s.model, "OPENAI_API_KEY=", "MAKEFILE="+makefile, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	if err := cmd.Run(); err != nil {
		printed := out.String()
		t.Fatalf("%v\n%s", err, printed[max(0, len(printed)-4000):])
	}
}

// The README's job is read as it is.
func TestReadmeExamplesAreRead(t *testing.T) {
	read := false
	for _, b := range pageBlocks(pages(t)["README.md"]) {
		if b.object == "rft_job.json" {
			read = true
			j, err := job.Parse("README.md", []byte(b.text))
			if err != nil || len(j.Tools) != 1 || j.MaxEpisodeSteps != 20 || len(j.Unknown) > 0 {
				t.Errorf("the job is read as %+v, %v", j, err)
			}
		}
	}
	if !read {
		t.Error("README.md has no rft_job.json")
	}
}
