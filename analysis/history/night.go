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

// NightSchema names the shape of a line of nights.jsonl. Keys may be added under
// one schema; renaming or retyping one makes a new schema. Lines of the schema
// before, whose sentence is English text, are still read.
const (
	NightSchema  = "gonogo/night/2"
	nightSchema1 = "gonogo/night/1"
)

// mostItems is how many items a night keeps the means of. A night of more is
// identified only by its data file.
const mostItems = 20000

// Night is one line of nights.jsonl: one run, reduced to what later nights are
// compared with.
type Night struct {
	Schema    string           `json:"schema"`
	Time      time.Time        `json:"time"`                 // when the run began
	Name      string           `json:"name"`                 // of its directory below runs
	Run       string           `json:"run"`                  // its id
	Seed      uint64           `json:"seed"`                 // of its rollouts
	ItemsSeed *uint64          `json:"items_seed,omitempty"` // what its items were drawn with; without it: the seed
	Verdict   analysis.Verdict `json:"verdict"`              // of the run by itself, which decides nothing here
	// that values and items are of; "" when nothing was measured
	Split       rollout.Split     `json:"split"`
	RewardRange [2]float64        `json:"reward_range"`   // of the grader
	Base        string            `json:"base,omitempty"` // the night it was compared with
	Answer      compare.Answer    `json:"answer,omitempty"`
	Sentence    message.Text      `json:"sentence"` // what the answer rests on
	ExitCode    int               `json:"exit_code"`
	Good        bool              `json:"good"`               // later nights may be compared with it
	Accepted    bool              `json:"accepted,omitempty"` // somebody took it for the new normal
	Made        map[string]string `json:"made"`               // what it was made with, by key
	Values      map[string]Value  `json:"values"`             // by name of the series
	Items       []ItemMean        `json:"items,omitempty"`
}

// Value is one number of one night. SE is that of the same items sampled again,
// where it is known; Low and High are of items like these.
type Value struct {
	Value float64  `json:"value"`
	SE    *float64 `json:"se"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int      `json:"n"` // rollouts; of a grader's numbers, gradings
}

// ItemMean is one item of a night. An item of a later night is the same where
// id and digest are.
type ItemMean struct {
	ID     string  `json:"id"`
	Digest string  `json:"digest,omitempty"` // of its row
	Mean   float64 `json:"mean"`
	N      int     `json:"n"`
}

// NewNight reduces a run to a night. What it was compared with, and the result of that,
// is not known yet.
func NewNight(name string, at time.Time, run *rollout.Run, r *analysis.Result) Night {
	n := Night{
		Schema: NightSchema, Time: at.UTC().Truncate(time.Second), Name: name, Verdict: r.Verdict,
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

// itemMeans are the means of the measured items of a split, by id.
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

// digest names a row by its contents; white space between them does not count.
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

// itemID is what makes an item the same on two nights.
type itemID struct{ id, digest string }

func (n *Night) items() map[itemID]float64 {
	out := make(map[itemID]float64, len(n.Items))
	for _, it := range n.Items {
		out[itemID{it.ID, it.Digest}] = it.Mean
	}
	return out
}

// Comparable reports whether the rewards of two nights mean the same: the split and the
// reward range are, and at least half of the items of each. Nights that keep no items are
// distinguished by their data files.
func Comparable(a, b *Night) bool {
	if a.Split == "" || a.Split != b.Split || a.RewardRange != b.RewardRange {
		return false
	}
	if len(a.Items) == 0 || len(b.Items) == 0 {
		key := "data." + string(a.Split)
		return len(a.Items) == len(b.Items) && a.Made[key] == b.Made[key]
	}
	of, both := a.items(), 0
	for id := range b.items() {
		if _, ok := of[id]; ok {
			both++
		}
	}
	return 2*both >= max(len(a.Items), len(b.Items))
}

// LastGood is the newest good night that n can be compared with, among nights
// that there says are still at hand; -1 when there is none.
func LastGood(nights []Night, n *Night, there func(*Night) bool) int {
	for i := len(nights) - 1; i >= 0; i-- {
		if nights[i].Good && Comparable(&nights[i], n) && there(&nights[i]) {
			return i
		}
	}
	return -1
}
