package limit

import (
	"testing"
	"time"
)

func TestX(t *testing.T) {
	finish(t, Limits{}, slots(16, always(500*time.Millisecond)), 1600, 5*time.Second, 1)
}
