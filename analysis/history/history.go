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

// Schema names the JSON format of a History.
const Schema = "gonogo/history/2"

// Options are the settings of Analyze.
type Options struct {
	Confidence float64 // of every interval; a p-value of 1 - Confidence or less is a change
	Draws      int     // random draws of each series under no change
	Seed       uint64
}

// DefaultOptions returns the options with which Analyze reports a change in at most 5 of 100
// histories that have none, over all their series together.
func DefaultOptions() Options { return Options{Confidence: 0.95, Draws: 1999, Seed: 1} }

// History holds what changed over the nights.
type History struct {
	Lang message.Language `json:"-"` // the language of its pictures and page

	Schema     string          `json:"schema"`
	Confidence float64         `json:"confidence"`
	Nights     []NightSummary  `json:"nights"`  // in the order in which they were recorded
	Series     []Series        `json:"series"`  // those with a value on any night
	Changes    []Change        `json:"changes"` // of all series, sorted by night
	Unusual    []Unusual       `json:"unusual"` // numbers of the newest night that are unlikely given the nights before it
	Made       []SettingChange `json:"made"`    // settings that differ from the night before

	Notes []message.Text `json:"notes"`
}

// NightSummary summarizes one night.
type NightSummary struct {
	Name     string           `json:"name"`
	Time     time.Time        `json:"time"`
	Run      string           `json:"run"`
	Model    string           `json:"model,omitempty"` // that made its rollouts
	Split    rollout.Split    `json:"split"`
	Verdict  analysis.Verdict `json:"verdict"`
	Answer   compare.Answer   `json:"answer"` // "" if there was nothing to compare with
	ExitCode int              `json:"exit_code"`
	Good     bool             `json:"good"`
	Accepted bool             `json:"accepted"`
	Sentence message.Text     `json:"sentence"` // what the answer is based on
	InTrend  bool             `json:"in_trend"` // it can be compared with the newest good night
}

// Series is one number over the nights.
type Series struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Unit   string   `json:"unit"`
	Points []Point  `json:"points"`
	Levels []Level  `json:"levels"` // the stretches between changes
	P      *float64 `json:"p"`      // for no change at all; null if that could not be tested
	// corrected for the other series: the reward by 2, the others by 2 and Holm
	PHolm *float64     `json:"p_holm"`
	Why   message.Text `json:"why,omitzero"` // why it could not be tested

	bottom, top float64 // the range of its values
}

// Point is one night of a series; Night counts from 0.
type Point struct {
	Night   int      `json:"night"`
	Value   float64  `json:"value"`
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	N       int      `json:"n"`
	InTrend bool     `json:"in_trend"`
	level   float64  // made comparable with the other nights; see levels
	se      *float64
}

// Level is a stretch of nights without a change: its mean, and the range in which one more
// night would be.
type Level struct {
	From      int      `json:"from"` // nights, both included
	To        int      `json:"to"`
	Value     float64  `json:"value"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	NightLow  *float64 `json:"night_low"`
	NightHigh *float64 `json:"night_high"`
}

// Change is a night at which the level of a series changed. First and Last are the interval for
// that night.
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
	Before string `json:"before"` // "" if not set
	After  string `json:"after"`
}

// Unusual is a number of the newest night that is outside the range expected from the nights
// since the last change.
type Unusual struct {
	Series string   `json:"series"`
	Kind   string   `json:"kind"`
	Unit   string   `json:"unit"`
	Value  float64  `json:"value"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	P      float64  `json:"p"` // corrected for the number of series
}

// Analyze finds what changed over the nights, given in the order in which they were recorded.
// The trend consists of the nights that can be compared with the newest good one, so that a
// newer night with few or no measurements does not empty it.
func Analyze(nights []Night, opt Options) *History {
	h := &History{
		Schema: Schema, Confidence: opt.Confidence, Nights: []NightSummary{}, Series: []Series{}, Changes: []Change{},
		Unusual: []Unusual{}, Made: settingChanges(nights),
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
			n.Name, n.Time, n.Run, n.Made["model.name"], n.Split, n.Verdict, n.Answer, n.ExitCode,
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

// reference returns the index of the night with which those of the trend can be compared: the
// newest good one, else the newest with any measurement, else the newest.
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

// levels returns the comparable rewards of the nights of the trend; see rewards.
func levels(nights []Night, trend []int) (level map[int]float64, se map[int]*float64) {
	var measured []*Night
	var indices []int
	for _, i := range trend {
		if _, ok := nights[i].Values[Reward]; ok {
			measured, indices = append(measured, &nights[i]), append(indices, i)
		}
	}
	y, e := rewards(measured)
	level, se = make(map[int]float64), make(map[int]*float64)
	for k, i := range indices {
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

// sequence returns the values of a series in the trend, and the numbers of their nights.
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

// findChanges tests each series for one change and corrects for the number of series. The
// reward has half of the error to itself, so that further series cost it nothing, and the
// others share the other half (Holm). On both sides of a change it looks for more (binary
// segmentation, Vostrikova 1981), corrected by Bonferroni.
func (h *History) findChanges(opt Options) {
	found := make([]change, len(h.Series))
	var ps []float64
	var tested []int // the indices of the series of ps
	reward := -1
	opt.Draws = max(opt.Draws, 100*len(h.Series)) // the smallest p must survive the correction
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
		ps, tested = append(ps, found[i].p), append(tested, i)
	}
	halves := 1.0
	if reward >= 0 && len(ps) > 0 {
		halves = 2
	}
	for k, p := range shift.Holm(ps) {
		h.Series[tested[k]].PHolm = stat.FiniteOrNil(min(1, halves*p))
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

// segment records the change c of seq, which starts at offset in the whole series, and looks
// for more on both sides. It returns the positions of all of them in the whole series.
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

// level returns a stretch of the series, its bounds clipped to the range of the series.
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

// findUnusual compares the newest night with the nights before it since the last change.
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
