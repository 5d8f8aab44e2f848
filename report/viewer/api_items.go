package viewer

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"gonogo/sampler/rollout"
)

// order is a way to sort items, by a number or by a text. Unknown numbers sort last.
type order struct {
	name   string
	number func(*row) *float64
	text   func(*row) string
}

func count(n int) *float64 { f := float64(n); return &f }

// orders lists the ways to sort items.
func orders() []order {
	return []order{
		{name: "file", number: func(r *row) *float64 { return count(int(r.item)) }},
		{name: "item", text: func(r *row) string { return r.Item }},
		{name: "mean", number: func(r *row) *float64 { return r.Mean }},
		{name: "sd", number: func(r *row) *float64 { return r.SD }},
		{name: "gap", number: func(r *row) *float64 { return r.Gap }},
		{name: "change", number: func(r *row) *float64 { return r.Change }},
		{name: "calls", number: func(r *row) *float64 { return &r.Calls }},
		{name: "failures", number: func(r *row) *float64 { return count(r.N - r.Outcomes[string(rollout.Graded)]) }},
		{name: "labels", number: func(r *row) *float64 {
			n := 0
			for _, k := range r.Marks {
				n += k
			}
			return count(n)
		}},
		{name: "family", text: func(r *row) string { return cmp.Or(r.Family, r.Category) }},
	}
}

// sorted sorts rows by the order of that name, "file" if it is empty; desc reverses it.
func sorted(rows []row, by string, desc bool) error {
	i := slices.IndexFunc(orders(), func(o order) bool { return o.name == cmp.Or(by, "file") })
	if i < 0 {
		return fmt.Errorf("unknown order %q", by)
	}
	o, sign := orders()[i], 1
	if desc {
		sign = -1
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		if o.text != nil {
			return sign * cmp.Compare(o.text(&a), o.text(&b))
		}
		switch x, y := o.number(&a), o.number(&b); {
		case x != nil && y != nil:
			return sign * cmp.Compare(*x, *y)
		case x != nil:
			return -1
		case y != nil:
			return 1
		}
		return 0
	})
	return nil
}

// pageSize is how many items one response lists by default.
const pageSize = 500

// itemList is the response to a request for items.
type itemList struct {
	Total int    `json:"total"` // number of items that match the filter
	All   int    `json:"all"`   // number of all items
	Items []row  `json:"items"`
	Note  string `json:"note,omitempty"`
}

func (s *Server) getItems(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	f, err := filterOf(q)
	side := s.sides[0]
	all, _, warning := side.all()
	var rows []row
	if err == nil {
		rows, err = side.filtered(all, &f)
	}
	if err == nil && len(s.sides) > 1 {
		warning = errors.Join(warning, against(rows, s.sides[1]))
	}
	if err == nil {
		err = sorted(rows, q.Get("sort"), q.Get("desc") != "")
	}
	from, limit := intOr(q.Get("from"), 0), intOr(q.Get("limit"), pageSize)
	if err == nil && (from < 0 || limit < 1) {
		err = errors.New("from and limit must be whole numbers, and limit at least 1")
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	out := itemList{Total: len(rows), All: len(all), Items: rows[min(from, len(rows)):min(from+limit, len(rows))]}
	if warning != nil {
		out.Note = s.shownError(warning).Error()
	}
	answer(w, out)
}

// filtered returns copies of the rows of items that match the filter.
func (s *side) filtered(all []row, f *filter) ([]row, error) {
	marks, _, err := s.labels.all()
	if err != nil && f.mark != "" {
		return nil, err
	}
	x := s.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	rows := make([]row, 0, len(all))
	for i := range all {
		r := &all[i]
		if f.wantsItem(s.names, r.name.Split, r.shown) && int(r.item) < len(x.rollouts) &&
			slices.ContainsFunc(x.rollouts[r.item], func(j int32) bool {
				e := &x.entries[j]
				return f.wants(s, e, x.about(marks, x.key(e)))
			}) {
			rows = append(rows, *r)
		}
	}
	return rows, nil
}

// itemShown is an item and its rollouts in each run.
type itemShown struct {
	Split     string    `json:"split"`
	Item      string    `json:"item"`
	Known     bool      `json:"known"` // it is in items.jsonl
	File      string    `json:"file,omitempty"`
	Line      int       `json:"line,omitempty"`
	Messages  []message `json:"messages"`
	Reference string    `json:"reference,omitempty"`
	Field     string    `json:"field,omitempty"` // the field of the row that holds the reference
	Row       string    `json:"row,omitempty"`
	Runs      []itemRun `json:"runs"`
}

type itemRun struct {
	Row      *row    `json:"row"`
	Rollouts []brief `json:"rollouts"`
}

func (s *Server) getItem(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	f, err := filterOf(q)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	split, shown := rollout.Split(q.Get("of")), s.names.from("item", q.Get("item"))
	out := itemShown{Split: string(split), Item: s.names.display("item", shown), Messages: []message{}}
	found := false
	for _, side := range s.sides {
		n := side.index.named(split, shown)
		run := side.item(n, &f)
		out.Runs = append(out.Runs, run)
		found = found || run.Row != nil
		if it := side.items[n.inData()]; it != nil && !out.Known {
			found, out.Known, out.File, out.Line = true, true, s.names.display("file", it.File), it.Line
			out.Messages = s.names.messages(it.Messages, nil)
			reference, field, _ := it.Reference()
			out.Reference, out.Field = s.names.text(reference), s.names.display("field", field)
			out.Row = s.names.text(string(it.Row))
		}
	}
	if !found {
		fail(w, http.StatusNotFound, errors.New("the item does not exist"))
		return
	}
	answer(w, out)
}

// item returns the rollouts of an item in a run. Errors of labels are reported with the list of
// items.
func (s *side) item(n name, f *filter) itemRun {
	out := itemRun{Rollouts: []brief{}}
	all, _, _ := s.all()
	if i := slices.IndexFunc(all, func(r row) bool { return r.name == n }); i >= 0 {
		out.Row = new(row)
		*out.Row = all[i]
	}
	marks, _, _ := s.labels.all()
	x := s.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	item, ok := x.names.items[n]
	if !ok || int(item) >= len(x.rollouts) {
		return out
	}
	for _, i := range x.rollouts[item] {
		e := &x.entries[i]
		labels := x.about(marks, x.key(e))
		b := s.brief(x.names, e, labels)
		b.Wanted = f.wants(s, e, labels)
		out.Rollouts = append(out.Rollouts, b)
	}
	slices.SortStableFunc(out.Rollouts, func(a, b brief) int { return cmp.Compare(a.Sample, b.Sample) })
	return out
}
