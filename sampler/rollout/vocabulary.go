package rollout

import (
	"reflect"
	"strings"
	"sync"
)

// recordKeys returns the JSON keys of a Record.
var recordKeys = sync.OnceValue(func() map[string]bool {
	keys := make(map[string]bool)
	addKeys(keys, reflect.TypeFor[Record]())
	return keys
})

// vocabulary returns the words that a run directory's files are made of: every JSON key and every
// word that a key of ours may take. They occur in every run, so they reveal nothing, and a file in
// which they are masked cannot be read.
var vocabulary = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{
		ManifestSchema: true, BurstSchema: true, string(SameAnswer): true,
		string(OtherAnswer): true, "function": true, "content": true, "type": true, "arguments": true,
		"human_score": true,
	}
	for _, t := range []reflect.Type{
		reflect.TypeFor[Record](), reflect.TypeFor[Call](), reflect.TypeFor[Message](), reflect.TypeFor[Usage](),
		reflect.TypeFor[Manifest](), reflect.TypeFor[Data](), reflect.TypeFor[Planned](), reflect.TypeFor[Sampling](),
		reflect.TypeFor[Looks](), reflect.TypeFor[Look](), reflect.TypeFor[Problem](), reflect.TypeFor[Item](),
		reflect.TypeFor[ProbeInfo](), reflect.TypeFor[Base](), reflect.TypeFor[Earlier](), reflect.TypeFor[Leak](),
		reflect.TypeFor[Label](), reflect.TypeFor[GraderInfo](),
		reflect.TypeFor[Burst](), reflect.TypeFor[BurstEndpoint](), reflect.TypeFor[Wave](),
		reflect.TypeFor[BurstCall](),
	} {
		addKeys(words, t)
	}
	for _, s := range Splits() {
		words[string(s)] = true
	}
	for _, o := range Outcomes() {
		words[string(o)] = true
	}
	for _, f := range Finishes() {
		words[string(f)] = true
	}
	for _, s := range sources() {
		words[string(s)] = true
	}
	for _, s := range CallStatuses() {
		words[string(s)] = true
	}
	for _, e := range Expectations() {
		words[string(e)] = true
	}
	for _, m := range Marks() {
		words[m] = true
	}
	for _, d := range departures() {
		words[d] = true
	}
	for _, p := range []Purpose{RepeatWave, RampWave, BurstWave} {
		words[string(p)] = true
	}
	return words
})

func addKeys(keys map[string]bool, t reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			keys[name] = true
		}
	}
}
