package queue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Schema is the version of the protocol between planner and workers. Any other version
// is refused.
const Schema = "gonogo/queue/1"

// plansSubject is the subject on which all planners listen.
const plansSubject = "gonogo.plans"

// names builds the names of a run's streams, bucket and subjects on the server.
type names struct{ run string }

// safe makes a run's id fit for subjects and streams; an id that does not fit gets a hash.
func safe(run string) names {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, run)
	if plain == run && len(run) <= 64 && run != "" {
		return names{run}
	}
	sum := sha256.Sum256([]byte(run))
	return names{plain[:min(len(plain), 40)] + "_" + hex.EncodeToString(sum[:8])}
}

func (n names) jobs() string            { return "GONOGO-" + n.run + "-JOBS" }
func (n names) results() string         { return "GONOGO-" + n.run + "-RESULTS" }
func (n names) bucket() string          { return "GONOGO-" + n.run }
func (n names) job(k key) string        { return "gonogo." + n.run + ".job." + string(k) }
func (n names) result(k key) string     { return "gonogo." + n.run + ".result." + string(k) }
func (n names) hello() string           { return "gonogo." + n.run + ".hello" }
func (n names) status() string          { return "gonogo." + n.run + ".status" }
func (n names) lines() string           { return "gonogo." + n.run + ".lines" }
func (n names) worker(id string) string { return "gonogo." + n.run + ".w." + id }
func (n names) term(term string) string { return "gonogo." + n.run + ".term." + term }

// key identifies one attempt at a rollout. Its subject holds one message at most.
type key string

func keyOf(run string, split rollout.Split, item string, sample, attempt int) key {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%d\x00%d", Schema, run, split, item, sample,
		attempt))
	return key(hex.EncodeToString(sum[:16]))
}

// valid reports whether the key is well-formed: it becomes part of a subject.
func (k key) valid() bool {
	return len(k) == 32 && strings.Trim(string(k), "0123456789abcdef") == ""
}

// mark is a 16-byte hash of a key or a delivery, to hold millions of them in memory.
type mark [16]byte

func (k key) mark() mark { return markOf(string(k)) }

func markOf(text string) (m mark) {
	sum := sha256.Sum256([]byte(text))
	copy(m[:], sum[:])
	return m
}

// keyIn returns the key at the end of a subject.
func keyIn(subject string) key { return key(subject[strings.LastIndexByte(subject, '.')+1:]) }

// The headers of jobs and results.
const (
	schemaHeader   = "Gonogo-Schema"
	deliveryHeader = "Gonogo-Delivery" // of a result: which delivery of the job it comes from
	workerHeader   = "Gonogo-Worker"   // the host and process that made it
	packedHeader   = "Gonogo-Packed"   // "zstd"
	storedHeader   = "Gonogo-Stored"   // the body is in the object store under this name
)

// checkSchema returns an error if who speaks another version of the protocol.
func checkSchema(got, who string) error {
	if got == Schema {
		return nil
	}
	return fmt.Errorf("%s speaks %q, this gonogo %q: use the same release on both sides", who, got, Schema)
}

// hello is a worker's request to join a run.
type hello struct {
	Schema  string `json:"schema"`
	Worker  string `json:"worker"`
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Slots   int    `json:"slots"`
}

// welcome is the planner's answer to hello.
type welcome struct {
	Schema      string        `json:"schema"`
	Refused     string        `json:"refused,omitempty"` // why the worker may not join; "" if it may
	Term        string        `json:"term"`              // identifies this planner; the next one has another
	Run         string        `json:"run"`
	Name        string        `json:"name,omitempty"`
	Version     string        `json:"version"`
	Fingerprint string        `json:"fingerprint"`
	Seed        uint64        `json:"seed"`
	Description []byte        `json:"description,omitempty"`
	Packed      bool          `json:"packed,omitempty"` // the description is compressed
	AckWait     time.Duration `json:"ack_wait_ns"`
	Lease       time.Duration `json:"lease_ns"`
}

// jobHead is a job without its item's row, which follows it verbatim.
type jobHead struct {
	Item    rollout.Item `json:"item"`
	Shown   *shown       `json:"shown,omitempty"` // nil: what the row says
	Sample  int          `json:"sample"`
	Attempt int          `json:"attempt"`
}

// shown is what the model is shown, if a variant or a tool server changed it from what the
// row says.
type shown struct {
	Messages []rollout.Message `json:"messages"`
	Tools    json.RawMessage   `json:"tools,omitempty"`
}

// encodeJob encodes a job: a line of JSON, then the row.
func encodeJob(job sampler.Rollout) ([]byte, error) {
	it := job.Item
	head := jobHead{Item: *it, Sample: job.Sample, Attempt: job.Attempt}
	head.Item.Messages, head.Item.Tools = nil, nil
	if err := head.Item.Decode(); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(head.Item.Messages, it.Messages) || !bytes.Equal(head.Item.Tools, it.Tools) {
		head.Shown = &shown{it.Messages, it.Tools}
	}
	head.Item.Row = nil
	b, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	return append(append(b, '\n'), job.Item.Row...), nil
}

// decodeJob decodes what encodeJob wrote.
func decodeJob(b []byte) (sampler.Rollout, error) {
	line, row, found := strings.Cut(string(b), "\n")
	if !found {
		return sampler.Rollout{}, errors.New("a job without its header line")
	}
	var head jobHead
	if err := jsontext.Unmarshal([]byte(line), &head); err != nil {
		return sampler.Rollout{}, err
	}
	if head.Item.ID == "" {
		return sampler.Rollout{}, errors.New("a job without an item")
	}
	if head.Sample < 0 || head.Attempt < 0 {
		return sampler.Rollout{}, fmt.Errorf("sample %d, attempt %d: neither can be negative", head.Sample, head.Attempt)
	}
	if row != "" {
		head.Item.Row = json.RawMessage(row)
	}
	if err := head.Item.Decode(); err != nil {
		return sampler.Rollout{}, err
	}
	if head.Shown != nil {
		head.Item.Messages, head.Item.Tools = head.Shown.Messages, head.Shown.Tools
	}
	return sampler.Rollout{Item: &head.Item, Sample: head.Sample, Attempt: head.Attempt}, nil
}
