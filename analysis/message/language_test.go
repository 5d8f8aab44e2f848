package message

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "pack the languages again")

// The binary's languages are the readable files beside languages.zip.
func TestLanguagesArePackedFromTheirFiles(t *testing.T) {
	names, err := filepath.Glob("*.json")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	if *update {
		var b bytes.Buffer
		pack := zip.NewWriter(&b)
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := pack.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(raw); err != nil {
				t.Fatal(err)
			}
		}
		if err := pack.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("languages.zip", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		packed = b.Bytes()
	}
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, f := range files.File {
		have = append(have, f.Name)
	}
	if !slices.Equal(have, names) {
		t.Fatalf("languages.zip has %q, the folder %q: run go test ./analysis/message -update", have, names)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(files, name); err != nil || !bytes.Equal(got, raw) {
			t.Errorf("languages.zip has another %s (%v): run go test ./analysis/message -update", name, err)
		}
	}
}

func TestALanguageIsNamedByItsTag(t *testing.T) {
	for _, l := range Languages() {
		got, err := LanguageByTag(l.Tag())
		if err != nil || got != l {
			t.Errorf("Named(%q) = %v, %v", l.Tag(), got.Tag(), err)
		}
	}
	if l, err := LanguageByTag(""); err != nil || l.Tag() != "en" {
		t.Errorf("no name is %q, %v", l.Tag(), err)
	}
	if _, err := LanguageByTag("tlh"); err == nil || !strings.Contains(err.Error(), "use one of en, zh") {
		t.Errorf("an unknown language: %v", err)
	}
}

func TestTextsAreSaidInTheLanguage(t *testing.T) {
	test := NewLanguage("xx", map[string]string{"of": "von %[2]s %[1]s", "count.item": "%s Dinge", "count.item.one": "%s Ding", "count.tool_call": "%s Rufe", "gate": "Tor"})
	var lacked []string
	strict := test.OnMissing(func(id, english string) { lacked = append(lacked, id+": "+english) })
	for _, c := range []struct{ about, got, want string }{
		{"order of arguments", test.Say("of", "%s of %s", "a", "b"), "von b a"},
		{"English", Language{}.Say("of", "%s of %s", "a", "b"), "a of b"},
		{"one thing", test.Count(1, "item"), "1 Ding"},
		{"one thing where the language counts without a singular", test.Count(1, "tool call"), "1 Rufe"},
		{"several things", test.Count(1200, "item"), "1,200 Dinge"},
		{"one thing in English", Language{}.Count(1, "item"), "1 item"},
		{"several in English", Language{}.Count(-12345, "item"), "-12,345 items"},
		{"several with another plural", Language{}.Count(2, "category") + Language{}.Count(3, "day"), "2 categories3 days"},
		{"a text", strict.Text("gate", "gate"), "Tor"},
		{"what is lacking", strict.Text("other", "something else"), "something else"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.about, c.got, c.want)
		}
	}
	if !slices.Equal(lacked, []string{"other: something else"}) {
		t.Errorf("lacking: %q", lacked)
	}
}

func TestATextIsSaidFromItsArguments(t *testing.T) {
	few := New("message.test.few", "{n} of {all}: {why}{more}")
	half, none := 0.5, (*float64)(nil)
	if got := New("message.test.first", "{Why}.").With(Args{"why": Name("they do")}).String(); got != "They do." {
		t.Errorf("a sentence is %q", got)
	}
	for _, c := range []struct {
		what string
		args Args
		want string
	}{
		{"counts have one plural each", Args{"n": Count(1, "item"), "all": Count(1200, "rollout"), "why": Share(half), "more": Nested(Text{})}, "1 item of 1,200 rollouts: 50 %"},
		{"what is not known says so", Args{"n": Known(none), "all": KnownShare(none), "why": PValue(0.0001), "more": Nested(Concat(Verbatim("; a"), Text{}, Verbatim(" b")))}, `unknown of unknown: p < 0.001; a b`},
		{"clauses are one sentence", Args{"n": Int(1), "all": Int(2), "why": Nested(Clauses(Text{}, Clauses(Verbatim("a"), Verbatim("b")), Verbatim("c"))), "more": Nested(Clauses(Clauses(), Verbatim(".")))}, "1 of 2: a; b; c."},
		{"changes have a sign", Args{"n": Change(0.25), "all": Change(-1200), "why": Nested(ChangeWithin(0.1, new(-0.05), new(0.25))), "more": Nested(ChangeWithin(0, nil, nil))}, "+0.25 of -1,200: +0.1 [-0.05, +0.25]0"},
		{"what somebody chose has no needless digits", Args{"n": Setting(12), "all": Setting(2.0), "why": Setting(0.05), "more": Name("")}, "12 of 2: 0.05"},
		{"what is filled in is not read again", Args{"n": Name("{all}"), "all": Int(2), "why": Names([]string{"a", "b"}), "more": Name("")}, "{all} of 2: a, b"},
	} {
		said := few.With(c.args)
		if got := said.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
		raw, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		var again Text
		if err := json.Unmarshal(raw, &again); err != nil || again.String() != c.want {
			t.Errorf("%s: stored as %s it is said as %q (%v)", c.what, raw, again, err)
		}
	}
	things := New("message.test.things", "{N|row is|rows are} of {all|category}")
	for want, args := range map[string]Args{
		"1 row is of 2 categories": {"n": Int(1), "all": Number(2)}, "1,200 rows are of 1 category": {"n": Int(1200), "all": Number(1)}, "0 rows are of unknown categories": {"n": Int(0), "all": Known(none)},
	} {
		if got := things.With(args).String(); got != want {
			t.Errorf("it counts %q, want %q", got, want)
		}
	}
	if got := things.Placeholders(); !slices.Equal(got, []string{"all", "n"}) {
		t.Errorf("it asks for %q", got)
	}
	if got := (Text{ID: "of.another.version", Args: Args{"n": Int(3)}}).String(); got != `of.another.version {"n":{"count":3}}` {
		t.Errorf("a message that is not known is shown as %q", got)
	}
}

func TestSpelledMessages(t *testing.T) {
	New("message.test.spelled", "about {n}")
	got, err := Spell([]byte(`{"a": [{"id": "message.test.spelled", "args": {"n": {"count": 2, "of": "item"}}}], "b": {"id": "of another version"}, "c": {"id": "message.test.spelled", "status": "pass"}, "d": 1e3}`), Language{})
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(got, &all); err != nil {
		t.Fatal(err)
	}
	if said := all["a"].([]any)[0].(map[string]any)["text"]; said != "about 2 items" {
		t.Errorf("it says %v", said)
	}
	for _, key := range []string{"b", "c"} {
		if _, has := all[key].(map[string]any)["text"]; has {
			t.Errorf("%s is no message of this program, and has a text", key)
		}
	}
	if _, err := Spell([]byte("{"), Language{}); err == nil {
		t.Error("half a document is taken")
	}
}
