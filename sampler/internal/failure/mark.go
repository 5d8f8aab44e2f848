package failure

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Whose says which boundary failed.
type Whose string

// The boundaries that a failure can be blamed on.
const (
	Unknown Whose = ""       // the mark does not say
	Model   Whose = "model"  // the endpoint of the model
	Tool    Whose = "tool"   // a tool or the environment
	Grader  Whose = "grader" // anything that judges
)

// takes says which values of a mark's key mean a failure.
type takes int

const (
	cause   takes = iota // anything that does not say that nothing failed
	raised               // true, or what logs write for it
	verdict              // false
	status               // a word for a failure, or an HTTP status from 400
)

// subject is what precedes a core in a key, such as judge in judge_error.
type subject struct {
	word  string
	whose Whose
}

// subjects are in lower case, without separators. Agents and the model's own code are not among
// them: agent_error and runtime_error are the model's own doing.
var subjects = []subject{
	{"", Unknown},
	{"judge", Grader},
	{"judgegeneration", Grader},
	{"judgemodel", Grader},
	{"judgecall", Grader},
	{"judgellm", Grader},
	{"llmjudge", Grader},
	{"grader", Grader},
	{"grade", Grader},
	{"grading", Grader},
	{"verifier", Grader},
	{"verification", Grader},
	{"scorer", Grader},
	{"scoring", Grader},
	{"score", Grader},
	{"reward", Grader},
	{"rewardfunction", Grader},
	{"rewardfunc", Grader},
	{"rewardfn", Grader},
	{"rewardmodel", Grader},
	{"rubric", Grader},
	{"evaluator", Grader},
	{"evaluation", Grader},
	{"eval", Grader},
	{"env", Tool},
	{"environment", Tool},
	{"sandbox", Tool},
	{"container", Tool},
	{"session", Tool},
	{"timeout", Unknown},
	{"infra", Unknown},
	{"infrastructure", Unknown},
	{"system", Unknown},
	{"server", Unknown},
	{"internal", Unknown},
	{"network", Unknown},
	{"connection", Unknown},
	{"model", Model},
	{"llm", Model},
	{"api", Model},
	{"provider", Model},
	{"inference", Model},
	{"generation", Model},
	{"request", Model},
	{"rollout", Unknown},
	{"outcome", Unknown},
	{"is", Unknown},
	{"has", Unknown},
	{"had", Unknown},
	{"was", Unknown},
}

// parsing lists what may follow a judging subject and precede a core, such as parse in
// judge_parse_error. A parse_error alone is the model's own doing.
var parsing = []string{"parse", "parsing", "response", "output", "timeout", "connection", "request", "api"}

// flags are the subjects that make a key a flag, which may be written as 1.
var flags = []string{"is", "has", "had", "was"}

// verdicts are the subjects after which a status of failed is a grade: the answer failed.
var verdicts = []string{
	"verifier", "verification", "eval", "evaluation", "grading", "outcome",
}

// core is the word of a key that makes it a mark.
type core struct {
	word  string
	takes takes
}

var cores = []core{
	{"error", cause},
	{"errors", cause},
	{"err", cause},
	{"exception", cause},
	{"exceptions", cause},
	{"failure", cause},
	{"traceback", cause},
	{"stacktrace", cause},
	{"failed", raised},
	{"errored", raised},
	{"crashed", raised},
	{"aborted", raised},
	{"timeout", raised},
	{"timedout", raised},
	{"skipped", raised},
	{"cancelled", raised},
	{"canceled", raised},
	{"status", status},
	{"state", status},
}

// ofData are cores that also occur as the subject of a row of data. They count next to a grade, but
// not in the objects below it.
var ofData = []string{"skipped", "cancelled", "canceled"}

// labels are the details of keys that may hold a label of the row instead of a cause, such as an
// error_type of arithmetic. For these only the name of an exception counts.
var labels = []string{"type", "kind", "class", "name"}

// reasons are the details and keys for which a single code word says why an answer is wrong.
var reasons = []string{"reason", "cause", "failreason", "failedreason", "failmessage"}

// details are what may follow a core that takes a cause, such as message in error_message.
var details = []string{
	"", "message", "messages", "occurred", "msg", "text", "str", "string", "repr", "type", "kind", "class", "name",
	"code",
	"detail", "details", "info", "reason", "cause", "chain", "traceback",
}

// single is a mark that is not composed of subject, core and detail.
type single struct {
	key   string
	takes takes
	whose Whose
}

var singles = []single{
	{"mask_sample", raised, Grader},
	{"masked", raised, Grader},
	{"remove_sample", raised, Grader},
	{"unscored", raised, Grader},
	{"not_scored", raised, Grader},
	{"ungraded", raised, Grader},
	{"not_graded", raised, Grader},
	{"unjudged", raised, Grader},
	{"not_judged", raised, Grader},
	{"do_not_score", raised, Grader},
	{"do_not_grade", raised, Grader},
	{"skip_score", raised, Grader},
	{"skip_scoring", raised, Grader},
	{"skip_grading", raised, Grader},
	{"exclude_from_score", raised, Grader},
	{"exclude_from_scoring", raised, Grader},
	{"exclude_from_metrics", raised, Grader},
	{"invalidated", raised, Grader},
	{"invalidation", cause, Grader},
	{"invalid_judge_response", cause, Grader},
	{"no_grade", cause, Grader},
	{"fail_reason", cause, Unknown},
	{"failed_reason", cause, Unknown},
	{"fail_message", cause, Unknown},
	{"is_valid", verdict, Grader},
	{"graded", verdict, Grader},
	{"is_graded", verdict, Grader},
	{"was_graded", verdict, Grader},
	{"scored", verdict, Grader},
	{"is_scored", verdict, Grader},
	{"was_scored", verdict, Grader},
	{"judged", verdict, Grader},
	{"is_judged", verdict, Grader},
	{"was_judged", verdict, Grader},
	{"is_score_valid", verdict, Grader},
	{"score_valid", verdict, Grader},
	{"score_is_valid", verdict, Grader},
	{"is_reward_valid", verdict, Grader},
	{"reward_valid", verdict, Grader},
	{"reward_is_valid", verdict, Grader},
	{"score_invalid", raised, Grader},
	{"invalid_score", raised, Grader},
	{"reward_invalid", raised, Grader},
	{"invalid_reward", raised, Grader},
	{"status_code", status, Unknown},
	{"http_status", status, Unknown},
	{"http_status_code", status, Unknown},
}

// ofReplies are marks only in a reply, where they say whether the grading worked. In a log they say
// whether the model's answer was right.
var ofReplies = []single{
	{"ok", verdict, Grader},
	{"success", verdict, Grader},
	{"succeeded", verdict, Grader},
	{"successful", verdict, Grader},
	{"is_success", verdict, Grader},
}

// holders are keys of objects whose members are also checked.
var holders = []string{
	"info", "meta", "metadata", "extra_info", "result", "instance_config", "reward_info", "reward_extra_info",
	"env_extras",
	"judge", "judge_result", "grader", "grader_result", "grading", "grading_result", "verifier", "verifier_result",
	"evaluation", "evaluation_result", "eval_result",
}

// endKeys are the keys with which tools say why the last reply or the rollout ended, in order of
// precedence.
var endKeys = []string{
	"finish", "finish_reason", "stop_reason", "done_reason", "termination_reason", "terminate_reason", "exit_reason",
	"end_reason", "stopping_reason",
	"finish_status", "termination_status", "exit_status", "end_status", "stop_condition",
}

// failureWords are the words of a status that mean a failure. They include failed but not fail:
// tests and graders write fail for a wrong answer.
var failureWords = slices.Concat([]string{
	"error", "errored", "errors", "failed", "failure", "exception", "crash", "crashed", "abort", "aborted",
	"timeout", "timedout", "unavailable", "cancelled", "canceled", "skipped", "unscored", "ungraded", "notscored",
	"notgraded",
}, notEnded)

// notEnded are the words of a status of something that never ran to its end.
var notEnded = []string{
	"pending", "queued", "scheduled", "running", "inprogress", "notstarted", "interrupted", "killed", "preempted",
}

// gradeWords are the words of a status that are also used for a grade; dataWords are those that
// also occur as the subject of a row of data.
var (
	gradeWords = []string{"failed", "failure"}
	dataWords  = slices.Concat([]string{"failed", "failure", "cancelled", "canceled", "skipped"}, notEnded)
)

// endWords are the words that mean a failure in the reason why a rollout ended. A time limit may be
// the rollout's own end.
var endWords = []string{
	"error", "errored", "failed", "failure", "exception", "crash", "crashed", "abort", "aborted",
	"cancelled", "canceled", "unavailable",
}

// blames are words in the text of a failure that show which boundary failed, in order of
// precedence.
var blames = []struct {
	whose Whose
	words []string
}{
	{Grader, []string{"rubric", "judge", "grader", "scorer", "scoring", "verifier", "rewarderror", "reward function"}},
	{Tool, []string{"toolerror", "toolcall", "tool_error", "tool call", "sandbox", "tunnel", "mcp"}},
}

// Blame returns the boundary that the words of an error refer to.
func Blame(text string) Whose {
	text = strings.ToLower(text)
	for _, b := range blames {
		if slices.ContainsFunc(b.words, func(word string) bool { return strings.Contains(text, word) }) {
			return b.whose
		}
	}
	return Unknown
}

// ofCode matches a verdict of a code runner, which concerns the model's own code.
var ofCode = regexp.MustCompile(
	`(?i)^\W*(runtime|compile|compiler|compilation|syntax|presentation)[ _-]?(error|failed|failure)\W*$`)

// Ended reports whether the word for the end of a rollout or a reply means that it failed.
func Ended(word string) bool { return fails(word, endWords) }

// EndKey returns the precedence of a key that says why a rollout ended; -1 for other keys.
func EndKey(key string) int {
	if i, ok := endPlaces()[squash(key)]; ok {
		return i
	}
	return -1
}

// fails reports whether a text contains one of the words without a negation.
func fails(text string, failing []string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') &&
			(r < '0' || r > '9')
	})
	for i, w := range words {
		before := i - 1
		if before > 0 && slices.Contains([]string{"any", "an", "a"}, words[before]) {
			before--
		}
		if slices.Contains(failing, w) &&
			(before < 0 || !slices.Contains([]string{"no", "not", "non", "without", "never"}, words[before])) {
			return true
		}
	}
	return slices.Contains(failing, strings.Join(words, ""))
}

// capitals matches where a word begins within another, as in GraderError.
var capitals = regexp.MustCompile(`([a-z])([A-Z])`)

// where says where a field occurs.
type where int

const (
	inLog    where = iota // next to a grade
	inResult              // in an agent's result
	inReply               // in a grader's reply
)

// known is what the lists say about a key.
type known struct {
	takes  takes
	whose  Whose
	flag   bool   // named like a flag: 1 is true, and 0 false
	core   string // "" for a single
	detail string // what follows the core
	bare   bool   // nothing precedes the core
	grades bool   // failed is a verdict on the answer
}

// lookUp finds a key in the lists.
func lookUp(key string, in where) (known, bool) {
	if holder, inside, ok := strings.Cut(key, "."); ok && holds(squash(holder)) { // a column of a table
		k, ok := lookUp(inside, in)
		k.whose = cmp.Or(k.whose, whoHolds(squash(holder)))
		return k, ok
	}
	if strings.Contains(key, ".") {
		key = strings.ReplaceAll(place.ReplaceAllString(key, ""), ".", "")
	}
	key = squash(key)
	if s, ok := byKey()[key]; ok && (in == inReply || !slices.Contains(ofReplies, s)) {
		k := known{takes: s.takes, whose: s.whose, flag: !slices.Contains([]string{"graded", "scored", "judged"}, key)}
		if slices.Contains(reasons, key) {
			k.core, k.detail = "failure", "reason"
		}
		return k, true
	}
	for _, s := range subjects {
		rest, has := strings.CutPrefix(key, s.word)
		if !has {
			continue
		}
		if k, ok := s.before(rest); ok {
			return k, true
		}
		for _, p := range parsing {
			if inner, has := strings.CutPrefix(rest, p); has && s.whose == Grader {
				if k, ok := s.before(inner); ok && k.takes == cause {
					return k, true
				}
			}
		}
	}
	return known{}, false
}

// before looks up what follows a subject.
func (s subject) before(rest string) (known, bool) {
	for _, c := range cores {
		detail, has := strings.CutPrefix(rest, c.word)
		if !has || detail != "" && (c.takes != cause || !slices.Contains(details, detail)) ||
			(s.word == "verification" || s.word == "outcome") && c.word == "failed" {
			continue
		}
		return known{
			takes: c.takes, whose: s.whose, flag: slices.Contains(flags, s.word), core: c.word, detail: detail,
			bare: s.word == "", grades: slices.Contains(verdicts, s.word),
		}, true
	}
	return known{}, false
}

// place matches a list index at the end of a column's name: errors.0.
var place = regexp.MustCompile(`\.\d+$`)

// byKey returns the singles and ofReplies by key.
var byKey = sync.OnceValue(func() map[string]single {
	all := make(map[string]single)
	for _, s := range slices.Concat(singles, ofReplies) {
		all[squash(s.key)] = s
	}
	return all
})

// The positions of the keys in two lists.
var (
	endPlaces    = sync.OnceValue(func() map[string]int { return places(endKeys) })
	holderPlaces = sync.OnceValue(func() map[string]int { return places(holders) })
)

func places(keys []string) map[string]int {
	all := make(map[string]int)
	for i, key := range keys {
		all[squash(key)] = i
	}
	return all
}

// holds reports whether a key, squashed, is one of holders.
func holds(key string) bool {
	_, ok := holderPlaces()[key]
	return ok
}

// whoHolds returns the boundary that an object is about, by its squashed key, such as
// verifier_result.
func whoHolds(key string) Whose {
	word := strings.TrimSuffix(key, "result")
	if i := slices.IndexFunc(subjects, func(s subject) bool { return s.word == word }); i >= 0 {
		return subjects[i].whose
	}
	return Unknown
}

// squash maps error_message, errorMessage and Error-Message to the same key.
func squash(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}
