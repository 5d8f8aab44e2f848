package rollout

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/sampler/rollout/credential"
)

func TestRedactor(t *testing.T) {
	const secret = `sk/a"b\c&d e+ü=7890`
	asJSON, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	r := NewRedactor("short", secret, "sk-one-two", "sk-one-two-three", "longer-sk-one", "")
	for name, tt := range map[string][2]string{
		"as it is":                        {"a " + secret + " b", "a " + credential.Mask + " b"},
		"in JSON":                         {string(asJSON), `"` + credential.Mask + `"`},
		"in JSON within JSON":             {string(twice), `"\"` + credential.Mask + `\""`},
		"in a query":                      {"?k=" + url.QueryEscape(secret), "?k=" + credential.Mask},
		"in a path":                       {"/" + url.PathEscape(secret), "/" + credential.Mask},
		"in base64":                       {base64.StdEncoding.EncodeToString([]byte(secret)), credential.Mask},
		"in base64 without padding":       {base64.RawURLEncoding.EncodeToString([]byte(secret)), credential.Mask},
		"the longer of two goes whole":    {"sk-one-two-three sk-one-two", credential.Mask + " " + credential.Mask},
		"a short secret is left alone":    {"short", "short"},
		"the half that a cut left":        {"a sk-one-two-thr… b sk-one-…", "a " + credential.Mask + "… b " + credential.Mask + "…"},
		"whole, ending as another starts": {"longer-sk-one…", credential.Mask + "…"},
		"six bytes of it":                 {"sk-one…", credential.Mask + "…"},
		"five may be chance":              {"sk-on… sk-one-", "sk-on… sk-one-"},
		"text without secrets is as is":   {"nothing to see", "nothing to see"},
	} {
		if got := r.String(tt[0]); got != tt[1] {
			t.Errorf("%s: String(%q) = %q, want %q", name, tt[0], got, tt[1])
		}
		if got := string(r.bytes([]byte(tt[0]))); got != tt[1] {
			t.Errorf("%s: Bytes(%q) = %q, want %q", name, tt[0], got, tt[1])
		}
	}
}

func TestNilRedactor(t *testing.T) {
	for name, r := range map[string]*Redactor{"nil": nil, "no secrets": NewRedactor(), "short secrets": NewRedactor("abc", "")} {
		if r.String("abc") != "abc" || string(r.bytes([]byte("abc"))) != "abc" || string(r.JSON([]byte(`"abc"`))) != `"abc"` {
			t.Errorf("%s: a Redactor without secrets changes text", name)
		}
	}
}

// A secret that looks like a part of our own files, or like a number, must not
// make them unreadable.
func TestRedactedLinesStayReadable(t *testing.T) {
	var rec Record
	if err := json.Unmarshal([]byte(fullLine), &rec); err != nil {
		t.Fatal(err)
	}
	rec.Answer = "the text \nreward 345678"
	line, err := rec.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"reward", "step_limit", "messages", "function", "345678", `","reward`, "content", "ntext\n", "nreward"} {
		masked := NewRedactor(secret).JSON(line)
		got, err := decodeRecord(masked, decoding{})
		if err != nil {
			t.Errorf("secret %q: %v in %s", secret, err, masked)
			continue
		}
		if got.rec.Key() != rec.Key() || got.rec.Reward == nil || *got.rec.Reward != *rec.Reward || got.rec.Outcome != rec.Outcome {
			t.Errorf("secret %q: record became %s", secret, masked)
		}
		if strings.Contains(got.rec.Answer, secret) {
			t.Errorf("secret %q stands in answer %q", secret, got.rec.Answer)
		}
	}
}

func FuzzRedactJSON(f *testing.F) {
	f.Add(`{"a":"x\nsecret-x","b":[1.5,"secret-x"]}`, "secret-x")
	f.Add(`{"a":"\u0073ecret\\secret"}`, `t\secret`)
	f.Fuzz(func(t *testing.T, text, secret string) {
		if !json.Valid([]byte(text)) {
			return
		}
		if got := NewRedactor(secret).JSON([]byte(text)); !json.Valid(got) {
			t.Errorf("masking %q in %s gives %s", secret, text, got)
		}
	})
}

// No byte of a secret reaches the disk, wherever it was hidden.
func TestNoSecretInTheDirectory(t *testing.T) {
	const secret = "sk-planted-0123456789"
	dir := t.TempDir()
	m := Manifest{Name: secret, Config: json.RawMessage(`{"headers":{"Authorization":"Bearer ` + secret + `"}}`), Choices: map[string]string{secret: "x"}, Notes: []string{url.QueryEscape(secret)}}
	item := Item{ID: "a", Split: Train, Row: json.RawMessage(`{"messages":[{"role":"user","content":"` + secret + `"}]}`)}
	w := create(t, dir, m, []Item{item}, WriterOptions{Redact: NewRedactor(secret)})
	rec := graded("a", 0, 1)
	rec.Answer = secret
	rec.Error, rec.Grades = "1 of 2 gradings failed: 401 for "+secret, []float64{1}
	rec.Messages = []Message{{Role: "assistant", Content: "key " + secret, Parts: json.RawMessage(`[{"type":"text","text":"` + secret + `"}]`)}}
	rec.Calls = []Call{{Name: "t", Arguments: `{"k":"` + secret + `"}`, Output: base64.StdEncoding.EncodeToString([]byte(secret)), Status: CallOK}}
	rec.Extra = map[string]json.RawMessage{"x" + secret: json.RawMessage(`"` + secret + `"`)}
	appendAll(t, w, rec)
	if err := w.Amend(func(m *Manifest) { m.Notes = append(m.Notes, secret) }); err != nil {
		t.Fatal(err)
	}
	closeIt(t, w)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	masks := 0
	for _, e := range entries {
		text := slurp(t, filepath.Join(dir, e.Name()))
		masks += strings.Count(text, credential.Mask)
		for _, s := range spellings(secret) {
			if strings.Contains(text, s) {
				t.Errorf("%s holds the secret as %s: %s", e.Name(), s, text)
			}
		}
	}
	if masks < 10 {
		t.Errorf("only %d masks: the secret was not where this test put it", masks)
	}
	if r, err := Open(dir); err != nil || countRecords(t, r) != 1 || len(r.Items) != 1 {
		t.Errorf("the masked run cannot be read: %v", err)
	}
}
