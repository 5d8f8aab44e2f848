package price

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Prices are costs in US dollars; nil is unknown, while a price of 0 is known to be free.
type Prices struct {
	Model, Judge Token
	ToolCall     *float64           // one call of any tool
	Tools        map[string]float64 // one call, by tool, instead of ToolCall
	TrainedToken *float64           // a million tokens that the trainer learns from, prompts included
	TrainingHour *float64           // an hour of training: it includes the trainer's rollouts, but not judges
	Source       string             // of a TrainingHour that was not configured, with its date
}

// Token is the price of a million tokens. CachedInput is for input tokens that the
// server had cached; without it they cost the same as other input tokens.
type Token struct {
	Input, CachedInput, Output *float64
	Source                     string // of prices that were not configured, with their date
}

// Known reports whether tokens have a price.
func (t Token) Known() bool { return t.Input != nil && t.Output != nil }

// Validate reports a price that is negative or not finite.
func (p Prices) Validate() error {
	for key, price := range map[string]*float64{
		"prices.model_input": p.Model.Input, "prices.model_cached_input": p.Model.CachedInput,
		"prices.model_output": p.Model.Output,
		"prices.judge_input":  p.Judge.Input, "prices.judge_cached_input": p.Judge.CachedInput,
		"prices.judge_output": p.Judge.Output,
		"prices.tool_call":    p.ToolCall, "prices.training_hour": p.TrainingHour,
		"prices.trained_tokens": p.TrainedToken,
	} {
		if price != nil && !(*price >= 0 && *price < most) {
			return fmt.Errorf("%s is %g: a price is 0 or more", key, *price)
		}
	}
	for tool, price := range p.Tools {
		if !(price >= 0 && price < most) {
			return fmt.Errorf("prices.tools.%s is %g: a price is 0 or more", tool, price)
		}
	}
	return nil
}

// Rollout returns the cost of a rollout in US dollars: the model's tokens, the judge's tokens and
// the tool calls. ok is false if a price or a number of tokens is missing.
func (p Prices) Rollout(rec *rollout.Record) (usd float64, ok bool) {
	usd, missing := p.Model.Of(rec.Usage, "model")
	judge, also := p.OfJudge(rec.Judge, JudgeCalls(rec))
	usd += judge
	for _, call := range rec.Calls {
		if call.Status != rollout.CallMalformed {
			usd += p.OfCall(call.Name)
		}
	}
	return usd, missing.IsEmpty() && also.IsEmpty()
}

// Grading returns the cost of a record's gradings in US dollars, which is that of the judge's
// tokens. ok is false if its price or the number of tokens is missing.
func (p Prices) Grading(rec *rollout.Record) (usd float64, ok bool) {
	usd, missing := p.OfJudge(rec.Judge, JudgeCalls(rec))
	return usd, missing.IsEmpty()
}

// Of returns the cost of tokens in US dollars. missing says what is unknown and is empty if nothing
// is; whose is model or judge.
func (t Token) Of(u rollout.Usage, whose string) (usd float64, missing message.Text) {
	const million = 1e6
	if missing = t.Missing(whose); !missing.IsEmpty() {
		return 0, missing
	}
	if u.Input == nil || u.Output == nil {
		return 0, tokensUnknown.With(message.Args{"whose": message.Name(whose)})
	}
	fresh, cached := float64(*u.Input), 0.0
	if u.Cached != nil && t.CachedInput != nil {
		cached = min(float64(*u.Cached), fresh)
		fresh -= cached
		usd = cached * *t.CachedInput
	}
	return (usd + fresh**t.Input + float64(*u.Output)**t.Output) / million, message.Text{}
}

// Missing names the keys to set; it is empty if the price is known.
func (t Token) Missing(whose string) message.Text {
	if !t.Known() {
		return pricesNotSet.With(message.Args{"whose": message.Name(whose)})
	}
	return message.Text{}
}

// OfJudge returns the cost of the grading, which is 0 if the grader called no model.
func (p Prices) OfJudge(u rollout.Usage, calls int) (usd float64, missing message.Text) {
	if calls == 0 {
		return 0, message.Text{}
	}
	return p.Judge.Of(u, "judge")
}

// OfCall returns the cost of one call of a tool in US dollars; 0 if it is free.
func (p Prices) OfCall(tool string) float64 {
	if price, ok := p.Tools[tool]; ok {
		return price
	}
	if p.ToolCall != nil {
		return *p.ToolCall
	}
	return 0
}

// JudgeCalls returns how often the grader called a model for the grade. Older records do not hold
// the number: it is 1 if they hold tokens of a judge.
func JudgeCalls(rec *rollout.Record) int {
	if rec.JudgeCalls == 0 && rec.Judge != (rollout.Usage{}) {
		return 1
	}
	return rec.JudgeCalls
}

var (
	pricesNotSet = message.New("plan.prices_not_set",
		"prices.{whose}_input and prices.{whose}_output are not set (US dollars per million tokens)")
	tokensUnknown = message.New("plan.tokens_unknown", "the {whose}'s server does not report its tokens")
)

// List holds published prices, each with its date. Vendors' prices are data and
// appear nowhere else. A user's own file takes precedence over the list, and configured
// prices take precedence over both.
type List struct{ entries []listedPrice }

type listedPrice struct {
	Model        string   `json:"model"` // a date may follow it
	Host         string   `json:"host"`  // the server that charges it; "" is any
	AsOf         string   `json:"as_of"`
	TrainingHour *float64 `json:"training_hour"`
	Input        *float64 `json:"input"`
	CachedInput  *float64 `json:"cached_input"`
	Output       *float64 `json:"output"`
	Source       string   `json:"source"`
}

//go:embed prices.json
var priceList []byte

// ListText returns the built-in list, in the format of a user's own file.
func ListText() string { return string(priceList) }

// Builtin returns the built-in list.
func Builtin() List {
	l, err := Parse(priceList)
	if err != nil {
		panic("price: prices.json: " + err.Error())
	}
	return l
}

// Parse reads a list of prices.
func Parse(text []byte) (List, error) {
	var list struct {
		About  string        `json:"about"`
		Prices []listedPrice `json:"prices"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return List{}, fmt.Errorf("a list of prices is JSON as gonogo help prices prints it: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return List{}, errors.New("there is more text after the list of prices")
	}
	for i, p := range list.Prices {
		if err := p.validate(); err != nil {
			return List{}, fmt.Errorf("prices[%d]: %w", i, err)
		}
	}
	return List{list.Prices}, nil
}

func (p listedPrice) validate() error {
	if p.Model == "" {
		return errors.New("it names no model")
	}
	if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
		return fmt.Errorf("as_of %q is not a date such as 2026-11-20", p.AsOf)
	}
	if (p.Input == nil) != (p.Output == nil) || p.Input == nil && p.TrainingHour == nil {
		return errors.New("it needs input and output, or training_hour")
	}
	for name, price := range map[string]*float64{
		"training_hour": p.TrainingHour, "input": p.Input,
		"cached_input": p.CachedInput, "output": p.Output,
	} {
		if price != nil && !(*price >= 0 && *price < most) {
			return fmt.Errorf("%s is %g: a price is 0 or more", name, *price)
		}
	}
	return nil
}

// Before returns both lists as one; entries of l take precedence.
func (l List) Before(other List) List {
	return List{append(l.entries[:len(l.entries):len(l.entries)], other.entries...)}
}

// Tokens returns the price of a model's tokens at a host; an unknown price if the model is not
// listed.
func (l List) Tokens(model, host string) Token {
	for _, p := range l.entries {
		if p.Input != nil && p.is(model, host) {
			return Token{Input: p.Input, CachedInput: p.CachedInput, Output: p.Output, Source: p.source()}
		}
	}
	return Token{}
}

// Training returns the price of an hour of training a model, and its source; nil if the model is
// not listed.
func (l List) Training(model, host string) (hour *float64, source string) {
	for _, p := range l.entries {
		if p.TrainingHour != nil && p.is(model, host) {
			return p.TrainingHour, p.source()
		}
	}
	return nil, ""
}

// Common returns the token price that all these models have at a host; an unknown price if they
// differ.
func (l List) Common(models []string, host string) (common Token) {
	for i, model := range models {
		price := l.Tokens(model, host)
		if i > 0 && price.Source != common.Source {
			return Token{}
		}
		common = price
	}
	return common
}

// ListedBy returns the prices with unknown ones filled in from the list.
func (p Prices) ListedBy(l List, model, host string, judges []string, judgeHost string) Prices {
	p.Model, p.Judge = p.Model.or(l.Tokens(model, host)), p.Judge.or(l.Common(judges, judgeHost))
	if p.TrainingHour == nil {
		p.TrainingHour, p.Source = l.Training(model, host)
	}
	return p
}

// or returns t, or the listed price if t has neither input nor output.
func (t Token) or(listed Token) Token {
	if t.Input != nil || t.Output != nil {
		return t
	}
	listed.CachedInput = cmp.Or(t.CachedInput, listed.CachedInput)
	return listed
}

// is reports whether the entry applies to a model at a host. A date may follow the model's name;
// any other suffix makes it another model.
func (p listedPrice) is(model, host string) bool {
	rest, ok := strings.CutPrefix(model, p.Model)
	dated := len(rest) > 1 && rest[0] == '-' && strings.Trim(rest, "-0123456789") == ""
	return ok && (rest == "" || dated) && (p.Host == "" || strings.EqualFold(p.Host, host))
}

func (p listedPrice) source() string {
	text := p.Model + " as of " + p.AsOf
	if p.Source != "" {
		text += " (" + p.Source + ")"
	}
	return text
}

// most is above any price: more is a slip.
const most = 1e100
