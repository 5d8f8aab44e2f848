package failure

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Found is a mark of failure.
type Found struct {
	Key   string // as the tool writes it
	Cause string // what the mark says; "" if it only says that something failed
	Whose Whose

	rank    int
	fine    bool // not a failure: the tool says that the rollout succeeded
	history bool // a list, such as one of repeated attempts
}

// Compare orders marks by how much they say, then by key.
func (f Found) Compare(other Found) int {
	return cmp.Or(cmp.Compare(f.rank, other.rank), cmp.Compare(f.Key, other.Key))
}

// Text returns the failure in words.
func (f Found) Text() string {
	switch {
	case f.Cause == "":
		return f.Key
	case squash(f.Key) == "error":
		return f.Cause
	}
	return f.Key + ": " + f.Cause
}

// Marks collects the marks of one rollout or one reply. The zero value has none.
type Marks []Found

// Row checks a field of a log's row: its key, and its value as JSON or as the text of a cell.
func (m *Marks) Row(key string, raw []byte) { m.look(key, raw, inLog, false) }

// Result checks a field of an agent's result.
func (m *Marks) Result(key string, raw []byte) { m.look(key, raw, inResult, false) }

// Reply checks a field of a grader's reply.
func (m *Marks) Reply(key string, raw []byte) { m.look(key, raw, inReply, false) }

// Names reports whether a key of a row can be a mark.
func Names(key string) bool {
	_, ok := lookUp(key, inLog)
	return ok || holds(squash(key))
}

// Verdict reports whether a field of a log's row is a status of failed, which some tools write for
// a wrong answer and others for a rollout that failed. It is not a mark.
func Verdict(key string, raw []byte) bool {
	k, ok := lookUp(key, inLog)
	return ok && k.takes == status && k.bare && fails(read(raw).text, gradeWords) &&
		!k.failed(read(raw).text, inLog, false)
}

func (m *Marks) look(key string, raw []byte, in where, below bool) {
	if in == inLog && !below && fine(squash(key), read(raw)) {
		*m = append(*m, Found{Key: key, fine: true})
		return
	}
	k, ok := lookUp(key, in)
	if ok {
		if f, failed := k.found(read(raw), in, below); failed {
			f.Key = key
			*m = append(*m, f)
		}
		return
	}
	if name := squash(key); !below && holds(name) {
		if name == "result" && in == inReply { // in a reply, success is that of the answer
			in = inLog
		}
		v, from := read(raw), len(*m)
		for i, member := range v.keys {
			m.look(member, v.many[i], in, true)
		}
		for i := range (*m)[from:] {
			(*m)[from+i].Whose = cmp.Or((*m)[from+i].Whose, whoHolds(name))
		}
	}
}

// found compares the value with those that mean a failure under the key. below means that the field
// is in an object next to the grade.
func (k known) found(v value, in where, below bool) (f Found, failed bool) {
	f.Whose = k.whose
	n, number := v.number()
	if below && (slices.Contains(ofData, k.core) || k.core == "" && k.takes == verdict && in == inLog) {
		return f, false
	}
	switch k.takes {
	case raised:
		f.rank = 2
		return f, v.truth() || k.flag && number && n == 1
	case verdict:
		f.rank, f.Cause = 2, "false"
		return f, v.falsehood() || k.flag && number && n == 0
	case status:
		f.rank, f.Cause = 1, v.text
		return f, number && n >= 400 && n < 600 || v.many == nil && k.failed(v.text, in, below)
	}
	if f.Cause = v.cause(); k.flag && number {
		f.Cause = ""
	}
	f.Whose, f.history = cmp.Or(k.whose, Blame(f.Cause)), v.many != nil && strings.HasSuffix(k.core, "s")
	if f.Cause == "" {
		f.rank = 2
	}
	switch {
	case number && !v.quoted: // a count or a measured error, unless it is a code
		code := k.detail == "code" && n != 0 || n >= 400 && n < 600 && !strings.HasSuffix(k.core+k.detail, "s")
		return f, code && n == math.Trunc(n) || k.flag && n == 1
	case v.many != nil || strings.HasPrefix(k.core, "exception") || f.Cause == "":
	case slices.Contains(labels, k.detail):
		return f, !v.none() && exceptional.MatchString(v.text)
	case slices.Contains(reasons, k.detail):
		return f, !v.none() &&
			(exceptional.MatchString(v.text) || strings.ContainsAny(strings.TrimSpace(v.text), " \t\n"))
	}
	return f, !v.none()
}

// exceptional matches the name of an exception, or of a failure of a server.
var exceptional = regexp.MustCompile(
	`(?i)error|exception|time_?d?_?out|crash|interrupt|cancel|unavailable|refused|abort|rate_?limit|disconnect|overload|(^|\D)[45]\d\d(\D|$)`)

// failed reports whether a status means a failure.
func (k known) failed(text string, in where, below bool) bool {
	words := failureWords
	switch {
	case below || k.core == "state":
		words = without(words, dataWords)
	case k.grades || k.bare && in == inLog:
		words = without(words, gradeWords)
	}
	return !ofCode.MatchString(text) && fails(capitals.ReplaceAllString(text, "$1 $2"), words)
}

// fine reports whether a field says that the rollout succeeded: errors next to it then belong to
// earlier attempts.
func fine(key string, v value) bool {
	switch key {
	case "ok", "success", "recovered":
		return v.truth()
	case "status", "finalstatus":
		return slices.Contains([]string{"ok", "success", "succeeded", "completed", "complete", "done"},
			strings.ToLower(v.text))
	}
	return false
}

func without(words, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(drop, w) })
}

// First returns the mark that says most: a cause before a status, and a status before a flag. It
// gets the boundary from any of the marks that says which one failed.
func (m Marks) First() (Found, bool) {
	succeeded := slices.ContainsFunc(m, func(f Found) bool { return f.fine })
	m = slices.DeleteFunc(slices.Clone(m), func(f Found) bool { return f.fine || f.history && succeeded })
	if len(m) == 0 {
		return Found{}, false
	}
	best := slices.MinFunc(m, Found.Compare)
	for _, f := range m {
		best.Whose = cmp.Or(best.Whose, f.Whose)
	}
	return best, true
}

// Without returns the marks whose key drop does not select.
func (m Marks) Without(drop func(key string) bool) Marks {
	return slices.DeleteFunc(slices.Clone(m), func(f Found) bool { return drop(f.Key) })
}
