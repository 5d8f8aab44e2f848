package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// Write writes the page into dir: one file for each format that has one, and
// charts/NAME.png for each chart. Everything is rendered before the first
// file is touched, and each file is replaced in one step, so that a reader
// never sees half a report.
func Write(dir string, p *Page, formats []Format) error {
	type file struct {
		path string
		data []byte
	}
	var files []file
	for _, f := range formats {
		if f.File == "" {
			continue
		}
		var b bytes.Buffer
		if err := f.Write(&b, p); err != nil {
			return err
		}
		files = append(files, file{filepath.Join(dir, f.File), b.Bytes()})
	}
	for _, fig := range p.Figures {
		var b bytes.Buffer
		if err := chart.WritePNG(&b, fig, chart.Width, fig.Height); err != nil {
			return err
		}
		files = append(files, file{filepath.Join(dir, "charts", fig.Name+".png"), b.Bytes()})
	}
	if err := os.MkdirAll(filepath.Join(dir, "charts"), 0o755); err != nil {
		return fmt.Errorf("make report directory: %w", err)
	}
	for _, f := range files {
		if err := rollout.WriteFile(f.path, f.data); err != nil {
			return fmt.Errorf("make the report: %w", err)
		}
	}
	return nil
}
