package chart

import (
	"math"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Number writes x with three significant digits, without trailing zeros, and
// with thousands separated: 0.42, 0.0517, 12.3, 1,230; 1.5e+20 past what a
// person can count.
func Number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "?"
	}
	if x == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	if digits > 12 {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	if digits <= -13 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	if digits < 0 {
		scale := math.Pow(10, float64(-digits))
		x, digits = math.Round(x/scale)*scale, 0
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		s = "0"
	}
	return group(s)
}

// Count writes a whole number with thousands separated.
func Count(n int) string { return group(strconv.Itoa(n)) }

// Percent writes a share between 0 and 1 as a percentage. It says "< 0.1 %"
// and "> 99.9 %" rather than round a share to none or all.
func Percent(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < 0.1:
		return "< 0.1 %"
	case p < 100 && p > 99.9:
		return "> 99.9 %"
	default:
		s := fixed(p, 1)
		return strings.TrimSuffix(s, ".0") + " %"
	}
}

// fixed writes x with so many decimals; what rounds to nothing has no sign.
func fixed(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// decimals is how many decimals three significant digits of x take.
func decimals(x float64) int {
	if x == 0 {
		return 0
	}
	return max(0, 2-int(math.Floor(math.Log10(math.Abs(x)))))
}

// Interval writes a value with its interval, all with the decimals that the
// value has: "0.808 [0.747, 0.860]". A nil value leaves the interval alone; an interval
// that is nil, or no wider than its value, is left out.
func Interval(value, low, high *float64) string {
	if low == nil || high == nil || value != nil && *low == *value && *high == *value {
		if value == nil {
			return ""
		}
		return Number(*value)
	}
	all := []float64{*low, *high}
	if value != nil {
		all = append(all, *value)
	}
	digits, largest := 0, 0.0
	for _, x := range all {
		_, fraction, _ := strings.Cut(Number(x), ".")
		digits, largest = max(digits, len(fraction)), math.Max(largest, math.Abs(x))
	}
	digits = min(digits, decimals(largest)+1)
	if lead := all[len(all)-1]; value != nil && lead != 0 {
		digits = min(digits, decimals(lead))
	}
	same := func(x float64) string {
		if math.Abs(x) < 1e-9*largest {
			x = 0 // what a quantile function leaves of nothing
		}
		if math.Abs(x) >= 1000 || math.Abs(x) < 0.5*math.Pow10(-digits) {
			return Number(x)
		}
		return fixed(x, digits)
	}
	from, to, between := same(*low), same(*high), ", "
	if strings.Contains(from+to, ",") {
		between = "; " // a comma stands for thousands already
	}
	interval := "[" + from + between + to + "]"
	if value == nil {
		return interval
	}
	return same(*value) + " " + interval
}

// group puts commas between the thousands of a decimal number.
func group(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var b strings.Builder
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if rest != "" {
		return sign + b.String() + "." + rest
	}
	return sign + b.String()
}

// Shown returns the split that a chart of one split shows: train, else the
// first there is. ok is false when the Result has no split.
func Shown(r *analysis.Result) (split rollout.Split, s *analysis.SplitResult, ok bool) {
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil {
			return split, s, true
		}
	}
	return "", nil, false
}

// shown is Shown as the first lines of a Draw want it.
func shown(r *analysis.Result) (rollout.Split, *analysis.SplitResult, error) {
	split, s, ok := Shown(r)
	if !ok {
		return "", nil, noData(r.Lang, "the run has no rollouts")
	}
	return split, s, nil
}

// counted words how much was measured: "train: 120 items × 8 samples, n = 960
// rollouts".
func counted(l message.Language, split rollout.Split, s *analysis.SplitResult) string {
	return l.Say("%s: %s × %s, n = %s", split, l.Count(s.Items.Measured, "item"), samples(l, s.Samples), l.Count(s.Reward.N, "rollout"))
}

// samples words the samples per item: "8 samples", "3 to 8 samples".
func samples(l message.Language, n analysis.Spread) string {
	if n.Min == n.Max {
		return l.Count(n.Max, "sample")
	}
	return Count(n.Min) + l.Text(" to ") + l.Count(n.Max, "sample")
}

// intervals words what a band is: "95 % Korn–Graubard intervals". Of a method
// that names an estimator and an interval, the interval comes last.
func intervals(r *analysis.Result, e stat.Estimate) string {
	return intervalsAt(r.Lang, r.Confidence, e)
}

func intervalsAt(l message.Language, confidence float64, e stat.Estimate) string {
	share := Percent(confidence)
	method, _, _ := strings.Cut(e.Method[strings.LastIndex(e.Method, "; ")+1:], ", widened")
	if kind, ok := strings.CutSuffix(strings.TrimSpace(method), " interval"); ok {
		return l.Say("%s %s intervals", share, kind)
	}
	return l.Say("%s intervals", share)
}
