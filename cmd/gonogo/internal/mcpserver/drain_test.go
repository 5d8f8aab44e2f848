package mcpserver

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The input ends when each request has its answer or was cancelled, or the session ends.
func TestTheInputEndsAfterTheLastAnswer(t *testing.T) {
	const two = `{"id":1,"method":"tools/call"}` + "\n" + `{"id":"b","method":"tools/call","params":{"requestId":1}}` + "\n" + `{"method":"notifications/initialized"}` + "\n"
	for name, c := range map[string]struct {
		in    string
		write []string
		stop  bool
		ends  bool
	}{
		"no request":             {`{"method":"notifications/initialized"}` + "\n", nil, false, true},
		"one of two is answered": {two, []string{`{"id":1,"result":{}}` + "\n"}, false, false},
		"both are":               {two, []string{`{"id":1,"result":{}}` + "\n", `{"id":"b","error":{}}` + "\n"}, false, true},
		"one is cancelled":       {two + `{"method":"notifications/cancelled","params":{"requestId":"b"}}` + "\n", []string{`{"id":1,"result":{}}` + "\n"}, false, true},
		"the session ends":       {two, nil, true, true},
		"a line that is no JSON": {"hello\n", nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				var out bytes.Buffer
				d := newDrain(ctx, strings.NewReader(c.in), &out)
				ended := make(chan string, 1)
				go func() {
					b, _ := io.ReadAll(d)
					ended <- string(b)
				}()
				time.Sleep(time.Second)
				for _, text := range c.write {
					if _, err := d.Write([]byte(text)); err != nil {
						t.Error(err)
					}
				}
				if c.stop {
					stop()
				}
				synctest.Wait()
				select {
				case got := <-ended:
					if !c.ends || got != c.in {
						t.Errorf("the input ended with %q, want an end: %v", got, c.ends)
					}
				default:
					if c.ends {
						t.Error("the input does not end")
					}
					stop()
					<-ended
				}
				if out.String() != strings.Join(c.write, "") {
					t.Errorf("written is %q", out.String())
				}
			})
		})
	}
}
