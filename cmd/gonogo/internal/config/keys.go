package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/fixtures"
	"gonogo/report"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/dataset"
	"gonogo/sampler/limit"
)

// key is one key of gonogo.yaml. It is made from the tags of [values].
type key struct {
	Path     string     // such as sampling.samples
	Default  string     // a YAML value; "" when there is none
	Fallback string     // in words: what is taken when the key is absent and has no Default
	Doc      string     // what it does
	Binding  bool       // a run made with another value is refused
	Min, Max *float64   // of a number, inclusive
	Enum     []string   // the only values of a string
	Pattern  string     // what a string must match
	Names    []string   // the names a map or a list may hold; nil when any
	Example  string     // a YAML value
	Entry    []entryKey // the keys of a list's maps

	moved func(string) error // of a name that Names held once: where it went; else nil
	File  bool               // a path, relative to the configuration's folder
	word  string             // that stands where a path may, and is none
	index []int              // of the field that the value goes to
}

// Type names the key's type for readers.
func (k key) Type() string { return kindOf(k.at(new(values))).name }

// at is where the key's value goes.
func (k key) at(v *values) any {
	return reflect.ValueOf(v).Elem().FieldByIndex(k.index).Addr().Interface()
}

const (
	urlPattern      = `^https?://[^/\s]+`
	durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
)

// Keys lists every key of the configuration, in the order shown.
func Keys() []key { return slices.Clone(table()) }

// table is made once: the tags do not change.
var table = sync.OnceValue(func() []key { return keysIn("", reflect.TypeFor[values](), nil) })

// keysIn reads the tags of a struct and of the groups in it.
func keysIn(prefix string, group reflect.Type, index []int) (all []key) {
	for i := range group.NumField() {
		field := group.Field(i)
		path, at := prefix+field.Tag.Get("key"), append(slices.Clone(index), i)
		if _, isKey := field.Tag.Lookup("doc"); !isKey {
			all = append(all, keysIn(path+".", field.Type, at)...)
			continue
		}
		k := keyOfTag(field.Tag)
		k.Path, k.index = path, at
		k.live()
		all = append(all, k)
	}
	return all
}

// keyOfTag is a key as far as the tag of its field says.
func keyOfTag(tag reflect.StructTag) key {
	number := func(name string) *float64 {
		text, given := tag.Lookup(name)
		if !given {
			return nil
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic("gonogo: the tags of the configuration: " + err.Error())
		}
		return &f
	}
	k := key{
		Default: tag.Get("default"), Fallback: tag.Get("or"), Doc: tag.Get("doc"), Example: tag.Get("example"), Min: number("min"), Max: number("max"),
		Binding: strings.Contains(tag.Get("mark"), "binding"), File: strings.Contains(tag.Get("mark"), "file"),
	}
	if list := tag.Get("enum"); list != "" {
		k.Enum = strings.Split(list, ",")
	}
	if tag.Get("is") == "url" {
		k.Pattern = urlPattern
	}
	return k
}

// live adds what other packages know of a key: names, bounds and defaults.
func (k *key) live() {
	switch k.Path {
	case "world":
		k.Doc = strings.ReplaceAll(k.Doc, "{origin}", fixtures.Origin)
	case "target":
		k.Enum = targetNames()
	case "require":
		k.Names, k.moved = gate.Requirable(), gate.MovedGate
		k.Doc = strings.ReplaceAll(k.Doc, "{stages}", stageNames())
	case "tools.mcp":
		k.Entry = mcpEntry()
	case "variants":
		k.Entry = variantEntry()
	case "sampling.concurrency":
		most := float64(limit.Most)
		k.Max = &most
	case "sampling.block":
		k.Default = strconv.Itoa(sampler.DefaultBlock)
	case "trainer.normalize":
		k.Default, k.Enum = analysis.NormalizeStd, analysis.Normalizations()
	case "audit.skip":
		for _, p := range audit.Probes() {
			k.Names = append(k.Names, p.Name)
		}
	case "audit.probes":
		k.Entry = probeEntry()
	case "audit.detectors":
		k.Entry = detectorEntry()
	case "thresholds":
		k.moved = gate.MovedThreshold
		for _, t := range gate.Thresholds() {
			k.Names = append(k.Names, t.Name)
		}
	case "report.formats":
		for _, f := range report.Formats() {
			k.Names = append(k.Names, f.Name)
		}
		k.Names = append(k.Names, UsualFormats, AllFormats)
	case "report.lang":
		k.Enum = message.Tags()
		k.Default = k.Enum[0]
	case "report.paper":
		k.Enum = report.Papers()
		k.Default = k.Enum[0]
	case "report.font":
		k.word = report.NoFont
	}
}

func stageNames() string {
	var names []string
	for _, s := range analysis.Stages() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

func targetNames() []string {
	var names []string
	for _, t := range dataset.Targets() {
		names = append(names, t.Name)
	}
	return names
}
