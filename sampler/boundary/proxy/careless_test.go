package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gonogo/sampler"
)

// endless streams events until no one wants them.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", 64<<10) + `"}}]}` + "\n\n"
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, event); err != nil {
			return
		}
	}
}

// What an agent neither sends nor reads to its end holds no rollout up.
func TestACarelessAgentHoldsNobodyUp(t *testing.T) {
	for _, c := range []struct{ why, sends string }{
		{"a request of which a part is sent", "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + asks[:20]},
		{"a request of which the head is sent", "POST %s HTTP/1.1\r\nHost: x\r\nContent-Le"},
		{"a stream that is not read", "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: " + fmt.Sprint(len(streams)) + "\r\n\r\n" + streams},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := newStage(t, sampler.AgentRequest{}, endless)
			at, err := url.Parse(s.at.BaseURL)
			if err != nil {
				t.Fatal(err)
			}
			conn, err := net.Dial("tcp", at.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, c.sends, at.Path+"/chat/completions"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(300 * time.Millisecond) // the stream fills what is between
			closed := make(chan struct{})
			go func() {
				s.close()
				close(closed)
			}()
			select {
			case <-closed:
			case <-time.After(time.Minute):
				t.Fatal("the rollout does not end")
			}
		})
	}
}

const streams = `{"model":"base","stream":true,"messages":[{"role":"user","content":"6 x 7?"}]}`

// A stream that breaks off does so for the agent, too: it must not take what came
// for all of the answer.
func TestAStreamThatBreaksOffIsNoAnswer(t *testing.T) {
	s := newStage(t, sampler.AgentRequest{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"It is not"}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	resp := s.start(t.Context(), "/chat/completions", streams)
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if !strings.Contains(string(text), "It is not") || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the agent read %q, %v", text, err)
	}
	if h := s.close(); h.Failed == nil || h.Turns != 0 {
		t.Errorf("heard %+v", h)
	}
}
