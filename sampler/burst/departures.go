package burst

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"sync"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// departures lists how an answer violates the wire contract: a tool answers {"output": text,
// "call_id": the call's id}, a grader {"score": number}; a session start may answer anything, and
// so may an answer whose status is not a success. An answer that was too large is not examined.
func departures(e *exchange, to *rollout.BurstCall) []string {
	ok := e.status >= http.StatusOK && e.status < http.StatusMultipleChoices
	if !ok || e.body.Len() > largest {
		return nil
	}
	switch {
	case to.Endpoint == sessionEndpoint:
		return nil
	case to.Endpoint == graderEndpoint && scored(e.body.Bytes()):
		return nil
	case to.Endpoint == graderEndpoint:
		return []string{rollout.NoScore}
	}
	var a struct {
		CallID json.RawMessage `json:"call_id"`
		Output json.RawMessage `json:"output"`
		Result *struct {
			CallID json.RawMessage `json:"call_id"`
			Output json.RawMessage `json:"output"`
		} `json:"result"`
	}
	if jsontext.Unmarshal(e.body.Bytes(), &a) != nil {
		return []string{rollout.NoOutput}
	}
	output, id := a.Output, a.CallID
	if a.Result != nil && output == nil {
		output, id = a.Result.Output, a.Result.CallID
	}
	var odd []string
	switch {
	case output == nil:
		odd = append(odd, rollout.NoOutput)
	case output[0] != '"':
		odd = append(odd, rollout.OutputNoString)
	}
	switch text := jsontext.TextOrJSON(id); {
	case text == "":
		odd = append(odd, rollout.NoCallID)
	case text != to.CallID:
		odd = append(odd, rollout.WrongCallID)
	}
	return odd
}

func scored(body []byte) bool {
	var a struct {
		Score  *float64 `json:"score"`
		Reward *float64 `json:"reward"`
	}
	if jsontext.Unmarshal(body, &a) != nil {
		return false
	}
	for _, x := range []*float64{a.Score, a.Reward} {
		if x != nil && !math.IsInf(*x, 0) {
			return true
		}
	}
	return false
}

// canaries maps the ids of a burst to their rollouts: the id of one rollout must not appear in an
// answer to another.
type canaries struct {
	mu    sync.RWMutex
	owner map[string]int
}

// plant notes that an id belongs to a rollout.
func (c *canaries) plant(id string, owner int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owner[id] = owner
}

// leak returns the first id in the text that belongs to another rollout.
func (c *canaries) leak(text []byte, serial int) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, mark := range [][]byte{[]byte(tracePrefix), []byte(callPrefix)} {
		for rest := text; ; {
			i := bytes.Index(rest, mark)
			if i < 0 {
				break
			}
			rest = rest[i:]
			if len(rest) >= idLength(mark) {
				if id := string(rest[:idLength(mark)]); c.others(id, serial) {
					return id
				}
			}
			rest = rest[len(mark):]
		}
	}
	return ""
}

func (c *canaries) others(id string, serial int) bool {
	owner, ok := c.owner[id]
	return ok && owner != serial
}

const (
	tracePrefix = "trace_"
	callPrefix  = "call_"
	idBytes     = 16 // of a hash, after the prefix
)

func idLength(prefix []byte) int { return len(prefix) + hex.EncodedLen(idBytes) }
