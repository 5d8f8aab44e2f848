package rollout

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/prompt"
)

const fullLine = `{"item":"q1","split":"eval","step":40,"sample":2,"attempt":1,"source":"live","outcome":"step_limit","error":"steps","error_kind":"grader_timeout","reward":0.25,` +
	`"grades":[0.25,0.5],"parts":{"a":1,"b":0},"group_size":8,"clipped":true,"category":"c","family":"f","answer":"x < y & é",` +
	`"messages":[{"role":"assistant","content":[{"type":"text","text":"hi"}],"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]},{"role":"tool","content":"out","tool_call_id":"c1"}],` +
	`"calls":[{"turn":0,"id":"c1","name":"search","arguments":{"q": 1},"output":"two\nlines","status":"error","error":"e","http_status":404,"retries":2,"offset_s":0.5,"elapsed_s":1.25}],` +
	`"finish":"stop","served_by":"m fp_1","turns":3,"retries":1,"usage":{"input_tokens":10,"output_tokens":5},"judge":{"input_tokens":1},"judge_calls":2,"blanked":1,"canary_planted":true,"leaks":[{"canary":"canary_d1c1d0f0e6f7b8a9c0d1e2f300000000","at":"tool search"}],"trace_id":"t","started_at":"2026-01-31T12:00:00+01:00","elapsed_s":12.345678,` +
	`"earlier":[{"grader":"exact 12ab","outcome":"graded","reward":0.5,"grades":[0.5,0.25],"parts":{"a":0.5}},{"grader":"judge","outcome":"grader","error":"broken"}],` +
	`"probe":{"name":"echo","expect":"bottom","limit":0.25,"base":{"sample":2,"reward":null},"share":0.75,"zero":true},"zeta":{"k":[1,2]},"alpha":null}`

func TestRecordKeepsEverything(t *testing.T) {
	var r Record
	if err := json.Unmarshal([]byte(fullLine), &r); err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && (name == "Extra" || v.Type().Field(i).Tag.Get("json") != "-") {
			t.Errorf("field %s was not read", name)
		}
	}
	if got, want := r.Elapsed, Seconds(12345678*time.Microsecond); got != want {
		t.Errorf("elapsed is %v, want %v", got, want)
	}
	if c := r.Calls[0]; c.OutputBytes != len("two\nlines") || c.Arguments != `{"q": 1}` {
		t.Errorf("call is %+v", c)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Record
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again, sameJSON); diff != "" {
		t.Errorf("rewritten record differs (-first +second):\n%s", diff)
	}
	if !strings.HasPrefix(string(b), `{"item":"q1","split":"eval","step":40,"sample":2,`) || !strings.HasSuffix(string(b), `"alpha":null,"zeta":{"k":[1,2]}}`) {
		t.Errorf("keys are not in order: %s", b)
	}
}

func TestEncodeLeavesOutExtraThatMeansAField(t *testing.T) {
	r := Record{Item: "q", Extra: map[string]json.RawMessage{"reward": json.RawMessage("1"), "mine": json.RawMessage("{\n}")}}
	b, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); strings.Contains(s, "reward") || !strings.HasSuffix(s, `,"mine":{}}`) {
		t.Errorf("encoded as %s", s)
	}
}

// lines whose reading must agree with encoding/json and survive a rewrite.
var recordSeeds = []string{
	fullLine,
	`{"item":"q","reward":0,"judge":{"error":"503"}}`, `{"item":"q1","reward":0.5}`, `{"item":7}`, `{"item":-0}`, `{"item":123456789012345678901234567890}`,
	`{"item":"a","item":"b","reward":1,"reward":null}`, `{"\u0069tem":"q","Reward":1}`, `{"item":"q","parts":{"a":null},"parts":{"b":1}}`,
	`{"item":"q","calls":[{"output":"\ud83d\ude00 \ud800"},{"output":null,"arguments":null,"name":"x","name":"y"}]}`,
	`{"item":"q","calls":[],"messages":[],"grades":[null],"usage":null,"started_at":null,"elapsed_s":null,"calls":null}`,
	`{"item":"q","elapsed_s":-0.0000004,"started_at":"2024-02-29T23:59:60Z"}`, `{"item":"q","elapsed_s":1e300}`, "{\"item\":\"\xff\",\"x\xff\":1}",
	`{"item":"q","sample":1.0}`, `{"item":"q","sample":"1"}`, `{"item":"q","reward":"0.5"}`, `{"item":"q","reward":true}`, `{"item":"q","reward":1e999}`,
	`{"item":"q","messages":[{"role":"user","content":5,"tool_calls":[{"function":{"arguments":{"a":"` + "\xff" + `"}}}]}]}`,
	`{"item":"q","usage":{"input_tokens":1.5}}`, `{"item":"q","answer":3}`, `{"item":"q","reward":NaN}`,
	`{"item":"q","error":{"code": 5},"error_kind":false,"finish":"max_tokens"}`, `{"item":"q","error":null,"finish":"weird","finish_reason":"length"}`, `{"item":"q","finish":5,"finish":null}`,
	`{"item":"q","leaks":[],"canary_planted":null}`, `{"item":"q","leaks":null,"leaks":[{},{"at":"agent","Canary":"x"}]}`, `{"item":"q","leaks":"canary_"}`,
	`{"item":"q","step":40}`, `{"item":"q","step":"forty","step":-1}`, `{"item":"q","step":null}`, `{"item":"q","step":2.5,"step":3}`,
}

// numberOrTruth is a number, or true for 1 and false for 0.
type numberOrTruth float64

func (n *numberOrTruth) UnmarshalJSON(b []byte) error {
	if truth := new(bool); json.Unmarshal(b, truth) == nil && string(b) != "null" {
		if *n = 0; *truth {
			*n = 1
		}
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// reference reads a record with encoding/json alone: slow and simple.
func reference(line []byte) (*Record, bool) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(line, &keys) != nil || keys == nil {
		return nil, false
	}
	type plainRecord Record
	v := struct {
		Item   json.RawMessage           `json:"item"`
		Error  json.RawMessage           `json:"error"`
		Kind   json.RawMessage           `json:"error_kind"`
		Finish json.RawMessage           `json:"finish"`
		Step   json.RawMessage           `json:"step"`
		Reward *numberOrTruth            `json:"reward"`
		Grades []*float64                `json:"grades"`
		Parts  map[string]*numberOrTruth `json:"parts"`
		plainRecord
	}{}
	var known []string // as they are: Marshal would take out white space
	var extra map[string]json.RawMessage
	for name, raw := range keys {
		if recordKeys()[name] {
			known = append(known, `"`+name+`":`+string(raw))
			continue
		}
		if extra == nil {
			extra = make(map[string]json.RawMessage)
		}
		extra[name] = raw
	}
	if jsontext.Unmarshal([]byte("{"+strings.Join(known, ",")+"}"), &v) != nil {
		return nil, false
	}
	r := Record(v.plainRecord)
	r.Error, r.Kind, r.Finish = jsontext.TextOrJSON(v.Error), jsontext.TextOrJSON(v.Kind), FinishOf(jsontext.TextOrJSON(v.Finish))
	if raw := string(v.Finish); r.Finish == "" && raw != "" && raw != "null" && raw != `""` {
		if extra == nil {
			extra = make(map[string]json.RawMessage)
		}
		extra["finish"] = v.Finish
	}
	if n, err := strconv.Atoi(string(v.Step)); err == nil && n >= 0 && string(v.Step)[0] != '+' {
		r.Step = n
	} else if len(v.Step) > 0 && string(v.Step) != "null" {
		if extra == nil {
			extra = make(map[string]json.RawMessage)
		}
		extra["step"] = v.Step
	}
	if raw := string(keys["judge"]); r.Judge == (Usage{}) && len(raw) > len("{}") && raw[0] == '{' {
		if extra == nil {
			extra = make(map[string]json.RawMessage)
		}
		extra["judge"] = keys["judge"]
	}
	r.Extra, r.Line = extra, 0
	if id, _, err := readID(keys["item"]); keys["item"] != nil && err != nil {
		return nil, false
	} else if keys["item"] != nil {
		r.Item = id
	}
	r.Reward = (*float64)(v.Reward)
	for _, g := range v.Grades {
		if g != nil {
			r.Grades = append(r.Grades, *g)
		}
	}
	for name, p := range v.Parts {
		if p != nil {
			if r.Parts == nil {
				r.Parts = make(map[string]float64)
			}
			r.Parts[name] = float64(*p)
		}
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.OutputBytes == 0 {
			c.OutputBytes = len(c.Output)
		}
		if c.Status == "" && c.Error != "" {
			c.Status = CallError
		} else if c.Status == "" {
			c.Status = CallOK
		}
	}
	return &r, true
}

// callsArePlain reports whether a line's calls are of the shape that the
// plain struct can hold: arguments as strings, keys in lower case, no call null.
func callsArePlain(line []byte) bool {
	var v struct {
		Calls []map[string]json.RawMessage `json:"calls"`
	}
	if json.Unmarshal(line, &v) != nil {
		return false
	}
	for _, c := range v.Calls {
		if c == nil {
			return false
		}
		for k, raw := range c {
			if k != strings.ToLower(k) || k == "arguments" && raw[0] != '"' {
				return false
			}
			if k == "status" && !strings.Contains(`"ok""error""malformed""failed"""null`, string(raw)) {
				return false
			}
		}
	}
	return true
}

func FuzzRecord(f *testing.F) {
	for _, s := range recordSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		whole, err := decodeRecord(line, decoding{})
		if json.Valid(line) && callsArePlain(line) {
			want, ok := reference(line)
			if ok != (err == nil) {
				t.Fatalf("%q: error %v, encoding/json reads it: %t", line, err, ok)
			}
			if ok {
				if diff := cmp.Diff(want, whole.rec, sameJSON); diff != "" {
					t.Fatalf("%q differs from encoding/json (-want +got):\n%s", line, diff)
				}
			}
		}
		if err != nil {
			return
		}
		checkLean(t, line, whole)
		b, err := whole.rec.MarshalJSON()
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", line, err)
		}
		again, err := decodeRecord(b, decoding{})
		if err != nil && whole.rec.Item != "" {
			t.Fatalf("%q was written as %s, which cannot be read: %v", line, b, err)
		}
		if err == nil {
			if diff := cmp.Diff(whole.rec, again.rec, sameJSON); diff != "" {
				t.Fatalf("%q differs when rewritten (-first +second):\n%s", line, diff)
			}
		}
	})
}

// checkLean holds a lean read to the whole one.
func checkLean(t *testing.T, line []byte, whole decoded) {
	t.Helper()
	lean, err := decodeRecord(line, decoding{lean: true})
	if err != nil {
		t.Fatalf("%q: a lean read fails: %v", line, err)
	}
	bare, err := decodeRecord(line, decoding{lean: true, skipPrompts: true})
	if err != nil {
		t.Fatalf("%q: a lean read without prompts fails: %v", line, err)
	}
	want := *whole.rec
	want.Messages = nil
	want.Calls = nil
	if lean.rec.Asked != (prompt.Identity{}) && lean.rec.Asked != whole.rec.Prompt(nil) {
		t.Fatalf("%q: a lean read shows another prompt", line)
	}
	lean.rec.Asked, lean.rec.Said = prompt.Identity{}, 0
	if diff := cmp.Diff(lean.rec, bare.rec, sameJSON); diff != "" {
		t.Fatalf("%q: a lean read differs without prompts (-lean +without):\n%s", line, diff)
	}
	for _, c := range whole.rec.Calls {
		c.Output = ""
		want.Calls = append(want.Calls, c)
	}
	if diff := cmp.Diff(&want, lean.rec, sameJSON); diff != "" {
		t.Fatalf("%q: a lean read differs (-want +got):\n%s", line, diff)
	}
	if lean.hasSample != whole.hasSample || lean.noReward != whole.noReward || lean.itemNumber != whole.itemNumber {
		t.Fatalf("%q: a lean read takes the line otherwise", line)
	}
}

// Ids that no reader can tell apart became one item.
func TestIDsThatAreNoUTF8AreRefused(t *testing.T) {
	for _, lit := range []string{"\"a\xff\"", `"\ud800"`, `"\udfff-1"`, "\"\xe9t\xe9\""} {
		var r Record
		if err := r.UnmarshalJSON([]byte(`{"item":` + lit + `,"reward":1}`)); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("item %s: error is %v, id %q", lit, err, r.Item)
		}
	}
	for _, lit := range []string{`"\ufffd"`, `"\uFFFD"`, "\"\uFFFD\"", `"\ud83d\ude00"`, `"été"`} {
		var r Record
		if err := r.UnmarshalJSON([]byte(`{"item":` + lit + `,"reward":1}`)); err != nil {
			t.Errorf("item %s: %v", lit, err)
		}
	}
}

func TestExcerptStaysText(t *testing.T) {
	long := []byte(strings.Repeat("é", 100))
	if got := excerpt(long); !utf8.ValidString(got) || len(got) > 80 {
		t.Errorf("excerpt is %q", got)
	}
}

// Another tool writes under "judge" what its judge said: it is kept, and read for marks of
// failure.
func TestAJudgeOfAnotherTool(t *testing.T) {
	for text, want := range map[string]struct {
		kept   bool
		failed bool
	}{
		`{"input_tokens":3,"output_tokens":4}`: {},
		`{"error":"503 Service Unavailable"}`:  {kept: true, failed: true},
		`{"verdict":"wrong","error":null}`:     {kept: true},
		`{}`:                                   {},
	} {
		var got *Record
		line := `{"item":"q","reward":0,"answer":"x","judge":` + text + "}\n"
		if _, err := Read(t.Context(), "r.jsonl", strings.NewReader(line), ReadOptions{}, func(r *Record) error { got = r; return nil }); err != nil {
			t.Fatal(err)
		}
		if kept := got.Extra["judge"] != nil; kept != want.kept || (got.Outcome == GraderFailed) != want.failed || want.failed == (got.Reward != nil) {
			t.Errorf("judge %s: kept %t, %s with the reward %v", text, kept, got.Outcome, got.Reward)
		}
	}
}
