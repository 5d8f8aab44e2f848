package report

// itemsInFinding is how many items of a finding stand in sight.
const itemsInFinding = 12

// htmlFinding is a finding with ways to what shows it.
type htmlFinding struct {
	Finding
	Words                  *words
	Picture                string // the chart that shows what it judges
	FirstItems, OtherItems []itemLink
	Also, Known            []string // the other facts: that ask something; that are known
}

// itemLink is what a finding says of an item, and the item's row in its
// table.
type itemLink struct {
	Text, Split string // Split is "" where no one row is meant
	Row         int
}

// htmlFindings parts the findings into those that ask something of the reader
// and the rest.
func htmlFindings(p *Page) (open, quiet []htmlFinding) {
	drawn, rows := map[string]bool{}, map[itemOf]int{}
	for _, f := range p.Figures {
		drawn[f.Name] = f.Plot != nil
	}
	for _, s := range p.Splits {
		for i, r := range s.Rows[:min(len(s.Rows), rowsInPage)] {
			k := itemOf{s.Name, r.Item}
			if _, again := rows[k]; again {
				i = -1 // ids that only differ where they are cut
			}
			rows[k] = i
		}
	}
	for _, f := range p.Findings {
		h := htmlFinding{Finding: f, Words: p.Words, Also: f.also(p.Words), Known: f.others(p.Words)}
		for _, name := range f.Charts {
			if drawn[name] && h.Picture == "" {
				h.Picture = name
			}
		}
		for _, item := range f.Items {
			link := itemLink{Text: item}
			for _, s := range p.Splits {
				row, there := rows[itemOf{s.Name, item}]
				if there && row >= 0 && (f.Split == "" && link.Split == "" || f.Split == string(s.Name)) {
					link.Split, link.Row = string(s.Name), row
				}
			}
			h.FirstItems = append(h.FirstItems, link)
		}
		n := min(len(h.FirstItems), itemsInFinding)
		h.FirstItems, h.OtherItems = h.FirstItems[:n], h.FirstItems[n:]
		if f.Open() {
			open = append(open, h)
		} else {
			quiet = append(quiet, h)
		}
	}
	return open, quiet
}
