package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/job"
	"gonogo/sampler/jsontext"
)

// Platform returns the platform whose limits are checked; "" if none are.
func (c *Config) Platform() string {
	if c.Target == dataset.NoTarget {
		return ""
	}
	return c.Target
}

// targetWarnings returns what the configured platform does not accept of the training, that it ends,
// or that the job is one of a platform and none is named.
func targetWarnings(c *Config, now time.Time) []string {
	target, _ := dataset.TargetByName(c.Target)
	list := target.CheckTraining(trainingSettings(c))
	platforms := jobTargets()
	last := len(platforms) - 1
	switch {
	case c.OwnJob != nil && c.OwnJob.Hosted() && !c.has("target"):
		list = append(list, "the job is one of a hosted platform, and no target is named, so no limits are checked: set "+
			"target to "+strings.Join(platforms[:last], ", ")+" or "+platforms[last])
	case c.has("target") && c.Body != nil && !c.Job.Named(): // with a job, the project warns
		for _, w := range c.Body.Warnings(c.Target, now) {
			if w.Rule == job.RuleDeadline {
				list = append(list, w.Text)
			}
		}
	}
	return list
}

// jobTargets lists the platforms that take a job's body, those with an end date last, with the date.
func jobTargets() []string {
	var open, ending []string
	for _, name := range ui.Names(dataset.Targets(), func(t dataset.Target) string { return t.Name }) {
		target, _ := dataset.TargetByName(name)
		i := slices.IndexFunc(job.Deadlines(), func(d job.Deadline) bool { return d.Platform == name && d.Model == "" })
		switch {
		case !target.TakesJob:
		case i >= 0:
			ending = append(ending, name+" (no new jobs from "+job.Deadlines()[i].Date.Format(time.DateOnly)+")")
		default:
			open = append(open, name)
		}
	}
	return append(open, ending...)
}

// trainingSettings returns the settings of a training that are configured, by their keys.
func trainingSettings(c *Config) map[string]float64 {
	set := map[string]float64{dataset.SettingGroupSize: float64(c.Training.GroupSize)}
	for key, n := range map[string]int{
		dataset.SettingBatchSize:    c.Training.BatchSize,
		dataset.SettingEpochs:       c.Training.Epochs,
		dataset.SettingEvalInterval: c.Training.EvalInterval,
	} {
		if n > 0 {
			set[key] = float64(n)
		}
	}
	if n := c.Model.MaxOutputTokens; n != nil {
		set[dataset.SettingMaxTokens] = float64(*n)
	}
	sent := c.Model.Config().Sent()
	for key, name := range map[string]string{
		dataset.SettingTemperature: "temperature", dataset.SettingTopP: "top_p",
	} {
		if x, ok := jsontext.ReadNumber(json.RawMessage(sent[name])); ok {
			set[key] = x
		}
	}
	return set
}
