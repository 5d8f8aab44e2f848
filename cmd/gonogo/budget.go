package main

import "github.com/urfave/cli/v2"

// budgetRule says how the budget is kept, for the help of commands.
const budgetRule = `The budget (--max-rollouts, --max-tokens, --max-usd, --deadline) is that of one
call, for the run, its variants and the audit together. What a rollout uses is
known when it has ended; until then it counts the mean of those that have, so
that a cap is passed by at most what is in flight (a few, before the first has
ended), and nothing begins that on average would end after the deadline. What was
begun ends and is kept; the exit code is 5.`

// spendingFlags bound what a command uses.
func spendingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "max-tokens", Usage: "stop this call after `N` tokens (key sampling.max_tokens)"},
		&cli.StringFlag{Name: "max-usd", Usage: "stop this call after `X` US dollars, by the prices and the tokens that servers tell (key sampling.max_usd)"},
		&cli.StringFlag{Name: "deadline", Usage: "stop this call by `TIME`: 2h from now, 17:30, or of a date (key sampling.deadline)"},
	}
}
