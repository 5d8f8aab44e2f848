package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// served is a server that a test asks.
type served struct {
	testing.TB
	*Server
	base string // http://host:port
	dir  string
}

// serve serves a run of the given lines, and another one beside it where there
// are other lines.
func serve(t testing.TB, opt Options, lines string, other ...string) *served {
	t.Helper()
	s := &served{TB: t, dir: t.TempDir()}
	write(t, s.dir, []byte(lines))
	items := `{"id":"q1","split":"train","family":"fam","file":"train.jsonl","line":1,"row":{"messages":[{"role":"user","content":"How many <b>?"}],"reference_answer":"4"}}` + "\n"
	if err := os.WriteFile(filepath.Join(s.dir, rollout.ItemsFile), []byte(items), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(other) > 0 {
		dir := t.TempDir()
		write(t, dir, []byte(other[0]))
		if opt.Other, err = rollout.Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	if opt.Mask == nil {
		opt.Mask = func(l []rollout.Label) []rollout.Label { return l }
	}
	ln, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	s.Server, s.base = New(run, opt), "http://"+ln.Addr().String()
	for _, side := range s.sides {
		ready(t, side.index, func(s State) bool { return s.Ready })
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := errors.Join(<-ended, s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request with the token; change may change it.
func (s *served) ask(method, path, body string, change func(*http.Request)) (int, http.Header, string) {
	s.Helper()
	req, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// get asks for JSON.
func get[T any](s *served, path string) (v T) {
	s.Helper()
	code, _, text := s.ask("GET", path, "", nil)
	if code != http.StatusOK {
		s.Fatalf("GET %s: %d: %s", path, code, text)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		s.Fatalf("GET %s: %v: %s", path, err, text)
	}
	return v
}

const hostile = `</script><img src=x onerror=alert(1)>`

// lines are rollouts of some kinds.
var lines = strings.Join([]string{
	`{"item":"q1","sample":0,"reward":1,"family":"fam","answer":"four","messages":[{"role":"assistant","reasoning":"Let me LOOK.","tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":\"x\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"found it"},{"role":"assistant","content":"four"}],"calls":[{"id":"c1","name":"search","arguments":"{\"q\":\"x\"}","output":"found it","status":"ok","elapsed_s":0.5}],"turns":2,"usage":{"input_tokens":10,"output_tokens":5},"parts":{"exact":1},"elapsed_s":1.5,"rationale":"said 四"}`,
	`{"item":"q1","sample":1,"reward":0.5,"family":"fam","answer":"` + hostile + `","calls":[{"name":"cat","arguments":"{}","output":"gone","status":"error"}]}`,
	`{"item":"q1","sample":2,"outcome":"tool","error":"refused at /secret","family":"fam"}`,
	`{"item":"q2","sample":0,"reward":0,"answer":"no"}`,
	`{"item":"q2","sample":1,"outcome":"no_answer","answer":""}`,
	`{"item":"e1","split":"eval","sample":0,"reward":0.25,"category":"cat"}`,
}, "\n") + "\n"

func TestItems(t *testing.T) {
	s := serve(t, Options{Rater: "ann"}, lines, `{"item":"q1","reward":0.25}`+"\n")
	type row struct {
		Item               string
		N, Scored          int
		Mean, SD, Best     *float64
		Gap, Other, Change *float64
		Outcomes           map[string]int
	}
	type list struct {
		Total, All int
		Items      []row
	}
	for query, want := range map[string]string{
		"":                       "q1 q2 e1",
		"sort=mean":              "q2 e1 q1",
		"sort=mean&desc=1":       "q1 e1 q2",
		"sort=sd&desc=1":         "q1 q2 e1", // e1 has none
		"sort=gap":               "q2 e1 q1",
		"sort=item":              "e1 q1 q2",
		"sort=failures&desc=1":   "q1 q2 e1",
		"sort=change":            "q1 q2 e1",
		"split=eval":             "e1",
		"outcome=no_answer":      "q2",
		"family=fam":             "q1",
		"category=cat":           "e1",
		"tool=cat":               "q1",
		"find=Q":                 "q1 q2",
		"low=0.5":                "q1",
		"high=0":                 "q2",
		"low=0.5&tool=cat":       "q1",
		"low=0.6&tool=cat":       "", // one rollout must be both
		"mark=any":               "",
		"mark=none&split=eval":   "e1",
		"limit=1&from=1":         "q2",
		"from=9":                 "",
		"outcome=tool&low=-1000": "", // a missing grade is not a number
	} {
		var got []string
		l := get[list](s, "/api/items?"+query)
		for _, r := range l.Items {
			got = append(got, r.Item)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", query, got, want)
		}
		if l.All != 3 || l.Total < len(got) {
			t.Errorf("%s: %d of %d", query, l.Total, l.All)
		}
	}
	q1 := get[list](s, "/api/items?find=q1").Items[0]
	if q1.N != 3 || q1.Scored != 2 || *q1.Mean != 0.75 || *q1.Gap != 0.25 || math.Abs(*q1.SD-math.Sqrt(0.125)) > 1e-12 || *q1.Change != -0.5 || *q1.Other != 0.25 {
		t.Errorf("q1 is %+v", q1)
	}
	q2 := get[list](s, "/api/items?find=q2").Items[0]
	if q2.Scored != 2 || *q2.Mean != 0 || q2.Change != nil {
		t.Errorf("the model's own failure is at the bottom of the range, and there is no other run of it: %+v", q2)
	}
	for _, bad := range []string{"sort=x", "split=x", "outcome=x", "mark=x", "low=x", "high=NaN", "limit=0", "from=-1", "from=x"} {
		if code, _, text := s.ask("GET", "/api/items?"+bad, "", nil); code != http.StatusBadRequest || !strings.Contains(text, `"error"`) {
			t.Errorf("%s: %d, %s", bad, code, text)
		}
	}
}

func TestItemAndRollout(t *testing.T) {
	s := serve(t, Options{}, lines, `{"item":"q1","reward":0.25}`+"\n")
	it := get[itemShown](s, "/api/item?of=train&item=q1&low=0.6")
	if len(it.Runs) != 2 || len(it.Runs[0].Rollouts) != 3 || len(it.Runs[1].Rollouts) != 1 || it.Reference != "4" || it.Messages[0].Text != "How many <b>?" || *it.Runs[1].Row.Mean != 0.25 {
		t.Errorf("the item is %+v", it)
	}
	for i, want := range []bool{true, false, false} {
		if r := it.Runs[0].Rollouts[i]; r.Wanted != want || r.Sample != i || (i == 2) != (r.Score == nil) {
			t.Errorf("rollout %d: %+v", i, r)
		}
	}
	r := get[shown](s, "/api/rollout?of=train&item=q1&sample=0")
	if r.Answer != "four" || len(r.Messages) != 3 || r.Messages[0].Asks[0].Call != 0 || r.Messages[1].Answers != 0 || r.Calls[0].Elapsed != 0.5 || r.Parts["exact"] != 1 || r.Extra[0] != (pair{"rationale", "said 四"}) || r.Line != 1 {
		t.Errorf("the rollout is %+v", r)
	}
	if r := get[shown](s, "/api/rollout?run=1&of=train&item=q1&sample=0"); *r.Score != 0.25 {
		t.Errorf("in the other run it is %+v", r)
	}
	_, h, text := s.ask("GET", "/api/rollout?of=train&item=q1&sample=1", "", nil)
	if strings.Contains(text, "<img") || h.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("markup leaves as markup: %s %v", text, h)
	}
	for path, want := range map[string]int{
		"/api/item?of=train&item=nobody":            404,
		"/api/item?of=eval&item=q1":                 404,
		"/api/item?item=q1&low=x":                   400,
		"/api/rollout?of=train&item=q1&sample=9":    404,
		"/api/rollout?of=train&item=q1&sample=-1":   400,
		"/api/rollout?of=train&item=q1&sample=x":    400,
		"/api/rollout?run=2&of=train&item=q1":       400,
		"/api/rollout?run=x&of=train&item=q1":       400,
		"/api/rollout":                              400,
		"/api/nothing":                              404,
		"/view/nothing.js":                          404,
		"/view/../server.go":                        404,
		"/view/%2e%2e%2f%2e%2e%2fserver.go":         404,
		"/" + url.PathEscape("../../../etc/passwd"): 404,
		"/run.json": 404,
	} {
		if code, _, text := s.ask("GET", path, "", nil); code != want {
			t.Errorf("%s: %d, want %d: %s", path, code, want, text)
		}
	}
}

func TestHits(t *testing.T) {
	s := serve(t, Options{}, lines)
	type line struct {
		Hit *hitShown
		End *hitsEnd
	}
	search := func(query string) (out []string, end *hitsEnd) {
		t.Helper()
		code, h, text := s.ask("GET", "/api/search?"+query, "", nil)
		if code != 200 || h.Get("Content-Type") != "application/x-ndjson; charset=utf-8" {
			t.Fatalf("%s: %d %v %s", query, code, h, text)
		}
		for one := range strings.Lines(text) {
			var l line
			if err := json.Unmarshal([]byte(one), &l); err != nil {
				t.Fatal(err)
			}
			if end = l.End; l.Hit != nil {
				out = append(out, fmt.Sprintf("%s/%d %s %s", l.Hit.Item, l.Hit.Sample, l.Hit.Places[0].What, l.Hit.Places[0].Match))
			}
		}
		return out, end
	}
	for query, want := range map[string][]string{
		"q=look":                    {"q1/0 reasoning LOOK"},
		"q=" + url.QueryEscape("四"): {"q1/0 rationale 四"},
		"q=FOUND+it":                {"q1/0 output of search found it"},
		"q=onerror":                 {"q1/1 answer onerror"},
		"q=refused":                 {"q1/2 error refused"},
		"q=e&outcome=tool":          {"q1/2 error e"},
		"q=no&split=eval":           nil,
		"q=":                        nil,
	} {
		got, end := search(query)
		if !slices.Equal(got, want) || end == nil || !end.Done || end.Hits != len(want) || !end.Ready {
			t.Errorf("%s: got %v, %+v, want %v", query, got, end, want)
		}
	}
	if code, _, _ := s.ask("GET", "/api/search?q=x&from=-3", "", nil); code != 400 {
		t.Errorf("from -3: %d", code)
	}
	if code, _, _ := s.ask("GET", "/api/search?q=x&run=1", "", nil); code != 400 {
		t.Errorf("a run that is not there: %d", code)
	}
}

// TestSearchGoesOn cuts a search after its first hits, and takes it up there.
func TestSearchGoesOn(t *testing.T) {
	var b strings.Builder
	const n = 2*hitsOf + 30
	for i := range n {
		fmt.Fprintf(&b, `{"item":"q%d","reward":1,"answer":"same"}`+"\n", i)
	}
	s := serve(t, Options{}, b.String())
	seen, from := map[string]bool{}, 0
	for range 3 {
		_, _, text := s.ask("GET", fmt.Sprintf("/api/search?q=same&from=%d", from), "", nil)
		for one := range strings.Lines(text) {
			var l struct {
				Hit *hitShown
				End *hitsEnd
			}
			if err := json.Unmarshal([]byte(one), &l); err != nil {
				t.Fatal(err)
			}
			if l.Hit != nil {
				seen[l.Hit.Item] = true
			} else {
				from = l.End.Next
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d rollouts were found, want %d", len(seen), n)
	}
}

func TestOnlyTheOwnPageIsLetIn(t *testing.T) {
	s := serve(t, Options{}, lines)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.base, "http://"))
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"as it should be":             {nil, 200},
		"by the name localhost":       {func(r *http.Request) { r.Host = "localhost:" + port }, 200},
		"a rebound name":              {func(r *http.Request) { r.Host = "evil.example:" + port }, 403},
		"another port's name":         {func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403},
		"no port":                     {func(r *http.Request) { r.Host = "127.0.0.1" }, 403},
		"the page's own origin":       {func(r *http.Request) { r.Header.Set("Origin", s.base) }, 200},
		"another page's origin":       {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		"an origin that is hidden":    {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"from the page":               {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, 200},
		"from another site":           {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"from another port":           {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"without the token":           {func(r *http.Request) { r.Header.Del("Authorization") }, 403},
		"with a wrong token":          {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 403},
		"with the token in its query": {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + s.token }, 403},
		"with the token in a cookie": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.AddCookie(&http.Cookie{Name: "gonogo_view_" + port, Value: s.token})
		}, 403},
	} {
		for _, path := range []string{"/", "/view/view.js", "/api/run", "/api/items", "/api/labels.jsonl", "/api/none"} {
			want := c.want
			if strings.Contains(name, "token") && !strings.HasPrefix(path, "/api/") {
				want = 200 // the page's own files are the same for every run
			} else if want == 200 && path == "/api/none" {
				want = 404
			}
			code, h, text := s.ask("GET", path, "", c.change)
			if code != want {
				t.Errorf("%s: GET %s: %d, want %d", name, path, code, want)
			}
			if h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: GET %s: headers %v", name, path, h)
			}
			if code != 200 && strings.Contains(text, "q1") || h.Get("Set-Cookie") != "" {
				t.Errorf("%s: GET %s: tells %q, %v", name, path, text, h)
			}
		}
		code, _, _ := s.ask("POST", "/api/label", `{"split":"train","item":"q1","sample":0,"mark":"right"}`, c.change)
		if code != c.want {
			t.Errorf("%s: POST: %d, want %d", name, code, c.want)
		}
	}
	link := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	if code, _, _ := s.ask("GET", "/", "", link); code != 200 {
		t.Errorf("a link in a message: %d", code)
	}
	if code, _, _ := s.ask("GET", "/api/run", "", link); code != 403 {
		t.Errorf("a link to data: %d", code)
	}
}

func TestNobodyElseCanReachIt(t *testing.T) {
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Server{}).Serve(context.Background(), ln); err == nil || !strings.Contains(err.Error(), "only this machine") {
		t.Errorf("served on %s: %v", ln.Addr(), err)
	}
}

// TestARedactedViewTellsNoTextAndNoName asks for all there is, and looks for
// what must not be in it.
// TestThePageWearsTheColoursOfTheReport compares the palettes.
// TestAnIndexThatCannotBeKept is of a place that is taken by a directory, which
// holds up root too.
