package message

import (
	"math"
	"strconv"
	"strings"
)

// Digits formats a number with three significant digits, without trailing zeros and with thousands
// separators: 0.42, 0.0517, 12.3, 1,230. Values from 1e15 are written like 1.5e+20, and values
// below 1e-9, which are rounding errors, as 0. NaN and infinities are "?".
func Digits(x float64) string {
	size := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "?"
	case size < 1e-9:
		return "0"
	case size >= 1e15:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	digits := 2 - int(math.Floor(math.Log10(size)))
	if digits < 0 {
		scale := math.Pow10(-digits)
		x, digits = math.Round(x/scale)*scale, 0
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return Grouped(s)
}

// DigitsOf formats a number that may be unknown: "–".
func DigitsOf(x *float64) string {
	if x == nil {
		return "–"
	}
	return Digits(*x)
}

// Whole formats a whole number with thousands separators.
func Whole(n int) string { return Grouped(strconv.Itoa(n)) }

// Plain formats a threshold or a setting: whole numbers with all their digits.
func Plain(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return Whole(int(x))
	}
	return Digits(x)
}

// Fixed formats x with the given number of decimals; a result of zero has no sign.
func Fixed(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "?"
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Signed formats a difference with its sign.
func Signed(x float64) string { return plus(x) + Digits(x) }

// plus returns the sign of a positive number.
func plus(x float64) string {
	if x > 0 && Digits(x) != "0" && !math.IsInf(x, 0) {
		return "+"
	}
	return ""
}

// Percent formats a share of 1 in per cent. It writes "< 0.1 %" and "> 99.9 %" instead of rounding
// to 0 % or 100 %.
func Percent(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < 0.1:
		return "< 0.1 %"
	case p < 100 && p > 99.9:
		return "> 99.9 %"
	default:
		return strings.TrimSuffix(Fixed(p, 1), ".0") + " %"
	}
}

// P formats a p-value with its comparison sign. Below 0.001 it does not show the value.
func P(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + Digits(p)
}

// Interval formats a value with its interval, all with the decimals of the value: "0.808 [0.747,
// 0.860]". If the value is nil, only the interval is written; an interval that is nil, or no wider
// than its value, is left out.
func Interval(value, low, high *float64) string {
	x, interval := Parts(value, low, high)
	return strings.TrimSpace(x + " " + interval)
}

// Parts returns the value and the interval of Interval separately; "" means unknown.
func Parts(value, low, high *float64) (x, interval string) {
	if low == nil || high == nil || value != nil && *low == *value && *high == *value {
		if value == nil {
			return "", ""
		}
		return Digits(*value), ""
	}
	all := []float64{*low, *high}
	if value != nil {
		all = append(all, *value)
	}
	digits, largest := 0, 0.0
	for _, x := range all {
		_, fraction, _ := strings.Cut(Digits(x), ".")
		digits, largest = max(digits, len(fraction)), math.Max(largest, math.Abs(x))
	}
	digits = min(digits, decimals(largest)+1)
	if lead := all[len(all)-1]; value != nil && lead != 0 {
		digits = min(digits, decimals(lead))
	}
	format := func(x float64) string {
		if math.Abs(x) < 1e-9*largest {
			x = 0 // rounding error of a quantile function
		}
		if math.Abs(x) >= 1000 || math.Abs(x) < 0.5*math.Pow10(-digits) {
			return Digits(x)
		}
		return Fixed(x, digits)
	}
	from, to, between := format(*low), format(*high), ", "
	if strings.Contains(from+to, ",") {
		between = "; " // a comma already separates thousands
	}
	if value != nil {
		x = format(*value)
	}
	return x, "[" + from + between + to + "]"
}

// PartsIn is Parts for a quantity with a unit: a share is shown in per cent.
func PartsIn(unit string, value, low, high *float64) (x, interval string) {
	x, interval = Parts(value, low, high)
	if unit != UnitShare {
		return x, interval
	}
	if value != nil {
		x = Percent(*value)
	}
	if interval != "" {
		interval = "[" + Percent(*low) + ", " + Percent(*high) + "]"
	}
	return x, interval
}

// IntervalIn is Interval for a quantity with a unit.
func IntervalIn(unit string, value, low, high *float64) string {
	x, interval := PartsIn(unit, value, low, high)
	return strings.TrimSpace(x + " " + interval)
}

// Difference formats a signed change with its interval: "+0.10 [0.02, 0.18]"; "–" if it is unknown.
func Difference(value, low, high *float64) string {
	if value == nil {
		return "–"
	}
	return plus(*value) + Interval(value, low, high)
}

// DifferenceIn is Difference for a quantity with a unit: a share is shown in percentage points.
func DifferenceIn(unit string, value, low, high *float64) string {
	if unit != UnitShare || value == nil {
		return Difference(value, low, high)
	}
	points := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		return new(100 * *x)
	}
	return Difference(points(value), points(low), points(high)) + " pp"
}

// DigitsIn is DigitsOf for a quantity with a unit: a share is shown in per cent.
func DigitsIn(unit string, x *float64) string {
	if unit != UnitShare || x == nil {
		return DigitsOf(x)
	}
	return Percent(*x)
}

// Large is Interval with values of 10,000 or more in thousands or millions: "12.3 k".
func Large(value, low, high *float64) string {
	unit, by := "", 1.0
	if value != nil {
		switch size := math.Abs(*value); {
		case size >= 1e6:
			unit, by = " M", 1e6
		case size >= 1e4:
			unit, by = " k", 1e3
		}
	}
	over := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		return new(*x / by)
	}
	return Interval(over(value), over(low), over(high)) + unit
}

// decimals returns the number of decimals that show x with three significant digits.
func decimals(x float64) int {
	if x == 0 {
		return 0
	}
	return max(0, 2-int(math.Floor(math.Log10(math.Abs(x)))))
}

// Grouped adds thousands separators to a decimal number.
func Grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for index := len(whole) - 3; index > 0; index -= 3 {
		whole = whole[:index] + "," + whole[index:]
	}
	if rest != "" {
		return sign + whole + "." + rest
	}
	return sign + whole
}
