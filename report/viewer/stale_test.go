package viewer

import (
	"errors"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// A rollout was found, and then the index was made again of other rollouts: it
// is told by the names that it was found with.
func TestWhatWasFoundOutlivesTheIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, []byte(`{"item":"q1","reward":1}`+"\n"+`{"item":"q2","reward":0,"calls":[{"name":"look"}],"error":"refused","outcome":"no_answer"}`+"\n"))
	s := &side{index: opened(t, dir), names: newNames(false)}
	e, names, ok := s.index.find(key("q2", 0))
	if !ok {
		t.Fatal("q2 is missing")
	}
	if _, _, ok := s.index.find(key("q2", 1<<32)); ok {
		t.Error("a sample that is too large is found as another one")
	}
	s.index.mu.Lock()
	s.index.reset()
	b := s.brief(names, &e, nil)
	s.index.mu.Unlock()
	if b.Error != "refused" || len(b.Tools) != 1 || b.Tools[0] != "look" {
		t.Errorf("it is told as %+v", b)
	}
}

// A line that holds another sample of the item is not the one that was asked for.
func TestALineOfAnotherSampleIsNotTaken(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, []byte(`{"item":"q1","sample":0,"reward":1}`+"\n"+`{"item":"q1","sample":1,"reward":0}`+"\n"))
	x := opened(t, dir)
	e, _, ok := x.find(key("q1", 0))
	if !ok {
		t.Fatal("q1 is missing")
	}
	if _, err := x.decode([]byte(`{"item":"q1","sample":1,"reward":0}`), &e, key("q1", 0)); !errors.Is(err, errMoved) {
		t.Errorf("error is %v", err)
	}
}

// A model may call a tool by a name of any length: memory does not grow with it.
func TestNamesOfAnyLength(t *testing.T) {
	c, long := newCatalog(), strings.Repeat("x", 1<<20)
	e := c.enter(&rollout.Record{Item: "q1", Outcome: rollout.Graded, Category: long, Family: long, Calls: []rollout.Call{{Name: long}}}, true)
	for _, name := range []string{c.sequence(&e)[0], c.Labels[e.Category], c.Labels[e.Family]} {
		if len(name) > 2*nameLength || !strings.HasPrefix(name, "xxx") {
			t.Errorf("a name of %d bytes is kept", len(name))
		}
	}
}
