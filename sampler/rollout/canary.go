package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The shape of a canary: its prefix, then canaryName hexadecimal digits that name the rollout and
// canaryCheck check digits.
const (
	canaryPrefix = "canary_"
	canaryName   = 24
	canaryCheck  = 8
	canaryLength = len(canaryPrefix) + canaryName + canaryCheck
)

// Canary returns the word that identifies a rollout: "canary_", 24 hexadecimal digits of a hash of
// its trace id and 8 check digits. A rollout that finds another one's canary has found something
// that the other left behind. Only one in 2^32 mistyped or made-up words is valid, so no table is
// needed to check one. Each attempt has its own trace id, and so its own canary. Without a trace id
// it is "".
func Canary(traceID string) string {
	if traceID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("gonogo/canary/1\x00" + traceID))
	name := hex.EncodeToString(sum[:canaryName/2])
	return canaryPrefix + name + canaryDigits(name)
}

// canaryDigits returns the check digits of a canary name.
func canaryDigits(name string) string {
	sum := sha256.Sum256([]byte("gonogo/canary/check/1\x00" + name))
	return hex.EncodeToString(sum[:canaryCheck/2])
}

// Canaries calls yield for each canary in a text, of any rollout, in order and including repeats,
// until yield returns false. A text without canaries costs one search for a fixed word.
func Canaries(text string, yield func(canary string) bool) {
	for {
		i := strings.Index(text, canaryPrefix)
		if i < 0 || len(text)-i < canaryLength {
			return
		}
		text = text[i:]
		if word := text[:canaryLength]; isCanary(word) && !yield(word) {
			return
		}
		text = text[len(canaryPrefix):]
	}
}

// isCanary reports whether the check digits of a word are right.
func isCanary(word string) bool {
	digits := word[len(canaryPrefix):]
	for _, c := range []byte(digits) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return digits[canaryName:] == canaryDigits(digits[:canaryName])
}

// Leak is another rollout's canary that a rollout found: the two shared something that should have
// been separate.
type Leak struct {
	Canary string `json:"canary"` // the other's
	At     string `json:"at"`     // where it was first found: tool NAME, agent, model or session
}

// MaxLeaksListed is how many leaks a record lists at most.
const MaxLeaksListed = 8
