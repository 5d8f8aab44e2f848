package rollout_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// TestReadLineReadsAsReadDoes reads each line alone and in a file of its own.
func TestReadLineReadsAsReadDoes(t *testing.T) {
	for name, line := range map[string]string{
		"the smallest":            `{"item":"q1","reward":0.5}`,
		"a reward that is NaN":    `{"item":"q1","sample":2,"reward":NaN}`,
		"a failure with a number": `{"item":7,"outcome":"tool","reward":0}`,
		"text and calls":          ` {"item":"q","split":"eval","reward":1,"answer":"é","messages":[{"role":"assistant","content":"a"}],"calls":[{"name":"x","output":"o"}]} `,
		"no JSON":                 `{"item":`,
		"no item":                 `{"reward":1}`,
		"a probe":                 `{"item":"q","source":"probe"}`,
		"an unknown outcome":      `{"item":"q","outcome":"lost"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var want *rollout.Record
			_, wantErr := rollout.Read(context.Background(), "f", strings.NewReader(line+"\n"), rollout.ReadOptions{}, func(r *rollout.Record) error {
				want = r
				return nil
			})
			got, numbered, err := rollout.ReadLine([]byte(line), "", "")
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("error %v, want one like %v", err, wantErr)
			}
			if err != nil {
				return
			}
			if said := strings.Contains(line, `"sample"`); numbered != said {
				t.Errorf("numbered is %v for %s", numbered, line)
			}
			if want.Line = 0; !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
