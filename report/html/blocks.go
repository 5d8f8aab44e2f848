package html

import (
	"fmt"
	"net/url"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/block"
)

// block writes one block.
func (r *renderer) block(one block.Block) markup {
	switch b := one.(type) {
	case block.Heading:
		return put("<h3 class=\"split\">%s</h3>\n", string(b))
	case block.Verdict:
		return verdict(b)
	case block.Tiles:
		return put("<div class=\"tiles\">%s\n</div>\n", each(b, tile))
	case block.Note:
		return r.note(b)
	case block.Facts:
		return facts(b)
	case block.Grid:
		return grid(b)
	case block.Figure:
		return r.figure(b)
	case block.Findings:
		return r.findings(b)
	case block.Items:
		return r.items(b)
	case block.Payload:
		return payload(b)
	case block.Fold:
		return put("<details><summary>%s</summary>\n%s</details>\n", b.Summary, r.blocks(b.Blocks))
	}
	r.err = fmt.Errorf("a page has no place for a %T", one)
	return ""
}

func verdict(v block.Verdict) markup {
	return put("<div class=\"verdict v-%s%s\">\n<strong>%s</strong>\n<div><p>%s</p>%s</div>%s\n</div>\n",
		v.Tone, when(v.Long(), " long"), v.Answer, v.Reason, many(v.Texts, "\n<p class=\"why\">%s</p>"),
		when(len(v.Next) > 0, "\n<div class=\"next\"><b>%s</b><ol>%s</ol></div>", v.Lead, many(v.Next, "<li>%s</li>")))
}

func tile(_ int, t block.Tile) markup {
	return put("\n<section class=\"tile\">\n<h2>%s</h2>\n<div><b%s>%s</b>%s</div>\n<p>%s</p>\n</section>",
		t.Label, when(!t.Known, ` class="unknown"`), t.Value, when(t.Interval != "", `<span class="iv">%s</span>`, t.Interval), t.About)
}

func (r *renderer) note(n block.Note) markup {
	muted, s := when(n.Muted, ` class="note"`), r.words.Signs
	if n.Points {
		list := put("%s\n<ul%s>%s</ul>", when(n.Lead != "", `<p class="lead"><b>%s</b></p>`, n.Lead), muted, many(n.Texts, "<li>%s</li>"))
		if n.Tone != "" {
			list = put("<section class=\"first\">%s</section>", list)
		}
		return list + "\n"
	}
	lead := when(n.Lead != "", "<b>%s%s</b>%s", n.Lead, s.Colon, s.Space)
	return each(n.Texts, func(_ int, text string) markup { return put("<p%s>%s%s</p>\n", muted, lead, text) })
}

func facts(f block.Facts) markup {
	name := markup("%s")
	if f.Code {
		name = "<code>%s</code>"
	}
	rows := each(f.Rows, func(_ int, x block.Fact) markup {
		return put("\n<tr><th scope=\"row\">%s</th><td>%s</td></tr>", put(name, x.Name), link(x.Link, x.Value))
	})
	return put("<div class=\"scroll\" tabindex=\"0\"><table class=\"text wrap facts\"><tbody>%s\n</tbody></table></div>\n", rows)
}

// link is a text that leads to a file near the report; any other address is left out.
func link(to, text string) markup {
	u, err := url.Parse(to)
	if err != nil || to == "" || u.Scheme != "" || u.Host != "" {
		return put("%s", text)
	}
	return put(`<a class="traces" href="%s">%s</a>`, u, text)
}

// heads are the cells of a table's first row; class is that of the i-th.
func heads(head []string, class func(i int) markup) markup {
	return each(head, func(i int, text string) markup {
		if text == "" {
			return "<td></td>"
		}
		return put(`<th scope="col"%s>%s</th>`, class(i), text)
	})
}

func grid(g block.Grid) markup {
	kind := func(i int) markup { return [...]markup{"number", "text", "code", "state"}[g.Kind(i)] }
	cell := func(r, i int, text string) markup {
		inner := put("%s", text)
		switch {
		case text == "":
		case g.Kind(i) == block.State:
			inner = put(`<span class="tag s-%s">%s</span>`, g.Tone(r), text)
		case g.Kind(i) == block.Code:
			inner = put("<code>%s</code>", text)
		}
		return put(`<td class="%s" data-h="%s">%s</td>`, kind(i), g.Head[i], inner)
	}
	rows := each(g.Rows, func(r int, row []string) markup {
		return put("\n<tr>%s</tr>", each(row, func(i int, text string) markup { return cell(r, i, text) }))
	})
	titled := g.Title != ""
	return put("%s<div class=\"scroll%s\" tabindex=\"0\"%s><table class=\"grid%s%s\">\n<thead><tr>%s</tr></thead>\n<tbody>%s\n</tbody></table></div>%s\n",
		when(titled, "<h3 class=\"split\">%s</h3>\n", g.Title), when(g.Upright, " byitem"), when(titled, ` role="region" aria-label="%s"`, g.Title),
		when(g.Words, " words"), when(g.Rates, " rates"), heads(g.Head, func(i int) markup { return put(` class="%s"`, kind(i)) }), rows,
		when(len(g.Notes) > 0, "\n<ul class=\"note\">%s</ul>", many(g.Notes, "<li>%s</li>")))
}

func (r *renderer) figure(f block.Figure) markup {
	p, err := r.picture(f)
	if err != nil {
		r.err = err
		return ""
	}
	w := r.words
	caption, numbers, places := markup(""), markup(""), markup("")
	if !p.Brief {
		caption = put("\n<figcaption>%s%s</figcaption>", p.Doc, when(p.Split != "", `%s<a href="#items">%s</a>`, w.Signs.Space, w.Page.InItems))
	}
	if len(p.Grid.Rows) > 0 || p.Brief {
		table := when(len(p.Grid.Rows) > 0, "\n<div class=\"scroll\" tabindex=\"0\"><table class=\"words\"><thead><tr>%s</tr></thead><tbody>%s\n</tbody></table></div>",
			heads(p.Grid.Head, func(int) markup { return "" }), each(p.Grid.Rows, func(_ int, row []string) markup { return put("\n<tr>%s</tr>", many(row, "<td>%s</td>")) }))
		numbers = put("\n<details class=\"numbers\"><summary>%s</summary>%s%s\n</details>", w.Page.Table, when(p.Brief, `<p class="note">%s</p>`, p.Doc), table)
	}
	if p.Spots != nil {
		places = put("\n<script type=\"application/json\">%s</script>", r.json(p.Spots))
	}
	return put("<figure id=\"chart-%s\"%s>\n<h3>%s</h3>%s\n<div class=\"wide\"><div class=\"plot\">\n%s\n</div></div>%s%s%s\n</figure>\n",
		p.Name, when(p.Split != "", ` data-split="%s"`, p.Split), p.Title, when(p.Subtitle != "", "\n<p class=\"note\">%s</p>", p.Subtitle), p.SVG, caption, numbers, places)
}

// json is data for the page's script.
func (r *renderer) json(v any) markup {
	text, err := jsonOf(v)
	if err != nil && r.err == nil {
		r.err = err
	}
	return text
}

func (r *renderer) findings(list block.Findings) markup {
	if len(list) == 0 {
		return put("<p>%s</p>\n", r.words.NoFindings)
	}
	quiet := false
	all := each(list, func(_ int, f block.Finding) markup {
		fold := markup("")
		if f.Tone == block.Skipped && !quiet {
			quiet, fold = true, put("\n<details class=\"skipped\"><summary>%s</summary>", r.words.NotJudged)
		}
		return fold + "\n" + r.finding(f)
	})
	return put("<div class=\"headed\"><button type=\"button\" class=\"all hidden\" aria-controls=\"all-findings\">%s</button></div>\n<div id=\"all-findings\">%s%s\n</div>\n",
		r.words.Page.OpenAll, all, when(quiet, "</details>"))
}

func (r *renderer) finding(f block.Finding) markup {
	w, s := r.words, r.words.Signs
	texts := each(f.Texts, func(_ int, x block.Fact) markup {
		return put("\n<p><b>%s%s</b>%s%s</p>", x.Name, s.Colon, s.Space, x.Value)
	})
	evidence := each(f.Facts, func(_ int, x block.Fact) markup {
		return put(" · %s<b>%s</b>", when(x.Name != "", "%s ", x.Name), x.Value)
	})
	summary := put(`<summary><span class="tag s-%s">%s</span><h3>%s</h3><span class="measure">%s</span><span class="gauge">%s</span><span class="want">%s</span></summary>`,
		f.Tone, f.Label, f.Name, when(f.Value != "", "<b>%s</b>", f.Value), gauge(f), f.Want)
	items := markup("")
	if len(f.Items) > 0 {
		n := min(len(f.Items), itemsInFinding)
		items = put("\n<p><b>%s%s</b>%s%s</p>", f.ItemsLabel, s.Colon, s.Space, each(f.Items[:n], item))
		if more := f.Items[n:]; len(more) > 0 {
			items += put("\n<details><summary>%s</summary><p>%s</p></details>", fmt.Sprintf(w.MoreLines, message.Whole(len(more))), each(more, item))
		}
	}
	return put("<details class=\"finding s-%s%s\">\n%s\n<div class=\"body\">\n<p class=\"title\">%s</p>%s\n<p class=\"measure\"><b>%s%s</b>%s<code>%s</code>%s%s</p>%s%s\n</div>\n</details>",
		f.Tone, when(!f.Open, " quiet"), summary, f.Title, texts, w.Page.Evidence, s.Colon, s.Space, f.Gate, evidence,
		when(f.Picture != "", ` · <a href="#chart-%s">%s</a>`, f.Picture, w.Page.Picture),
		when(len(f.Known) > 0, "\n<details><summary>%s</summary><ul>%s</ul></details>", w.OtherFacts, many(f.Known, "<li>%s</li>")), items)
}

func item(_ int, x block.Item) markup {
	if x.Table == "" {
		return put("<code>%s</code> ", x.Name)
	}
	return put(`<a href="#items" data-split="%s" data-row="%s"><code>%s</code></a> `, x.Table, x.Row, x.Name)
}

func payload(p block.Payload) markup {
	return put("%s<div class=\"hole s-%s\">\n<p class=\"measure\"><code>%s</code> · %s</p>\n<pre>%s</pre>%s\n<p><code class=\"command\">%s</code></p>\n</div>\n",
		when(p.Name != "", "<h3 class=\"probe\">%s</h3>\n", p.Name), p.Tone, p.ID, p.Earned, p.Text, many(p.Notes, "\n<p class=\"note\">%s</p>"), p.Command)
}

func (r *renderer) items(b block.Items) markup {
	w, s, t := r.words.Page, r.words.Signs, r.table(b)
	if len(t.First) == 0 {
		return section(b, t, w, put("\n<p>%s</p>", b.Empty))
	}
	hint := put("%s", w.SortHint)
	if !b.Flat {
		hint += put("%s%s", s.Space, w.Press)
		if b.Link != "" {
			hint += put("%s%s%s%s", s.Space, w.PressLink, link(b.Link, "rollouts.jsonl"), s.Stop)
		}
	}
	classes := when(len(b.Classes) > 1, `<label class="js hidden">%s <select><option value="">%s</option>%s</select></label>`, b.ClassName, b.AnyClass, many(b.Classes, "<option>%s</option>"))
	columns := each(b.Columns, func(i int, c block.Column) markup {
		return put(`<th scope="col" title="%s"%s><button type="button">%s</button></th>`, c.Doc, when(i >= b.Wordy, ` data-words=""`), c.Label)
	})
	rows := each(t.First, func(_ int, one row) markup {
		return put("\n<tr>%s</tr>", each(one.Cells, func(i int, text string) markup {
			return put("<td%s>%s</td>", when(i == 1, ` class="c-%s"`, one.Kind), text)
		}))
	})
	var b2 strings.Builder
	for _, part := range []markup{
		put("\n<p class=\"note js hidden\">%s</p>", hint),
		put("\n<div class=\"tools\"><label class=\"js hidden\">%s <input type=\"search\" autocomplete=\"off\" spellcheck=\"false\"></label>%s<output>%s</output></div>", w.Filter, classes, t.Count),
		put("\n<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"items\">\n<thead><tr>%s</tr></thead>\n<tbody>%s\n</tbody></table></div>", b.Name, columns, rows),
		put("\n<button type=\"button\" class=\"more hidden\">%s</button>", w.More),
		when(t.Printed != "", "\n<p class=\"note printed\">%s</p>", t.Printed),
		when(t.Cut != "", "\n<p class=\"note\">%s</p>", t.Cut),
		put("\n<script type=\"application/json\">%s</script>", r.json(t.Data)),
	} {
		b2.WriteString(string(part))
	}
	return section(b, t, w, markup(b2.String()))
}

func section(b block.Items, t table, w block.PageWords, body markup) markup {
	return put("<section data-items=\"%s\" data-all=\"%s\" data-some=\"%s\"%s%s>%s\n</section>\n",
		b.Name, t.All, w.Shown, when(b.File != "", ` data-file="%s"`, b.File), when(b.Flat, ` data-flat=""`), body)
}
