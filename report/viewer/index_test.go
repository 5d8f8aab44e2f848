package viewer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gonogo/sampler/rollout"
)

// opened is an index over a directory that has read all there is.
func opened(t testing.TB, dir string) *Index {
	t.Helper()
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex(run, time.Millisecond)
	t.Cleanup(func() { x.Close() })
	return ready(t, x, func(s State) bool { return s.Ready })
}

func ready(t testing.TB, x *Index, enough func(State) bool) *Index {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		s, _ := x.State()
		if enough(s) {
			return x
		}
		if time.Now().After(end) {
			t.Fatalf("the index does not get there: %+v", s)
		}
	}
}

// all is whatever an index says of a run.
type all struct {
	Names   []name
	Entries []entry
	Counts  []int32
}

func contents(x *Index) (a all) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a.Names, a.Entries = x.names.Items, slices.Clone(x.entries)
	for i := range x.entries {
		if x.counts(int32(i)) {
			a.Counts = append(a.Counts, int32(i))
		}
	}
	return a
}

func found(t testing.TB, x *Index, query string) (keys []rollout.Key) {
	t.Helper()
	_, done, err := x.Search(context.Background(), query, 0, nil, func(h Hit) bool {
		keys = append(keys, h.Key)
		return true
	})
	if err != nil || !done {
		t.Fatalf("search %q: done %v, %v", query, done, err)
	}
	return keys
}

func write(t testing.TB, dir string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, rollout.RolloutsFile)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func add(t testing.TB, path string, text []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func encoded(t testing.TB, rec rollout.Record) []byte {
	t.Helper()
	line, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '\n')
}

// words are what texts of the tests are made of: scripts with case, without it,
// and runes that change their length with it.
var words = []string{
	"Search", "rEWARD", "grader", "答案", "正しい", "정답", "Straße", "ÉCOLE", "İstanbul", "K", "Ωmega", "x", "42", "\"quoted\"", `C:\dir`, "a/b", "<script>", "line\nend", "\u2028", "🙂",
}

func prose(draw func(n int) int, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(words[draw(len(words))])
		if draw(3) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func made(draw func(n int) int, item, sample int) rollout.Record {
	reward := float64(draw(5)) / 4
	rec := rollout.Record{
		Item: fmt.Sprintf("q%d", item), Split: rollout.Splits()[item%2], Sample: sample, Attempt: draw(3), Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward,
		Messages: []rollout.Message{
			{Role: "assistant", Content: prose(draw, draw(4)), Reasoning: prose(draw, draw(3)), ToolCalls: []rollout.ToolCall{{ID: "c", Name: "cat", Arguments: `{"q":1}`}}},
			{Role: "tool", ToolCallID: "c", Content: "out"},
		},
		Calls:  []rollout.Call{{ID: "c", Name: []string{"search", "cat"}[draw(2)], Arguments: prose(draw, 1), Output: prose(draw, draw(6)), Status: rollout.CallOK}},
		Answer: prose(draw, draw(3)),
	}
	if draw(4) == 0 {
		rec.Outcome, rec.Reward, rec.Error = rollout.GraderFailed, nil, prose(draw, 2)
	}
	if draw(4) == 0 {
		rec.Extra = map[string]json.RawMessage{"why": json.RawMessage(`"` + []string{"Because", "由于"}[draw(2)] + `"`)}
	}
	return rec
}

// TestSearchFindsWhatANaiveScanFinds holds the index against strings.Contains
// over everything that was said.
func TestSearchFindsWhatANaiveScanFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		dir := t.TempDir()
		best := map[rollout.Key]rollout.Record{}
		var text []byte
		for range rapid.IntRange(1, 40).Draw(rt, "lines") {
			rec := made(rng.IntN, rng.IntN(4), rng.IntN(4))
			text = append(text, encoded(t, rec)...)
			if was, there := best[rec.Key()]; !there || rec.Attempt >= was.Attempt {
				best[rec.Key()] = rec
			}
		}
		write(t, dir, text)
		x := opened(t, dir)
		defer x.Close()
		for range 8 {
			query := []rune(prose(rng.IntN, 1+rng.IntN(2)))
			from := rng.IntN(len(query))
			part := string(query[from : from+1+rng.IntN(len(query)-from)])
			if rng.IntN(3) == 0 {
				part = strings.ToUpper(part)
			}
			var want []rollout.Key
			for key, rec := range best {
				if naive(rec, part) {
					want = append(want, key)
				}
			}
			got := found(t, x, part)
			order := func(a, b rollout.Key) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
			slices.SortFunc(want, order)
			slices.SortFunc(got, order)
			if !slices.Equal(got, want) {
				rt.Fatalf("search %q: got %v, want %v", part, got, want)
			}
		}
	})
}

func naive(rec rollout.Record, query string) bool {
	said := []string{rec.Answer, rec.Error}
	for _, m := range rec.Messages {
		said = append(said, m.Content, m.Reasoning)
	}
	for _, c := range rec.Calls {
		said = append(said, c.Name, c.Arguments, c.Output)
	}
	for _, raw := range rec.Extra {
		said = append(said, strings.Trim(string(raw), `"`))
	}
	return slices.ContainsFunc(said, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(query)) })
}

// long is a run of some blocks.
func long(t testing.TB, lines int) (dir, path string, text [][]byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	dir = t.TempDir()
	for i := range lines {
		text = append(text, encoded(t, made(rng.IntN, i/8, i%8)))
	}
	return dir, write(t, dir, bytes.Join(text, nil)), text
}

func TestAGrowingRunEndsAsOneReadAtOnce(t *testing.T) {
	dir, _, text := long(t, 2*blockLines+100)
	want := contents(opened(t, dir))
	grown := t.TempDir()
	path := write(t, grown, bytes.Join(text[:300], nil))
	x := opened(t, grown)
	for at := 300; at < len(text); at += 271 {
		part := bytes.Join(text[at:min(len(text), at+271)], nil)
		cut := len(part) / 2 // in the midst of a line
		add(t, path, part[:cut])
		ready(t, x, func(s State) bool { return s.Torn })
		add(t, path, part[cut:])
		ready(t, x, func(s State) bool { return s.Lines == min(len(text), at+271) && s.Ready && !s.Torn })
	}
	if got := contents(x); !reflect.DeepEqual(got, want) {
		t.Errorf("%d lines, %d count; want %d, %d", len(got.Entries), len(got.Counts), len(want.Entries), len(want.Counts))
	}
}

// restored makes an index for a file that was written again just now.
func TestWhatCountsAndWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, []byte("\uFEFF"+`{"item":"q1","reward":0.5}
{"item":"q1","reward":1}

{"item":"q2","sample":0,"attempt":1,"reward":1}
{"item":"q2","sample":0,"attempt":0,"reward":0}
no json
{"item":"q3","outcome":"tool","error":"refused"}
{"item":"q3","sample":1,"reward":NaN}
{"item":"q4","sample":0,"reward":0.25}
{"item":"q4","sample":0,"reward":0.75}
{"item":"q5","rew`))
	x := opened(t, dir)
	s, _ := x.State()
	if !s.Torn || len(s.Bad) != 1 || s.Bad[0].Line != 6 || s.Rollouts != 6 || s.Superseded != 2 {
		t.Errorf("state is %+v", s)
	}
	for k, want := range map[rollout.Key]struct {
		reward float64
		scored bool
		line   int32
	}{
		key("q1", 0): {0.5, true, 1},
		key("q1", 1): {1, true, 2},
		key("q2", 0): {1, true, 4},
		key("q3", 0): {0, false, 7},
		key("q3", 1): {0, false, 8},
		key("q4", 0): {0.75, true, 10},
	} {
		e, _, ok := x.find(k)
		if !ok {
			t.Errorf("%v is missing", k)
			continue
		}
		reward, scored := e.score(0)
		if reward != want.reward || scored != want.scored || e.Line != want.line {
			t.Errorf("%v: reward %g, %v, line %d; want %+v", k, reward, scored, e.Line, want)
		}
		if rec, err := x.record(&e, k); err != nil || rec.Line != int(want.line) {
			t.Errorf("%v: read %+v, %v", k, rec, err)
		}
	}
	if _, _, ok := x.find(rollout.Key{Split: rollout.Eval, Item: "q1"}); ok {
		t.Error("found an item of another split")
	}
}

func key(item string, sample int) rollout.Key {
	return rollout.Key{Split: rollout.Train, Item: item, Sample: sample}
}

func TestALineThatMovedHasTheIndexMadeAgain(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, []byte(`{"item":"q1","reward":1,"answer":"aa"}`+"\n"+`{"item":"q2","reward":0}`+"\n"))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	x := opened(t, dir)
	x.mu.Lock() // no look meanwhile
	write(t, dir, []byte(`{"item":"q9","reward":1,"answer":"bb"}`+"\n"+`{"item":"q2","reward":0}`+"\n"))
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	x.mu.Unlock()
	if e, _, ok := x.find(key("q1", 0)); ok {
		if _, err := x.record(&e, key("q1", 0)); !errors.Is(err, errMoved) {
			t.Fatalf("error is %v", err)
		}
	}
	ready(t, x, func(s State) bool {
		_, _, ok := x.find(key("q9", 0))
		return s.Ready && ok
	})
}

// BenchmarkIndex makes an index, bytes of rollouts.jsonl a second.
func BenchmarkIndex(b *testing.B) {
	dir := b.TempDir()
	text := corpus(2000, 20<<10, 0)
	write(b, dir, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		os.Remove(filepath.Join(dir, IndexFile))
		opened(b, dir).Close()
	}
}

// corpus is lines of rollouts with texts of some size, much as agents leave
// them: few words often, many seldom.
func corpus(lines, size, from int) []byte {
	rng := rand.New(rand.NewPCG(3, uint64(from)))
	zipf := rand.NewZipf(rng, 1.3, 8, 40000)
	var out bytes.Buffer
	for i := from; i < from+lines; i++ {
		say := func(n int) string {
			var b strings.Builder
			for b.Len() < n {
				fmt.Fprintf(&b, "%s ", term(zipf.Uint64()))
			}
			return b.String()
		}
		output := say(size / 2)
		fmt.Fprintf(&out, `{"item":"q-%05d","split":"train","sample":%d,"outcome":"graded","reward":%g,"answer":"it is %d","messages":[{"role":"assistant","content":"%s"},{"role":"assistant","content":"%s"}],"calls":[{"id":"c1","name":"search","arguments":"{\"q\":\"%s\"}","output":"%s","status":"ok"}],"turns":2,"usage":{"input_tokens":1200,"output_tokens":80},"elapsed_s":1.5}`+"\n",
			i/8, i%8, float64(rng.IntN(5))/4, i, say(size/4), say(size/4-200), term(zipf.Uint64()), output)
	}
	return out.Bytes()
}

// term is the word of a rank.
func term(rank uint64) string {
	const syllables = "kalomiturenaposividegahubefolyzarocinate"
	var b strings.Builder
	for rank += 19; ; rank /= 20 {
		at := rank % 20 * 2
		b.WriteString(syllables[at : at+2])
		if rank < 20 {
			return b.String()
		}
	}
}
