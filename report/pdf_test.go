package report

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/internal/pdf"
	"gonogo/report/internal/typeface"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// printing is a Page and what stands on the paper that was made of it.
type printing struct {
	*RunPage
	data  []byte
	pages []reporttest.PDFPage
}

var printings = map[string]printing{}

// printedOn writes a Result as a PDF and reads it back, once for each paper. No
// font of the machine is used: the bytes are the same everywhere.
func printedOn(t *testing.T, name, paper string) printing {
	t.Helper()
	if done, ok := printings[name+paper]; ok {
		return done
	}
	opt := options()
	opt.Paper, opt.Font = paper, typeface.None
	p := NewRunPage(loaded(t, name), opt)
	data := write(t, "pdf", p)
	printings[name+paper] = printing{p, data, reporttest.ReadPDF(t, data)}
	return printings[name+paper]
}

// loaded is a frozen Result, or one with a burst or variants.
func loaded(t *testing.T, name string) *analysis.Result {
	switch name {
	case "burst":
		return withBurst(t)
	case "variants":
		return withVariants(t)
	}
	return reporttest.Load(t, name)
}

// printedNames are the Results that are printed: the frozen ones, and those
// with a burst and variants.
func printedNames() []string {
	large := func(name string) bool { return name == "large" } // has a test of its own
	return append(slices.DeleteFunc(reporttest.Names(), large), "burst", "variants")
}

func TestThePDFSaysWhatThePageSays(t *testing.T) {
	for _, name := range printedNames() {
		p := printedOn(t, name, "a4")
		pages := p.pages
		drawn := func(s string) string { // emoji and Chinese are boxes without a font
			return strings.Map(func(r rune) rune {
				if r > 0x2fff {
					return '□'
				}
				return r
			}, reporttest.Squeeze(s))
		}
		front := reporttest.Flat(pages[0])
		for _, want := range append([]string{string(p.Verdict), p.Sentence, p.tiles()[0].Number(), p.tiles()[1].About, p.Title}, p.toDo()...) {
			if !strings.Contains(front, drawn(want)) {
				t.Errorf("%s: page one does not say %q", name, want)
			}
		}
		all := reporttest.Flat(pages...)
		at := 0
		for _, f := range p.Findings {
			told := f.Label + f.Title
			if !f.Open {
				told = f.Title
			}
			i := strings.Index(all[at:], drawn(told))
			if i < 0 {
				t.Errorf("%s: %q is not told, or not in its place", name, told)
			}
			at += max(0, i)
			for _, x := range f.Texts {
				if f.Open && !strings.Contains(all, drawn(x.Value)) {
					t.Errorf("%s: %s does not say %q", name, f.Gate, x.Value)
				}
			}
		}
		for i, page := range pages {
			if want := fmt.Sprintf("page%dof%d", i+1, len(pages)); !strings.Contains(reporttest.Flat(page), want) {
				t.Errorf("%s: page %d does not say %s", name, i+1, want)
			}
		}
	}
}

func TestThePDFHasEveryPartOfThePage(t *testing.T) {
	for _, name := range printedNames() {
		p := printedOn(t, name, "a4")
		all := reporttest.Flat(p.pages...)
		var want []string
		for _, part := range []string{"behaviour", "burst", "variants", "method", "thresholds", "notes", "input", "grader"} {
			list := section(p.Doc(), part)
			for _, g := range inBlocks[Grid](list) {
				if part == "grader" {
					break
				}
				want = append(append(want, g.Title), g.Head...)
				for _, row := range g.Rows {
					want = append(want, row[0])
				}
			}
			for _, facts := range inBlocks[block.Facts](list) {
				for _, f := range facts.Rows {
					want = append(want, f.Name, f.Value)
				}
			}
			for _, note := range inBlocks[block.Note](list) {
				want = append(want, note.Texts...)
			}
		}
		for _, f := range p.Figures {
			if slices.Contains(p.deciding(), f.Name) {
				continue // small, on page one
			}
			want = append(want, f.Doc)
		}
		for _, s := range want {
			if s = reporttest.Squeeze(s); !strings.ContainsFunc(s, func(r rune) bool { return r > 0x2fff }) && !strings.Contains(all, s) {
				t.Errorf("%s: %q is not told", name, s)
			}
		}
	}
}

func TestNothingIsPrintedOutsideTheMargins(t *testing.T) {
	const side, foot, head, slack = 48, 20, 26, 0.8
	for _, paper := range pdf.Papers() {
		names := printedNames()
		if paper.Name != "a4" {
			names = []string{"audited", "burst"}
		}
		for _, name := range names {
			for i, page := range printedOn(t, name, paper.Name).pages {
				inside := func(what string, b reporttest.PDFBox) {
					if b.X0 < side-slack || b.X1 > paper.Width-side+slack || b.Y0 < foot || b.Y1 > paper.Height-head {
						t.Errorf("%s on %s: page %d: %s stands at %v", name, paper.Name, i+1, what, b)
					}
				}
				if page.Width != paper.Width || page.Height != paper.Height {
					t.Fatalf("%s on %s: a page of %g × %g", name, paper.Name, page.Width, page.Height)
				}
				for _, text := range page.Texts {
					inside(fmt.Sprintf("%q", text.Text), text.Box)
				}
				inside("a line", page.Lines)
			}
		}
	}
}

func TestThePDFHasBookmarksAndProperties(t *testing.T) {
	p := printedOn(t, "tiny", "a4")
	utf16of := func(s string) []byte {
		out := []byte("\xfe\xff")
		for _, r := range s {
			out = append(out, byte(r>>8), byte(r))
		}
		return out
	}
	for _, want := range []string{english.Findings, english.Pictures, english.Items, english.Method, p.Figures[0].Title} {
		if !bytes.Contains(p.data, append([]byte("/Title ("), utf16of(want)...)) {
			t.Errorf("no bookmark says %q", want)
		}
	}
	for _, want := range []string{"/Type /Outlines", "/CreationDate (D:20261120100000)", "/Lang (en)"} {
		if !bytes.Contains(p.data, []byte(want)) {
			t.Errorf("the file lacks %s", want)
		}
	}
}

func TestThePDFIsTheSameBytes(t *testing.T) {
	once := printedOn(t, "hostile", "a4")
	opt := options()
	opt.Font = typeface.None
	for name, p := range map[string]*RunPage{"the same page": once.RunPage, "another page": NewRunPage(reporttest.Load(t, "hostile"), opt)} {
		if !bytes.Equal(once.data, write(t, "pdf", p)) {
			t.Errorf("%s of the same Result differs", name)
		}
	}
}

// 100,000 items with GONOGO_DEEP, else 5,000, some with ids of 10 KB: a report
// of as many pages as any other, which is quick and small.
func TestDeepThePDFOfManyItemsIsBounded(t *testing.T) {
	items, most := 5_000, 30*time.Second
	if os.Getenv("GONOGO_DEEP") != "" {
		items, most = 100_000, 3*time.Second
	}
	r := reporttest.Load(t, "go")
	s := r.Splits[rollout.Train]
	few := s.Classes.Items
	s.Classes.Items = nil
	for i := range items {
		it := few[i%len(few)]
		it.Item = fmt.Sprintf("item-%06d", i)
		if i%100 == 1 {
			it.Item += strings.Repeat("長", 3_400)
		}
		if i == 976 {
			it.Missing = 3
		}
		s.Classes.Items = append(s.Classes.Items, it)
	}
	r.Findings[0].Items = []string{"item-000777"}
	r.Findings[0].Split = rollout.Train
	opt := options()
	opt.Font = typeface.None
	p := NewRunPage(r, opt)
	begin := time.Now()
	data := write(t, "pdf", p)
	took := time.Since(begin)
	pages := reporttest.ReadPDF(t, data)
	t.Logf("%d items: %d KB, %d pages in %v", items, len(data)>>10, len(pages), took)
	if len(data) > 3<<20 || len(pages) > 40 || took > most {
		t.Errorf("%d bytes and %d pages in %v", len(data), len(pages), took)
	}
	all := reporttest.Flat(pages...)
	for _, want := range []string{"of " + message.Whole(items) + " items: those that findings name", "item-000777", "item-000976"} {
		if !strings.Contains(all, reporttest.Squeeze(want)) {
			t.Errorf("%q is not told", want)
		}
	}
}

func TestSignsThatCannotBePrintedAreTold(t *testing.T) {
	p := printedOn(t, "hostile", "a4")
	pages := p.pages
	if len(p.Warnings()) != 1 || !strings.Contains(p.Warnings()[0], "--font") {
		t.Fatalf("warnings are %q, want one that says how to mend it", p.Warnings())
	}
	if front := reporttest.Flat(pages[0]); !strings.Contains(front, reporttest.Squeeze(p.Warnings()[0])) || !strings.Contains(front, "□□") {
		t.Errorf("page one holds no boxes or does not tell of them: %s", front)
	}
	write(t, "pdf", p.RunPage)
	if n := len(p.Warnings()); n != 1 {
		t.Errorf("%d warnings after the second writing", n)
	}
	if list := printedOn(t, "go", "a4").Warnings(); len(list) > 0 {
		t.Errorf("a page that needs no font warns: %q", list)
	}
}

func TestAPDFThatCannotBeMadeSaysWhy(t *testing.T) {
	for want, opt := range map[string]Options{
		`unknown paper "a5": use one of a4, letter`: {Paper: "a5"},
		"read font no/such.ttf: no such file":       {Font: "no/such.ttf"},
		"it is not a TrueType or OpenType font":     {Font: "pdf_test.go"},
	} {
		p := NewRunPage(reporttest.Load(t, "tiny"), opt)
		if err := writePDF(&bytes.Buffer{}, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}
