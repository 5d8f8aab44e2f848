package config

import (
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
	"gonogo/report"
	"gonogo/sampler/audit"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/job"
	"gonogo/sampler/input/schema"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// Keys is the table of the keys of gonogo.yaml. It is built once, because the tags do not change.
var Keys = sync.OnceValue(func() *schema.Table {
	stages := ui.Names(analysis.Stages(), func(s analysis.Stage) string { return s.Name })
	return schema.For[values](schema.Options{
		Title: "gonogo.yaml", Description: "The configuration of a gonogo run.",
		Types: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[job.Source](): {Types: []string{
			"string",
			"object",
		}}},
		Lists: lists(),
		Moved: map[string]func(string) error{
			"require":    gate.RenamedGateError,
			"thresholds": gate.RenamedThresholdError,
		},
		Words:   strings.NewReplacer("{origin}", fixtures.Origin, "{stages}", strings.Join(stages, ", ")),
		MaskURL: credential.MaskURL, Listed: "; gonogo help config lists the keys",
	})
})

// lists holds allowed values of texts, and names in maps, that other packages define.
func lists() map[string][]string {
	return map[string][]string{
		"audit.probes[].expect": ui.Names(rollout.Expectations(),
			func(e rollout.Expectation) string { return string(e) }),
		"audit.skip": ui.Names(audit.Probes(), func(p audit.Probe) string { return p.Name }),
		"report.formats": append(ui.Names(report.Formats(), func(f report.Format[*report.RunPage]) string { return f.Name }),
			DefaultFormats, AllFormats),
		"report.lang":       message.Tags(),
		"report.paper":      report.Papers(),
		"require":           gate.All().Requirable(),
		"target":            ui.Names(dataset.Targets(), func(t dataset.Target) string { return t.Name }),
		"thresholds":        ui.Names(gate.All().Thresholds(), func(t analysis.Threshold) string { return t.Name }),
		"trainer.normalize": analysis.Normalizations(),
	}
}
