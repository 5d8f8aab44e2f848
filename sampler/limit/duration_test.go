package limit

import (
	"encoding/json"
	"testing"
	"time"
)

func TestADurationIsWrittenAsAPersonWould(t *testing.T) {
	for text, want := range map[string]string{"10m": "10m", "90s": "1m30s", "1h0m0s": "1h", "0s": "0s", "1500ms": "1.5s", "2h30m": "2h30m"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(d)
		if err != nil || string(got) != `"`+want+`"` {
			t.Errorf("%s is written %s (%v), want %s", text, got, err, want)
		}
		var again Duration
		if err := json.Unmarshal(got, &again); err != nil || again != d {
			t.Errorf("%s is read again as %v (%v)", got, again, err)
		}
	}
	for _, text := range []string{"-5s", "5", ""} {
		if d := (Duration{time.Hour}); d.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
