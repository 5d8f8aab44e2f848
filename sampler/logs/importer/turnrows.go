package importer

import (
	"slices"
	"strconv"

	"gonogo/sampler/rollout"
)

// rolloutKeys and turnKeys are the names under which trainers that log one row per turn write which
// rollout and which turn it is.
var (
	rolloutKeys = []string{
		"rollout_id", "trajectory_id", "traj_id", "episode_id", "session_id", "rollout", "episode", "trajectory",
	}
	turnKeys = []string{
		"turn", "turn_idx", "turn_index", "turn_id", "turn_number", "step_idx", "step_index", "step_id", "step_number",
	}
)

// turnRows detects logs with one row per turn of a rollout, either with the reward of the whole
// rollout or with a reward on the last turn only.
type turnRows struct {
	key, turn    string // of the first row that has both
	rows         int
	last         map[string]float64 // the last turn of each rollout
	several, odd map[string]bool    // rollouts with several rows; those whose rows are not turns of one rollout
}

// add records what a row holds under rolloutKeys and turnKeys.
func (t *turnRows) add(item string, reward *float64, value func(key string) string) {
	key := slices.IndexFunc(rolloutKeys, func(k string) bool { return value(k) != "" })
	turn := slices.IndexFunc(turnKeys, func(k string) bool { return value(k) != "" })
	if key < 0 || turn < 0 || reward == nil {
		return
	}
	n, err := strconv.ParseFloat(value(turnKeys[turn]), 64)
	if err != nil {
		return
	}
	if t.last == nil {
		t.key, t.turn = rolloutKeys[key], turnKeys[turn]
		t.last, t.several, t.odd = make(map[string]float64), make(map[string]bool), make(map[string]bool)
	}
	t.rows++
	rollout := strconv.Quote(item) + value(t.key)
	if was, seen := t.last[rollout]; seen {
		t.several[rollout] = true
		t.odd[rollout] = t.odd[rollout] || n <= was
	}
	t.last[rollout] = n
}

// note notes that rows look like turns, if this holds for nine tenths of the rollouts with several
// rows.
func (t *turnRows) note(sink Sink) {
	turns := 0
	for rollout := range t.several {
		if !t.odd[rollout] {
			turns++
		}
	}
	if turns > 0 && 10*turns >= 9*len(t.several) {
		sink.note("%d rows look like the turns of %d rollouts: those of one %s count up %s, and each row counts as "+
			"a rollout; --map item=ITEM,reward=REWARD,sample=%s --on-conflict last takes the last row of each",
			t.rows, len(t.last), t.key, t.turn, t.key)
	}
}

// extraText returns a function that returns the value of a plain line under an unknown key.
func extraText(r *rollout.Record) func(key string) string {
	return func(key string) string { return idText(r.Extra[key]) }
}

// cellText returns a function that returns the value of a table's row in one of the columns.
func cellText(columns []string, cells []cell) func(key string) string {
	return func(key string) string {
		if i := slices.Index(columns, key); i >= 0 && !cells[i].none {
			return cells[i].text
		}
		return ""
	}
}
