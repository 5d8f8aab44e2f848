package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// NightSchema names the format of a line of nights.jsonl. Adding keys keeps the schema;
// renaming or retyping a key needs a new one. Lines of the previous schema, whose sentence
// is English text, can still be read.
const (
	NightSchema  = "gonogo/night/2"
	nightSchema1 = "gonogo/night/1"
)

// mostItems is the largest number of items whose means a night keeps. A larger night is
// identified only by its data files.
const mostItems = 20000

// Night is one line of nights.jsonl: a run, reduced to what later nights are compared with.
type Night struct {
	Schema    string           `json:"schema"`
	Time      time.Time        `json:"time"`                 // when the run started
	Name      string           `json:"name"`                 // name of its directory below runs
	Run       string           `json:"run"`                  // the run's id
	Seed      uint64           `json:"seed"`                 // seed of its rollouts
	ItemsSeed *uint64          `json:"items_seed,omitempty"` // seed with which its items were drawn; nil: Seed
	Verdict   analysis.Verdict `json:"verdict"`              // of the run alone, which decides nothing here
	// the split of values and items; "" if nothing was measured
	Split       rollout.Split     `json:"split"`
	RewardRange [2]float64        `json:"reward_range"`   // of the grader
	Base        string            `json:"base,omitempty"` // the night it was compared with
	Answer      compare.Answer    `json:"answer,omitempty"`
	Sentence    message.Text      `json:"sentence"` // what the answer is based on
	ExitCode    int               `json:"exit_code"`
	Good        bool              `json:"good"`               // later nights may be compared with it
	Accepted    bool              `json:"accepted,omitempty"` // a user has accepted it as the new normal
	Made        map[string]string `json:"made"`               // the settings it was made with, by key
	Values      map[string]Value  `json:"values"`             // by name of the series
	Items       []ItemMean        `json:"items,omitempty"`
}

// Value is one number of one night. SE is the standard error for sampling the same items
// again, if known; Low and High bound the value for items like these.
type Value struct {
	Value float64  `json:"value"`
	SE    *float64 `json:"se"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int      `json:"n"` // number of rollouts, or of gradings for a number of the grader
}

// ItemMean is one item of a night. Items of two nights are the same if id and digest are
// equal.
type ItemMean struct {
	ID     string  `json:"id"`
	Digest string  `json:"digest,omitempty"` // of its row
	Mean   float64 `json:"mean"`
	N      int     `json:"n"`
}

// NewNight reduces a run that started at that time to a night, without a comparison and its
// answer.
func NewNight(name string, started time.Time, run *rollout.Run, r *analysis.Result) Night {
	n := Night{
		Schema: NightSchema, Time: started.UTC().Truncate(time.Second), Name: name, Verdict: r.Verdict,
		RewardRange: r.RewardRange, Made: compare.ManifestSettings(run.Manifest), Values: make(map[string]Value),
	}
	if run.Manifest != nil {
		n.Run, n.Seed, n.ItemsSeed = run.Manifest.ID, run.Manifest.Seed, run.Manifest.ItemsSeed
	}
	for _, split := range []rollout.Split{rollout.Eval, rollout.Train, rollout.Production} {
		if s := r.Splits[split]; s != nil && s.Reward.Known() {
			n.Split = split
			break
		}
	}
	for _, s := range seriesTable() {
		if v, ok := s.of(r, n.Split); ok && stat.FiniteOrNil(v.Value) != nil {
			n.Values[s.name] = v
		}
	}
	for name, v := range namedValues(r, r.Splits[n.Split]) {
		if stat.FiniteOrNil(v.Value) != nil {
			n.Values[name] = v
		}
	}
	n.Items = itemMeans(run, r, n.Split)
	return n
}

// itemMeans returns the means of the measured items of a split, sorted by id.
func itemMeans(run *rollout.Run, r *analysis.Result, split rollout.Split) []ItemMean {
	s := r.Splits[split]
	if s == nil || s.Items.Measured > mostItems {
		return nil
	}
	digests := make(map[string]string)
	for _, it := range run.Items {
		if it.Split == split {
			digests[it.ID] = digest(it.Row)
		}
	}
	var out []ItemMean
	for _, it := range s.Classes.Items {
		if it.Mean != nil && it.N > 0 {
			out = append(out, ItemMean{ID: it.Item, Digest: digests[it.Item], Mean: *it.Mean, N: it.N})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// digest returns a hash of a row that ignores white space between its JSON tokens.
func digest(row json.RawMessage) string {
	if len(row) == 0 {
		return ""
	}
	var b bytes.Buffer
	if json.Compact(&b, row) != nil {
		b.Reset()
		b.Write(row)
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:6])
}

// itemID identifies an item across nights.
type itemID struct{ id, digest string }

func (n *Night) items() map[itemID]float64 {
	out := make(map[itemID]float64, len(n.Items))
	for _, it := range n.Items {
		out[itemID{it.ID, it.Digest}] = it.Mean
	}
	return out
}

// Comparable reports whether the rewards of two nights are comparable: they have the same
// split and reward range, and share at least half of the items of each. Nights that keep no
// items must have the same data files.
func Comparable(a, b *Night) bool {
	if a.Split == "" || a.Split != b.Split || a.RewardRange != b.RewardRange {
		return false
	}
	if len(a.Items) == 0 || len(b.Items) == 0 {
		key := "data." + string(a.Split)
		return len(a.Items) == len(b.Items) && a.Made[key] == b.Made[key]
	}
	inA, both := a.items(), 0
	for id := range b.items() {
		if _, ok := inA[id]; ok {
			both++
		}
	}
	return 2*both >= max(len(a.Items), len(b.Items))
}

// LastGood returns the index of the newest good night that n can be compared with and whose
// rollouts still exist; -1 if there is none.
func LastGood(nights []Night, n *Night, exists func(*Night) bool) int {
	for i := len(nights) - 1; i >= 0; i-- {
		if nights[i].Good && Comparable(&nights[i], n) && exists(&nights[i]) {
			return i
		}
	}
	return -1
}
