package sampler_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// benchServerVar makes the test binary the benchmarks' server, in a process of
// its own, so what the benchmark's process uses is the client's alone.
const benchServerVar = "GONOGO_BENCH_SERVER"

// benchDelay is how long the server takes for an answer: exactly Wait, or, with
// a Spread, lognormal with the median Wait and that standard deviation of the
// logarithm.
type benchDelay struct {
	Wait   time.Duration
	Spread float64
}

func (d benchDelay) sleep() {
	switch {
	case d.Wait > 0 && d.Spread > 0:
		time.Sleep(time.Duration(float64(d.Wait) * math.Exp(d.Spread*rand.NormFloat64())))
	case d.Wait > 0:
		time.Sleep(d.Wait)
	}
}

// serveBench is the server's process: it prints its address, and ends with its
// standard input.
func serveBench(arg string) error {
	var delay benchDelay
	if err := json.Unmarshal([]byte(arg), &delay); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var opened atomic.Int64
	mux := http.NewServeMux()
	mux.Handle("/", benchHandler(delay))
	mux.HandleFunc("GET /opened", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, opened.Load()) })
	server := &http.Server{Handler: mux, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}}
	fmt.Println("http://" + listener.Addr().String())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	_ = server.Serve(listener)
	return nil
}

// startBenchServer starts that process and returns its URL.
func startBenchServer(b *testing.B, delay benchDelay) string {
	b.Helper()
	arg, err := json.Marshal(delay)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), benchServerVar+"="+string(arg)), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// connectionsOpened is how many connections the server has seen so far, without
// the one that asks.
func connectionsOpened(b *testing.B, url string) int {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/opened", nil)
	if err != nil {
		b.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		b.Fatal(err)
	}
	return n - 1
}

// benchHandler is a model and a tool. The model looks at how many outputs there
// are and at the item's kind.
func benchHandler(delay benchDelay) http.Handler {
	output, _ := json.Marshal(map[string]string{"type": "function_call_output", "output": strings.Repeat("a line of a report\n", 60)})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /tool", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		delay.sleep()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(output)
	})
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		delay.sleep()
		done := bytes.Count(body, []byte(`"function_call_output"`))
		calls := 1
		if done == 0 && !bytes.Contains(body, []byte("kind=0")) {
			calls = 2
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, benchReply(done, calls))
	})
	return mux
}

func benchReply(done, calls int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":"resp_%d","object":"response","created_at":1,"model":"m","status":"completed","error":null,"incomplete_details":null,"parallel_tool_calls":true,"output":[`, done)
	fmt.Fprintf(&b, `{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"%s"}`, done, strings.Repeat("x", 400))
	if done >= 3 {
		b.WriteString(`,{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"42","annotations":[]}]}`)
	} else {
		for i := range calls {
			fmt.Fprintf(&b, `,{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"search","arguments":"{\"query\":\"revenue\"}","status":"completed"}`, done+i, done+i)
		}
	}
	b.WriteString(`],"usage":{"input_tokens":900,"input_tokens_details":{"cached_tokens":0},"output_tokens":60,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":960}}`)
	return b.String()
}
