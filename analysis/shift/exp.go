package shift

import "math"

const (
	expBits  = 7
	expSteps = 1 << expBits
)

// powers holds 2^(i/expSteps).
var powers = func() (t [expSteps]float64) {
	for i := range t {
		t[i] = math.Exp2(float64(i) / expSteps)
	}
	return t
}()

// exp returns e^x within 4e-16 of it, relatively, for x up to 0. It takes a quarter of the time of
// math.Exp, because many calls in a loop do not wait for each other.
//
// With x = k·ln2/expSteps + r, it is 2^(k/expSteps) times the Taylor series of e^r, which is
// complete after five terms as |r| is at most 0.0028 (Tang 1989, 10.1145/63522.214389). Below -700,
// where numbers lose digits, and for NaN it is math.Exp.
func exp(x float64) float64 {
	if !(x > -700) {
		return math.Exp(x)
	}
	const (
		toInteger = 3 << 51              // the sum with a smaller number has no fraction
		high      = 0x1.62e42fefa0000p-8 // of ln2/expSteps, so that k·high is exact
		low       = 0x1.cf79abc9e3b39p-47
	)
	sum := x*(expSteps/math.Ln2) + toInteger
	k := int64(math.Float64bits(sum)) << 13 >> 13
	whole := sum - toInteger
	r := x - whole*high - whole*low
	series := r * (1 + r*(1./2+r*(1./6+r*(1./24+r*(1./120)))))
	power := math.Float64frombits(math.Float64bits(powers[k&(expSteps-1)]) + uint64(k>>expBits)<<52)
	return power + power*series
}
