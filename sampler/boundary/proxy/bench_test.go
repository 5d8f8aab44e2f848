package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/proxy"
	"gonogo/sampler/rollout"
)

// BenchmarkProxy asks a model that answers at once, with nothing between and
// through the proxy: the difference is what the proxy adds.
func BenchmarkProxy(b *testing.B) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, says42)
	}))
	defer upstream.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	p, err := proxy.New(proxy.Config{BaseURL: upstream.URL + "/v1", Model: "base", API: "chat", APIKey: runKey, HTTP: client})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	at, shut, err := p.Open(b.Context(), sampler.AgentRequest{Item: &rollout.Item{ID: "q1"}, TraceID: "trace_1"})
	if err != nil {
		b.Fatal(err)
	}
	defer shut()
	for _, way := range []struct{ name, base string }{{"straight", upstream.URL + "/v1"}, {"through", at.BaseURL}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				resp, err := client.Post(way.base+"/chat/completions", "application/json", strings.NewReader(asks))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}
