package viewer

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

func TestLabelsAreKept(t *testing.T) {
	s := serve(t, Options{Rater: "ann", Mask: rollout.NewRedactor("s3cr3t-value").Labels}, lines)
	theirs := `{"item":"q1","sample":0,"rater":"bob","score":0.5,"note":"so so"}` + "\n"
	if err := os.WriteFile(filepath.Join(s.dir, rollout.LabelsFile), []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	post := func(body string) (int, string) {
		code, _, text := s.ask("POST", "/api/label", body, nil)
		return code, text
	}
	for _, body := range []string{
		`{"split":"train","item":"q1","sample":0,"mark":"right"}`,
		`{"split":"train","item":"q1","sample":0,"mark":"hack","note":"it greps the s3cr3t-value\n` + "`x`" + `"}`,
	} {
		if code, text := post(body); code != 200 || !strings.Contains(text, "bob") {
			t.Fatalf("%s: %d %s", body, code, text)
		}
	}
	run, err := rollout.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := run.Labels()
	if err != nil || len(labels) != 2 || labels[0].Rater != "bob" || labels[1].Mark != "hack" || labels[1].Rater != "ann" || strings.Contains(labels[1].Note, "s3cr3t") {
		t.Errorf("labels.jsonl has %+v, %v", labels, err)
	}
	_, h, text := s.ask("GET", "/api/labels.jsonl", "", nil)
	on, err := os.ReadFile(filepath.Join(s.dir, rollout.LabelsFile))
	if err != nil || text != string(on) || !strings.HasPrefix(text, theirs) || !strings.Contains(h.Get("Content-Disposition"), "attachment") {
		t.Errorf("downloaded %q with %v", text, h)
	}
	if got := get[itemList](s, "/api/items?mark=hack"); got.Total != 1 || got.Items[0].Marks["hack"] != 1 {
		t.Errorf("marked as a hack: %+v", got)
	}
	for body, want := range map[string]int{
		`{"split":"train","item":"q1","sample":7,"mark":"right"}`:         404,
		`{"split":"train","item":"q9","sample":0,"mark":"right"}`:         404,
		`{"split":"train","item":"q1","sample":0,"mark":"superb"}`:        409,
		`{"split":"train","item":"q1","sample":0}`:                        409,
		`{"run":1,"split":"train","item":"q1","sample":0,"mark":"right"}`: 400,
		`{"split":`: 400,
		`{"note":"` + strings.Repeat("x", mostNote) + `"}`: 400,
	} {
		if code, text := post(body); code != want {
			t.Errorf("%.60s: %d, want %d: %s", body, code, want, text)
		}
	}
	if code, _, _ := s.ask("POST", "/api/label", "x=1", func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }); code != http.StatusUnsupportedMediaType {
		t.Errorf("a form is taken: %d", code)
	}
	if code, _, _ := s.ask("GET", "/api/label", "", nil); code != http.StatusMethodNotAllowed {
		t.Errorf("GET of a label: %d", code)
	}
	release, err := disk.Lock(s.dir, "run.lock") // as a sampler does
	if err != nil {
		t.Fatal(err)
	}
	if code, text := post(`{"split":"train","item":"q1","sample":0,"mark":"right"}`); code != 409 || !strings.Contains(text, "not saved") {
		t.Errorf("while it is sampled: %d %s", code, text)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, rollout.LabelsFile), []byte("{broken\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := get[itemList](s, "/api/items"); got.Total != 3 || got.Note == "" {
		t.Errorf("with broken labels: %+v", got)
	}
	if code, _ := post(`{"split":"train","item":"q1","sample":0,"mark":"right"}`); code != 409 {
		t.Errorf("a label into a broken file: %d", code)
	}
	if on, _ := os.ReadFile(filepath.Join(s.dir, rollout.LabelsFile)); string(on) != "{broken\n" {
		t.Errorf("the broken file is now %q", on)
	}
}

// TestLabelsAtOnceAreAllKept posts labels of one run at the same time: the file is locked for each of
// them in turn, by the same process.
func TestLabelsAtOnceAreAllKept(t *testing.T) {
	s := serve(t, Options{Rater: "ann"}, lines)
	keys := []string{`"q1","sample":0`, `"q1","sample":1`, `"q1","sample":2`, `"q2","sample":0`, `"q2","sample":1`}
	answers := make(chan string, len(keys))
	for _, k := range keys {
		go func() {
			code, _, text := s.ask("POST", "/api/label", `{"split":"train","item":`+k+`,"mark":"right"}`, nil)
			answers <- fmt.Sprint(code, " ", text)
		}()
	}
	for range keys {
		if a := <-answers; !strings.HasPrefix(a, "200 ") {
			t.Error(a)
		}
	}
	run, err := rollout.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if labels, err := run.Labels(); err != nil || len(labels) != len(keys) {
		t.Errorf("%d labels are kept, want %d: %v", len(labels), len(keys), err)
	}
}

func TestARedactedViewTellsNoTextAndNoName(t *testing.T) {
	s := serve(t, Options{Redact: true, Rater: "ann"}, lines, lines)
	theirs := `{"item":"q1","sample":0,"rater":"bobby","mark":"hack","note":"so so"}` + "\n"
	if err := os.WriteFile(filepath.Join(s.dir, rollout.LabelsFile), []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	list := get[itemList](s, "/api/items?sort=file")
	if len(list.Items) != 3 || list.Items[0].Item != "item 1" || *list.Items[0].Mean != 0.75 || list.Items[0].Marks["hack"] != 1 {
		t.Fatalf("items are %+v", list)
	}
	var all bytes.Buffer
	for _, path := range []string{
		"/api/run", "/api/items", "/api/item?of=train&item=item+1", "/api/rollout?of=train&item=item+1&sample=0", "/api/rollout?run=1&of=train&item=item+1&sample=1",
		"/api/rollout?of=train&item=item+1&sample=2", "/api/items?family=family+1&tool=tool+1",
	} {
		code, _, text := s.ask("GET", path, "", nil)
		if code != 200 {
			t.Errorf("%s: %d %s", path, code, text)
		}
		all.WriteString(text)
	}
	for _, secret := range []string{
		"q1", "fam", "four", "LOOK", "found it", "search", `\"q\"`, "exact", "四", "rationale", "onerror", "gone", "refused", "secret", "bobby", "ann", "so so", "How many", "reference_answer", "train.jsonl", filepath.Base(s.dir),
	} {
		// The kind of a name is not a name.
		text := strings.NewReplacer(`family `, "", `families`, "", `family"`, "", `"annotations"`, "").Replace(all.String())
		if strings.Contains(text, secret) {
			at := strings.Index(text, secret)
			t.Errorf("%q is told: …%s…", secret, text[max(0, at-60):min(len(text), at+60)])
		}
	}
	r := get[shown](s, "/api/rollout?of=train&item=item+1&sample=0")
	if r.Answer != "[4 characters]" || r.Messages[0].Reasoning != "[12 characters]" || r.Calls[0].Output != "[8 characters]" || r.Calls[0].Chars != 8 || r.Calls[0].Cut || *r.Score != 1 || *r.Usage.Input != 10 || r.Parts["part 1"] != 1 || r.Labels[0].Mark != "hack" {
		t.Errorf("the structure is lost: %+v", r)
	}
	for _, path := range []string{"/api/search?q=four", "/api/labels.jsonl"} {
		if code, _, text := s.ask("GET", path, "", nil); code != 403 || strings.Contains(text, "four") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if code, _, _ := s.ask("GET", "/api/item?of=train&item=q1", "", nil); code != 404 {
		t.Errorf("an item by its name: %d", code)
	}
	if code, _, _ := s.ask("POST", "/api/label", `{"split":"train","item":"q1","sample":0,"mark":"right"}`, nil); code != 403 {
		t.Errorf("a label is kept: %d", code)
	}
}

// The kind of an error may be what somebody else's log has there.
func TestARedactedViewTellsNoKindOfAnError(t *testing.T) {
	s := serve(t, Options{Redact: true}, `{"item":"q1","sample":0,"outcome":"tool","error":"x","error_kind":"Mrs Miller"}`+"\n")
	if list := get[itemList](s, "/api/items"); len(list.Items) != 1 {
		t.Fatalf("items are %+v", list)
	}
	if r := get[shown](s, "/api/rollout?of=train&item=item+1&sample=0"); r.Kind != "kind 1" {
		t.Errorf("the kind is %q", r.Kind)
	}
}

func TestASingleFileKeepsNothingBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(lines, 200)), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := New(run, Options{})
	ready(t, s.sides[0].index, func(s State) bool { return s.Ready })
	if err := s.sides[0].unlabelled(); err == nil {
		t.Error("labels would be kept")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("beside the file lie %v, %v", files, err)
	}
}

func TestThePageWearsTheColoursOfTheReport(t *testing.T) {
	palette := func(file string) string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		colours, _, _ := strings.Cut(string(b), "\n*{box-sizing")
		return colours
	}
	if own := palette("assets/view.css"); own != palette("../internal/html/assets/page.css") || len(own) < 500 {
		t.Errorf("the page has other colours than the report:\n%s", own)
	}
}

func TestAnIndexThatCannotBeKept(t *testing.T) {
	dir, _, text := long(t, blockLines+10)
	if err := os.Mkdir(filepath.Join(dir, IndexFile), 0o755); err != nil {
		t.Fatal(err)
	}
	x := opened(t, dir)
	s, _ := ready(t, x, func(s State) bool { return strings.Contains(s.Note, "could not be saved") }).State()
	if s.Lines != len(text) || s.Kept || !s.Ready {
		t.Errorf("the state is %+v", s)
	}
	if len(found(t, x, "grader")) == 0 {
		t.Error("nothing is found")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("it leaves %v, %v", files, err)
	}
}

func TestLeaksAreShownAndRedacted(t *testing.T) {
	const line = `{"item":"q1","reward":1,"leaks":[{"canary":"canary_ab","at":"tool find"},{"canary":"canary_ab","at":"Mrs Miller"},{"canary":"canary_cd","at":"session"}]}` + "\n"
	for redact, want := range map[bool][]leak{
		false: {{"canary_ab", "tool find"}, {"canary_ab", "Mrs Miller"}, {"canary_cd", "session"}},
		true:  {{"canary 1", "tool 1"}, {"canary 1", "[10 characters]"}, {"canary 2", "session"}},
	} {
		s := serve(t, Options{Redact: redact}, line)
		item := get[itemList](s, "/api/items").Items[0].Item
		if got := get[shown](s, "/api/rollout?of=train&sample=0&item="+url.QueryEscape(item)).Leaks; !slices.Equal(got, want) {
			t.Errorf("redacted %v: %v, want %v", redact, got, want)
		}
	}
}
