package model_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/endpoint"
)

// Packed, 256 MB of spaces are a quarter of one: it is not unpacked, not tried again,
// and the failure says what it is.
func TestAReplyThatUnpacksToFarMoreIsNotRead(t *testing.T) {
	var packed bytes.Buffer
	z, part := gzip.NewWriter(&packed), []byte(strings.Repeat(" ", 1<<20))
	for range 1 << 8 {
		if _, err := z.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(status)
			_, _ = w.Write(packed.Bytes()) // the client may have left
		}))
		m, err := model.New(model.Config{Name: "m", BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
		runtime.ReadMemStats(&after)
		f, ok := endpoint.AsFailure(err)
		if !ok || f.Temporary || !strings.Contains(err.Error(), "the answer is longer than 16 MB, unpacked") {
			t.Errorf("status %d: error %v", status, err)
		}
		// What grows by a quarter until it holds 16 MB has taken some 80 MB.
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 120 {
			t.Errorf("status %d: it took %d MB", status, took)
		}
		m.Close()
		server.Close()
	}
}
