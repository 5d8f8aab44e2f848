package main

import (
	"errors"
	"flag"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/fixtures"
	"gonogo/fixtures/policy"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gonogo": func() {
			handicap()
			hasten()
			resample()
			main()
		},
		"othergates":   judgeByOtherGates,
		"toolserver":   toolServer,
		"queueserver":  queueServer,
		"queueprocess": queueProcess,
	})
}

// resamplesEnv sets the number of bootstrap resamples of a child process. A session that
// checks an interval of a bootstrap unsets it.
const resamplesEnv = "GONOGO_TEST_RESAMPLES"

// resample reads resamplesEnv.
func resample() {
	config.Resamples, _ = strconv.Atoi(os.Getenv(resamplesEnv))
}

// TestScripts runs the sessions of testdata/script.
func TestScripts(t *testing.T) { playScripts(t, "script") }

// TestLongScripts runs the sessions of testdata/long, which take longer.
func TestLongScripts(t *testing.T) {
	long(t)
	playScripts(t, "long")
}

// long skips a test in make test. Its name begins with TestLong, by which make long
// finds it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test: make long")
	}
}

// playScripts runs the sessions in a folder of testdata. In addition to
// testscript's own commands there are
//
//	exits N COMMAND…        wants that very exit code
//	fetch N FILE PATH INTO  asks for a path of the page whose address is in FILE,
//	                        wants that very status, and keeps the answer
//	bare DIR                takes the tools out of a world's job and rows, into
//	                        DIR/tools.json; the program toolserver serves them
//	world NAME DIR [HOW…]   writes a world's files into DIR, serves it until the
//	                        script ends, and sets WORLD to the setting that maps
//	                        its address. key=KEY makes the model want that key,
//	                        fault=NAME:SHARE makes the grader fail so, and
//	                        lapse=NAME:SHARE makes the judge. Pictures take most
//	                        of a small run's time: reports are JUnit but
//	                        with drawn, or where a command names the formats
func playScripts(t *testing.T, folder string) {
	t.Helper()
	files := scripts(t, folder)
	if len(files) == 0 {
		t.Skip("none of them runs under the race detector")
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Defer(func() { keepToSchema(env.T(), env.WorkDir) })
			env.Setenv("GONOGO_TESTDATA", os.Getenv("GONOGO_TESTDATA"))
			if folder == "script" { // a bootstrap takes a third of an analysis's time
				env.Setenv(resamplesEnv, "99")
			}
			pages, err := filepath.Abs(filepath.Join("..", "..", "docs"))
			env.Setenv("DOCS", pages)
			env.Setenv("PYTHONDONTWRITEBYTECODE", "1") // into docs/, among others
			return err
		},
		Condition: func(cond string) (bool, error) {
			if cond == "testdata" {
				return os.Getenv("GONOGO_TESTDATA") != "", nil
			}
			return false, errors.New("unknown condition " + cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"world": serveWorld,
			"fetch": fetch,
			"bare":  bare,
		},
	})
}

// racedScripts are those that run under the race detector, too: rollouts that are
// made, limited, broken off, graded again and viewed while others go on. What is
// left analyses and draws, at ten times the price, as the rooms' own tests do.
var racedScripts = []string{"budget", "burst", "endpoints", "failing_grader", "grade", "mcp", "rewards", "session", "targeted", "view"}

// scripts are the files of all scripts in a folder, of the raced ones under the race
// detector.
func scripts(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	known := map[string]bool{}
	for _, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		known[name] = true
		if filepath.Base(filepath.Dir(file)) == folder && (!raced || slices.Contains(racedScripts, name)) {
			files = append(files, file)
		}
	}
	for _, name := range racedScripts {
		if !known[name] {
			t.Errorf("there is no script %s", name)
		}
	}
	return files
}

// fetch asks a page whose address a command wrote into a file, as soon as it
// did, and keeps the answer: the first that holds the fifth word, where there is
// one, for a page reads its run while it answers.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || len(args) > 5 {
		ts.Fatalf("usage: fetch STATUS ADDRESSFILE PATH INTO [UNTIL]")
	}
	var address string
	end := time.Now().Add(2 * time.Minute)
	for ; !strings.HasSuffix(address, "\n"); time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile(ts.MkAbs(args[1]))
		if address = string(b); time.Now().After(end) {
			ts.Fatalf("no address in %s: %q, %v", args[1], address, err)
		}
	}
	u, err := url.Parse(strings.TrimSpace(address))
	ts.Check(err)
	path, query, _ := strings.Cut(args[2], "?")
	token, _ := strings.CutPrefix(u.Fragment, "token=")
	u.Path, u.RawQuery, u.Fragment = path, query, ""
	req, err := http.NewRequest(http.MethodGet, u.String(), nil)
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+token)
	for {
		resp, err := http.DefaultClient.Do(req)
		ts.Check(err)
		body, err := io.ReadAll(resp.Body)
		ts.Check(errors.Join(err, resp.Body.Close()))
		ts.Check(os.WriteFile(ts.MkAbs(args[3]), body, 0o644))
		switch {
		case strconv.Itoa(resp.StatusCode) != args[0]:
			ts.Fatalf("%s: status %d, want %s: %s", args[2], resp.StatusCode, args[0], body)
		case len(args) < 5 || strings.Contains(string(body), args[4]):
			return
		case time.Now().After(end):
			ts.Fatalf("%s: no %q in %s", args[2], args[4], body)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND [ARG …]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code is %d, want %d\nstderr:\n%s", code, want, ts.ReadFile("stderr"))
	}
}

func serveWorld(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: world NAME DIR [HOW …]")
	}
	world, err := fixtures.Find(args[0])
	ts.Check(err)
	ts.Check(world.Write(ts.MkAbs(args[1])))
	drawn := false
	opt := fixtures.ServeOptions{GraderFaults: map[fixtures.Fault]float64{}, JudgeLapses: map[policy.Lapse]float64{}}
	for _, how := range args[2:] {
		name, value, _ := strings.Cut(how, "=")
		wrong, text, _ := strings.Cut(value, ":")
		share, err := strconv.ParseFloat(text, 64)
		switch {
		case how == "drawn":
			drawn = true
		case name == "key":
			opt.RequireKey = value
		case name == "fault" && err == nil:
			opt.GraderFaults[fixtures.Fault(wrong)] = share
		case name == "lapse" && err == nil:
			opt.JudgeLapses[policy.Lapse(wrong)] = share
		default:
			ts.Fatalf("world %s: %s is not understood", args[0], how)
		}
	}
	if !drawn {
		config := filepath.Join(ts.MkAbs(args[1]), "gonogo.yaml")
		text, err := os.ReadFile(config)
		ts.Check(err)
		ts.Check(os.WriteFile(config, append(text, "\nreport: {formats: [junit]}\n"...), 0o644))
	}
	server, err := world.Serve(opt)
	ts.Check(err)
	ts.Defer(func() { ts.Check(server.Close()) })
	ts.Setenv("WORLD", "sampling.address_map."+fixtures.Origin+"="+server.URL())
}
