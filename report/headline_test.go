package report

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/analysis/message"
	"gonogo/report/internal/typeface"
	"gonogo/report/reporttest"
)

// If the headline shows bounds for the mean, the numbers next to it looked as if
// they held for all rollouts.
func TestNumbersOfTheGradedRolloutsAreMarked(t *testing.T) {
	marks := map[string][]string{
		"en": {"Informative groups (graded only)"},
		"zh": {"有效组占比（仅计有奖励的轨迹）"},
	}
	for lang, marks := range marks {
		for _, missing := range []float64{0.2, 0.05} {
			r := reporttest.Load(t, "tiny")
			s := r.Splits["train"]
			low, high := 0.3, 0.5
			s.Missing.Share, s.Reward.Bounds.Low, s.Reward.Bounds.High = &missing, &low, &high
			if lang == "zh" {
				r = r.In(message.Chinese)
			}
			opt := options()
			opt.Font = typeface.None
			p := NewRunPage(r, opt)
			forms := map[string]string{}
			for _, form := range []string{"text", "markdown-full", "html"} {
				forms[form] = reporttest.Squeeze(string(write(t, form, p)))
			}
			var card recorder.Canvas
			drawCard(draw.NewCanvas(&card, cardWidth, cardHeight), p)
			for _, action := range card.Actions {
				if a, ok := action.(*recorder.FillString); ok {
					forms["summary"] += reporttest.Squeeze(a.String)
				}
			}
			if lang == "en" { // the paper has no Chinese without a font
				forms["pdf"] = reporttest.Flat(reporttest.ReadPDF(t, write(t, "pdf", p))[0])
			}
			for form, text := range forms {
				for _, mark := range marks {
					if got, want := strings.Contains(text, reporttest.Squeeze(mark)), missing > mostMissing; got != want {
						t.Errorf("%s in %s, %g missing: %q is said: %t", form, lang, missing, mark, got)
					}
				}
			}
		}
	}
}
