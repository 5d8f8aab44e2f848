package importer

import (
	"slices"
	"strconv"

	"gonogo/sampler/rollout"
)

// rolloutKeys and turnKeys are the names under which trainers log a row for each turn: whose
// turn it is, and which.
var (
	rolloutKeys = []string{"rollout_id", "trajectory_id", "traj_id", "episode_id", "session_id", "rollout"}
	turnKeys    = []string{"turn", "turn_idx", "turn_index", "turn_id", "step_idx", "step_index"}
)

// turnRows finds logs in which each turn of a rollout is a row: with the reward of the whole
// rollout, or with one on the last turn alone.
type turnRows struct {
	key, turn    string // of the first row that has both
	rows         int
	last         map[string]float64 // the turn, by rollout
	several, odd map[string]bool    // rollouts of several rows; those whose rows are no turns of one rollout
}

// saw takes what a row holds under rolloutKeys and turnKeys.
func (t *turnRows) saw(item string, reward *float64, value func(key string) string) {
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
	of := strconv.Quote(item) + value(t.key)
	if was, there := t.last[of]; there {
		t.several[of] = true
		t.odd[of] = t.odd[of] || n <= was
	}
	t.last[of] = n
}

// note says that rows look like turns, where nine tenths of the rollouts with several rows do.
func (t *turnRows) note(sink Sink) {
	turns := 0
	for of := range t.several {
		if !t.odd[of] {
			turns++
		}
	}
	if turns > 0 && 10*turns >= 9*len(t.several) {
		sink.note("%d rows look like the turns of %d rollouts: those of one %s count up %s, and each row counts as "+
			"a rollout; --map item=ITEM,reward=REWARD,sample=%s --on-conflict last takes the last row of each",
			t.rows, len(t.last), t.key, t.turn, t.key)
	}
}

// extraText returns what a plain line holds under an unknown key.
func extraText(r *rollout.Record) func(key string) string {
	return func(key string) string { return idText(r.Extra[key]) }
}

// cellText returns what a row of a table holds in one of the columns.
func cellText(columns []string, cells []cell) func(key string) string {
	return func(key string) string {
		if i := slices.Index(columns, key); i >= 0 && !cells[i].none {
			return cells[i].text
		}
		return ""
	}
}
