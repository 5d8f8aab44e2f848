package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

var (
	numbers     = regexp.MustCompile(`(?s)<details class="numbers">.*?</details>`)
	anyTag      = regexp.MustCompile(`<[^>]*>`)
	styles      = regexp.MustCompile(`(?s)<style>.*?</style>`)
	scripts     = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)
	pictures    = regexp.MustCompile(`(?s)<svg .*?</svg>`)
	ownRollouts = regexp.MustCompile(`^(\.\./)*rollouts\.jsonl$`)
	references  = regexp.MustCompile(`(?i)(src|href|action|srcset|data|poster|xlink:href)\s*=\s*"([^"]*)"`)
)

// TestGoldenHTML compares what the page says, tag by tag taken off, so a
// change of looks is not a change of the golden file. What pictures say as tables is
// their own room's.
func TestGoldenHTML(t *testing.T) {
	for _, name := range []string{"cautious", "hostile", "audited"} {
		golden(t, name+".html.txt", wordsOf(string(write(t, "html", page(t, name)))))
	}
}

// wordsOf is what a page says, and pictures to who cannot see them.
func wordsOf(s string) string {
	s = scripts.ReplaceAllString(numbers.ReplaceAllString(styles.ReplaceAllString(s, ""), ""), "")
	s = pictures.ReplaceAllStringFunc(s, func(p string) string {
		if strings.Contains(p, `aria-hidden="true"`) {
			return "" // a gauge, which the texts beside it say
		}
		return regexp.MustCompile(`aria-label="([^"]*)"`).FindStringSubmatch(p)[1]
	})
	s = anyTag.ReplaceAllString(s, "\n")
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, html.UnescapeString(line))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestHTMLAsksTheNetworkForNothing(t *testing.T) {
	for _, name := range reporttest.Names() {
		s := string(write(t, "html", page(t, name)))
		if !strings.Contains(s, `content="default-src &#39;none&#39;;`) {
			t.Errorf("%s: no policy that forbids requests", name)
		}
		style := styles.FindString(s)
		tags := strings.Join(anyTag.FindAllString(scripts.ReplaceAllString(s, ""), -1), "\n")
		for _, m := range references.FindAllStringSubmatch(tags, -1) {
			if !strings.HasPrefix(m[2], "#") && !ownRollouts.MatchString(m[2]) {
				t.Errorf("%s: refers to %q", name, m[0])
			}
		}
		for _, bad := range []string{"<link", "<iframe", "<object", "<embed", "<base", "@import", "url("} {
			if strings.Contains(tags, bad) || strings.Contains(style, bad) {
				t.Errorf("%s: holds %q", name, bad)
			}
		}
	}
}

// TestHTMLRunsItsOwnScriptAlone holds the policy's hash against the script as
// it stands in the page, and every other script to be data.
func TestHTMLRunsItsOwnScriptAlone(t *testing.T) {
	for _, name := range reporttest.Names() {
		s := string(write(t, "html", page(t, name)))
		run := 0
		for _, m := range scripts.FindAllStringSubmatch(s, -1) {
			if strings.Contains(m[1], `type="application/json"`) {
				if !json.Valid([]byte(m[2])) {
					t.Errorf("%s: %.80q is no JSON", name, m[2])
				}
				var items struct {
					Rows []string `json:"rows"`
				}
				if strings.Contains(m[2], `"rows"`) {
					if err := json.Unmarshal([]byte(m[2]), &items); err != nil {
						t.Errorf("%s: the item data: %v", name, err)
					}
				}
				for _, r := range items.Rows {
					if n := strings.Count(r, "\t") + 1; n != len(english.Columns) {
						t.Fatalf("%s: a row has %d cells, want %d", name, n, len(english.Columns))
					}
				}
				continue
			}
			run++
			sum := sha256.Sum256([]byte(m[2]))
			want := "script-src &#39;sha256-" + html.EscapeString(base64.StdEncoding.EncodeToString(sum[:]))
			if !strings.Contains(s, strings.ReplaceAll(want, "+", "&#43;")) {
				t.Errorf("%s: the policy does not allow the page's own script", name)
			}
		}
		if run != 1 {
			t.Errorf("%s: %d scripts would run, want 1", name, run)
		}
		for _, bad := range []string{"<img", "onerror=alert(1)>", "<b>"} {
			if body := scripts.ReplaceAllString(s, ""); name == "hostile" && bad != "<b>" && strings.Contains(body, bad) {
				t.Errorf("%s: %q became markup", name, bad)
			}
		}
	}
}

func TestPicturesInHTMLAreWellFormedAndTakeThePagesColours(t *testing.T) {
	for _, name := range []string{"go", "all_missing", "hostile"} {
		list := pictures.FindAll(write(t, "html", page(t, name)), -1)
		gauges := 0 // of gates, which the texts beside them say
		for _, svg := range list {
			if bytes.Contains(svg, []byte(`aria-hidden="true"`)) {
				gauges++
			}
		}
		if len(list)-gauges != len(page(t, name).Figures) {
			t.Errorf("%s: %d pictures and %d gauges, want %d pictures", name, len(list)-gauges, gauges, len(page(t, name).Figures))
		}
		for _, svg := range list {
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if fixed := regexp.MustCompile(`(fill|stroke):#[0-9A-F]{6}`).Find(svg); fixed != nil {
				t.Errorf("%s: a picture has the fixed colour %s, which would not follow the page into the dark", name, fixed)
			}
			if !bytes.Contains(svg, []byte(`role="img" aria-label="`)) && !bytes.Contains(svg, []byte(`aria-hidden="true"`)) {
				t.Errorf("%s: a picture has no text for who cannot see it", name)
			}
		}
	}
}

// TestEveryColourHasAStyle holds the page's style against the palette, in
// light and in dark.
func TestEveryColourHasAStyle(t *testing.T) {
	s := string(write(t, "html", page(t, "cautious")))
	for _, m := range regexp.MustCompile(`var\(--([a-z-]+)\)`).FindAllStringSubmatch(s, -1) {
		if n := strings.Count(styles.FindString(s), "--"+m[1]+":"); n != 2 {
			t.Fatalf("--%s is set %d times, want in light and in dark", m[1], n)
		}
	}
}

func TestLargePagesStayLean(t *testing.T) {
	b := write(t, "html", page(t, "large"))
	if len(b) > 705_000 {
		t.Errorf("the page of 5,000 items is %d bytes, want at most 705,000", len(b))
	}
	if rows := bytes.Count(b, []byte("<tr>")); rows > 400 {
		t.Errorf("%d rows without script, want at most 400", rows)
	}
}

func TestGatesPointAtPicturesThatThereAre(t *testing.T) {
	there := map[string]bool{}
	for _, c := range chart.Charts() {
		there[c.Name] = true
	}
	for _, g := range gate.All() {
		for _, one := range append([]*analysis.Gate{g}, g.Parts...) {
			for _, name := range one.Charts {
				if !there[name] {
					t.Errorf("the picture %q of %s is not there", name, one.Name)
				}
			}
		}
	}
}
