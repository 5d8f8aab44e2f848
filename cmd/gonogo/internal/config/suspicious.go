package config

import (
	"fmt"
	"time"
)

// SuspiciousValues returns the values of the configuration that are probably
// mistakes, each with its place.
func SuspiciousValues(c *Config, now time.Time) []string {
	var list []string
	lo, hi := c.RewardRange[0], c.RewardRange[1]
	if t := c.PassThreshold; t != nil && (*t < lo || *t > hi) {
		why := fmt.Sprintf("%g is outside the reward range, %g to %g: every rollout passes, or none (key reward_range)", *t, lo, hi)
		if c.has("pass_threshold") || c.Body == nil {
			list = append(list, c.Fault("pass_threshold", "%s", why).Error())
		} else {
			list = append(list, c.Body.PassFault(why).Error())
		}
	}
	if at, err := Deadline(c.Sampling.Deadline, now); err == nil && !at.IsZero() && at.Before(now) {
		list = append(list, c.Fault("sampling.deadline", "%s is in the past: a run would begin no rollout", c.Sampling.Deadline).Error())
	}
	return list
}
