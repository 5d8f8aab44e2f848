package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gonogo/sampler/rollout"
)

// idRow is the shortest row with an id.
func idRow(id string) string { return `{"id":"` + id + `",` + user + `}` }

func TestCopyWritesRowsByteForByte(t *testing.T) {
	odd := " { \"id\" : \"b\",\t" + user + " } "
	for name, c := range map[string]struct {
		text, want string
		keep       []int
	}{
		"all rows":                                {idRow("a") + "\n" + odd + "\n", idRow("a") + "\n" + odd + "\n", []int{1, 2}},
		"unusual spacing stays":                   {idRow("a") + "\n" + odd + "\n", odd + "\n", []int{2}},
		"CRLF stays":                              {idRow("a") + "\r\n" + idRow("b") + "\r\n", idRow("b") + "\r\n", []int{2}},
		"line ends may be mixed":                  {idRow("a") + "\r\n" + idRow("b") + "\n" + idRow("c") + "\r\n", idRow("a") + "\r\n" + idRow("b") + "\n", []int{1, 2}},
		"a last row without an end has none":      {idRow("a") + "\n" + idRow("b"), idRow("a") + "\n" + idRow("b"), []int{1, 2}},
		"the end of another row is not cut":       {idRow("a") + "\n" + idRow("b"), idRow("a") + "\n", []int{1}},
		"a byte order mark is the file's":         {"\ufeff" + idRow("a") + "\n" + idRow("b") + "\n", "\ufeff" + idRow("b") + "\n", []int{2}},
		"and stays before the first row":          {"\ufeff" + idRow("a") + "\n" + idRow("b") + "\n", "\ufeff" + idRow("a") + "\n", []int{1}},
		"blank lines are no rows":                 {"\n" + idRow("a") + "\n  \r\n" + idRow("b") + "\n\n", idRow("a") + "\n" + idRow("b") + "\n", []int{1, 2, 3, 4, 5}},
		"nothing kept, nothing written":           {"\ufeff" + idRow("a") + "\n", "", nil},
		"a wrapped row stays wrapped":             {`{"item":` + idRow("a") + "}\n", `{"item":` + idRow("a") + "}\n", []int{1}},
		"text that other programs break lines at": {`{"id":"a\u2028",` + user + ",\"x\":\"\u2028\u0085\"}\n", `{"id":"a\u2028",` + user + ",\"x\":\"\u2028\u0085\"}\n", []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := load(t, c.text)
			kept := map[int]bool{}
			for _, line := range c.keep {
				kept[line] = true
			}
			var got bytes.Buffer
			if err := f.copyRows(strings.NewReader(c.text), &got, func(line int) bool { return kept[line] }); err != nil || got.String() != c.want {
				t.Errorf("wrote %q, want %q; %v", got.String(), c.want, err)
			}
		})
	}
}

// What is kept and what is dropped are together the file, whatever its bytes.
func TestCopyLosesNoRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		n := rapid.IntRange(1, 12).Draw(t, "rows")
		for i := range n {
			text.WriteString(rapid.SampledFrom([]string{"", " ", "\t "}).Draw(t, "before"))
			text.WriteString(idRow(fmt.Sprint(i)))
			text.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", " \n"}).Draw(t, "end"))
		}
		all := text.String()
		if rapid.Bool().Draw(t, "torn") {
			all = strings.TrimRight(all, "\r\n")
		}
		f, err := read(strings.NewReader(all), "x", rollout.Train, Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "kept")
		lines := strings.SplitAfter(all, "\n")
		var want strings.Builder
		for i, k := range kept {
			if k {
				want.WriteString(lines[i])
			}
		}
		var got bytes.Buffer
		if err := f.copyRows(strings.NewReader(all), &got, func(line int) bool { return kept[line-1] }); err != nil || got.String() != want.String() {
			t.Fatalf("wrote %q, want %q; %v", got.String(), want.String(), err)
		}
	})
}

func TestCopyTellsOfAFileThatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(path, []byte(idRow("a")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, rollout.Train, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(idRow("b")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := func(int) bool { return true }
	if err := f.Copy(&bytes.Buffer{}, all); err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := f.Copy(&bytes.Buffer{}, all); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestRepeatsAreNamed(t *testing.T) {
	f := load(t, idRow("a")+"\n"+idRow("b")+"\n\n"+idRow("a")+"\n")
	if len(f.Repeats) != 1 || f.Repeats[0] != (Repeat{Line: 4, First: 1}) {
		t.Errorf("repeats %+v", f.Repeats)
	}
}
