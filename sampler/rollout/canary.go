package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The shape of a canary: its prefix, then that many hexadecimal digits that name the
// rollout and that many that check them.
const (
	canaryPrefix = "canary_"
	canaryName   = 24
	canaryCheck  = 8
	canaryLength = len(canaryPrefix) + canaryName + canaryCheck
)

// Canary is a word that identifies one rollout: "canary_", 24 hexadecimal digits of a
// hash of its trace id and 8 that check those. A rollout that finds another one's canary
// has found something that one left. Only one in four thousand million mistyped or
// made-up words is valid, so no table is needed to check one. Attempts have trace ids,
// and so canaries, of their own. Without a trace id there is none: "".
func Canary(traceID string) string {
	if traceID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("gonogo/canary/1\x00" + traceID))
	name := hex.EncodeToString(sum[:canaryName/2])
	return canaryPrefix + name + canaryDigits(name)
}

// canaryDigits are those that check the ones that name.
func canaryDigits(name string) string {
	sum := sha256.Sum256([]byte("gonogo/canary/check/1\x00" + name))
	return hex.EncodeToString(sum[:canaryCheck/2])
}

// Canaries calls yield for each canary in a text, of any rollout, in order and as often
// as it occurs, until yield returns false. A text without any costs one search for a
// fixed word.
func Canaries(text string, yield func(canary string) bool) {
	for {
		at := strings.Index(text, canaryPrefix)
		if at < 0 || len(text)-at < canaryLength {
			return
		}
		text = text[at:]
		if word := text[:canaryLength]; isCanary(word) && !yield(word) {
			return
		}
		text = text[len(canaryPrefix):]
	}
}

// isCanary reports whether the digits of a word check.
func isCanary(word string) bool {
	digits := word[len(canaryPrefix):]
	for _, c := range []byte(digits) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return digits[canaryName:] == canaryDigits(digits[:canaryName])
}

// Leak is another rollout's canary that a rollout found: the two shared something that should have been separate.
type Leak struct {
	Canary string `json:"canary"` // the other's
	At     string `json:"at"`     // where it was first found: tool NAME, agent, model or session
}

// MaxLeaksListed is the largest number of leaks that a record lists.
const MaxLeaksListed = 8
