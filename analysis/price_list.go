package analysis

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// PriceList holds published prices, each with its date. It is the one place that
// knows a vendor's price: data, which a file of one's own may go before. What is
// configured goes before both.
type PriceList struct{ entries []listedPrice }

type listedPrice struct {
	Model        string   `json:"model"` // its name, also with a date behind it
	Host         string   `json:"host"`  // the server whose price it is; "" is any
	AsOf         string   `json:"as_of"`
	TrainingHour *float64 `json:"training_hour"`
	Input        *float64 `json:"input"`
	CachedInput  *float64 `json:"cached_input"`
	Output       *float64 `json:"output"`
	Source       string   `json:"source"`
}

//go:embed prices.json
var priceList []byte

// PriceListText is the built-in list, as a file of one's own is written.
func PriceListText() string { return string(priceList) }

// BuiltinPrices is the built-in list.
func BuiltinPrices() PriceList {
	l, err := ParsePrices(priceList)
	if err != nil {
		panic("analysis: prices.json: " + err.Error())
	}
	return l
}

// ParsePrices reads a list of prices.
func ParsePrices(text []byte) (PriceList, error) {
	var list struct {
		About  string        `json:"about"`
		Prices []listedPrice `json:"prices"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return PriceList{}, fmt.Errorf("a list of prices is JSON as gonogo help prices prints it: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return PriceList{}, errors.New("something follows the list of prices")
	}
	for i, p := range list.Prices {
		if err := p.validate(); err != nil {
			return PriceList{}, fmt.Errorf("prices[%d]: %w", i, err)
		}
	}
	return PriceList{list.Prices}, nil
}

func (p listedPrice) validate() error {
	if p.Model == "" {
		return errors.New("it names no model")
	}
	if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
		return fmt.Errorf("as_of %q is no date such as 2026-11-20", p.AsOf)
	}
	if (p.Input == nil) != (p.Output == nil) || p.Input == nil && p.TrainingHour == nil {
		return errors.New("it wants input and output, or training_hour")
	}
	for name, price := range map[string]*float64{"training_hour": p.TrainingHour, "input": p.Input, "cached_input": p.CachedInput, "output": p.Output} {
		if price != nil && !(*price >= 0 && *price < mostReward) {
			return fmt.Errorf("%s is %g: a price is 0 or more", name, *price)
		}
	}
	return nil
}

// Before returns both lists, in which l goes before the other.
func (l PriceList) Before(other PriceList) PriceList {
	return PriceList{append(l.entries[:len(l.entries):len(l.entries)], other.entries...)}
}

// Tokens returns what tokens of a model cost at a host, and no price for what is
// not listed.
func (l PriceList) Tokens(model, host string) TokenPrice {
	for _, p := range l.entries {
		if p.Input != nil && p.is(model, host) {
			return TokenPrice{Input: p.Input, CachedInput: p.CachedInput, Output: p.Output, Source: p.source()}
		}
	}
	return TokenPrice{}
}

// Training returns what an hour of training a model costs, and where that is
// from; nil for a model that is not listed.
func (l PriceList) Training(model, host string) (hour *float64, source string) {
	for _, p := range l.entries {
		if p.TrainingHour != nil && p.is(model, host) {
			return p.TrainingHour, p.source()
		}
	}
	return nil, ""
}

// is reports whether the entry is meant. A date may stand behind a model's name;
// any other word there makes it another model.
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
