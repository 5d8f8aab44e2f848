package config

import (
	"fmt"
	"net/url"

	"gonogo/analysis/price"
	"gonogo/sampler/input/document"
)

// TokenPrices returns the configured prices, else those of the user's own list, else those of the
// built-in one.
func (c *Config) TokenPrices() price.Prices {
	list := c.priceList.Before(price.Builtin())
	return c.Prices.Prices().ListedBy(list, c.Model.Name, hostOf(c.Model.BaseURL), c.judgeModels(),
		hostOf(c.Judge.BaseURL))
}

// readPrices reads the user's own list of prices.
func readPrices(c *Config) error {
	c.priceList = price.List{}
	if c.Prices.File == "" {
		return nil
	}
	text, err := document.ReadFile(c.Absolute(c.Prices.File))
	if err == nil {
		c.priceList, err = price.Parse(text)
	}
	if err != nil {
		return c.Fault("prices.file", "%v", err)
	}
	return nil
}

// unpricedModel names the keys that are needed to enforce sampling.max_usd; nil if there is no such
// cap, or all models have a price.
func unpricedModel(c *Config) error {
	if c.Sampling.MaxUSD == 0 {
		return nil
	}
	var errs []error
	if !c.TokenPrices().Model.Known() && c.Model.Name != "" {
		errs = append(errs, unpriced(c, "the model "+c.Model.Name, "prices.model_input and prices.model_output",
			c.Model.BaseURL))
	}
	for i, v := range c.Variants {
		if q := c.ForVariant(i); !q.TokenPrices().Model.Known() &&
			(q.Model.Name != c.Model.Name || q.Model.BaseURL != c.Model.BaseURL) {
			errs = append(errs, unpriced(c, fmt.Sprintf("the model %s of the variant %s", q.Model.Name, v.Name),
				"model_input and model_output of the variant", q.Model.BaseURL))
		}
	}
	return document.SortErrors(errs)
}

// unpricedJudge is unpricedModel for models that grade.
func unpricedJudge(c *Config) error {
	if c.Sampling.MaxUSD == 0 || !c.AsksJudge() || c.TokenPrices().Judge.Known() {
		return nil
	}
	return unpriced(c, "the model that grades", "prices.judge_input and prices.judge_output", c.Judge.BaseURL)
}

func unpriced(c *Config, model, set, server string) error {
	return c.Fault("sampling.max_usd", "%s has no known price at %s: set %s, in US dollars per million tokens (0 if "+
		"they cost nothing)", model, hostOf(server), set)
}

// hostOf returns the host of a URL, with its port.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
