package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gonogo/sampler/endpoint"
)

func TestReachNeedsOnlyAConnection(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	address := server.URL + "/v1?key=secret"
	if err := endpoint.Reach(t.Context(), address); err != nil {
		t.Errorf("a server that listens: %v", err)
	}
	server.Close()
	if requests != 0 {
		t.Errorf("reaching a server made %d requests, want none", requests)
	}
	err := endpoint.Reach(t.Context(), address)
	if err == nil || !strings.Contains(err.Error(), server.URL) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a server that is gone: error is %v, want one with its URL and without the query", err)
	}
}
