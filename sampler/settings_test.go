package sampler

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

func TestSettingsAreReadAsTheyAreWritten(t *testing.T) {
	var s Settings
	text := `{"samples":8,"eval_samples":4,"production_samples":0,"concurrency":3,"in_flight":9,"max_tool_calls":7,"tool_timeout":"30s","retries":2,"retry_for":"5m","max_rollouts":10,"max_usd":1.5,"deadline":"2h"}`
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]map[rollout.Split]int{
		0: {rollout.Train: 8, rollout.Eval: 4, rollout.Production: 0}, 6: {rollout.Train: 6, rollout.Eval: 4, rollout.Production: 0},
	} {
		if got := s.SamplesOf(most); !reflect.DeepEqual(got, want) {
			t.Errorf("at most %d: %v, want %v", most, got, want)
		}
	}
	c := s.Config()
	if c.Concurrency != 3 || c.Rollouts != 9 || c.MaxToolCalls != 7 || c.ToolTimeout != 30*time.Second || c.Retry.Max != 2 || c.Retry.Total != 5*time.Minute || c.Retry.Cap != limit.DefaultRetry().Cap {
		t.Errorf("%+v", c)
	}
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	if b := s.Bounds(now); b.Rollouts != 10 || b.USD != 1.5 || b.Tokens != 0 || !b.Deadline.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%+v", b)
	}
}
