package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/report/reporttest"
)

// poppler runs a program of poppler on a PDF and returns its output.
func poppler(t *testing.T, pdf []byte, program string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not there: install poppler-utils", program)
	}
	file := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(file, pdf, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append(args, file, "-")...)
	if program == "pdftoppm" {
		cmd.Args = append(append([]string{program}, args...), file)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	return out
}

// madeUp writes a font in which the Chinese, Japanese and Korean signs are
// Latin letters: what they look like is of no matter here.
func madeUp(t *testing.T, signs string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "signs.ttf")
	if err := os.WriteFile(file, reporttest.Font(t, signs), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPopplerReadsTheTextsInOrder(t *testing.T) {
	const signs = "报告：每个条形是八次采样的平均奖励。日本語の説明も混在できます。한국어도"
	r := reporttest.Load(t, "go")
	r.Run.Name = "報 " + signs + " שלום 12"
	opt := options()
	opt.Font = madeUp(t, signs+"報")
	p := NewRunPage(r, opt)
	data := write(t, "pdf", p)
	if len(p.Warnings()) > 0 {
		t.Fatalf("the font was not taken: %q", p.Warnings())
	}
	marks := strings.NewReplacer("\u202b", "", "\u202c", "") // that pdftotext sets around Hebrew
	text := reporttest.Squeeze(marks.Replace(string(poppler(t, data, "pdftotext", "-raw"))))
	want := []string{reporttest.Squeeze(r.Run.Name), string(p.Verdict), p.Sentence}
	for _, f := range p.Findings {
		want = append(want, f.Title)
	}
	for i := range 3 {
		want = append(want, fmt.Sprintf("page%dof", i+1))
	}
	for _, s := range want {
		if !strings.Contains(text, reporttest.Squeeze(s)) {
			t.Errorf("pdftotext does not read %q", s)
		}
	}
}

func TestPrintedPagesLookAsTheyDid(t *testing.T) {
	for _, test := range []struct{ name, page, section string }{
		{"audited", "front", english.Findings}, {"audited", "pictures", english.Pictures}, {"tiny", "front", english.Findings},
	} {
		p := printedOn(t, test.name, "a4")
		at := slices.IndexFunc(p.pages, func(page reporttest.PDFPage) bool {
			return slices.ContainsFunc(page.Texts, func(text reporttest.PDFText) bool { return text.Text == test.section })
		})
		n := fmt.Sprint(at + 1)
		picture := poppler(t, p.data, "pdftoppm", "-r", "80", "-png", "-f", n, "-l", n)
		reporttest.SamePicture(t, filepath.Join("testdata", test.name+"."+test.page+".png"), picture, *update)
	}
}
