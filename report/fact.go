package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// notes list what a reader should know about the origin of the rollouts.
func (p *RunPage) notes() []string {
	var list []string
	if p.GraderChanged {
		list = append(list, p.say(graderChanged.With(analysis.Commands)))
	}
	for _, note := range p.Result.Run.Notes {
		list = append(list, p.Words.say(note))
	}
	return list
}

// facts describe the origin of the numbers: run, model, data, seed, settings and methods.
func (p *RunPage) facts() []Fact {
	r := p.Result
	var list []Fact
	add := func(name, value string) {
		if value != "" {
			list = append(list, Fact{Name: name, Value: value})
		}
	}
	w := p.Words.Fact
	add(w.Run, visible(r.Run.ID))
	add(w.Source, visible(r.Run.Source))
	add(w.Model, visible(r.Run.Model))
	if r.Run.Seed != nil {
		add(w.Seed, strconv.FormatUint(*r.Run.Seed, 10))
	}
	add(w.Sampled, when(r.Timing))
	add(w.Version, visible(r.Run.ToolVersion))
	for _, d := range r.Run.Data {
		add(fmt.Sprintf(w.Data, visible(string(d.Split))),
			fmt.Sprintf(w.DataIs, visible(d.File), p.Words.Lang.Count(d.Items, "item"),
				p.Words.Lang.Count(d.Rows, "row"), visible(d.SHA256)))
	}
	add(w.Range, fmt.Sprintf(w.RangeIs, message.Digits(r.RewardRange[0]), message.Digits(r.RewardRange[1]),
		message.Digits(r.Ceiling)))
	add(w.GroupSize, message.Whole(r.GroupSize))
	if r.PassThreshold != nil {
		add(w.PassThreshold, message.Digits(*r.PassThreshold))
	}
	add(w.Confidence, message.Percent(r.Confidence))
	add(w.Input, fmt.Sprintf(w.InputIs, p.Words.Lang.Count(r.Input.Lines, "line"), message.Whole(r.Input.Records)))
	if s := r.Splits[p.Split]; s != nil {
		add(w.MeanMethod, prose(s.Reward.Method))
		if len(s.BestOf) > 0 {
			add(w.BestMethod, prose(s.BestOf[len(s.BestOf)-1].Method))
		}
		if len(s.Signal) > 0 {
			add(w.SignalMethod, prose(s.Signal[0].Method))
		}
	}
	return list
}

// when describes the start and end of sampling.
func when(t analysis.Timing) string {
	switch {
	case t.Started == "":
		return ""
	case t.Ended == "":
		return visible(t.Started)
	}
	return visible(t.Started) + " – " + visible(t.Ended)
}

// settings lists the thresholds in force, by name.
func settings(r *analysis.Result) []Fact {
	var list []Fact
	values := r.Thresholds.ByName()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Fact{Name: visible(name), Value: message.Digits(values[name])})
	}
	return list
}

// choices lists how open questions of the wire contract were decided, by name.
func choices(r *analysis.Result) []Fact {
	var list []Fact
	for _, name := range slices.Sorted(maps.Keys(r.Run.Choices)) {
		list = append(list, Fact{Name: visible(name), Value: prose(r.Run.Choices[name])})
	}
	return list
}

// inputProblems lists the problems of the lines that were read. Nothing is dropped without being
// named here.
func inputProblems(in rollout.Input, w *words) []string {
	const few = 10
	var list []string
	for i, bad := range in.Bad {
		if i == few {
			list = append(list, fmt.Sprintf(w.MoreBad, w.Lang.Count(len(in.Bad)-few, "more bad line")))
			break
		}
		list = append(list, fmt.Sprintf(w.Bad, message.Whole(bad.Line), clip(prose(bad.Why), 200)))
	}
	if in.Torn > 0 {
		list = append(list, w.Torn)
	}
	for _, c := range []struct {
		n    int
		form string
	}{{in.Duplicates, w.Duplicates}, {in.Conflicts, w.Conflicts}, {in.Superseded, w.Superseded}} {
		if c.n > 0 {
			list = append(list, fmt.Sprintf(c.form, w.Lang.Count(c.n, "line")))
		}
	}
	return list
}

// pseudoVersion matches what comes before the commit in the version of a build between releases
// (https://go.dev/ref/mod#pseudo-versions).
var pseudoVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+-([0-9a-z.]+\.)?[0-9]{14}-`)

// footer names the version that made the page, and the time if it is known.
func (p *common) footer() string {
	s := fmt.Sprintf(p.Words.Made, pseudoVersion.ReplaceAllString(p.Version, ""))
	if !p.Now.IsZero() {
		s += fmt.Sprintf(p.Words.MadeAt, p.Now.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return strings.TrimSpace(s)
}

// subject names the model, the host of its endpoint, and the day of a run's own rollouts.
func (p *RunPage) subject() string {
	w, run := p.Words, p.Result.Run
	var list []string
	if text := p.models(run.Model); text != "" {
		if host := visible(run.Endpoint); host != "" {
			text = fmt.Sprintf(w.SubjectHost, text, host)
		}
		list = append(list, text)
	}
	if day, _, ok := strings.Cut(p.Result.Timing.Started, "T"); ok && run.Source == string(rollout.Live) {
		list = append(list, fmt.Sprintf(w.SubjectDay, visible(day)))
	}
	return strings.Join(list, " · ")
}

// models names each model once, in their order; "" if none is known.
func (p *common) models(names ...string) string {
	var known []string
	for _, name := range names {
		if name = visible(name); name != "" && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return fmt.Sprintf(p.Words.SubjectModel, strings.Join(known, " → "))
}

// about names the split of the headlines and the confidence of the intervals.
func (p *common) about() string {
	return fmt.Sprintf(p.Words.About, visible(string(p.Split)), message.Percent(p.confidence))
}

// about also explains why the intervals of findings may differ from those of the headlines.
func (p *RunPage) about() string {
	about := p.common.about()
	if p.narrowed() {
		about += p.Words.Signs.Space + fmt.Sprintf(p.Words.AboutFile, visible(string(p.Split)))
	}
	return about
}

// narrowed reports whether findings judge only the items of the file, most of which were measured,
// while headlines refer to all items like these. Both show the mean reward.
func (p *RunPage) narrowed() bool {
	s := p.Result.Splits[p.Split]
	if s == nil || s.Reward.Low == nil || s.Reward.High == nil {
		return false
	}
	for _, f := range p.Result.Findings {
		if f.Gate == "baseline.headroom" && f.Split == p.Split && f.Low != nil && f.High != nil {
			return *f.High-*f.Low < 0.9*(*s.Reward.High-*s.Reward.Low)
		}
	}
	return false
}
