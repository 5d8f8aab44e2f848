package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// A list that is read offers tools that are read again as they are.
func FuzzReadPage(f *testing.F) {
	for _, seed := range []string{
		`{"tools":[{"name":"a","description":"d","inputSchema":{"type":"object","properties":{"b":{},"a":{}}}}],"nextCursor":"x"}`,
		`{"tools":[{"name":"a","inputSchema":{}}]}`, `{"tools":[{"name":"a","inputSchema":{"properties":{}}}]}`, `{"tools":null}`, `null`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := readPage(raw)
		if err != nil {
			return
		}
		for _, d := range p.tools {
			var chat struct {
				Function struct {
					Parameters struct{ Type string }
				}
			}
			if err := json.Unmarshal(d.Chat(), &chat); err != nil || chat.Function.Parameters.Type != "object" {
				t.Errorf("%q is offered as %s: %v", raw, d.Chat(), err)
			}
		}
		_, _ = Config{Name: "a"}.named(p.tools)
	})
}

// Whatever a server answers, the model is shown no more than it may be, and a
// refusal says something.
func FuzzReadResult(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"a"}]}`, `{"content":[],"structuredContent":{"b":1}}`, `{"isError":true}`,
		`{"content":[{"type":"resource","resource":{"uri":"u","text":"t"}},{"type":"audio","mimeType":"m"},{"type":"hologram"}]}`,
		`{"resultType":"input_required"}`, `null`, `[]`, `{"content":{}}`, `{"structuredContent":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		const most = 60
		res, err := readResult(raw, most)
		if err == nil && res.Error == "" && len(res.Output) > most {
			t.Errorf("%q shows %d bytes", raw, len(res.Output))
		}
		if res.Error != "" && res.Output == "" {
			t.Errorf("%q is a refusal that says nothing", raw)
		}
	})
}

// A line is read whole or said to be too long, and the next one is read after it.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`), 10)
	f.Add([]byte(`{"result":{"id":1},"id":"x"}`), 100)
	f.Add([]byte("too long"), 5)
	f.Fuzz(func(t *testing.T, line []byte, most int) {
		if most < 0 || most > 1<<20 || bytes.ContainsRune(line, '\n') {
			return
		}
		r := bufio.NewReaderSize(strings.NewReader(string(line)+"\nnext\n"), 16)
		got, err := readLine(r, most)
		switch {
		case errors.Is(err, errLong):
			if len(line)+1 <= most || !bytes.HasPrefix(line, bytes.TrimSuffix(got, []byte("\n"))) {
				t.Errorf("%d bytes of at most %d are too long", len(line), most)
			}
			idOf(got)
		case err != nil || !bytes.Equal(got, line):
			t.Errorf("%q, %v", got, err)
		}
		if most < len("next\n") {
			return
		}
		if next, err := readLine(r, most); err != nil || string(next) != "next" {
			t.Errorf("after it %q, %v", next, err)
		}
	})
}

func TestTheIDOfALineThatIsTooLong(t *testing.T) {
	for head, want := range map[string]any{
		`{"jsonrpc":"2.0","id":7,"result":{"content":[{"t`: int64(7),
		`{"id":"a","result":"x`:                            "a",
		`{"jsonrpc":"2.0","result":{"content":[{"text":"x`: nil,
		`{"method":"x","id":7,"params":{`:                  nil,
		`[{"id":7`:                                         nil,
		`garbage`:                                          nil,
	} {
		id, ok := idOf([]byte(head))
		if ok != (want != nil) || ok && id.Raw() != want {
			t.Errorf("%s: %v, %v; want %v", head, id.Raw(), ok, want)
		}
	}
}

func TestOfALineThatIsTooLongTheBeginningIsKept(t *testing.T) {
	r := bufio.NewReader(strings.NewReader(strings.Repeat("x", 1<<20) + "\nnext\n"))
	got, err := readLine(r, 1<<19)
	if !errors.Is(err, errLong) || len(got) != headOfLine {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if next, err := readLine(r, 1<<19); err != nil || string(next) != "next" {
		t.Errorf("after it %q, %v", next, err)
	}
}
