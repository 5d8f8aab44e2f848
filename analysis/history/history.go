package history

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Schema names the shape of what Analyze finds, as JSON.
const Schema = "gonogo/history/2"

// Options are what a history is read with.
type Options struct {
	Confidence float64 // of every interval; what chance explains less often than 1 - Confidence is a change
	Draws      int     // of each series under no change
	Seed       uint64
}

// DefaultOptions finds a change, where there is none, in at most 5 of 100
// histories, over all their series together.
func DefaultOptions() Options { return Options{Confidence: 0.95, Draws: 1999, Seed: 1} }

// History is what changed over the nights.
type History struct {
	Lang message.Language `json:"-"` // what its pictures and page are written in

	Schema     string          `json:"schema"`
	Confidence float64         `json:"confidence"`
	Nights     []NightSummary  `json:"nights"`  // in the order in which they were kept
	Series     []Series        `json:"series"`  // those that any night knows
	Changes    []Change        `json:"changes"` // of all series, by night
	Unusual    []Unusual       `json:"unusual"` // what the newest night shows that the nights before it make unlikely
	Made       []SettingChange `json:"made"`    // what was made otherwise than the night before

	Notes []message.Text `json:"notes"`
}

// NightSummary summarizes one night.
type NightSummary struct {
	Name     string           `json:"name"`
	Time     time.Time        `json:"time"`
	Run      string           `json:"run"`
	Split    rollout.Split    `json:"split"`
	Verdict  analysis.Verdict `json:"verdict"`
	Answer   compare.Answer   `json:"answer"` // "" of a night with nothing to compare with
	ExitCode int              `json:"exit_code"`
	Good     bool             `json:"good"`
	Accepted bool             `json:"accepted"`
	Sentence message.Text     `json:"sentence"` // what the answer rests on
	InTrend  bool             `json:"in_trend"` // its items and rewards are those of the newest good night
}

// Series is one number over the nights.
type Series struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Unit   string   `json:"unit"`
	Points []Point  `json:"points"`
	Levels []Level  `json:"levels"` // stretches between changes
	P      *float64 `json:"p"`      // of no change at all; null where that could not be tested
	// corrected for the other series: the reward by 2, the others by 2 and Holm
	PHolm *float64     `json:"p_holm"`
	Why   message.Text `json:"why,omitzero"` // it could not be tested

	bottom, top float64 // no value lies beyond
}

// Point is one night of a series; Night counts from 0.
type Point struct {
	Night   int      `json:"night"`
	Value   float64  `json:"value"`
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	N       int      `json:"n"`
	InTrend bool     `json:"in_trend"`
	level   float64  // on common ground with the other nights
	se      *float64
}

// Level is a stretch of nights without a change: its mean, and where one more night
// would.
type Level struct {
	From      int      `json:"from"` // nights, both included
	To        int      `json:"to"`
	Value     float64  `json:"value"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	NightLow  *float64 `json:"night_low"`
	NightHigh *float64 `json:"night_high"`
}

// Change is a night at which a series changed its level. First and Last are the interval for that night.
type Change struct {
	Series     string          `json:"series"`
	Kind       string          `json:"kind"`
	Unit       string          `json:"unit"`
	Night      int             `json:"night"`
	First      int             `json:"first"`
	Last       int             `json:"last"`
	Before     float64         `json:"before"`
	After      float64         `json:"after"`
	Difference float64         `json:"difference"`
	Low        *float64        `json:"low"`
	High       *float64        `json:"high"`
	P          float64         `json:"p"` // corrected for the number of series
	Made       []SettingChange `json:"made"`
	With       []string        `json:"with"` // other series that changed within the interval
}

// SettingChange is a setting that differs from the night before.
type SettingChange struct {
	Night  int    `json:"night"`
	Kind   string `json:"kind"`
	Key    string `json:"key"`
	Before string `json:"before"` // "" is not set
	After  string `json:"after"`
}

// Unusual is a number of the newest night outside of where the nights since the
// last change make it lie.
type Unusual struct {
	Series string   `json:"series"`
	Kind   string   `json:"kind"`
	Unit   string   `json:"unit"`
	Value  float64  `json:"value"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	P      float64  `json:"p"` // corrected for the number of series
}

// Analyze finds what changed over the nights, in the order in which they were
// kept. Only nights that can be compared with the newest good one have a trend:
// one of which little or nothing was measured does not empty the page.
func Analyze(nights []Night, opt Options) *History {
	h := &History{
		Schema: Schema, Confidence: opt.Confidence, Nights: []NightSummary{}, Series: []Series{}, Changes: []Change{},
		Unusual: []Unusual{}, Made: madeMarks(nights),
	}
	var trend []int
	ref := reference(nights)
	for i := range nights {
		n := &nights[i]
		in := Comparable(n, &nights[ref])
		if in {
			trend = append(trend, i)
		}
		h.Nights = append(h.Nights, NightSummary{
			n.Name, n.Time, n.Run, n.Split, n.Verdict, n.Answer, n.ExitCode,
			n.Good, n.Accepted, n.Sentence, in,
		})
	}
	h.Notes = h.notes(ref)
	if len(nights) == 0 {
		return h
	}
	level, se := levels(nights, trend)
	for _, s := range append(seriesTable(), namedOf(nights)...) {
		if one := newSeries(s, nights, nights[ref].RewardRange, h.Nights, level, se); len(one.Points) > 0 {
			h.Series = append(h.Series, one)
		}
	}
	h.findChanges(opt)
	h.findUnusual(opt)
	return h
}

// reference is the night that those of the trend can be compared with: the newest
// good one, else the newest of which anything was measured, else the newest.
func reference(nights []Night) int {
	measured := len(nights) - 1
	for i, n := range slices.Backward(nights) {
		if n.Good && n.Split != "" {
			return i
		}
		if nights[measured].Split == "" && n.Split != "" {
			measured = i
		}
	}
	return measured
}

// levels are the rewards of the nights of the trend on common ground.
func levels(nights []Night, trend []int) (level map[int]float64, se map[int]*float64) {
	var with []*Night
	var at []int
	for _, i := range trend {
		if _, ok := nights[i].Values[Reward]; ok {
			with, at = append(with, &nights[i]), append(at, i)
		}
	}
	y, e := rewards(with)
	level, se = make(map[int]float64), make(map[int]*float64)
	for k, i := range at {
		level[i], se[i] = y[k], e[k]
	}
	return level, se
}

func newSeries(s series, nights []Night, bounds [2]float64, marks []NightSummary, level map[int]float64,
	se map[int]*float64,
) Series {
	out := Series{Name: s.name, Kind: s.kind, Unit: s.unit, Points: []Point{}, Levels: []Level{}}
	switch out.top = math.Inf(1); s.unit {
	case "share":
		out.top = 1
	case "reward":
		out.bottom, out.top = bounds[0], bounds[1]
	}
	for i := range nights {
		v, ok := nights[i].Values[s.name]
		if !ok {
			continue
		}
		p := Point{
			Night: i, Value: v.Value, Low: v.Low, High: v.High, N: v.N, InTrend: marks[i].InTrend,
			level: v.Value, se: v.SE,
		}
		if l, known := level[i]; known && s.name == Reward {
			p.level, p.se = l, se[i]
		}
		out.Points = append(out.Points, p)
	}
	return out
}

// sequence are the nights of a series that are in the trend, and their numbers.
func (s *Series) sequence() (seq sequence, nights []int) {
	var y []float64
	var se []*float64
	for _, p := range s.Points {
		if p.InTrend {
			y, se, nights = append(y, p.level), append(se, p.se), append(nights, p.Night)
		}
	}
	return newSequence(y, se), nights
}

// findChanges tests each series for one change and corrects for the number of series:
// the reward has half of the error to itself, so further series cost it nothing,
// and the others share the other half (Holm). It looks on both sides of what is found
// for more (binary segmentation, Vostrikova 1981), those corrected by Bonferroni.
func (h *History) findChanges(opt Options) {
	found := make([]change, len(h.Series))
	var ps []float64
	var of []int
	reward := -1
	opt.Draws = max(opt.Draws, 100*len(h.Series)) // the least p has to survive the correction
	for i := range h.Series {
		s := &h.Series[i]
		seq, _ := s.sequence()
		found[i] = findChange(seq, opt.Confidence, opt.Draws, opt.Seed+uint64(i))
		if math.IsNaN(found[i].p) {
			s.Why = untested(len(seq.y))
			continue
		}
		s.P = stat.FiniteOrNil(found[i].p)
		if s.Name == Reward {
			reward = i
			continue
		}
		ps, of = append(ps, found[i].p), append(of, i)
	}
	halves := 1.0
	if reward >= 0 && len(ps) > 0 {
		halves = 2
	}
	for k, p := range shift.Holm(ps) {
		h.Series[of[k]].PHolm = stat.FiniteOrNil(min(1, halves*p))
	}
	if reward >= 0 {
		h.Series[reward].PHolm = stat.FiniteOrNil(min(1, halves*found[reward].p))
	}
	for i := range h.Series {
		s := &h.Series[i]
		seq, nights := s.sequence()
		cuts := []int{0}
		if s.PHolm != nil && *s.PHolm <= 1-opt.Confidence {
			tests := halves
			if i != reward {
				tests *= float64(len(ps))
			}
			cuts = append(cuts, h.segment(s, seq, nights, 0, found[i], *s.PHolm, tests, opt)...)
		}
		slices.Sort(cuts)
		for k, from := range cuts {
			to := len(nights)
			if k+1 < len(cuts) {
				to = cuts[k+1]
			}
			if from < to {
				s.Levels = append(s.Levels, s.level(seq.part(from, to), nights[from], nights[to-1], opt.Confidence))
			}
		}
	}
	slices.SortStableFunc(h.Changes, func(a, b Change) int { return a.Night - b.Night })
	h.explain()
}

// segment keeps a change of the nights from offset on and returns its place and
// that of those on both sides of it.
func (h *History) segment(s *Series, seq sequence, nights []int, offset int, c change, p, tests float64,
	opt Options,
) []int {
	diff := c.meanB - c.meanA
	h.Changes = append(h.Changes, Change{
		Series: s.Name, Kind: s.Kind, Unit: s.Unit, Night: nights[c.at], First: nights[c.first], Last: nights[c.last],
		Before: c.meanA, After: c.meanB, Difference: diff, Low: stat.FiniteOrNil(diff - c.half),
		High: stat.FiniteOrNil(diff + c.half),
		P:    p, Made: []SettingChange{}, With: []string{},
	})
	cuts := []int{offset + c.at}
	for _, side := range [][2]int{{0, c.at}, {c.at, len(seq.y)}} {
		part := seq.part(side[0], side[1])
		more := findChange(part, opt.Confidence, opt.Draws, opt.Seed)
		if q := min(1, more.p*tests); q <= 1-opt.Confidence {
			cuts = append(cuts, h.segment(s, part, nights[side[0]:side[1]], offset+side[0], more, q, tests, opt)...)
		}
	}
	return cuts
}

// level is a stretch of the series, its bounds cut where no value of it lies.
func (s *Series) level(part sequence, from, to int, confidence float64) Level {
	l := levelOf(part, confidence)
	out := Level{From: from, To: to, Value: l.value}
	if !l.ok {
		return out
	}
	within := func(x float64) *float64 { return stat.FiniteOrNil(max(s.bottom, min(s.top, x))) }
	out.Low, out.High = within(l.value-l.half), within(l.value+l.half)
	out.NightLow, out.NightHigh = within(l.value-l.night), within(l.value+l.night)
	return out
}

// findUnusual holds the newest night against the nights before it since the last
// change.
func (h *History) findUnusual(opt Options) {
	last := len(h.Nights) - 1
	var ps []float64
	var found []Unusual
	for i := range h.Series {
		s := &h.Series[i]
		seq, nights := s.sequence()
		if len(nights) == 0 || nights[len(nights)-1] != last {
			continue
		}
		from := slices.Index(nights, s.Levels[len(s.Levels)-1].From)
		seq = seq.part(from, len(nights))
		p := outlying(seq)
		if math.IsNaN(p) {
			continue
		}
		l := s.level(seq.part(0, len(seq.y)-1), 0, 0, opt.Confidence)
		ps = append(ps, p)
		found = append(found, Unusual{
			Series: s.Name, Kind: s.Kind, Unit: s.Unit, Value: seq.y[len(seq.y)-1],
			Low: l.NightLow, High: l.NightHigh,
		})
	}
	for i, p := range shift.Holm(ps) {
		if found[i].P = p; p <= 1-opt.Confidence {
			h.Unusual = append(h.Unusual, found[i])
		}
	}
}

// Encode writes the history as JSON: indented, with a final newline.
func (h *History) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return fmt.Errorf("encode history: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
