package limit

import "time"

// The pace's numbers: how many answers make a mean, and by how much a mean must
// exceed the best one for the growth to stop and for the limit to shrink. If no
// one reports tokens, the work of requests is unknown, and the means differ more.
const (
	paceAnswers = 20
	paceShrink  = 0.9
	paceHeld    = 8 // means in a row without growth, after which shrinking is tried
	paceTries   = 3 // shrinkings that must help
)

var (
	pacePerToken   = paceBounds{hold: 1.3, shrink: 1.6}
	pacePerRequest = paceBounds{hold: 2, shrink: 4}
)

type paceBounds struct{ hold, shrink float64 }

// pace notices a server that takes longer the more it is asked at once: one
// that queues rather than says 429.
type pace struct {
	need    float64 // answers that make the mean at hand
	count   int
	elapsed float64 // seconds
	work    float64 // tokens of the answers
	worded  int     // answers that reported their tokens

	best    [2]float64 // lowest mean so far, by token and by request
	holding bool
	settle  bool // the next mean is of before and after a change: it says nothing
	held    int  // means in a row without growth

	cuts      int     // shrinkings in a row
	firstMean float64 // the mean and the limit before them
	before    float64
}

// advice is what the last mean says of the limit.
type advice struct {
	hold  bool
	limit float64 // 0 = as it is
}

// note takes one answer.
func (p *pace) note(took time.Duration, output int64, limit float64) advice {
	if p.count == 0 {
		p.need = max(paceAnswers, limit)
	}
	p.count++
	p.elapsed += took.Seconds()
	if output > 0 {
		p.work += float64(output)
		p.worded++
	}
	if float64(p.count) < p.need {
		return advice{hold: p.holding}
	}
	kind, bounds, mean := 0, pacePerToken, 0.0
	if p.worded == p.count {
		mean = p.elapsed / p.work
	} else {
		kind, bounds, mean = 1, pacePerRequest, p.elapsed/float64(p.count)
	}
	p.restart()
	if mean <= 0 {
		return advice{}
	}
	return p.judge(kind, bounds, mean, limit)
}

// restart begins a new mean.
func (p *pace) restart() { p.count, p.elapsed, p.work, p.worded = 0, 0, 0, 0 }

func (p *pace) judge(kind int, bounds paceBounds, mean, limit float64) advice {
	best := &p.best[kind]
	if *best == 0 || mean < *best {
		*best = mean
	}
	if p.settle {
		p.settle = false
		return advice{hold: p.holding}
	}
	switch ratio := mean / *best; {
	case ratio > bounds.hold && !p.holding:
		p.holding, p.settle = true, true
	case ratio > bounds.shrink || p.held >= paceHeld:
		return p.shrink(best, mean, limit)
	case ratio > bounds.hold:
		p.held++
	default:
		p.holding, p.held, p.cuts = false, 0, 0
	}
	return advice{hold: p.holding}
}

// shrink asks for less. Slowness that shrinking does not fix is not of our
// making: it becomes the measure, and the limit is what it was.
func (p *pace) shrink(best *float64, mean, limit float64) advice {
	if p.cuts == 0 {
		p.firstMean, p.before = mean, limit
	}
	if p.cuts >= paceTries {
		cuts := p.cuts
		p.cuts, p.held = 0, 0
		if mean > p.firstMean*(1-float64(cuts)*0.04) {
			*best, p.holding = mean, false
			return advice{limit: max(p.before, limit)}
		}
	}
	p.cuts++
	p.settle = true
	return advice{hold: true, limit: max(1, limit*paceShrink)}
}
