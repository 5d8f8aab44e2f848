package failure

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Whose says what failed.
type Whose string

// The boundaries that a failure can be blamed on.
const (
	Unknown Whose = ""       // the mark does not say
	Model   Whose = "model"  // the endpoint of the model
	Tool    Whose = "tool"   // a tool or the environment
	Grader  Whose = "grader" // whatever judges
)

// takes says which values of a mark's key mean a failure.
type takes int

const (
	cause   takes = iota // anything that does not say that nothing failed
	raised               // true, or what logs write for it
	verdict              // false
	status               // a word of failure, or an HTTP status from 400 on
)

// subject is what precedes a core in a key: judge in judge_error.
type subject struct {
	word  string
	whose Whose
}

// subjects are in lower case, without separators. Agents and the code that a model wrote
// are not among them: agent_error and runtime_error are the model's own doing.
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
	{"is", Unknown},
	{"has", Unknown},
	{"had", Unknown},
	{"was", Unknown},
}

// parsing are what may follow whoever judges, before a core: parse in judge_parse_error. A
// parse_error alone is the model's own doing.
var parsing = []string{"parse", "parsing", "response", "output", "timeout", "connection", "request", "api"}

// flags are the subjects that make a key a flag, which may be written as 1.
var flags = []string{"is", "has", "had", "was"}

// verdicts are the subjects after which a status of failed is a grade: the answer failed.
var verdicts = []string{"verifier", "verification", "eval", "evaluation", "grading"}

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

// ofData are cores that also name what a row of data is about. They count next to a grade, and
// not in the objects below it.
var ofData = []string{"skipped", "cancelled", "canceled"}

// labels are the details with which a key may hold a label of the row instead of a cause:
// error_type is arithmetic. Only the name of an exception counts then.
var labels = []string{"type", "kind", "class", "name"}

// reasons are the details, and the keys, of which one code word is why an answer is wrong.
var reasons = []string{"reason", "cause", "failreason", "failedreason", "failmessage"}

// details are what follows a core that takes a cause: message in error_message.
var details = []string{
	"", "message", "messages", "occurred", "msg", "text", "str", "string", "repr", "type", "kind", "class", "name",
	"code",
	"detail", "details", "info", "reason", "cause", "chain", "traceback",
}

// single is a mark that is no subject, core and detail.
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
	{"status_code", status, Unknown},
	{"http_status", status, Unknown},
	{"http_status_code", status, Unknown},
}

// ofReplies are marks in a reply, where they say whether the grading worked. In a log they
// say whether the model's answer was right.
var ofReplies = []single{
	{"ok", verdict, Grader},
	{"success", verdict, Grader},
	{"succeeded", verdict, Grader},
	{"successful", verdict, Grader},
	{"is_success", verdict, Grader},
}

// holders are keys of objects whose members are looked at too.
var holders = []string{
	"info", "meta", "metadata", "extra_info", "result", "instance_config", "reward_info", "reward_extra_info",
	"env_extras",
	"judge", "judge_result", "grader", "grader_result", "grading", "grading_result", "verifier", "verifier_result",
	"evaluation", "evaluation_result", "eval_result",
}

// endKeys are the keys by which tools say why the last reply or the rollout ended, in the
// order in which they count.
var endKeys = []string{
	"finish", "finish_reason", "stop_reason", "done_reason", "termination_reason", "terminate_reason", "exit_reason",
	"end_reason", "stopping_reason",
	"finish_status", "termination_status", "exit_status", "end_status", "stop_condition",
}

// failureWords are the words of a status that mean a failure. fail and failed differ: tests
// and graders write fail for a wrong answer.
var failureWords = slices.Concat([]string{
	"error", "errored", "errors", "failed", "failure", "exception", "crash", "crashed", "abort", "aborted",
	"timeout", "timedout", "unavailable", "cancelled", "canceled", "skipped", "unscored", "ungraded", "notscored",
	"notgraded",
}, notEnded)

// notEnded are the words of a status of what never ran to its end.
var notEnded = []string{
	"pending", "queued", "scheduled", "running", "inprogress", "notstarted", "interrupted", "killed", "preempted",
}

// gradeWords are the words of a status that also name a grade; dataWords those that also name
// what a row of data is about.
var (
	gradeWords = []string{"failed", "failure"}
	dataWords  = slices.Concat([]string{"failed", "failure", "cancelled", "canceled", "skipped"}, notEnded)
)

// endWords are the words in the reason for which a rollout ended that mean a failure. A time
// limit or a cancellation may be the rollout's own end.
var endWords = []string{
	"error", "errored", "failed", "failure", "exception", "crash", "crashed", "abort", "aborted",
	"unavailable",
}

// blames are words by which the text of a failure says whose it was, in the order in which
// they count.
var blames = []struct {
	whose Whose
	words []string
}{
	{Grader, []string{"rubric", "judge", "grader", "scorer", "scoring", "verifier", "rewarderror", "reward function"}},
	{Tool, []string{"toolerror", "toolcall", "tool_error", "tool call", "sandbox", "tunnel", "mcp"}},
}

// Blame finds whose failure the words of an error are about.
func Blame(text string) Whose {
	text = strings.ToLower(text)
	for _, b := range blames {
		if slices.ContainsFunc(b.words, func(word string) bool { return strings.Contains(text, word) }) {
			return b.whose
		}
	}
	return Unknown
}

// ofCode finds a verdict of those that run programs, which is about the model's own.
var ofCode = regexp.MustCompile(
	`(?i)^\W*(runtime|compile|compiler|compilation|syntax|presentation)[ _-]?(error|failed|failure)\W*$`)

// Ended reports whether the word for the end of a rollout or a reply means that it failed.
func Ended(word string) bool { return fails(word, endWords) }

// EndKey returns the place of a key among those that say why a rollout ended; -1 for others.
func EndKey(key string) int {
	if at, is := endPlaces()[squash(key)]; is {
		return at
	}
	return -1
}

// fails reports whether a text holds one of the words, and does not deny it.
func fails(text string, of []string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') &&
			(r < '0' || r > '9')
	})
	for i, w := range words {
		before := i - 1
		if before > 0 && slices.Contains([]string{"any", "an", "a"}, words[before]) {
			before--
		}
		if slices.Contains(of, w) &&
			(before < 0 || !slices.Contains([]string{"no", "not", "non", "without", "never"}, words[before])) {
			return true
		}
	}
	return slices.Contains(of, strings.Join(words, ""))
}

// capitals finds where a word begins within another: GraderError.
var capitals = regexp.MustCompile(`([a-z])([A-Z])`)

// where says where a field is.
type where int

const (
	inLog    where = iota // next to a grade
	inResult              // in what an agent returns
	inReply               // in a reply of a grader
)

// known is what the lists say of a key.
type known struct {
	takes  takes
	whose  Whose
	flag   bool   // by its name: 1 is true, and 0 false
	core   string // "" of a single
	detail string // what follows the core
	bare   bool   // nothing precedes the core
	grades bool   // failed is a verdict on the answer
}

// lookUp finds a key in the lists.
func lookUp(key string, at where) (known, bool) {
	if holder, inside, is := strings.Cut(key, "."); is && holds(squash(holder)) { // of a table
		k, is := lookUp(inside, at)
		k.whose = cmp.Or(k.whose, whoHolds(squash(holder)))
		return k, is
	}
	if strings.Contains(key, ".") {
		key = strings.ReplaceAll(place.ReplaceAllString(key, ""), ".", "")
	}
	key = squash(key)
	if s, is := byKey()[key]; is && (at == inReply || !slices.Contains(ofReplies, s)) {
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
		if k, is := s.before(rest); is {
			return k, true
		}
		for _, p := range parsing {
			if inner, has := strings.CutPrefix(rest, p); has && s.whose == Grader {
				if k, is := s.before(inner); is && k.takes == cause {
					return k, true
				}
			}
		}
	}
	return known{}, false
}

// before finds what follows a subject.
func (s subject) before(rest string) (known, bool) {
	for _, c := range cores {
		detail, has := strings.CutPrefix(rest, c.word)
		if !has || detail != "" && (c.takes != cause || !slices.Contains(details, detail)) ||
			s.word == "verification" && c.word == "failed" {
			continue
		}
		return known{
			takes: c.takes, whose: s.whose, flag: slices.Contains(flags, s.word), core: c.word, detail: detail,
			bare: s.word == "", grades: slices.Contains(verdicts, s.word),
		}, true
	}
	return known{}, false
}

// place finds the place in a list, in the name of a column: errors.0.
var place = regexp.MustCompile(`\.\d+$`)

// byKey are the singles, by their keys.
var byKey = sync.OnceValue(func() map[string]single {
	all := make(map[string]single)
	for _, s := range slices.Concat(singles, ofReplies) {
		all[squash(s.key)] = s
	}
	return all
})

// The places of the keys of two lists.
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
	_, is := holderPlaces()[key]
	return is
}

// whoHolds returns whose failure an object is about by its key, squashed: verifier_result.
func whoHolds(key string) Whose {
	word := strings.TrimSuffix(key, "result")
	if i := slices.IndexFunc(subjects, func(s subject) bool { return s.word == word }); i >= 0 {
		return subjects[i].whose
	}
	return Unknown
}

// squash makes one of error_message, errorMessage and Error-Message.
func squash(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}
