package limit

import (
	"errors"
	"strings"
	"time"
)

// Duration is a duration, 0 or more, written with its unit.
type Duration struct{ time.Duration }

// MarshalText writes a duration as a person would: 10m, not 10m0s.
func (d Duration) MarshalText() ([]byte, error) {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return []byte(text), nil
}

// UnmarshalText reads what time.ParseDuration reads, except negative values.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	if d.Duration, err = time.ParseDuration(string(text)); err == nil && d.Duration < 0 {
		err = errors.New("is negative")
	}
	return err
}
