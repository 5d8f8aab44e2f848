package job

import (
	"encoding/json"
	"testing"
)

func TestASourceIsAPathOrABody(t *testing.T) {
	for text, named := range map[string]bool{`"job.json"`: true, `{"a":1}`: true, `""`: false} {
		var s Source
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Named() != named {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
		if got, err := json.Marshal(s); err != nil || string(got) != text {
			t.Errorf("%s is written %s (%v)", text, got, err)
		}
	}
}
