package report

// htmlProbe is a probe with its payloads: the worst in sight, the rest folded
// away.
type htmlProbe struct {
	Probe
	First, Rest []htmlHole
}

type htmlHole struct {
	Hole  Hole
	Words *words
}

// htmlHoles lists the probes of a state that have payloads to show.
func htmlHoles(p *Page, state ProbeState) []htmlProbe {
	var list []htmlProbe
	for _, probe := range p.Audit.Probes {
		if len(probe.Holes) == 0 || probe.State != state {
			continue
		}
		h := htmlProbe{Probe: probe}
		for i, hole := range probe.Holes {
			if one := (htmlHole{hole, p.Words}); i == 0 {
				h.First = append(h.First, one)
			} else {
				h.Rest = append(h.Rest, one)
			}
		}
		list = append(list, h)
	}
	return list
}
