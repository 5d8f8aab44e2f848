package console

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/price"
	"gonogo/sampler/burst"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// WriteBurstPlan writes which requests a burst will send to which endpoint. cost prices a rollout.
func WriteBurstPlan(w io.Writer, plan *burst.Plan, cfg burst.Config,
	cost func(*rollout.Record) (usd float64, ok bool),
) {
	fmt.Fprintf(w, "A training step of %s at once, of %s.", Count(len(plan.Scripts), "rollout"), plan.Split)
	var parts []string
	if made := plan.Rollouts(cfg); made > 0 {
		parts = append(parts, Count(made, "rollout")+" by the agent"+useText(plan.Use(cost), made))
	}
	asked := plan.Requests(cfg)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		parts = append(parts, fmt.Sprintf("%s of %s", Count(asked[name], "call"), name))
	}
	if gradings := plan.Gradings(cfg); gradings > 0 {
		parts = append(parts, message.Whole(gradings)+" gradings")
	}
	fmt.Fprintf(w, " In all, at most: %s.\n", Visible(strings.Join(parts, ", ")))
	for _, note := range plan.Notes {
		fmt.Fprintf(w, "note: %s\n", Visible(note))
	}
}

// BurstRisks describes what a person must agree to before a burst: that it calls a model, or that
// it repeats calls which may change something; "" if there is nothing. judges is the number of
// models called for a grade.
func BurstRisks(plan *burst.Plan, cfg burst.Config, tools []burst.Tool, judges int) string {
	var why []string
	if made := plan.Rollouts(cfg); made > 0 {
		why = append(why, fmt.Sprintf("the agent would make %s, which call its model and repeat what its tools do",
			Count(made, "rollout")))
	}
	if risky := plan.Unsafe(tools); len(risky) > 0 {
		why = append(why,
			fmt.Sprintf("the recorded calls of %s would be repeated, and burst.safe does not list them",
				strings.Join(risky, ", ")))
	}
	if judged := plan.Gradings(cfg) * judges; judged > 0 {
		why = append(why, fmt.Sprintf("%s requests to a model that grades are paid for", message.Whole(judged)))
	}
	return Visible(strings.Join(why, "; "))
}

// WriteBurstCost writes what a burst costs, as far as that is known; judged says that its gradings
// call a model. over says why the cost exceeds a cap, unknown why it cannot be compared.
func WriteBurstCost(w io.Writer, plan *burst.Plan, cfg burst.Config, prices price.Prices, judged bool,
	caps limit.Bounds,
) (over, unknown string) {
	usd, known := 0.0, true
	for name, n := range plan.Requests(cfg) {
		usd += float64(n) * prices.OfCall(name)
	}
	if gradings := plan.Gradings(cfg); judged && gradings > 0 {
		per, ok := plan.GradingCost(prices.Grading)
		usd, known = usd+float64(gradings)*per, ok
	}
	if made := plan.Rollouts(cfg); made > 0 {
		one := plan.Use(prices.Rollout)
		if over := overCap(caps, one, made); over != "" {
			return fmt.Sprintf("that would be %s: lower --rollouts or burst.least", over), ""
		}
		if !one.Priced {
			fmt.Fprintln(w, "The cost of the agent's rollouts is not known in advance: the records contain no tokens "+
				"of its model, or no price is known.")
		}
		usd += float64(made) * one.USD
	}
	switch {
	case !known && caps.USD > 0:
		return "", fmt.Sprintf("the cost of a grading is not known (the records contain no tokens, or there is no "+
			"price), and sampling.max_usd is $%s: lower burst.least or --rollouts, or lift the cap with --set "+
			"sampling.max_usd=0",
			message.Digits(caps.USD))
	case !known:
		fmt.Fprintln(w, "The cost of the gradings is not known: the records contain no tokens of a model that "+
			"graded, or no price is known.")
	case caps.USD > 0 && usd > caps.USD:
		return fmt.Sprintf("that would be about $%s, above sampling.max_usd of $%s: lower --rollouts or "+
			"burst.least", message.Digits(usd), message.Digits(caps.USD)), ""
	case usd > 0:
		fmt.Fprintf(w, "That is about $%s.\n", message.Digits(usd))
	}
	return "", ""
}

// NoRoom says why a wave of an agent's rollouts would exceed a cap, given the use of earlier
// rollouts; "" if it would not.
func NoRoom(caps limit.Bounds, use burst.Use, rollouts int) string {
	switch {
	case use.Rollouts == 0:
		return ""
	case caps.Tokens > 0 && !use.TokensKnown:
		return "its tokens are not reported, so sampling.max_tokens cannot be enforced"
	case caps.USD > 0 && !use.Priced:
		return "its cost is not known, so sampling.max_usd cannot be enforced"
	}
	if over := overCap(caps, use, use.Rollouts+rollouts); over != "" {
		return "with it that would be " + over
	}
	return ""
}

// useText says what n rollouts will need from the model, as far as the records show.
func useText(u burst.Use, n int) string {
	if u.Turns == 0 {
		return ""
	}
	text := " with about " + Count(int(u.Turns*float64(n)+0.5), "model turn")
	if u.TokensKnown {
		text += " and " + Tokens(int64(u.Tokens*float64(n)))
	}
	return text
}

// overCap says which cap n rollouts of an agent would exceed, as far as their use is known; "" for
// none.
func overCap(b limit.Bounds, u burst.Use, n int) string {
	switch tokens, usd := u.Tokens*float64(n), u.USD*float64(n); {
	case b.Rollouts > 0 && n > b.Rollouts:
		return fmt.Sprintf("%s of the agent, above sampling.max_rollouts of %s", Count(n, "rollout"),
			message.Whole(b.Rollouts))
	case b.Tokens > 0 && u.TokensKnown && tokens > float64(b.Tokens):
		return fmt.Sprintf("about %s, above sampling.max_tokens of %s", Tokens(int64(tokens)),
			message.Whole(int(b.Tokens)))
	case b.USD > 0 && u.Priced && usd > b.USD:
		return fmt.Sprintf("about %s, above sampling.max_usd of %s", Dollars(usd), Dollars(b.USD))
	}
	return ""
}
