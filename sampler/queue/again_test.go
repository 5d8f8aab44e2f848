package queue_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// nats-server 2.15 removes the directories of its streams, if they are empty, some
// time after it has deleted the last stream: here while a new run makes its own.
func TestARunBeginsWhileTheServerCleansUpAfterTheLastOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := embed(t, dir, 0)
	c := check(server.Dial(context.Background(), nil))(t)
	defer c.Close()
	account := filepath.Join(dir, "jetstream", "$G")
	for range 50 {
		cleaned := make(chan struct{})
		go func() {
			defer close(cleaned)
			for begun := time.Now(); time.Since(begun) < 5*time.Millisecond; {
				_ = os.Remove(filepath.Join(account, "streams"))
				_ = os.Remove(account)
			}
		}()
		p := check(c.Lead(t.Context(), quick))(t)
		<-cleaned
		if err := p.Close(true); err != nil {
			t.Fatal(err)
		}
	}
}
